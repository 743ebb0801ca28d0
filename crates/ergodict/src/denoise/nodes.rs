//! What is known of a node by its neighborhood: clustering, the degrees of its neighbors, its core.
//!
//! | symbol | here | what |
//! |---|---|---|
//! | `c_u` | `NodeFacts::clustering` | edges among the neighbors of `u`, of all `d_u(d_u − 1)/2` there could be; 0 for `d_u < 2` |
//! | `k_u` | `NodeFacts::neighbor_degree` | the mean degree of the neighbors; 0 for an isolated node |
//! | `core` | `NodeFacts::core` | the largest k such that `u` is in a subnetwork of degrees k or more |

use super::paths::simple;
use crate::Result;
use crate::data::Network;
use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};

/// Facts about the nodes of a simple network, one entry a node.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct NodeFacts {
    /// Local clustering coefficients.
    pub clustering: Vec<f64>,
    /// Mean degrees of neighbors.
    pub neighbor_degree: Vec<f64>,
    /// Core numbers.
    pub core: Vec<u32>,
}

impl NodeFacts {
    /// Of a network.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for a network that is not simple.
    pub(crate) fn from_network(network: &Network) -> Result<Self> {
        simple(network)?;
        let degree = |u: &u32| network.neighbors(*u as usize).len();
        let n = network.nodes();
        let facts: Vec<(f64, f64)> = (0..n)
            .into_par_iter()
            .with_min_len(64)
            .map_init(
                || vec![false; n],
                |near, u| {
                    let row = network.neighbors(u);
                    let d = row.len();
                    row.iter().for_each(|&a| near[a as usize] = true);
                    // Each edge among the neighbors is met from both of its ends.
                    let met = |a: &u32| {
                        network.neighbors(*a as usize).iter().filter(|&&b| near[b as usize]).count()
                    };
                    let twice: usize = row.iter().map(met).sum();
                    row.iter().for_each(|&a| near[a as usize] = false);
                    let clustering = if d < 2 { 0.0 } else { twice as f64 / (d as f64 * (d - 1) as f64) };
                    let mean =
                        if d == 0 { 0.0 } else { row.iter().map(degree).sum::<usize>() as f64 / d as f64 };
                    (clustering, mean)
                },
            )
            .collect();
        let (clustering, neighbor_degree) = facts.into_iter().unzip();
        Ok(Self { clustering, neighbor_degree, core: cores(network) })
    }
}

/// Core numbers: the node of least degree goes first, and again (Batagelj and Zaveršnik 2003), in O(edges).
fn cores(network: &Network) -> Vec<u32> {
    let n = network.nodes();
    let mut degree: Vec<usize> = (0..n).map(|u| network.neighbors(u).len()).collect();
    let most = degree.iter().copied().max().unwrap_or(0);
    // Nodes by ascending degree; `starts[d]` is where those of degree d begin.
    let mut starts = vec![0; most + 2];
    degree.iter().for_each(|&d| starts[d + 1] += 1);
    (0..=most).for_each(|d| starts[d + 1] += starts[d]);
    let (mut order, mut place) = (vec![0u32; n], vec![0; n]);
    let mut next = starts.clone();
    for u in 0..n {
        place[u] = next[degree[u]];
        order[place[u]] = u as u32;
        next[degree[u]] += 1;
    }
    for i in 0..n {
        let u = order[i] as usize;
        for &a in network.neighbors(u) {
            let a = a as usize;
            if degree[a] > degree[u] {
                // To the front of those of its degree, which then begin one later.
                let front = starts[degree[a]];
                let other = order[front] as usize;
                order.swap(front, place[a]);
                (place[other], place[a]) = (place[a], front);
                starts[degree[a]] += 1;
                degree[a] -= 1;
            }
        }
    }
    degree.into_iter().map(|d| d as u32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, stream, uniform};

    /// Peels degrees below k, for every k.
    fn core_by_peeling(n: usize, a: &[Vec<bool>]) -> Vec<u32> {
        let mut cores = vec![0; n];
        for k in 1..n {
            let mut left = vec![true; n];
            loop {
                let weak = |u: usize| left[u] && (0..n).filter(|&v| left[v] && a[u][v]).count() < k;
                let Some(u) = (0..n).find(|&u| weak(u)) else { break };
                left[u] = false;
            }
            (0..n).filter(|&u| left[u]).for_each(|u| cores[u] = k as u32);
        }
        cores
    }

    #[test]
    fn facts_are_those_of_brute_force() {
        for (seed, n, p) in
            [(0, 12, 0.4), (1, 25, 0.2), (2, 30, 0.07), (3, 7, 1.0), (4, 1, 0.5), (5, 20, 0.6)]
        {
            let mut rng = stream(seed, Purpose::Synthetic, 94);
            let mut a = vec![vec![false; n]; n];
            let mut edges = Vec::new();
            for u in 0..n {
                for v in u + 1..n {
                    if uniform(&mut rng) < p {
                        (a[u][v], a[v][u]) = (true, true);
                        edges.push((u as u32, v as u32));
                    }
                }
            }
            let facts = NodeFacts::from_network(&Network::simple(n, &edges).unwrap()).unwrap();
            assert_eq!(facts.core, core_by_peeling(n, &a));
            let degree = |u: usize| a[u].iter().filter(|x| **x).count() as f64;
            for u in 0..n {
                let mut closed = 0.0;
                for v in 0..n {
                    for w in 0..v {
                        closed += f64::from(u8::from(a[u][v] && a[u][w] && a[v][w]));
                    }
                }
                let d = degree(u);
                let wanted = if d < 2.0 { 0.0 } else { closed / (d * (d - 1.0) / 2.0) };
                assert!((facts.clustering[u] - wanted).abs() < 1e-15);
                let sum: f64 = (0..n).filter(|&v| a[u][v]).map(degree).sum();
                assert!((facts.neighbor_degree[u] - if d > 0.0 { sum / d } else { 0.0 }).abs() < 1e-12);
            }
        }
        assert!(NodeFacts::from_network(&Network::simple(0, &[]).unwrap()).unwrap().core.is_empty());
    }
}
