//! Pictures and the self-contained HTML report of ergodict: plain data in, SVG, PNG and HTML out.
//!
//! The crate knows nothing of chains, patches or dictionaries. It takes slices of `f64` and strings, so that the
//! command line, the Python package and the gallery draw the same pictures from whatever they hold.
//!
//! ```text
//! points ──▶ chart ──┐
//!                    ├─▶ SVG ──▶ html ──▶ one page, no network access
//! atoms ───▶ atoms ──┘
//!              └─────▶ PNG
//! ```
//!
//! - [`chart`]: line charts with linear or logarithmic axes.
//! - [`atoms`]: the atoms of a dictionary as small matrices or as profiles.
//! - [`html`]: the page that holds them, with plain words beside each picture.
//!
//! Pictures take the colour of the text around them (`currentColor`) and carry classes by which the page adapts
//! them to dark screens and to phones; on their own they are valid SVG files with a transparent ground.

pub mod atoms;
pub mod chart;
pub mod html;
mod pixels;
mod svg;

pub use atoms::{AtomError, AtomGrid, AtomProfile, Colour, atoms_png};
pub use chart::{LineChart, Series};
pub use html::{Figure, Report, Table};
