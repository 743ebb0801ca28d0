//! Similarity of the atoms of one dictionary to those of another.
//!
//! Of dictionaries V and W, with dominances p of V: Σ_k p_k max_j ⟨v_k, w_j⟩ / (‖v_k‖‖w_j‖). It is 1 where every atom in use
//! is an atom of W, in whatever order and scale, and is not symmetric: W may have more. Atoms of chain motifs read forwards
//! and backwards are the same atom where edges have no direction. Entries at the edges of the motif, which every patch has, are left
//! out: with them the atoms of any two networks would be similar.

use ergodict::chain::Motif;
use ergodict::model::Model;

/// The likeness of `v` to `w`, none where their atoms are of different kinds.
pub(super) fn likeness(v: &Model, w: &Model) -> Option<f64> {
    if v.w.rows() != w.w.rows() || v.patch != w.patch || motif(v) != motif(w) {
        return None;
    }
    let (dominance, _) = v.dominance();
    let backwards =
        v.network.as_ref().filter(|form| !form.directed && is_path(form.k, &form.edges)).map(|form| form.k);
    let (v_atoms, w_atoms) = (off_motif(v), off_motif(w));
    let mut likeness = 0.0;
    for (k, share) in dominance.iter().enumerate().filter(|(_, share)| **share > 0.0) {
        let atom = &v_atoms[k];
        let turned = backwards.map(|_| atom.iter().rev().copied().collect::<Vec<f64>>());
        let best = w_atoms
            .iter()
            .map(|other| {
                cosine(atom, other).max(turned.as_ref().map_or(-1.0, |turned| cosine(turned, other)))
            })
            .fold(-1.0, f64::max);
        likeness += share * best;
    }
    dominance.iter().any(|share| *share > 0.0).then_some(likeness)
}

/// The atoms, those of networks without the entries at the motif's own edges, which all atoms have.
fn off_motif(model: &Model) -> Vec<Vec<f64>> {
    let atom = |k: usize| {
        let mut atom = model.w.col(k).to_vec();
        if let Some(form) = &model.network {
            for &(a, b) in &form.edges {
                let (a, b) = (a as usize, b as usize);
                (atom[a * form.k + b], atom[b * form.k + a]) = (0.0, 0.0);
            }
        }
        atom
    };
    (0..model.w.cols()).map(atom).collect()
}

fn motif(model: &Model) -> Option<(usize, &[(u32, u32)])> {
    model.network.as_ref().map(|form| (form.k, &form.edges[..]))
}

/// Whether the motif is a chain, which is the same backwards. Reversing all nodes reverses the k² entries of a patch.
fn is_path(k: usize, edges: &[(u32, u32)]) -> bool {
    Motif::path(k).is_ok_and(|chain| chain.edges() == edges)
}

fn cosine(a: &[f64], b: &[f64]) -> f64 {
    let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    let (of_a, of_b) = (dot(a, a), dot(b, b));
    match (of_a > 0.0, of_b > 0.0) {
        (true, true) => dot(a, b) / (of_a * of_b).sqrt(),
        // Two bare motifs are the same.
        (false, false) => 1.0,
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ergodict::factor::{FactorSettings, Factorizer};
    use ergodict::linalg::Mat;
    use ergodict::patch::NetworkForm;

    /// A model with these atoms, all in use by the same amount.
    fn model(atoms: &[[f64; 9]]) -> Model {
        let w = Mat::from_fn(9, atoms.len(), |i, k| atoms[k][i]);
        let factorizer = Factorizer::<f64>::random(FactorSettings::new(atoms.len()), 9, 0).unwrap();
        let mut model = Model::from_factorizer(&factorizer, "network", 0);
        model.w = w;
        model.aggregates.a = Mat::from_fn(atoms.len(), atoms.len(), |i, j| f64::from(u8::from(i == j)));
        model.network = Some(NetworkForm::new(&Motif::path(3).unwrap(), false, false));
        model
    }

    #[test]
    fn order_scale_and_direction_do_not_matter_but_missing_atoms_do() {
        // Entries 1, 3, 5 and 7 are the chain's; 0, 4 and 8 loops; 2 and 6 the pair of its ends.
        let first = [0.4, 0.5, 0.1, 0.5, 0.0, 0.1, 0.1, 0.1, 0.0];
        let backwards = [0.0, 0.05, 0.05, 0.9, 0.0, 0.25, 0.05, 0.25, 0.2];
        let other = [0.0, 0.3, 0.0, 0.3, 0.7, 0.0, 0.0, 0.0, 0.0];
        let (both, one) = (model(&[first, other]), model(&[backwards]));
        assert!((likeness(&one, &both).unwrap() - 1.0).abs() < 1e-12);
        // The second atom of both has nothing in common with the only one of the other.
        assert!((likeness(&both, &one).unwrap() - 0.5).abs() < 1e-12);
        let mut directed = one.clone();
        if let Some(form) = &mut directed.network {
            form.directed = true;
        }
        assert!(likeness(&directed, &both).unwrap() < 0.9);
        let mut cycle = one.clone();
        cycle.network = Some(NetworkForm::new(&Motif::cycle(3).unwrap(), false, false));
        assert_eq!(likeness(&cycle, &both), None);
    }
}
