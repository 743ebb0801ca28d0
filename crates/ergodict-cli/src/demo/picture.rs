//! A picture: atoms from patches at independent places, and from patches whose corner takes a random walk.

use super::atoms;
use anyhow::Result;
use ergodict::chain::{Boundary, ImageWalk, Sampling, Walker};
use ergodict::data::{Image, tessellation};
use ergodict::dictionary::Model;
use ergodict::factor::{Factoriser, Parameters};
use ergodict::linalg::Mat;
use ergodict::patch::Window;
use ergodict::reconstruct::{Overlap, psnr, with_lambda};
use ergodict_report::{AtomGrid, Colour, Figure, Picture, Pictures, Shade};
use serde_json::{Value, json};

const SIDE: usize = 240;
const PATCH: usize = 10;
const PATCHES: usize = 500;
const STEPS: usize = 200;
const ATOMS: usize = 36;
/// Pixels are at most 1 and patches small, so the penalty is small, too.
const LAMBDA: f64 = 0.1;
const STRIDE: usize = 2;

/// What was learned with either sampling.
pub(super) struct PictureRun {
    image: Image,
    iid: Rebuilt,
    walk: Rebuilt,
}

struct Rebuilt {
    atoms: Vec<Vec<f64>>,
    values: Vec<f64>,
    psnr: f64,
}

impl PictureRun {
    /// Learns and rebuilds.
    pub(super) fn new(seed: u64) -> Result<Self> {
        let image = tessellation(SIDE, SIDE, false, 0)?;
        let (iid, walk) =
            (Rebuilt::new(&image, Sampling::Iid, seed)?, Rebuilt::new(&image, Sampling::Walk, seed)?);
        Ok(Self { image, iid, walk })
    }

    /// The flags with which `ergodict image learn` does the same, by a random walk.
    pub(super) fn flags() -> String {
        format!(
            "@tessellation --sampling walk --patch {PATCH} --patches {PATCHES} --steps {STEPS} -r {ATOMS} --lambda {LAMBDA}"
        )
    }

    pub(super) fn account(&self) -> String {
        format!(
            "{ATOMS} atoms of {PATCH}×{PATCH} pixels from {} patches. Rebuilt from them, the picture has a PSNR of\n\
             {:.2} dB when patches are drawn independently, {:.2} dB when their corner walks pixel by pixel.",
            PATCHES * STEPS,
            self.iid.psnr,
            self.walk.psnr
        )
    }

    pub(super) fn json(&self) -> Value {
        json!({ "patches": PATCHES * STEPS, "psnr_iid": self.iid.psnr, "psnr_walk": self.walk.psnr })
    }

    pub(super) fn figures(&self) -> Result<Vec<Figure>> {
        let shade = Shade::Photo { low: 0.0, high: 1.0 };
        let original = self.image.to_f64();
        let picture = |values| Picture::new(values, (SIDE, SIDE), shade);
        let items = vec![
            (picture(&original), "the picture".to_owned()),
            (picture(&self.iid.values), format!("rebuilt, independent: {:.1} dB", self.iid.psnr)),
            (picture(&self.walk.values), format!("rebuilt, walk: {:.1} dB", self.walk.psnr)),
        ];
        let svg = Pictures { items, columns: Some(3) }.svg()?;
        let mut figures = vec![Figure { title: "A picture rebuilt".into(), svg, words: REBUILT.into() }];
        for (title, run, words) in [
            ("Atoms from independent patches", &self.iid, IID),
            ("Atoms from a random walk", &self.walk, WALK),
        ] {
            let grid = AtomGrid::new(&run.atoms, (PATCH, PATCH));
            let svg = AtomGrid { colour: Colour::Photo, columns: Some(9), ..grid }.svg()?;
            figures.push(Figure { title: title.into(), svg, words: words.into() });
        }
        Ok(figures)
    }
}

const REBUILT: &str = "
    A tessellation made by this program, and what two dictionaries make of it: every patch is rebuilt from atoms, and
    the mean is taken where patches overlap.";
const IID: &str = "
    Scales, fins and outlines: the pieces that the picture repeats.";
const WALK: &str = "
    Here each patch lies one pixel beside the one before it. Neighbouring minibatches are strongly dependent, and the
    atoms are about as good.";

impl Rebuilt {
    fn new(image: &Image, sampling: Sampling, seed: u64) -> Result<Self> {
        let window = Window { rows: PATCH, cols: PATCH, boundary: Boundary::Periodic };
        let corners = window.corners(image.shape())?;
        let mut walker = Walker::new(ImageWalk::new(&[corners], sampling, window.boundary)?, seed, 0);
        let parameters = Parameters { lambda: LAMBDA, ..Parameters::new(ATOMS) };
        let mut factoriser = Factoriser::<f64>::random(parameters, PATCH * PATCH, seed)?;
        let mut x = Mat::zeros(PATCH * PATCH, PATCHES);
        for _ in 0..STEPS {
            for j in 0..PATCHES {
                walker.take(1);
                let (_, corner) = walker.chain().position(walker.state());
                window.copy(image, corner, x.col_mut(j));
            }
            factoriser.step(&x)?;
        }
        let model = Model::of(&factoriser, "image", seed);
        let overlap = Overlap { window, stride: STRIDE };
        let rebuilt = overlap.reconstruct(&mut with_lambda(&factoriser, 0.0)?, image, &mut |_, _| true)?;
        let values = rebuilt.map(|rebuilt| rebuilt.values).unwrap_or_default();
        Ok(Self { atoms: atoms(&model), psnr: psnr(&values, &image.to_f64(), 1.0), values })
    }
}
