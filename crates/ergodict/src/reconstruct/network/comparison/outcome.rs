//! What a comparison comes to: distances with errors, the yardstick of rewired copies, and what may be concluded.
//!
//! | symbol | here |
//! |---|---|
//! | `d(i,j) = ½((ē(i,j) − ē(j,j)) + (ē(j,i) − ē(i,i)))` | [`ComparisonOutcome::distances`] |
//! | `ē`: `log₂` of the error, so that 1 means twice the error; minus the accuracy for reconstructions | [`Cells`] |
//! | average linkage of `max(d, 0)` | [`ComparisonOutcome::merges`] |

use super::Estimate;
use super::estimate::Cells;
use crate::reconstruct::average_linkage;
use crate::reconstruct::network::Measure;
use crate::{Error, Result};
use std::fmt;

/// Pairs that a sentence names.
const NAMED: usize = 3;

/// What a comparison of networks comes to.
///
/// ```
/// use ergodict::reconstruct::network::{ComparisonOutcome, Estimate, Finding, Measure};
/// let [zero, apart] = [0.0, 0.2].map(|value| Estimate { value, standard_error: 0.1 * value, degrees: 4.0 });
/// let outcome = ComparisonOutcome {
///     names: vec!["karate".to_owned(), "davis".to_owned()],
///     measure: Measure::default(),
///     matrix: Vec::new(),
///     edge_coverage: Vec::new(),
///     distances: vec![zero, apart, apart, zero],
///     rewired: Vec::new(),
///     merges: Vec::new(),
///     finding: Finding::Pair { distinct: true },
/// };
/// assert_eq!((outcome.nearest(0), outcome.distance((0, 1)).value), (Some(1), 0.2));
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct ComparisonOutcome {
    /// Names of the networks.
    pub names: Vec<String>,
    /// What was measured.
    pub measure: Measure,
    /// What was measured, row by row: dictionaries of the row's network on the column's.
    pub matrix: Vec<Estimate>,
    /// Share of edges visited in the same cells; none but for reconstructions.
    pub edge_coverage: Vec<Option<f64>>,
    /// Distances of the networks, row by row, which are negative where foreign dictionaries do better; 0 ± 0 on the diagonal.
    pub distances: Vec<Estimate>,
    /// The yardstick of each network.
    pub rewired: Vec<Option<RewiredCopy>>,
    /// Average linkage, from the closest clusters to the farthest.
    pub merges: Vec<TreeMerge>,
    /// What may be concluded.
    pub finding: Finding,
}

/// A network next to a copy of it with the same degrees and otherwise random edges.
///
/// ```
/// use ergodict::reconstruct::network::{Estimate, RewiredCopy};
/// let error = Estimate { value: 0.5, standard_error: 0.01, degrees: 4.0 };
/// let copy = RewiredCopy { value: error, distance: Estimate { value: 0.2, ..error } };
/// assert!(copy.distance.is_above_zero());
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RewiredCopy {
    /// What the copy's dictionaries measure on the network.
    pub value: Estimate,
    /// The distance of network and copy.
    pub distance: Estimate,
}

/// Two clusters that became one, by average linkage, and whether that is more than chance.
///
/// ```
/// use ergodict::reconstruct::network::{Estimate, TreeMerge};
/// let height = Estimate { value: 0.2, standard_error: 0.01, degrees: 4.0 };
/// let merge = TreeMerge { a: 0, b: 1, height, distinct: true, grouped: true, drawn: 0.2 };
/// assert_eq!(merge.drawn, merge.height.value);
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TreeMerge {
    /// The smaller number of the two: networks from 0, later clusters from the number of networks on.
    pub a: usize,
    /// The larger number.
    pub b: usize,
    /// Mean distance of their networks.
    pub height: Estimate,
    /// Whether that is above 0 beyond error.
    pub distinct: bool,
    /// Whether the next merge is higher beyond error, so that the cluster is one.
    pub grouped: bool,
    /// The height to draw: that of the next merge where the cluster is none, 0 where the two are not distinct.
    pub drawn: f64,
}

/// What may be concluded.
///
/// ```
/// use ergodict::reconstruct::network::Finding;
/// let tied = Finding::Tied { pairs: vec![(0, 1), (0, 2)] };
/// assert!(tied.is_conclusive());
/// ```
#[derive(Clone, PartialEq, Debug)]
pub enum Finding {
    /// A foreign dictionary fits a network better than its own, beyond error.
    Inconclusive {
        /// Whose dictionary it is.
        dictionary: usize,
        /// The network that it fits better.
        network: usize,
    },
    /// Of two networks: whether their distance is above 0 beyond error.
    Pair {
        /// Whether it is.
        distinct: bool,
    },
    /// One pair is closer than all others beyond error.
    Closest {
        /// The pair.
        pair: (usize, usize),
        /// Whether their distance is above 0 beyond error.
        distinct: bool,
    },
    /// Several pairs are the closest within error, the first of them by its value.
    Tied {
        /// The pairs.
        pairs: Vec<(usize, usize)>,
    },
}

impl Finding {
    /// Whether distances may be read at all.
    pub fn is_conclusive(&self) -> bool {
        !matches!(self, Self::Inconclusive { .. })
    }
}

type Term = (f64, usize, usize);

/// The terms of a distance.
fn distance(i: usize, j: usize) -> [Term; 4] {
    [(0.5, i, j), (-0.5, j, j), (0.5, j, i), (-0.5, i, i)]
}

/// Terms with a factor.
fn scaled(factor: f64, terms: impl IntoIterator<Item = Term>) -> impl Iterator<Item = Term> {
    terms.into_iter().map(move |(value, row, column)| (factor * value, row, column))
}

impl ComparisonOutcome {
    pub(super) fn new(cells: &Cells, names: &[String], copies: &[usize]) -> Result<Self> {
        let n = names.len();
        let places = || (0..n * n).map(|at| (at / n, at % n));
        let matrix: Vec<Estimate> = places().map(|(i, j)| cells.value(i, j)).collect();
        if let Some(at) = matrix.iter().position(|cell| cell.value.is_nan()) {
            let expected = format!(
                "it has no {}, because it has no edge, or no pair without one: choose another measure, or leave it out",
                cells.measure()
            );
            return Err(Error::parameter("a network", &names[at % n], expected));
        }
        let copy = |at: usize| RewiredCopy {
            value: cells.value(n + at, copies[at]),
            distance: cells.contrast(&distance(copies[at], n + at)),
        };
        let rewired = (0..n).map(|of| copies.iter().position(|&copy| copy == of).map(copy)).collect();
        Ok(Self {
            names: names.to_vec(),
            measure: cells.measure(),
            matrix,
            edge_coverage: places().map(|(i, j)| cells.edge_coverage(i, j)).collect(),
            distances: places().map(|(i, j)| cells.contrast(&distance(i, j))).collect(),
            rewired,
            merges: merges(cells, n)?,
            finding: finding(cells, n),
        })
    }

    /// Whether there is a tree to show: of three networks or more, conclusive, and with two of them distinct.
    pub fn has_tree(&self) -> bool {
        let distinct = self.merges.iter().any(|merge| merge.distinct);
        self.names.len() > 2 && self.finding.is_conclusive() && distinct
    }

    /// The distance of two networks.
    pub fn distance(&self, (i, j): (usize, usize)) -> Estimate {
        self.distances[i * self.names.len() + j]
    }

    /// The nearest other network.
    pub fn nearest(&self, at: usize) -> Option<usize> {
        let others = (0..self.names.len()).filter(|&other| other != at);
        others.min_by(|&a, &b| self.distance((at, a)).value.total_cmp(&self.distance((at, b)).value))
    }

    /// The finding in a sentence, with the yardstick.
    pub fn sentence(&self) -> String {
        let name = |at: usize| self.names[at].as_str();
        let pair = |(i, j): (usize, usize)| format!("{} and {}", name(i), name(j));
        let measured = |pair| self.distance(pair).to_string();
        let yardstick = match &self.finding {
            Finding::Closest { pair: (a, b), .. } => self.yardstick(&[*a, *b]),
            _ => self.yardstick(&(0..self.names.len()).collect::<Vec<_>>()),
        };
        match &self.finding {
            &Finding::Inconclusive { dictionary, network } => {
                let n = self.names.len();
                let [foreign, own] = [dictionary, network].map(|row| self.matrix[row * n + network].value);
                let decimals = (3..9).find(|&d| plain(foreign, d) != plain(own, d)).unwrap_or(9);
                format!(
                    "Inconclusive: the dictionary of {} fits {} better than its own ({} {} and {}); learn from more walks",
                    name(dictionary),
                    name(network),
                    self.measure.noun(),
                    plain(foreign, decimals),
                    plain(own, decimals),
                )
            }
            Finding::Pair { distinct: true } => {
                format!("{} differ: distance {}{yardstick}", pair((0, 1)), measured((0, 1)))
            }
            Finding::Pair { distinct: false } => {
                format!("{} are not distinguishable: distance {}{yardstick}", pair((0, 1)), measured((0, 1)))
            }
            Finding::Closest { pair: closest, distinct } => {
                let same = if *distinct { "" } else { ", not distinguishable" };
                format!("Most similar: {}, distance {}{same}{yardstick}", pair(*closest), measured(*closest))
            }
            Finding::Tied { pairs } => {
                let named: Vec<String> =
                    pairs.iter().take(NAMED).map(|&at| format!("{} ({})", pair(at), measured(at))).collect();
                let more = match pairs.len().saturating_sub(NAMED) {
                    0 => String::new(),
                    more => format!(" and {more} more"),
                };
                let count = pairs.len();
                format!(
                    "No single most similar pair: {count} distances are the smallest within error: {}{more}{yardstick}",
                    named.join(", ")
                )
            }
        }
    }

    /// The distances of these networks to their rewired copies, in words.
    fn yardstick(&self, networks: &[usize]) -> String {
        let copies = networks.iter().filter_map(|&at| self.rewired.get(at)?.as_ref());
        let mut found: Vec<Estimate> = copies.map(|copy| copy.distance).collect();
        found.sort_by(|a, b| a.value.total_cmp(&b.value));
        match &found[..] {
            [] => String::new(),
            [one] => format!("; a rewired copy is at {one}"),
            [first, .., last] => {
                let [first, last] = [first, last].map(|copy| plain(copy.value, 3));
                if networks.len() == 2 {
                    format!("; their rewired copies are at {first} and {last}")
                } else {
                    format!("; rewired copies are at {first} to {last}")
                }
            }
        }
    }
}

impl fmt::Display for Estimate {
    /// The value with its error: three decimals, or as many as the error needs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let error = self.standard_error;
        let decimals = (3..9).find(|&d| error <= 0.0 || plain(error, d) != plain(0.0, d)).unwrap_or(9);
        write!(f, "{} ± {}", plain(self.value, decimals), plain(error, decimals))
    }
}

/// A value with this many decimals; no negative zero.
fn plain(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    if text.starts_with('-') && text.trim_start_matches(['-', '0', '.']).is_empty() {
        text[1..].to_owned()
    } else {
        text
    }
}

fn finding(cells: &Cells, n: usize) -> Finding {
    let foreign = (0..n * n).map(|at| (at / n, at % n)).filter(|(i, j)| i != j);
    let loss = |(i, j): (usize, usize)| cells.contrast(&[(1.0, i, j), (-1.0, j, j)]);
    let tests = n * n.saturating_sub(1);
    let gains = foreign.map(|at| (at, loss(at))).filter(|(_, loss)| loss.is_below_zero(tests));
    if let Some(((dictionary, network), _)) = gains.min_by(|a, b| a.1.value.total_cmp(&b.1.value)) {
        return Finding::Inconclusive { dictionary, network };
    }
    let mut pairs: Vec<((usize, usize), Estimate)> = (0..n)
        .flat_map(|j| (0..j).map(move |i| (i, j)))
        .map(|(i, j)| ((i, j), cells.contrast(&distance(i, j))))
        .collect();
    pairs.sort_by(|a, b| a.1.value.total_cmp(&b.1.value));
    let Some(&(closest, apart)) = pairs.first() else { return Finding::Pair { distinct: false } };
    let distinct = apart.is_above_zero();
    if n == 2 {
        return Finding::Pair { distinct };
    }
    let longer = |&(i, j): &(usize, usize)| {
        let terms: Vec<Term> =
            distance(i, j).into_iter().chain(scaled(-1.0, distance(closest.0, closest.1))).collect();
        cells.contrast(&terms).is_above_zero()
    };
    let tied: Vec<(usize, usize)> =
        pairs.iter().skip(1).map(|pair| pair.0).filter(|pair| !longer(pair)).collect();
    if tied.is_empty() {
        return Finding::Closest { pair: closest, distinct };
    }
    Finding::Tied { pairs: std::iter::once(closest).chain(tied).collect() }
}

fn merges(cells: &Cells, n: usize) -> Result<Vec<TreeMerge>> {
    let at = |i: usize, j: usize| cells.contrast(&distance(i, j)).value.max(0.0);
    let mut apart = vec![0.0; n * n];
    for (i, j) in (0..n).flat_map(|j| (0..j).map(move |i| (i, j))) {
        (apart[i * n + j], apart[j * n + i]) = (at(i, j), at(i, j));
    }
    let mut members: Vec<Vec<usize>> = (0..n).map(|at| vec![at]).collect();
    let mut terms: Vec<Vec<Term>> = Vec::new();
    let mut merges = Vec::new();
    for merge in average_linkage(&apart, n)? {
        let (a, b) = (members[merge.a].clone(), members[merge.b].clone());
        let share = 1.0 / (a.len() * b.len()) as f64;
        let pairs = a.iter().flat_map(|&i| b.iter().map(move |&j| (i, j)));
        terms.push(pairs.flat_map(|(i, j)| scaled(share, distance(i, j))).collect());
        members.push([a, b].concat());
        let height = cells.contrast(&terms[terms.len() - 1]);
        let distinct = height.is_above_zero();
        merges.push(TreeMerge {
            a: merge.a,
            b: merge.b,
            height,
            distinct,
            grouped: true,
            drawn: merge.height,
        });
    }
    // From the root down: a cluster that is not closer than the one it is part of is not drawn as one.
    for at in (0..merges.len()).rev() {
        let parent = (at + 1..merges.len()).find(|&up| [merges[up].a, merges[up].b].contains(&(n + at)));
        let drawn = merges[at].drawn;
        let (grouped, above) = parent.map_or((true, drawn), |up| {
            let longer: Vec<Term> =
                terms[up].iter().copied().chain(scaled(-1.0, terms[at].iter().copied())).collect();
            (cells.contrast(&longer).is_above_zero(), merges[up].drawn)
        });
        let merge = &mut merges[at];
        merge.grouped = grouped;
        merge.drawn = match (grouped, merge.distinct) {
            (false, _) => above,
            (true, false) => 0.0,
            (true, true) => drawn.min(above),
        };
    }
    Ok(merges)
}

#[cfg(test)]
mod tests {
    use super::super::Measurement;
    use super::*;

    /// Of three networks and a copy of the second: losses against own dictionaries on a logarithmic scale, of three dictionaries that scatter by a
    /// hundredth on networks that are not theirs.
    fn outcome(losses: [[f64; 4]; 4], n: usize) -> ComparisonOutcome {
        let places: Vec<(usize, usize)> = (0..16).map(|at| (at / 4, at % 4)).collect();
        let measured: Vec<Measurement> = places
            .iter()
            .flat_map(|&(i, j)| {
                [-0.01, 0.0, 0.01].map(|off| Measurement {
                    value: (losses[i][j] - 3.0 + 0.5 * j as f64 + if i == j { 0.0 } else { off }).exp2(),
                    blocks: Vec::new(),
                    edge_coverage: None,
                })
            })
            .collect();
        let cells = Cells::new(&places, 3, Measure::Error, &measured).unwrap();
        let names: Vec<String> = ["a", "b", "c", "d"][..n].iter().map(|name| (*name).to_owned()).collect();
        ComparisonOutcome::new(&cells, &names, if n == 3 { &[1] } else { &[] }).unwrap()
    }

    fn near(found: f64, exact: f64) {
        assert!((found - exact).abs() < 1e-9, "{found} for {exact}");
    }

    #[test]
    fn distances_trees_and_findings_are_those_of_the_losses() {
        let apart = [[0.0, 0.2, 1.0, 9.0], [0.4, 0.0, 0.9, 0.5], [1.4, 1.1, 0.0, 9.0], [9.0, 0.7, 9.0, 0.0]];
        let found = outcome(apart, 3);
        for ((i, j), exact) in [((0, 1), 0.3), ((0, 2), 1.2), ((1, 2), 1.0), ((1, 1), 0.0)] {
            near(found.distance((i, j)).value, exact);
            near(found.distance((j, i)).value, exact);
        }
        // Half of each of two losses that scatter by a hundredth, of three dictionaries each.
        near(found.distance((0, 1)).standard_error, (2.0 * 0.25 * 2e-4 / 6.0f64).sqrt());
        near(found.distance((0, 1)).degrees, 4.0);
        assert_eq!([0, 1, 2].map(|at| found.nearest(at)), [Some(1), Some(0), Some(1)]);
        assert_eq!(found.finding, Finding::Closest { pair: (0, 1), distinct: true });
        assert!(found.has_tree());
        let heights = |outcome: &ComparisonOutcome| -> Vec<(usize, usize, f64, f64, bool, bool)> {
            let round = |x: f64| (1e6 * x).round() / 1e6;
            let merge =
                |m: &TreeMerge| (m.a, m.b, round(m.height.value), round(m.drawn), m.distinct, m.grouped);
            outcome.merges.iter().map(merge).collect()
        };
        assert_eq!(heights(&found), [(0, 1, 0.3, 0.3, true, true), (2, 3, 1.1, 1.1, true, true)]);
        let [None, Some(copy), None] = &found.rewired[..] else { panic!("{:?}", found.rewired) };
        near(copy.distance.value, 0.6);
        assert!((copy.value.value.log2() + 1.8).abs() < 1e-3);
        assert_eq!(
            found.sentence(),
            "Most similar: a and b, distance 0.300 ± 0.004; a rewired copy is at 0.600 ± 0.004"
        );

        // All pairs within error: no cluster is drawn as one.
        let level = [[0.0, 0.3, 0.3, 9.0], [0.3, 0.0, 0.3, 0.5], [0.3, 0.3, 0.0, 9.0], [9.0, 0.7, 9.0, 0.0]];
        let found = outcome(level, 3);
        let Finding::Tied { pairs } = &found.finding else { panic!("{:?}", found.finding) };
        assert_eq!(pairs.len(), 3);
        assert_eq!(
            heights(&found).iter().map(|merge| (merge.2, merge.3, merge.5)).collect::<Vec<_>>(),
            [(0.3, 0.3, false), (0.3, 0.3, true)]
        );
        assert!(
            found
                .sentence()
                .starts_with("No single most similar pair: 3 distances are the smallest within error: ")
        );

        // Two that are not distinguishable, far from the third.
        let same =
            [[0.0, 0.001, 1.0, 9.0], [-0.001, 0.0, 1.0, 0.5], [1.0, 1.0, 0.0, 9.0], [9.0, 0.7, 9.0, 0.0]];
        let found = outcome(same, 3);
        assert_eq!(found.finding, Finding::Closest { pair: (0, 1), distinct: false });
        assert_eq!(heights(&found), [(0, 1, 0.0, 0.0, false, true), (2, 3, 1.0, 1.0, true, true)]);
        assert!(found.has_tree() && found.sentence().contains(", not distinguishable; "));
        assert_eq!(outcome(same, 2).finding, Finding::Pair { distinct: false });
        assert!(!outcome(same, 2).has_tree() && !outcome(apart, 2).has_tree());
        assert_eq!(outcome(apart, 2).finding, Finding::Pair { distinct: true });

        // A foreign dictionary that does better.
        let wrong =
            [[0.0, 0.2, 1.0, 9.0], [0.4, 0.0, -0.9, 0.5], [1.4, -0.5, 0.0, 9.0], [9.0, 0.7, 9.0, 0.0]];
        let found = outcome(wrong, 3);
        assert_eq!(found.finding, Finding::Inconclusive { dictionary: 1, network: 2 });
        assert!(!found.has_tree() && !found.finding.is_conclusive());
        assert!(
            found
                .sentence()
                .starts_with("Inconclusive: the dictionary of b fits c better than its own (relative error ")
        );
    }

    #[test]
    fn clusters_of_other_clusters_are_drawn_where_they_are_closer_beyond_error() {
        // The pairs a, b and c, d; the second is as far apart as both pairs are, but for chance.
        let far = 1.001;
        let losses = [[0.0, 0.3, far, far], [0.3, 0.0, far, far], [far, far, 0.0, 1.0], [far, far, 1.0, 0.0]];
        let round = |x: f64| (1e6 * x).round() / 1e6;
        let merge = |m: &TreeMerge| (m.a, m.b, round(m.drawn), m.distinct, m.grouped);
        let found = outcome(losses, 4);
        assert_eq!(
            found.merges.iter().map(merge).collect::<Vec<_>>(),
            [(0, 1, 0.3, true, true), (2, 3, far, true, false), (4, 5, far, true, true)]
        );
    }
}
