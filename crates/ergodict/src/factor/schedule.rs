//! Weight schedules: how much of the aggregates the newest minibatch replaces.

use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// The weights `w_t`, `t = 1, 2, …`, with `w_1 = 1` always.
///
/// The theorem needs `Σ w_t = ∞` and `w_t = O(t^{−β})` with `β ∈ (3/4, 1]`. [`Schedule::Constant`], and
/// [`Schedule::Power`] with a smaller exponent, forget faster on purpose and track a moving target.
///
/// ```
/// use ergodict::factor::Schedule;
/// let s: Schedule = "power:0.8".parse()?;
/// assert_eq!((s.weight(1), s.weight(4)), (1.0, 4f64.powf(-0.8)));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
#[non_exhaustive]
pub enum Schedule {
    /// `1/t`: every minibatch counts the same.
    #[default]
    Balanced,
    /// `2/(t+1)`: weight proportional to `t`, so the early minibatches, coded with poor dictionaries, fade.
    Linear,
    /// `t^{−β}`.
    Power {
        /// The exponent `β ∈ (0, 1]`.
        beta: f64,
    },
    /// `max(1/t, c)`: exponential forgetting with a memory of `1/c` minibatches.
    Constant {
        /// The floor `c ∈ (0, 1]`.
        floor: f64,
    },
    /// `max(t^{−β}, c)`.
    PowerFloor {
        /// The exponent `β ∈ (0, 1]`.
        beta: f64,
        /// The floor `c ∈ (0, 1]`.
        floor: f64,
    },
    /// `t^{−1/2}`, and where the data are gone over again and again, in B minibatches each time, no less than 2/B: a memory of half a pass.
    ///
    /// Measured on eleven data sets to be the best or near it on all of them (docs/performance.md).
    Auto,
    /// The weights themselves; after the last one it is repeated.
    List {
        /// `w_1, w_2, …`, each in `(0, 1]`. `w_1` is taken to be 1 whatever it says: there is nothing before it.
        weights: Vec<f64>,
    },
}

/// The exponent of [`Schedule::Auto`], and its floor in shares of a pass over the data.
const AUTO_BETA: f64 = 0.5;
const AUTO_PASSES: f64 = 0.5;

impl Schedule {
    /// What [`Schedule::Auto`] is for data with a known number of minibatches a pass, and more than one pass; others are unchanged.
    ///
    /// ```
    /// use ergodict::factor::Schedule;
    /// assert_eq!(Schedule::Auto.decided(Some(40)).to_string(), "power:0.5:0.05");
    /// assert_eq!(Schedule::Auto.decided(Some(2)).to_string(), "power:0.5:0.5");
    /// assert_eq!(Schedule::Auto.decided(None).to_string(), "power:0.5");
    /// ```
    #[must_use]
    pub fn decided(self, minibatches: Option<u64>) -> Self {
        match (self, minibatches) {
            (Self::Auto, Some(count)) => {
                // Of several minibatches an epoch none may be forgotten at once.
                let most = if count <= 1 { 1.0 } else { 0.5 };
                let floor = (1.0 / (AUTO_PASSES * count.max(1) as f64)).min(most);
                Self::PowerFloor { beta: AUTO_BETA, floor }
            }
            (Self::Auto, None) => Self::Power { beta: AUTO_BETA },
            (same, _) => same,
        }
    }

    /// `w_t` for `t ≥ 1`.
    pub fn weight(&self, t: u64) -> f64 {
        let time = t.max(1) as f64;
        if t <= 1 {
            return 1.0;
        }
        match self {
            Self::Balanced => 1.0 / time,
            Self::Linear => 2.0 / (time + 1.0),
            Self::Power { beta } => time.powf(-beta),
            Self::Constant { floor } => floor.max(1.0 / time),
            Self::PowerFloor { beta, floor } => floor.max(time.powf(-beta)),
            Self::Auto => time.powf(-AUTO_BETA),
            Self::List { weights } => {
                let last = weights.len().saturating_sub(1);
                weights.get(((t - 1) as usize).min(last)).copied().unwrap_or(1.0)
            }
        }
    }

    /// Checks the numbers in it.
    ///
    /// # Errors
    /// [`Error::Parameter`] for an exponent, floor or weight outside `(0, 1]`.
    pub(crate) fn check(&self) -> Result<()> {
        let inside = |x: f64| x > 0.0 && x <= 1.0;
        match self {
            Self::Balanced | Self::Linear | Self::Auto => Ok(()),
            Self::Power { beta } if inside(*beta) => Ok(()),
            Self::PowerFloor { beta, floor } if inside(*beta) && inside(*floor) => Ok(()),
            Self::PowerFloor { beta, floor } if inside(*beta) => {
                Err(Error::parameter("the floor of the schedule", floor, "it must be in (0, 1]"))
            }
            Self::Power { beta } | Self::PowerFloor { beta, .. } => {
                Err(Error::parameter("the exponent of the schedule", beta, "it must be in (0, 1]"))
            }
            Self::Constant { floor } if inside(*floor) => Ok(()),
            Self::Constant { floor } => {
                Err(Error::parameter("the constant of the schedule", floor, "it must be in (0, 1]"))
            }
            Self::List { weights } => match weights.iter().find(|w| !inside(**w)) {
                Some(w) => Err(Error::parameter("a weight of the schedule", w, "it must be in (0, 1]")),
                None if weights.is_empty() => {
                    Err(Error::parameter("the list of weights", "empty", "it must hold at least one"))
                }
                None => Ok(()),
            },
        }
    }
}

impl std::str::FromStr for Schedule {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let unknown = || {
            let expected = "it must be auto, balanced, linear, power:B (t^-B), power:B:C (max(t^-B, C)) or constant:C (max(1/t, C))";
            Error::parameter("the schedule", format!("\"{text}\""), expected)
        };
        let schedule = match text.split_once(':') {
            None => match text {
                "balanced" => Self::Balanced,
                "linear" => Self::Linear,
                "auto" => Self::Auto,
                _ => return Err(unknown()),
            },
            Some(("given", list)) => {
                let weights = list.split(',').map(str::parse).collect::<std::result::Result<_, _>>();
                Self::List { weights: weights.map_err(|_| unknown())? }
            }
            Some(("power", numbers)) if numbers.contains(':') => {
                let (beta, floor) = numbers.split_once(':').ok_or_else(unknown)?;
                let number = |text: &str| text.parse::<f64>().map_err(|_| unknown());
                Self::PowerFloor { beta: number(beta)?, floor: number(floor)? }
            }
            Some((name, number)) => {
                let number: f64 = number.parse().map_err(|_| unknown())?;
                match name {
                    "power" => Self::Power { beta: number },
                    "constant" => Self::Constant { floor: number },
                    _ => return Err(unknown()),
                }
            }
        };
        schedule.check()?;
        Ok(schedule)
    }
}

impl std::fmt::Display for Schedule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Balanced => write!(f, "balanced"),
            Self::Linear => write!(f, "linear"),
            Self::Power { beta } => write!(f, "power:{beta}"),
            Self::Constant { floor } => write!(f, "constant:{floor}"),
            Self::PowerFloor { beta, floor } => write!(f, "power:{beta}:{floor}"),
            Self::Auto => write!(f, "auto"),
            Self::List { weights } => {
                write!(f, "given:")?;
                for (i, w) in weights.iter().enumerate() {
                    write!(f, "{}{w}", if i == 0 { "" } else { "," })?;
                }
                Ok(())
            }
        }
    }
}

crate::text::written_as_text!(Schedule);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_follow_their_formulas() {
        let given = Schedule::List { weights: vec![0.3, 0.5, 0.25] };
        let floored = Schedule::PowerFloor { beta: 0.5, floor: 0.55 };
        let cases: [(Schedule, [f64; 5]); 6] = [
            (floored, [1.0, 0.5f64.sqrt(), 1.0 / 3f64.sqrt(), 0.55, 0.55]),
            (Schedule::Balanced, [1.0, 0.5, 1.0 / 3.0, 0.25, 0.2]),
            (Schedule::Linear, [1.0, 2.0 / 3.0, 0.5, 0.4, 1.0 / 3.0]),
            (Schedule::Power { beta: 0.5 }, [1.0, 0.5f64.sqrt(), 1.0 / 3f64.sqrt(), 0.5, 0.2f64.sqrt()]),
            (Schedule::Constant { floor: 0.3 }, [1.0, 0.5, 1.0 / 3.0, 0.3, 0.3]),
            (given, [1.0, 0.5, 0.25, 0.25, 0.25]),
        ];
        for (schedule, want) in cases {
            for (t, want) in (1..).zip(want) {
                assert!((schedule.weight(t) - want).abs() < 1e-15, "{schedule} at {t}");
            }
        }
    }

    #[test]
    fn bad_schedules_are_refused_with_what_would_be_right() {
        for bad in [
            "",
            "banana",
            "power",
            "power:",
            "power:x",
            "power:0",
            "power:1.5",
            "constant:0",
            "constant:nan",
            "power:0.5:0",
            "power:0.5:2",
            "power:2:0.5",
            "power::",
        ] {
            let error = bad.parse::<Schedule>().unwrap_err().to_string();
            assert!(error.contains("must be"), "{bad}: {error}");
        }
        for good in
            ["auto", "balanced", "linear", "power:0.8", "power:0.5:0.01", "constant:0.5", "given:1,0.5,0.25"]
        {
            assert_eq!(good.parse::<Schedule>().unwrap().to_string(), good);
        }
    }

    #[test]
    fn what_is_left_to_the_program_is_decided_by_the_number_of_minibatches() {
        let floor = |count| match Schedule::Auto.decided(Some(count)) {
            Schedule::PowerFloor { beta, floor } => {
                assert_eq!(beta, AUTO_BETA);
                floor
            }
            other => panic!("{other}"),
        };
        // Half a pass, of which none may count as all where there are several.
        assert_eq!([0, 1, 2, 4, 5, 40].map(floor), [1.0, 1.0, 0.5, 0.5, 0.4, 0.05]);
        assert_eq!(Schedule::Auto.decided(None), Schedule::Power { beta: AUTO_BETA });
        assert_eq!(Schedule::Linear.decided(Some(3)), Schedule::Linear);
        for t in [1, 2, 9] {
            assert_eq!(Schedule::Auto.weight(t), (t as f64).powf(-0.5));
            assert_eq!(Schedule::Balanced.weight(0), 1.0);
        }
    }

    #[test]
    fn numbers_of_schedules_are_above_zero_and_one_at_most() {
        let list = |weights: &[f64]| Schedule::List { weights: weights.to_vec() }.check();
        assert!(list(&[1.0, 1e-300]).is_ok() && list(&[]).is_err() && list(&[1.0, 0.0]).is_err());
        assert!(list(&[0.5, 1.0 + 1e-9]).is_err() && list(&[0.5, f64::NAN]).is_err());
        for (at, inside) in [(1.0, true), (1e-9, true), (0.0, false), (1.0 + 1e-9, false), (-0.5, false)] {
            assert_eq!(Schedule::Power { beta: at }.check().is_ok(), inside);
            assert_eq!(Schedule::Constant { floor: at }.check().is_ok(), inside);
            for (beta, floor) in [(at, 0.5), (0.5, at)] {
                let message = Schedule::PowerFloor { beta, floor }.check().map_err(|error| error.to_string());
                assert_eq!(message.is_ok(), inside);
                let wrong = if floor == at { "floor" } else { "exponent" };
                assert!(message.err().is_none_or(|message| message.contains(wrong)));
            }
        }
    }
}
