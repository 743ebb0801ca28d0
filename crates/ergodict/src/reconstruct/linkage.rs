//! Average linkage: what is close to what, as a tree of merges.
//!
//! | symbol | name in code | meaning |
//! |---|---|---|
//! | δ(i, j) | `distances` | distance of two items |
//! | S(A, B) = Σ_{i∈A, j∈B} δ(i, j) | `sums` | sum over the pairs of two clusters |
//! | δ(A, B) = S(A, B) / (‖A‖ ‖B‖) | `Clusters::distance` | their distance: the mean over all pairs |
//!
//! Again and again the two closest clusters are joined (Sokal & Michener 1958, UPGMA). The usual update averages means;
//! here the sums are kept, S(A ∪ B, C) = S(A, C) + S(B, C), so that whole numbers stay exact and ties are true ties.
//! Each cluster remembers its nearest, which makes n² steps of the common case; the worst is n³.

use crate::error::{Error, Result};

/// Two clusters that became one. Items are numbered 0 … n−1, and merge i makes cluster n + i.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Merge {
    /// The smaller number of the two.
    pub a: usize,
    /// The larger number of the two.
    pub b: usize,
    /// Their distance: the mean over all pairs of an item of one and an item of the other.
    pub height: f64,
    /// Items in the new cluster.
    pub size: usize,
}

/// The n − 1 merges of average linkage, from the closest to the farthest, for `distances` of `n` items (n × n, row by row,
/// symmetric; the diagonal is not looked at).
///
/// The distance of clusters `P` and `Q` is the mean of all distances between them, `Σ_{p∈P, q∈Q} d(p,q) / (|P| |Q|)`.
///
/// Heights never descend. Of several closest pairs the one with the smallest `(a, b)` is joined first.
///
/// # Errors
/// [`Error::Shape`] when there are not n² distances, [`Error::Parameter`] when one is negative or not finite, when two of a
/// pair differ by more than rounding, or when their sum overflows.
pub(crate) fn average_linkage(distances: &[f64], n: usize) -> Result<Vec<Merge>> {
    check(distances, n)?;
    let mut clusters = Clusters::new(distances, n);
    let mut merges = Vec::with_capacity(n.saturating_sub(1));
    for id in n..(2 * n).saturating_sub(1) {
        let Some((p, q)) = clusters.closest() else { break };
        let height = clusters.distance(p, q);
        let (a, b) = (clusters.ids[p].min(clusters.ids[q]), clusters.ids[p].max(clusters.ids[q]));
        clusters.join(p, q, id);
        merges.push(Merge { a, b, height, size: clusters.sizes[p] });
    }
    // Means are computed from sums that round; a merge is never below the one before it by more.
    for i in 1..merges.len() {
        merges[i].height = merges[i].height.max(merges[i - 1].height);
    }
    Ok(merges)
}

fn check(distances: &[f64], n: usize) -> Result<()> {
    if n.checked_mul(n) != Some(distances.len()) {
        let found = format!("{} numbers", distances.len());
        return Err(Error::shape("the matrix of distances", found, format!("{n} × {n}")));
    }
    let mut total = 0.0;
    for (i, j) in (0..n).flat_map(|i| (0..i).map(move |j| (i, j))) {
        let (there, back) = (distances[i * n + j], distances[j * n + i]);
        for value in [there, back] {
            if !(value.is_finite() && value >= 0.0) {
                let expected = format!("all must be finite numbers from 0 on (items {j} and {i})");
                return Err(Error::parameter("a distance", value, expected));
            }
        }
        if (there - back).abs() > 1e-9 * there.max(back) {
            let expected =
                format!("it is {there} the other way: distances must be symmetric (items {j} and {i})");
            return Err(Error::parameter("a distance", back, expected));
        }
        total += there;
    }
    if total.is_finite() {
        Ok(())
    } else {
        Err(Error::parameter("the sum of the distances", total, "it must be finite: scale them down"))
    }
}

/// The clusters that are left, each in the place of one of its items.
struct Clusters {
    n: usize,
    /// S(A, B) at the places of A and B.
    sums: Vec<f64>,
    sizes: Vec<usize>,
    ids: Vec<usize>,
    /// Places in use, ascending.
    left: Vec<usize>,
    /// The nearest cluster with a larger id, if there is one: the place and the distance.
    nearest: Vec<Option<(usize, f64)>>,
}

impl Clusters {
    fn new(distances: &[f64], n: usize) -> Self {
        // One half decides for both, so that rounding cannot make the matrix asymmetric again.
        let sums = (0..n * n).map(|e| distances[(e / n).min(e % n) * n + (e / n).max(e % n)]).collect();
        let mut all = Self {
            n,
            sums,
            sizes: vec![1; n],
            ids: (0..n).collect(),
            left: (0..n).collect(),
            nearest: vec![None; n],
        };
        for p in 0..n {
            all.nearest[p] = all.search(p);
        }
        all
    }

    fn distance(&self, p: usize, q: usize) -> f64 {
        self.sums[p * self.n + q] / (self.sizes[p] as f64 * self.sizes[q] as f64)
    }

    /// The nearest of the clusters with larger ids than that at `p`, the smallest id first where several are.
    fn search(&self, p: usize) -> Option<(usize, f64)> {
        let later = self.left.iter().copied().filter(|&q| self.ids[q] > self.ids[p]);
        let all = later.map(|q| (q, self.distance(p, q)));
        all.min_by(|x, y| x.1.total_cmp(&y.1).then(self.ids[x.0].cmp(&self.ids[y.0])))
    }

    /// The two closest, the smallest ids first where several are.
    fn closest(&self) -> Option<(usize, usize)> {
        let pairs = self.left.iter().filter_map(|&p| self.nearest[p].map(|(q, distance)| (distance, p, q)));
        let order = |x: &(f64, usize, usize), y: &(f64, usize, usize)| {
            x.0.total_cmp(&y.0).then(self.ids[x.1].cmp(&self.ids[y.1]))
        };
        pairs.min_by(order).map(|(_, p, q)| (p, q))
    }

    /// Joins the clusters at `p` and `q` at place `p` under the name `id`, which is larger than all before.
    fn join(&mut self, p: usize, q: usize, id: usize) {
        self.left.retain(|&c| c != q);
        for &c in self.left.iter().filter(|&&c| c != p) {
            let sum = self.sums[p * self.n + c] + self.sums[q * self.n + c];
            (self.sums[p * self.n + c], self.sums[c * self.n + p]) = (sum, sum);
        }
        self.sizes[p] += self.sizes[q];
        self.ids[p] = id;
        self.nearest[p] = None;
        for i in 0..self.left.len() {
            let c = self.left[i];
            if c == p {
                continue;
            }
            match self.nearest[c] {
                Some((near, _)) if near == p || near == q => self.nearest[c] = self.search(c),
                // The new name is the largest: it wins only where it is closer.
                Some((_, distance)) if self.distance(c, p) >= distance => {}
                _ => self.nearest[c] = Some((p, self.distance(c, p))),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every step from the items: all pairs of clusters in the order of their ids, means over all pairs of items.
    fn naive(distances: &[f64], n: usize) -> Vec<Merge> {
        let mut clusters: Vec<(usize, Vec<usize>)> = (0..n).map(|i| (i, vec![i])).collect();
        let mut merges = Vec::new();
        while clusters.len() > 1 {
            let mut best = (f64::INFINITY, 0, 0);
            for p in 0..clusters.len() {
                for q in p + 1..clusters.len() {
                    let (x, y) = (&clusters[p].1, &clusters[q].1);
                    let sum: f64 = x.iter().flat_map(|i| y.iter().map(move |j| distances[i * n + j])).sum();
                    let mean = sum / (x.len() * y.len()) as f64;
                    if mean < best.0 {
                        best = (mean, p, q);
                    }
                }
            }
            let (height, p, q) = best;
            let (b, items) = clusters.remove(q);
            let (a, mut all) = clusters.remove(p);
            all.extend(items);
            merges.push(Merge { a, b, height, size: all.len() });
            clusters.push((n + merges.len() - 1, all));
        }
        merges
    }

    fn symmetric(n: usize, mut next: impl FnMut() -> f64) -> Vec<f64> {
        let mut d = vec![0.0; n * n];
        for (i, j) in (0..n).flat_map(|i| (0..i).map(move |j| (i, j))) {
            let v = next();
            (d[i * n + j], d[j * n + i]) = (v, v);
        }
        d
    }

    #[test]
    fn agrees_with_the_naive_reference() {
        let mut state = 7u64;
        let mut word = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 33
        };
        for n in [2, 3, 5, 9, 17, 30] {
            // Whole numbers, so that both sum exactly, of few values, so that there are many ties, and of many.
            for values in [1, 2, 4, 1 << 30] {
                let d = symmetric(n, || (word() % values) as f64);
                assert_eq!(
                    average_linkage(&d, n).unwrap(),
                    naive(&d, n),
                    "{n} items, {values} values: {d:?}"
                );
            }
            let d = symmetric(n, || word() as f64 / 1e9);
            let (fast, slow) = (average_linkage(&d, n).unwrap(), naive(&d, n));
            for (x, y) in fast.iter().zip(&slow) {
                assert_eq!((x.a, x.b, x.size), (y.a, y.b, y.size));
                assert!((x.height - y.height).abs() <= 1e-12 * y.height);
            }
            assert!(fast.windows(2).all(|m| m[0].height <= m[1].height), "heights never descend");
        }
    }

    #[test]
    fn each_number_is_joined_once_and_all_are() {
        let n = 12;
        let d = symmetric(n, || 1.0);
        let merges = average_linkage(&d, n).unwrap();
        let mut seen: Vec<usize> = merges.iter().flat_map(|m| [m.a, m.b]).collect();
        seen.sort_unstable();
        assert_eq!(seen, (0..2 * n - 2).collect::<Vec<_>>());
        assert!(merges.iter().all(|m| m.a < m.b && m.height == 1.0));
        assert_eq!(
            (merges[0].a, merges[0].b, merges[n - 2].size),
            (0, 1, n),
            "ties: the smallest numbers first"
        );
    }

    #[test]
    fn nothing_one_and_two() {
        assert!(average_linkage(&[], 0).unwrap().is_empty());
        assert!(average_linkage(&[f64::NAN], 1).unwrap().is_empty(), "the diagonal is not looked at");
        let two = average_linkage(&[0.0, 0.5, 0.5, 0.0], 2).unwrap();
        assert_eq!(two, [Merge { a: 0, b: 1, height: 0.5, size: 2 }]);
    }

    #[test]
    fn wrong_distances_are_refused() {
        assert!(matches!(average_linkage(&[0.0; 5], 2), Err(Error::Shape { .. })));
        assert!(matches!(average_linkage(&[], usize::MAX), Err(Error::Shape { .. })));
        for (there, back) in [(f64::NAN, 1.0), (1.0, f64::INFINITY), (-1.0, -1.0), (1.0, 2.0)] {
            let refused = average_linkage(&[0.0, there, back, 0.0], 2);
            assert!(matches!(refused, Err(Error::Parameter { .. })), "{there}, {back}");
        }
        assert!(matches!(average_linkage(&symmetric(4, || f64::MAX), 4), Err(Error::Parameter { .. })));
        assert!(average_linkage(&[0.0, 1.0, 1.0 + 1e-15, 0.0], 2).is_ok(), "rounding is no asymmetry");
    }
}
