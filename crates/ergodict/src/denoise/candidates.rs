//! Pairs to be scored, and the order in which scores matter.

use crate::data::Network;

/// All pairs of an undirected network without an edge, by ascending nodes; a node is no pair with itself.
///
/// ```
/// use ergodict::{data::Network, denoise::non_edges};
/// let path = Network::simple(4, &[(0, 1), (1, 2), (2, 3)])?;
/// assert_eq!(non_edges(&path), [(0, 2), (0, 3), (1, 3)]);
/// # Ok::<(), ergodict::Error>(())
/// ```
pub fn non_edges(network: &Network) -> Vec<(u32, u32)> {
    let n = network.nodes() as u64;
    let pairs = (n * n.saturating_sub(1) / 2).saturating_sub(network.edges());
    let mut all = Vec::with_capacity(usize::try_from(pairs).unwrap_or(0));
    for u in 0..network.nodes() {
        let mut next = network.neighbors(u).iter().peekable();
        for v in u as u32 + 1..network.nodes() as u32 {
            while next.next_if(|&&w| w < v).is_some() {}
            if next.next_if(|&&w| w == v).is_none() {
                all.push((u as u32, v));
            }
        }
    }
    all
}

/// The pairs that matter most first: high scores where edges are missing, low ones where there are false ones. Ties stay in order, and pairs
/// without a score (NaN) are last.
///
/// ```
/// use ergodict::denoise::order;
/// assert_eq!(order(&[0.2, 0.9, 0.5], true), [1, 2, 0]);
/// assert_eq!(order(&[0.2, 0.9, 0.5], false), [0, 2, 1]);
/// assert_eq!(order(&[f64::NAN, -0.9, 0.5], true), [2, 1, 0]);
/// assert_eq!(order(&[f64::NAN, -0.9, 0.5], false), [1, 2, 0]);
/// ```
pub fn order(scores: &[f64], likely: bool) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    let by = |a: usize, b: usize| scores[a].total_cmp(&scores[b]);
    let none = |row: usize| scores[row].is_nan();
    order.sort_by(|&a, &b| none(a).cmp(&none(b)).then_with(|| if likely { by(b, a) } else { by(a, b) }));
    order
}

/// What speaks for a pair at a glance: the degrees of its nodes in a simple network, and their common neighbors.
///
/// ```
/// let karate = ergodict::data::embedded("karate")?;
/// assert_eq!(ergodict::denoise::evidence(&karate, (0, 33)), [16, 17, 4]);
/// # Ok::<(), ergodict::Error>(())
/// ```
pub fn evidence(network: &Network, (u, v): (u32, u32)) -> [usize; 3] {
    let (a, b) = (network.neighbors(u as usize), network.neighbors(v as usize));
    let (few, many) = if a.len() < b.len() { (a, b) } else { (b, a) };
    [a.len(), b.len(), few.iter().filter(|w| many.binary_search(w).is_ok()).count()]
}
