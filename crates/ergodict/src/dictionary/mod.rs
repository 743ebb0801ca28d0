//! Dictionaries: what was learned, and the files that hold it.
