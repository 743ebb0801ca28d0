//! What denoising came to, in words and as JSON.

use crate::words::table;
use ergodict::denoise::{Method, Scored};
use ergodict::dictionary::Input;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// A head of a smaller AUC on its own labels is warned of.
const HARDLY: f64 = 0.7;
/// Features that are named in words.
const NAMED: usize = 6;

/// What it came to.
pub(super) struct Denoised<'a> {
    pub(super) out: &'a Path,
    pub(super) network: String,
    pub(super) pairs: usize,
    /// Pairs that are observed edges.
    pub(super) observed: usize,
    pub(super) method: Method,
    /// The noise that was assumed, and whether nobody said so.
    pub(super) assumed: String,
    pub(super) guessed: bool,
    pub(super) scored: &'a Scored,
    /// The pairs that matter most, in words.
    pub(super) suspects: Vec<String>,
    pub(super) written: usize,
    pub(super) seconds: Duration,
    pub(super) inputs: Vec<Input>,
    pub(super) config: Value,
}

impl Denoised<'_> {
    pub(super) fn words(&self, showing: Vec<(&'static str, String)>) -> String {
        let scored = format!(
            "{} pairs of {} by {}, {} of them observed edges",
            self.pairs, self.network, self.method, self.observed
        );
        let guessed = if self.guessed { " (--noise says otherwise)" } else { "" };
        let meaning = match self.assumed.as_str() {
            "added" => "false edges were added",
            "removed" => "true edges were removed",
            _ => {
                "false edges were added and true ones removed; scores of observed edges and of other pairs are not of one scale"
            }
        };
        let mut lines = vec![("scored", scored), ("assumed", format!("{meaning}{guessed}"))];
        for head in &self.scored.heads {
            let mut features: Vec<(&str, f64)> =
                head.features.iter().map(|(name, _, importance)| (&**name, importance.auc_drop)).collect();
            features.sort_by(|a, b| b.1.total_cmp(&a.1));
            let named = features.iter().take(NAMED).map(|(name, drop)| format!("{name} {drop:.4}"));
            let named = named.collect::<Vec<_>>().join(", ");
            let rest = features.len().saturating_sub(NAMED);
            let rest = if rest > 0 { format!(" and {rest} more") } else { String::new() };
            let under = if self.scored.heads.len() > 1 {
                format!("for {} edges: ", head.noise.word())
            } else {
                String::new()
            };
            lines.push((
                "features",
                format!("{under}{named}{rest} (what the AUC of training loses without each)"),
            ));
            if let Some(share) = head.false_share {
                lines.push((
                    "estimate",
                    format!(
                        "{under}{:.0} % of the observed edges look as if put in at random",
                        100.0 * share
                    ),
                ));
            }
            if head.held_out.is_some_and(|auc| auc < HARDLY) {
                let text = "the head hardly tells its own labels apart: on a network like this, a method without training may do better";
                lines.push(("warning", text.to_owned()));
            }
            if let Some(auc) = head.held_out {
                let text = format!(
                    "{under}AUC {auc:.4} on labels of other splits, all made from the network itself ({} splits)",
                    head.splits
                );
                lines.push(("head", text));
            }
        }
        lines.extend(self.scored.notes.iter().map(|note| ("note", note.clone())));
        let (name, said) = if self.assumed == "removed" {
            ("missing?", "most likely")
        } else {
            ("suspects", "least likely")
        };
        lines.push((name, format!("{}, … ({said} first)", self.suspects.join(", "))));
        lines.push(("time", format!("{:.2} s", self.seconds.as_secs_f64())));
        let pairs = crate::page::count(self.written, "pair", "pairs");
        lines.push(("wrote", format!("{} ({pairs})", self.out.display())));
        lines.extend(showing);
        table(&lines)
    }

    pub(super) fn json(&self) -> Value {
        let heads = self.scored.heads.iter().map(|head| {
            let each = head.features.iter().map(|(name, group, importance)| {
                json!({ "name": name, "group": group.letter().to_string(), "auc_drop": importance.auc_drop })
            });
            json!({
                "noise": head.noise.word(),
                "splits": head.splits,
                "training_pairs": head.training_pairs,
                "held_out_auc": head.held_out,
                "false_share": head.false_share,
                "features": each.collect::<Vec<_>>(),
            })
        });
        json!({
            "schema": "ergodict.network-denoise/1",
            "out": self.out,
            "network": self.network,
            "inputs": self.inputs,
            "pairs": self.pairs,
            "pairs_written": self.written,
            "observed_pairs": self.observed,
            "method": self.method.to_string(),
            "noise": self.assumed,
            "heads": heads.collect::<Vec<_>>(),
            "notes": self.scored.notes,
            "seconds": self.seconds.as_secs_f64(),
            "config": self.config,
        })
    }
}
