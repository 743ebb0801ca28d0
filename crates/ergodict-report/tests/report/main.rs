//! What pictures, files and pages promise, in one program: each would be linked again.

mod bars;
mod lattices;
mod networks;
mod page;
mod pictures;
mod reading;
