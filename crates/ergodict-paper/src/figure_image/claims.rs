//! What the paper says about patches along a walk, next to what was found.

use super::{FigureImage, Setting};
use crate::outcome::{Claim, Verdict};
use crate::spread::Spread;

/// Losses this close, as a share, count as nearly the same.
const NEAR: f64 = 0.01;

pub(super) fn judge(figure: &FigureImage) -> Vec<Claim> {
    let verdict =
        |holds| if figure.ground.quick { Verdict::NotComparable } else { Verdict::agrees_if(holds) };
    let Setting { steps, early, patches, seeds, .. } = figure.ground.setting;
    let [iid, walk] = figure.at(steps, |mark| mark.held_out).map(|all| Spread::from_samples(&all));
    let [iid_db, walk_db] = figure
        .both
        .each_ref()
        .map(|one| Spread::from_samples(&one.runs.iter().map(|run| run.outcome.psnr).collect::<Vec<_>>()));
    let end = figure.behind(steps);
    let alike = Claim {
        about: "dictionaries from independent patches and from a random walk (Figure 3)".into(),
        printed: "both reconstruct the picture".into(),
        ours: format!(
            "expected loss {:.4} and {:.4} after {steps} minibatches, the walk's {} from the other; reconstructed at {:.2} and {:.2} dB",
            iid.mean,
            walk.mean,
            end.percent(),
            iid_db.mean,
            walk_db.mean
        ),
        verdict: verdict(end.is_within(NEAR)),
        why: format!(
            "another picture, and no number is printed: agrees when the expected losses are within {:.0} % of each other, give or \
             take three standard errors over {seeds} repetitions",
            100.0 * NEAR
        ),
    };
    let first = figure.behind(early);
    let [iid_seen, walk_seen] = figure.at(early, |mark| mark.pixels).map(|all| Spread::from_samples(&all));
    let localized = Claim {
        about: "fewer iterations (Section 2.4)".into(),
        printed: "the walk's atoms appear more localized: it has explored a restricted portion of the picture".into(),
        ours: format!(
            "after {early} minibatches of {patches} the walk has seen {:.0} % of the pixels, independent patches {:.0} %; its \
             expected loss is {} from theirs",
            100.0 * walk_seen.mean,
            100.0 * iid_seen.mean,
            first.percent()
        ),
        verdict: verdict(walk_seen.mean < iid_seen.mean && first.is_above()),
        why: "localized to the eye in the paper; here: less of the picture seen, and a loss on patches from anywhere that is higher by \
              more than three standard errors"
            .into(),
    };
    vec![alike, localized]
}
