//! Networks rebuilt from atoms: the mean, over sampled homomorphisms, of what the dictionary makes of each pair.
