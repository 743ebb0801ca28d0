//! The cases: which chain, which weights, from where, and which assumption of the theorem that breaks.

use super::setting::{Movement, Size};
use ergodict::factor::Schedule;
use serde_json::{Value, json};

/// The weights `w_t`.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Weights {
    /// Those of the library.
    Of(Schedule),
    /// `t⁻²`, whose sum is finite. No schedule of the library: given step by step, as a caller can.
    Summable,
}

impl Weights {
    pub(super) fn at(&self, t: u64) -> f64 {
        match self {
            Self::Of(schedule) => schedule.weight(t),
            Self::Summable => (t as f64).powi(-2),
        }
    }
}

/// One way to run the scheme.
pub(super) struct Case {
    /// Its name in files.
    pub(super) key: &'static str,
    /// Its name on the page.
    pub(super) name: String,
    pub(super) movement: Movement,
    /// Every so manieth state is seen.
    pub(super) keep: u64,
    pub(super) weights: Weights,
    /// Whether the first dictionary is random, rather than the shapes with noise.
    pub(super) anywhere: bool,
    /// The assumption that it breaks.
    pub(super) breaks: Option<&'static str>,
    /// Whether the losses have to close in on each other.
    pub(super) sound: bool,
}

impl Case {
    /// Minibatches seen.
    pub(super) fn minibatches(&self, size: Size) -> u64 {
        size.steps / self.keep
    }

    /// All that a run of it depends on, but for the seed.
    pub(super) fn settings(&self, size: Size) -> Value {
        let weights = match &self.weights {
            Weights::Of(schedule) => schedule.to_string(),
            Weights::Summable => "t^-2".to_owned(),
        };
        json!({
            "chain": format!("{:?}", self.movement), "keep": self.keep, "weights": weights, "random_start": self.anywhere,
            "steps": size.steps, "runs": size.runs, "stay": size.stay,
        })
    }
}

/// Every case, those with all assumptions first.
pub(super) fn all(size: Size) -> Vec<Case> {
    let balanced = || Weights::Of(Schedule::Balanced);
    let power = || Weights::Of(Schedule::Power { beta: 0.8 });
    let floor = |floor| Weights::Of(Schedule::Constant { floor });
    let case = |key, name: &str, movement, weights| Case {
        key,
        name: name.to_owned(),
        movement,
        keep: 1,
        weights,
        anywhere: false,
        breaks: None,
        sound: true,
    };
    let broken = |case, assumption| Case { breaks: Some(assumption), sound: false, ..case };
    vec![
        case("independent", "independent, 1/t", Movement::Independent, balanced()),
        case("independent-forgetting", "independent, t^−0.8", Movement::Independent, power()),
        case("sticky", "sticky, 1/t", Movement::Sticky, balanced()),
        case("sticky-forgetting", "sticky, t^−0.8", Movement::Sticky, power()),
        Case {
            keep: size.keep,
            ..case(
                "sticky-subsampled",
                &format!("sticky, every {}th, 1/t", size.keep),
                Movement::Sticky,
                balanced(),
            )
        },
        Case {
            anywhere: true,
            ..case("random-start", "independent, 1/t, random start", Movement::Independent, balanced())
        },
        Case {
            breaks: Some("(M1): not aperiodic"),
            ..case("periodic", "halves in turn, 1/t", Movement::InTurn, balanced())
        },
        broken(
            case("reducible", "halves that never meet, 1/t", Movement::Apart, balanced()),
            "(M1): not irreducible",
        ),
        broken(
            case("summable", "independent, t^−2", Movement::Independent, Weights::Summable),
            "Σ wₜ = ∞: it is finite",
        ),
        broken(
            case("constant-0.2", "independent, w ≥ 0.2", Movement::Independent, floor(0.2)),
            "(M2): wₜ stops falling",
        ),
        broken(
            case("constant-0.02", "independent, w ≥ 0.02", Movement::Independent, floor(0.02)),
            "(M2): wₜ stops falling",
        ),
    ]
}
