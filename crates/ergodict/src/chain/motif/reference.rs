//! Proposals that already lean where backward weights do: alias tables of `A(v,w) h(w)` for one level's
//! weights `h`.
//!
//! Backward weights of different levels are nearly proportional to each other, away from the leaves. So what
//! is drawn by a table of one level is hardly ever rejected at another: with `h` three edges above the end of
//! a chain of 21, 1.1 tries a node in place of 1.9 on SNAP's Facebook network, 1.5 in place of 8.4 on its
//! Twitter network (expected numbers, under the law of the walk).
//!
//! | symbol | here |
//! |---|---|
//! | `w ∼ A(v,·) h(·)` | `table` |
//! | `max_{w∼v} b(w)/h(w)` | `bounds`; `w` is taken with probability `b(w)/h(w)` over it |

use super::alias::AliasTables;
use super::backward::{Backward, Level, bound, rounded_up};
use super::row_draw::RowDraws;
use super::walk::Step;

/// Which of the levels above the leaves, from the lowest, is the reference. For chains of 21 the second to
/// the fifth hardly differ (27 to 29 expected tries a homomorphism on SNAP's Twitter network, 26 to 28 on
/// arXiv's); by the first there are 65 and 43.
const PLACE: usize = 2;

/// Tries at the reference level from which on a table is made. With 2 of them, on SNAP's Facebook network, 22
/// tries a homomorphism by table took as long as 36 without, as tables take four times the memory; with 9, on
/// its Twitter network, a third of the time.
pub(super) const WORTH: f64 = 3.0;

/// The same for weighted networks, where draws go by tables in any case: on that network with weights, 0.43
/// µs with and 0.71 µs without, for 20 ms more of set-up.
pub(super) const WORTH_WEIGHTED: f64 = 1.3;

/// Reference tables, and bounds of the weights relative to them.
#[derive(Clone, Debug, Default)]
pub(super) struct References {
    /// For edges away from a node, and to it.
    tables: [Option<Table>; 2],
    /// By message, then by node.
    bounds: Vec<u32>,
    /// Which messages go by the table of their direction.
    used: Vec<bool>,
}

#[derive(Clone, Debug)]
struct Table {
    weights: Vec<f64>,
    cells: AliasTables,
}

/// What a level is drawn by.
#[derive(Clone, Copy)]
pub(super) struct Reference<'a> {
    pub(super) table: &'a AliasTables,
    /// `h`.
    pub(super) weights: &'a [f64],
    pub(super) bounds: &'a [u32],
}

impl References {
    /// Tables for the steps of a walk, where the reference level takes at least `worth` tries.
    pub(super) fn new(draws: &RowDraws, steps: &[Step], backward: &Backward, worth: f64) -> Self {
        let (directed, n) = (draws.network.is_directed(), draws.network.nodes());
        let mut references = Self::default();
        for down in [true, false] {
            // Each message once.
            let steps = steps.iter().filter(|step| (step.down || !directed) == down);
            let mut served: Vec<(usize, Step)> =
                steps.filter_map(|step| Some((backward.message(step.node, down)?, *step))).collect();
            served.sort_by_key(|one| one.0);
            served.dedup_by_key(|one| one.0);
            let Some(&(message, step)) = served.get(PLACE.min(served.len().saturating_sub(1))) else {
                continue;
            };
            let Level::Plain { weights: h, bounds } = backward.level(step.node, down) else { continue };
            let sums = sum_rows(draws, down, h);
            references.bounds.resize(backward.messages() * n, 0);
            references.used.resize(backward.messages(), false);
            let span = |message: usize| message * n..(message + 1) * n;
            if tries(draws, down, h, bounds, h, &sums, &mut references.bounds[span(message)]).0 < worth {
                continue;
            }
            for &(message, step) in &served {
                let Level::Plain { weights, bounds } = backward.level(step.node, down) else { continue };
                let ours = &mut references.bounds[span(message)];
                let (plain, table) = tries(draws, down, weights, bounds, h, &sums, ours);
                references.used[message] = table < plain;
            }
            let cells = AliasTables::of_products(draws.rows(down), h);
            references.tables[usize::from(!down)] = Some(Table { weights: h.to_vec(), cells });
        }
        if references.tables.iter().all(Option::is_none) {
            references = Self::default();
        }
        references
    }

    /// The table of a message, if it goes by one.
    pub(super) fn table(&self, message: usize, down: bool, nodes: usize) -> Option<Reference<'_>> {
        let table = self.tables[usize::from(!down)].as_ref()?;
        let bounds = &self.bounds[message * nodes..(message + 1) * nodes];
        self.used[message].then_some(Reference { table: &table.cells, weights: &table.weights, bounds })
    }

    /// Number of tables.
    #[cfg(test)]
    pub(super) fn tables(&self) -> usize {
        self.tables.iter().flatten().count()
    }

    /// Bytes of memory.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        let table = |table: &Table| 8 * table.weights.len() + table.cells.bytes();
        4 * self.bounds.len() + self.tables.iter().flatten().map(table).sum::<usize>()
    }
}

/// `Σ_w A(v,w) h(w)`.
fn sum_rows(draws: &RowDraws, down: bool, h: &[f64]) -> Vec<f64> {
    let rows = draws.rows(down);
    let sum = |v| match rows.weights(v) {
        None => rows.neighbors(v).iter().map(|&w| h[w as usize]).sum(),
        Some(_) => rows.entries(v).map(|(w, weight)| weight * h[w as usize]).sum(),
    };
    (0..rows.len()).map(sum).collect()
}

/// Expected tries of a level without the table and with it, and its bounds with it. Nodes count by the square
/// of their message, which is how often they are visited far from both ends of a chain. No table serves a
/// level that has a weight where `h` has none.
fn tries(
    draws: &RowDraws,
    down: bool,
    weights: &[f64],
    bounds: &[u32],
    h: &[f64],
    sums: &[f64],
    ours: &mut [u32],
) -> (f64, f64) {
    let rows = draws.rows(down);
    let ratio = |(b, h): (&f64, &f64)| if *b == 0.0 { 0.0 } else { b / h };
    let pairs: Vec<[f64; 2]> = weights.iter().zip(h).map(|pair| [*pair.0, ratio(pair)]).collect();
    let held = |&[b, ratio]: &[f64; 2]| b == 0.0 || (ratio > f64::MIN_POSITIVE && ratio.is_finite());
    let fits = pairs.iter().all(held);
    let (mut plain, mut table, mut total) = (0.0, 0.0, 0.0);
    for v in 0..rows.len() {
        let (mut message, mut largest) = (0.0, 0.0);
        let neighbors = rows.neighbors(v).iter();
        let strength = if let Some(edges) = rows.weights(v) {
            for (&w, weight) in neighbors.zip(edges) {
                let [b, ratio] = pairs[w as usize];
                message += weight * b;
                largest = if ratio > largest { ratio } else { largest };
            }
            rows.strength(v)
        } else {
            for &w in neighbors {
                let [b, ratio] = pairs[w as usize];
                message += b;
                largest = if ratio > largest { ratio } else { largest };
            }
            rows.degree(v) as f64
        };
        ours[v] = rounded_up(largest);
        plain += message * strength * bound(bounds[v]);
        table += message * sums[v] * largest;
        total += message * message;
    }
    (plain / total, if fits { table / total } else { f64::INFINITY })
}
