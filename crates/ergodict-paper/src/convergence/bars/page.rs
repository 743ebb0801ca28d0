//! The bars on the page and in the summary: what was seen, what was found, and how the losses went.

use super::super::log_spaced;
use super::{BATCH, BETWEEN, BarsRecord, BarsRun, Look, OFF, SIDE, SIMILAR, Size};
use anyhow::Result;
use ergodict_report::{AtomGrid, Color, Figure, LineChart, Series, Table};
use serde_json::{Value, json};

impl BarsRun {
    fn seen(&self) -> &BarsRecord {
        &self.seen.outcome
    }

    fn last(&self) -> &Look {
        &self.seen().looks[self.seen().looks.len() - 1]
    }

    fn found(&self) -> usize {
        self.seen().likeness.iter().filter(|c| **c > SIMILAR).count()
    }

    /// By how many percent the surrogate and the loss on fresh pictures differ.
    fn difference(&self) -> f64 {
        100.0 * (self.last().surrogate / self.last().expected - 1.0).abs()
    }

    /// The standard error of that difference, in percent, if the loss forgets as fast as the number of bars does.
    /// An average with weight w on the newest minibatch is as good as one over 2/w of them.
    fn chance(&self) -> f64 {
        let spread = self.seen().error * (self.seen().size.fresh as f64).sqrt() / self.last().expected;
        let weight = self.model.parameters.schedule.weight(self.last().t);
        let remembered = 2.0 / weight * BATCH as f64 / self.seen().memory;
        100.0 * spread * (1.0 / remembered + 1.0 / self.seen().size.fresh as f64).sqrt()
    }

    /// What happened, for the terminal.
    pub(super) fn account(&self) -> String {
        let (pictures, Size { batches, fresh }) = (self.seen().size.pictures(), self.seen().size);
        let Look { surrogate, expected, surrogate_gap, expected_gap, .. } = self.last();
        let least = self.seen().likeness.iter().copied().fold(f64::INFINITY, f64::min);
        [
            format!("{pictures} pictures of {SIDE}×{SIDE} pixels, sums of bars that switch on and off slowly."),
            format!(
                "Dependence: {:.0} in a row say as much as one independent picture (the exact number is {:.1}).",
                self.seen().memory,
                self.bars.autocorrelation_time()
            ),
            format!(
                "Learned {} atoms online, from {batches} minibatches of {BATCH} consecutive pictures, in {:.2} s.",
                self.model.w.cols(),
                self.seen().learning
            ),
            format!(
                "Found {} of the {} bars (the least cosine between bar and atom is {least:.3}).",
                self.found(),
                self.bars.count()
            ),
            format!("Surrogate {surrogate:.4}, loss on {fresh} fresh pictures {expected:.4} ± {:.4}:", self.seen().error),
            format!("they differ by {:.1} %, give or take {:.0} % by chance.", self.difference(), self.chance()),
            format!(
                "Stationarity gap {surrogate_gap:.1e} of the surrogate, {expected_gap:.1e} on fresh pictures."
            ),
        ]
        .join("\n")
    }

    /// The same for machines.
    pub(in super::super) fn json(&self) -> Value {
        let last = self.last();
        json!({
            "pictures": self.seen().size.pictures(),
            "autocorrelation_time": self.seen().memory,
            "autocorrelation_time_exact": self.bars.autocorrelation_time(),
            "bars": self.bars.count(),
            "bars_found": self.found(),
            "cosines": self.seen().likeness,
            "surrogate": last.surrogate,
            "expected_loss": last.expected,
            "expected_loss_error": self.seen().error,
            "stationarity_gap": last.surrogate_gap,
            "stationarity_gap_expected": last.expected_gap,
            "learning_seconds": self.seen().learning,
        })
    }

    /// What was found.
    pub(in super::super) fn lead(&self) -> String {
        format!(
            "From {} pictures that hardly change from one to the next, {} of the {} shapes they are made \
             of were found in one pass. The loss that the method keeps account of and the loss \
             on fresh, independent pictures differ by {:.1} %, give or take {:.0} % by chance.",
            self.seen().size.pictures(),
            self.found(),
            self.bars.count(),
            self.difference(),
            self.chance(),
        )
    }

    /// What was run.
    pub(in super::super) fn settings(&self) -> Table {
        let (pictures, batches) = (self.seen().size.pictures(), self.seen().size.batches);
        let p = &self.model.parameters;
        let digest = self.model.inputs.first().map_or(String::new(), |input| input.digest.clone());
        let facts = [
            ("data", format!("{pictures} pictures, {SIDE}×{SIDE} pixels")),
            ("minibatches", format!("{batches} of {BATCH} consecutive pictures")),
            ("atoms r", p.atoms.to_string()),
            ("λ", p.lambda.to_string()),
            ("weights", p.schedule.to_string()),
            ("dictionary", p.dictionary().to_string()),
            ("code", p.code().to_string()),
            ("arithmetic", "f64".to_owned()),
            ("stationarity gap", format!("{:.1e}", self.last().surrogate_gap)),
            ("digest of bars.npy", digest),
        ];
        Table {
            title: "How the bars were learned".into(),
            head: ["what", "value"].map(str::to_owned).to_vec(),
            rows: facts.map(|(name, value)| vec![name.to_owned(), value]).to_vec(),
            words: "The same atoms come from `ergodict factor bars.npy --config bars.safetensors`.".into(),
        }
    }

    /// The figures of the report.
    pub(in super::super) fn figures(&self) -> Result<Vec<Figure>> {
        Ok(vec![self.trajectory()?, self.atoms()?, self.losses(), self.gaps()])
    }

    fn trajectory(&self) -> Result<Figure> {
        let grid = AtomGrid {
            labels: Some((0..self.seen().shown.len()).map(|i| format!("t = {}", i * BETWEEN)).collect()),
            columns: Some(6),
            color: Color::Gray,
            ..AtomGrid::new(&self.seen().shown, (SIDE, SIDE))
        };
        let words = format!(
            "Every {BETWEEN}th of the first pictures. Each is a sum of horizontal and vertical bars and a little \
             noise. A bar that is on stays on for {:.0} pictures on average; when it comes back its brightness is \
             new.\n\n\
             So neighbors are nearly the same picture: {:.0} pictures in a row say as much as one independent \
             picture (measured on the number of bars that are on; the exact value is {:.1}). The method has \
             no notion of bars.",
            1.0 / OFF,
            self.seen().memory,
            self.bars.autocorrelation_time(),
        );
        Ok(Figure { title: "What was seen".into(), svg: grid.svg()?, words })
    }

    fn atoms(&self) -> Result<Figure> {
        let (scores, order) = self.model.dominance();
        let atoms: Vec<Vec<f64>> = order.iter().map(|&k| self.model.w.col(k).to_vec()).collect();
        let labels = order.iter().map(|&k| format!("{:.3}", scores[k])).collect();
        let grid = AtomGrid { labels: Some(labels), ..AtomGrid::new(&atoms, (SIDE, SIDE)) };
        let words = format!(
            "The {} atoms, most dominant first. The number is the dominance of an atom: its share in the \
             reconstructions.\n\n\
             {} of the {} true bars are among them: the cosine between bar and atom is above {SIMILAR}, and {:.3} on \
             average over all bars.",
            atoms.len(),
            self.found(),
            self.bars.count(),
            self.seen().likeness.iter().sum::<f64>() / self.seen().likeness.len() as f64,
        );
        Ok(Figure { title: "What was found".into(), svg: grid.svg()?, words })
    }

    fn losses(&self) -> Figure {
        // Evenly spread on the logarithmic axis, so that the jumps of single minibatches can be seen.
        let times = log_spaced(self.seen().steps.len() as u64, 40);
        let line = |value: fn(&(f64, f64)) -> f64| -> Vec<(f64, f64)> {
            times.iter().map(|&t| (t as f64, value(&self.seen().steps[t as usize - 1]))).collect()
        };
        let looks: Vec<(f64, f64)> = self.seen().looks.iter().map(|l| (l.t as f64, l.expected)).collect();
        let chart = LineChart {
            x_label: "minibatches t".into(),
            y_label: "loss of a picture".into(),
            log_x: true,
            log_y: true,
            series: vec![
                Series::new("minibatch", line(|step| step.0)),
                Series::new("surrogate", line(|step| step.1)),
                Series::new("fresh pictures", looks),
            ],
            ..LineChart::default()
        };
        let words = format!(
            "How badly a picture is explained; lower is better. The loss of the newest minibatch jumps about: its \
             {BATCH} pictures follow one another and say as much as {:.1} independent ones.\n\n\
             The surrogate is the account the method keeps from step to step. It ends at {:.4}; the loss on \
             {} fresh, independent pictures at {:.4} ± {:.4}. That the two meet, for dependent data, is the \
             theorem.",
            BATCH as f64 / self.seen().memory,
            self.last().surrogate,
            self.seen().size.fresh,
            self.last().expected,
            self.seen().error,
        );
        Figure { title: "Learning".into(), svg: chart.svg(), words }
    }

    fn gaps(&self) -> Figure {
        let line = |value: fn(&Look) -> f64| -> Vec<(f64, f64)> {
            self.seen().looks.iter().map(|l| (l.t as f64, value(l))).collect()
        };
        let chart = LineChart {
            x_label: "minibatches t".into(),
            y_label: "stationarity gap".into(),
            log_x: true,
            log_y: true,
            series: vec![
                Series::new("expected loss, on fresh pictures", line(|l| l.expected_gap)),
                Series::new("surrogate", line(|l| l.surrogate_gap)),
            ],
            ..LineChart::default()
        };
        let words = "How far one step of gradient descent would still move the dictionary: 0 where no small \
                     change improves it.\n\n\
                     Every minibatch solves for the surrogate, so its stationarity gap is always as small as the tolerance \
                     asks. What the theorem promises is the other curve: the stationarity gap of the expected loss, which \
                     learning never computes, goes down too, to what is left to chance.";
        Figure { title: "Nothing left to improve".into(), svg: chart.svg(), words: words.into() }
    }
}
