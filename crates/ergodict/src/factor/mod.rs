//! The online scheme.
