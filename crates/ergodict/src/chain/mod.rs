//! Chains: the Markov chains `Y_t` that are observed.
