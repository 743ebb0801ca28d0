//! Pictures and the self-contained HTML report of ergodict: plain data in, SVG, PNG, GIF and HTML out.
//!
//! The crate knows nothing of chains, patches or dictionaries. It takes slices of numbers and strings, so that the
//! command line, the Python package and the gallery draw the same pictures from whatever they hold.
//!
//! ```text
//! points ───▶ chart ────┐
//! atoms ────▶ atoms ────┼─▶ SVG ──▶ html ──▶ one page, no network access
//! entries ──▶ picture ──┘
//!               └─────────▶ PNG
//! frames ───▶ gif ────────▶ GIF
//! ```
//!
//! - [`chart`]: line charts with linear or logarithmic axes.
//! - [`histogram`]: numbers counted in bins; [`bars`]: bars over intervals, for distributions; [`bands`]: shares over time; [`intervals`]: numbers with errors.
//! - [`atoms`] and [`profiles`]: the atoms of a dictionary as small matrices or as bars.
//! - [`graphs`]: the atoms of a network as small graphs.
//! - [`gallery`]: the atoms as cards to sort, filter and enlarge, with the data that uses each most.
//! - [`heat`]: a matrix with its values in colored cells; [`tree`]: what is close to what, as a tree of merges.
//! - [`picture`]: images, lattices and maps of errors, side by side.
//! - [`frames`]: a lattice or picture over time, to play on the page.
//! - [`gif`]: trajectories of lattices.
//! - [`words`]: numbers in words.
//! - [`html`]: the page that holds them, with plain words next to each picture.
//!
//! Pictures take the color of the text around them (`currentColor`) and carry classes by which the page adapts
//! them to dark screens and to phones; on their own they are valid SVG files with a transparent ground.

pub mod atoms;
mod axis;
pub mod bands;
pub mod bars;
mod cards;
pub mod chart;
mod error;
mod frame;
pub mod frames;
pub mod gallery;
pub mod gif;
pub mod graphs;
pub mod heat;
pub mod histogram;
pub mod html;
pub mod intervals;
mod layout;
mod packed;
mod page;
pub mod picture;
mod pixels;
pub mod profiles;
mod reduction;
mod script;
mod shade;
mod sheet;
mod svg;
mod tiles;
pub mod tree;
pub mod words;

pub use atoms::{AtomGrid, atoms_png};
pub use bars::{Bar, BarChart};
pub use chart::{LineChart, Series};
pub use error::PictureError;
pub use frames::Frames;
pub use gallery::Gallery;
pub use gif::{GifError, GifWriter, Palette};
pub use graphs::AtomGraphs;
pub use heat::Heat;
pub use html::{Check, Figure, Report, Table};
pub use picture::{Picture, Pictures, frame_png};
pub use profiles::AtomProfile;
pub use reduction::Reduction;
pub use shade::{Color, Shade};
pub use sheet::Sheet;
pub use tree::Tree;
