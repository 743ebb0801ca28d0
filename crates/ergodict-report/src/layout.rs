//! Where the nodes of a small weighted graph stand on paper.
//!
//! | symbol | in code | meaning |
//! |---|---|---|
//! | w_ab | `weights` | weight of the pair (a, b), 0 without an edge |
//! | ℓ_ab = w_ab^−1/2 | `length` | length of an edge |
//! | g_ab | `ways` | length of the shortest way from a to b, D the longest of all |
//! | d_ab = (2D/π) sin(π g_ab / 2D) | `distances` | how far apart a and b should stand |
//! | σ = Σ (‖x_a − x_b‖ − d_ab)² / d_ab² | `stress` | what Kamada & Kawai (1989) ask to be small |
//!
//! σ is made smaller node by node: a node moves to the mean of the places its distances to the others ask for, which
//! never raises σ (majorization, Gansner, Koren & North 2004, one node at a time). Nothing is random: of the ends of
//! three fixed starts the one with the least stress is kept.
//!
//! Two departures from Kamada & Kawai, who take d = g and lengths 1/w. The root keeps the strongest pairs of a learned atom,
//! ten times as heavy as its weakest, from shrinking to a single spot. The sine is the chord of a half circle of length D:
//! a path becomes that half circle, on which its nodes have half as much room again as on a straight line across the
//! same panel, and a ring becomes a circle, both without stress.
//!
//! Parts that do not hang together have no distance to keep. Each is laid out alone, the largest stands in the middle, and
//! each of the others, from the larger to the smaller, takes the free spot nearest to there: a lone node would otherwise
//! take as much of the panel as all the rest.

/// Sweeps over all nodes at most, and the move of a node, in lengths of an edge of weight 1, that cannot be seen.
const SWEEPS: usize = 300;
const STILL: f64 = 1e-3;

/// Room between parts, in lengths of an edge of weight 1: less than the 2/π at which the nodes of a clique should stand, so
/// that it is the larger part of a panel. And the spots that are tried: on rings a part of that room apart (or of the size of
/// what is there, so that they do not become many), at a number of angles.
const ROOM: f64 = 0.5;
const RINGS: (f64, f64) = (0.125, 0.025);
const ANGLES: usize = 24;

/// The place of each of `k` nodes for symmetric `weights` (k × k, between 0 and 1), centered, in units of the length of an
/// edge of weight 1. The longest axis is horizontal, and node 0 lies left of the middle and not below it.
pub(crate) fn layout(weights: &[f64], k: usize) -> Vec<[f64; 2]> {
    let parts = parts(weights, k);
    if parts.len() < 2 {
        return connected(weights, k);
    }
    let mut x = vec![[0.0; 2]; k];
    // The lines of what stands already, a lone node being one from itself to itself.
    let mut lines: Vec<[[f64; 2]; 2]> = Vec::new();
    for part in &parts {
        let size = part.len();
        let own: Vec<f64> =
            part.iter().flat_map(|&a| part.iter().map(move |&b| weights[a * k + b])).collect();
        let places = connected(&own, size);
        let middle = spot(&lines, places.iter().map(|&p| apart(p, [0.0; 2])).fold(0.0, f64::max));
        for (&a, p) in part.iter().zip(&places) {
            x[a] = [middle[0] + p[0], middle[1] + p[1]];
        }
        for (i, &a) in part.iter().enumerate() {
            let tied = part[..=i].iter().filter(|&&b| a == b || weights[a * k + b] > 0.0);
            lines.extend(tied.map(|&b| [x[a], x[b]]));
        }
    }
    turn(&mut x);
    x
}

/// The parts that hang together, each in the order of its nodes, the largest first.
fn parts(weights: &[f64], k: usize) -> Vec<Vec<usize>> {
    let (mut seen, mut all) = (vec![false; k], Vec::new());
    while let Some(first) = seen.iter().position(|seen| !seen) {
        seen[first] = true;
        let (mut part, mut at) = (vec![first], 0);
        while at < part.len() {
            let a = part[at];
            let new: Vec<usize> = (0..k).filter(|&b| !seen[b] && weights[a * k + b] > 0.0).collect();
            new.iter().for_each(|&b| seen[b] = true);
            part.extend(new);
            at += 1;
        }
        part.sort_unstable();
        all.push(part);
    }
    all.sort_by_key(|part| std::cmp::Reverse(part.len()));
    all
}

/// The middle of a disc of the given radius that is clear of all lines: the first that is free, from the origin outwards.
fn spot(lines: &[[[f64; 2]; 2]], radius: f64) -> [f64; 2] {
    let extent = lines.iter().flatten().map(|&p| apart(p, [0.0; 2])).fold(0.0, f64::max);
    let step = RINGS.0.max(RINGS.1 * extent);
    // A little less than the room, so that rounding does not choose between spots that are just free.
    let room = 0.999 * (radius + ROOM);
    let free = |&p: &[f64; 2]| lines.iter().all(|line| beside(p, line) >= room);
    let ring = |r: usize| {
        let at = move |i: usize| {
            let (sin, cos) = (std::f64::consts::TAU * i as f64 / ANGLES as f64).sin_cos();
            [r as f64 * step * cos, r as f64 * step * sin]
        };
        (0..ANGLES).map(at)
    };
    // On the last ring everything is free.
    let last = ((extent + radius + ROOM) / step).ceil() as usize;
    (0..=last).flat_map(ring).find(free).unwrap_or([0.0; 2])
}

/// How far a place is from the nearest point of a line.
fn beside(p: [f64; 2], [from, to]: &[[f64; 2]; 2]) -> f64 {
    let along = [to[0] - from[0], to[1] - from[1]];
    let square = along[0] * along[0] + along[1] * along[1];
    let foot =
        if square > 0.0 { ((p[0] - from[0]) * along[0] + (p[1] - from[1]) * along[1]) / square } else { 0.0 };
    let foot = foot.clamp(0.0, 1.0);
    apart(p, [from[0] + foot * along[0], from[1] + foot * along[1]])
}

/// The same for nodes that all hang together.
fn connected(weights: &[f64], k: usize) -> Vec<[f64; 2]> {
    let d = distances(ways(weights, k));
    let mut best: Option<(f64, Vec<[f64; 2]>)> = None;
    for start in [circle, bow, spiral] {
        let mut x: Vec<[f64; 2]> = (0..k).map(|a| start(a, k)).collect();
        let stress = settle(&mut x, &d, k);
        // A start must be clearly better to replace an earlier one, so that rounding does not choose.
        if best.as_ref().is_none_or(|(least, _)| stress < 0.999 * least) {
            best = Some((stress, x));
        }
    }
    let mut x = best.map_or_else(Vec::new, |(_, x)| x);
    turn(&mut x);
    x
}

fn circle(a: usize, k: usize) -> [f64; 2] {
    let (sin, cos) = (std::f64::consts::TAU * a as f64 / k as f64).sin_cos();
    let radius = k as f64 / 4.0;
    [radius * cos, radius * sin]
}

/// A line, slightly bent so that nodes may leave it.
fn bow(a: usize, k: usize) -> [f64; 2] {
    let part = (a as f64 + 0.5) / k as f64 - 0.5;
    [part * k as f64, 0.1 * k as f64 * part * part + 0.05 * (a % 3) as f64]
}

/// A sunflower: node a at angle a times the golden angle.
fn spiral(a: usize, _: usize) -> [f64; 2] {
    let (sin, cos) = (2.399_963_229_728_653 * a as f64).sin_cos();
    let radius = (a as f64 + 0.5).sqrt();
    [radius * cos, radius * sin]
}

/// Lengths of the shortest ways (Floyd & Warshall) between nodes that all hang together.
fn ways(weights: &[f64], k: usize) -> Vec<f64> {
    let length = |&w: &f64| if w > 0.0 { 1.0 / w.sqrt() } else { f64::INFINITY };
    let mut g: Vec<f64> = weights.iter().map(length).collect();
    for a in 0..k {
        g[a * k + a] = 0.0;
    }
    for via in 0..k {
        for a in 0..k {
            for b in 0..k {
                g[a * k + b] = g[a * k + b].min(g[a * k + via] + g[via * k + b]);
            }
        }
    }
    g
}

/// The ways as chords of the half circle that is as long as the longest of them.
fn distances(ways: Vec<f64>) -> Vec<f64> {
    let diameter = std::f64::consts::FRAC_2_PI * ways.iter().copied().fold(0.0, f64::max);
    let chord = |g: f64| if g > 0.0 { diameter * (g / diameter).sin() } else { 0.0 };
    ways.into_iter().map(chord).collect()
}

/// Moves the nodes until they are still, and returns the stress.
fn settle(x: &mut [[f64; 2]], d: &[f64], k: usize) -> f64 {
    for _ in 0..SWEEPS {
        let mut farthest = 0.0f64;
        for a in 0..k {
            let (mut sum, mut total) = ([0.0; 2], 0.0);
            for b in (0..k).filter(|&b| b != a) {
                let ask = d[a * k + b];
                let weight = 1.0 / (ask * ask);
                let norm = apart(x[a], x[b]);
                let stretch = if norm > 1e-9 { ask / norm } else { 0.0 };
                sum[0] += weight * (x[b][0] + stretch * (x[a][0] - x[b][0]));
                sum[1] += weight * (x[b][1] + stretch * (x[a][1] - x[b][1]));
                total += weight;
            }
            if total > 0.0 {
                let next = [sum[0] / total, sum[1] / total];
                farthest = farthest.max(apart(x[a], next));
                x[a] = next;
            }
        }
        if farthest < STILL {
            break;
        }
    }
    stress(x, d, k)
}

fn stress(x: &[[f64; 2]], d: &[f64], k: usize) -> f64 {
    let pairs = (0..k).flat_map(|a| (0..a).map(move |b| (a, b)));
    pairs.map(|(a, b)| (apart(x[a], x[b]) / d[a * k + b] - 1.0).powi(2)).sum()
}

/// By the square root, which rounds alike everywhere, as `hypot` does not promise.
fn apart(p: [f64; 2], q: [f64; 2]) -> f64 {
    let (x, y) = (p[0] - q[0], p[1] - q[1]);
    (x * x + y * y).sqrt()
}

/// Centers the nodes and turns (and mirrors) them into the position [`layout`] promises.
fn turn(x: &mut [[f64; 2]]) {
    let k = x.len() as f64;
    let mean = |c: usize, x: &[[f64; 2]]| x.iter().map(|p| p[c]).sum::<f64>() / k;
    let middle = [mean(0, x), mean(1, x)];
    x.iter_mut().for_each(|p| *p = [p[0] - middle[0], p[1] - middle[1]]);
    let moment = |c: usize, e: usize| x.iter().map(|p| p[c] * p[e]).sum::<f64>();
    let (xx, xy, yy) = (moment(0, 0), moment(0, 1), moment(1, 1));
    // The main axis of the second moments; round shapes keep the direction they have.
    let angle =
        if (xx - yy).hypot(2.0 * xy) > 1e-6 * (xx + yy) { 0.5 * (2.0 * xy).atan2(xx - yy) } else { 0.0 };
    let (sin, cos) = angle.sin_cos();
    x.iter_mut().for_each(|p| *p = [cos * p[0] + sin * p[1], cos * p[1] - sin * p[0]]);
    for c in 0..2 {
        // Down is positive on paper, so both signs are those of the upper left.
        if x.first().is_some_and(|p| p[c] > 1e-6) {
            x.iter_mut().for_each(|p| p[c] = -p[c]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weights(k: usize, edge: impl Fn(usize, usize) -> bool) -> Vec<f64> {
        (0..k * k).map(|e| f64::from(u8::from(edge(e / k, e % k) || edge(e % k, e / k)))).collect()
    }

    fn between(x: &[[f64; 2]], a: usize, b: usize) -> f64 {
        super::apart(x[a], x[b])
    }

    #[test]
    fn a_path_is_a_half_circle() {
        for k in [3, 10, 21, 40] {
            let x = layout(&weights(k, |a, b| a + 1 == b), k);
            let diameter = std::f64::consts::FRAC_2_PI * (k - 1) as f64;
            assert!((between(&x, 0, k - 1) / diameter - 1.0).abs() < 0.02, "{k}: {}", between(&x, 0, k - 1));
            assert!(x.windows(2).all(|p| p[0][0] < p[1][0]), "from left to right");
            assert!((x[0][1] - x[k - 1][1]).abs() < 0.02 * diameter, "level");
            let depth = x.iter().map(|p| p[1] - x[0][1]).fold(0.0, f64::max);
            assert!((depth / diameter - 0.5).abs() < 0.03, "{k}: {depth} of {diameter}");
        }
        let two = layout(&weights(2, |_, b| b == 1), 2);
        assert!(two[0][0] < two[1][0] && two[0][1].abs() < 1e-9);
    }

    #[test]
    fn a_star_is_a_hub_with_leaves_around_it() {
        let k = 12;
        let x = layout(&weights(k, |a, _| a == 4), k);
        let radii: Vec<f64> = (0..k).filter(|&a| a != 4).map(|a| between(&x, 4, a)).collect();
        let (low, high) = radii.iter().fold((f64::MAX, 0.0f64), |(lo, hi), &r| (lo.min(r), hi.max(r)));
        assert!(low > 0.75 * high && low > 0.5, "{low} to {high}");
        assert!(x[4][0].hypot(x[4][1]) < 0.2, "the hub is in the middle");
    }

    #[test]
    fn nodes_of_cliques_stand_close_and_cliques_apart() {
        let k = 12;
        let x = layout(&weights(k, |a, b| a != b && (a < 6) == (b < 6) || (a, b) == (5, 6)), k);
        let pairs = || (0..k).flat_map(|a| (0..a).map(move |b| (a, b)));
        let mean = |apart: bool| {
            let chosen = pairs().filter(|&(a, b)| ((a < 6) != (b < 6)) == apart);
            let all: Vec<f64> = chosen.map(|(a, b)| between(&x, a, b)).collect();
            all.iter().sum::<f64>() / all.len() as f64
        };
        // The distances asked for have the ratio 1.9 in the mean.
        assert!(mean(true) > 1.8 * mean(false), "{}, {}", mean(true), mean(false));
        let closest = pairs().map(|(a, b)| between(&x, a, b)).fold(f64::MAX, f64::min);
        assert!(closest > 0.3, "no two nodes coincide: {closest}");
        assert!(x[0][0] < 0.0 && x[11][0] > 0.0, "the longest axis is horizontal, node 0 left");
    }

    #[test]
    fn a_ring_is_a_circle() {
        let k = 16;
        let x = layout(&weights(k, |a, b| (a + 1) % k == b), k);
        let radii: Vec<f64> = x.iter().map(|p| p[0].hypot(p[1])).collect();
        assert!(radii.iter().all(|r| (r / radii[0] - 1.0).abs() < 0.01), "{radii:?}");
    }

    #[test]
    fn what_has_no_edges_is_placed_too() {
        assert!(layout(&[], 0).is_empty());
        assert_eq!(layout(&[0.0], 1), [[0.0, 0.0]]);
        for k in [2, 5] {
            let x = layout(&vec![0.0; k * k], k);
            assert!(x.iter().flatten().all(|v| v.is_finite()));
            assert!((0..k).all(|a| (0..a).all(|b| between(&x, a, b) > 0.3)));
        }
    }

    /// Width and height of the box around the nodes.
    fn extent(x: &[[f64; 2]]) -> [f64; 2] {
        [0, 1].map(|c| {
            let (lo, hi) = x.iter().fold((f64::MAX, f64::MIN), |(lo, hi), p| (lo.min(p[c]), hi.max(p[c])));
            hi - lo
        })
    }

    #[test]
    fn parts_are_found_and_ordered_by_size() {
        let w = weights(7, |a, b| [(0, 4), (1, 3), (3, 6)].contains(&(a, b)));
        assert_eq!(parts(&w, 7), [vec![1, 3, 6], vec![0, 4], vec![2], vec![5]]);
        assert!(parts(&[], 0).is_empty());
    }

    #[test]
    fn parts_stand_close_but_clear_of_each_other() {
        let x = layout(&weights(6, |a, b| a + 1 == b && a != 2), 6);
        let pairs = || (0..3).flat_map(|a| (3..6).map(move |b| (a, b)));
        let nearest = pairs().map(|(a, b)| between(&x, a, b)).fold(f64::MAX, f64::min);
        assert!((0.49..1.0).contains(&nearest), "{nearest}: {x:?}");
        // A lone node next to a clique, a star, a path and a ring adds less than an edge to what they take alone.
        let shapes: [fn(usize, usize) -> bool; 4] =
            [|a, b| a != b, |a, _| a == 0, |a, b| a + 1 == b, |a, b| a + 1 == b || (a, b) == (0, 8)];
        for (shape, edge) in shapes.iter().enumerate() {
            let alone = extent(&layout(&weights(9, edge), 9));
            let x = layout(&weights(10, |a, b| a.max(b) < 9 && edge(a, b)), 10);
            let both = extent(&x);
            assert!(both[0] < alone[0] + 0.7 && both[1] < alone[1] + 0.7, "{shape}: {alone:?}, {both:?}");
            let nearest = (0..9).map(|a| between(&x, a, 9)).fold(f64::MAX, f64::min);
            assert!(nearest > 0.49, "{shape}: {nearest}");
        }
    }

    #[test]
    fn many_lone_nodes_stay_together() {
        let k = 20;
        let x = layout(&weights(k, |a, b| (a, b) == (3, 4)), k);
        let size = extent(&x);
        assert!(size[0] < 3.5 && size[1] < 3.5, "{size:?}");
        assert!((0..k).all(|a| (0..a).all(|b| between(&x, a, b) > 0.49)), "{x:?}");
        // None stands on a line.
        let away = (0..k).filter(|a| ![3, 4].contains(a)).map(|a| beside(x[a], &[x[3], x[4]]));
        assert!(away.fold(f64::MAX, f64::min) > 0.49);
    }

    #[test]
    fn sweeps_never_raise_the_stress() {
        let k = 9;
        let w: Vec<f64> = (0..k * k)
            .map(|e| if e / k == e % k { 0.0 } else { 0.05 + ((e / k) * (e % k) % 7) as f64 / 7.0 })
            .collect();
        let d = distances(ways(&w, k));
        let mut x: Vec<[f64; 2]> = (0..k).map(|a| spiral(a, k)).collect();
        let first = stress(&x, &d, k);
        let last = settle(&mut x, &d, k);
        assert!(last < first && (stress(&x, &d, k) - last).abs() < 1e-9);
    }
}
