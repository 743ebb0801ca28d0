//! Data: where matrices come from, and how files are written.
