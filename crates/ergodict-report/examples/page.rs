//! Writes a page with every kind of block, to look at: `cargo run -p ergodict-report --example page -- page.html`.

use ergodict_report::{AtomGrid, AtomProfile, Figure, LineChart, Report, Series, Table};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "page.html".to_owned());
    std::fs::write(path, page()?)?;
    Ok(())
}

fn page() -> Result<String, Box<dyn std::error::Error>> {
    let curve = |a: f64, power: f64| -> Vec<(f64, f64)> {
        let wiggle = |t: f64| 1.0 + 0.25 * (t * 0.7).sin() / t.sqrt().max(1.0);
        (1..20_000).map(f64::from).map(|t| (t, (0.02 + a * t.powf(-power)) * wiggle(t))).collect()
    };
    let loss = LineChart {
        x_label: "iteration t".into(),
        y_label: "surrogate loss".into(),
        log_x: true,
        log_y: true,
        series: vec![
            Series::new("Glauber chain", curve(2.0, 0.5)),
            Series::new("pivot chain", curve(5.0, 0.7)),
        ],
        ..LineChart::default()
    };
    let roc =
        |bend: f64| (0..=20).map(|i| f64::from(i) / 20.0).map(|x| (x, x.powf(bend))).collect::<Vec<_>>();
    let names = [
        "dictionary",
        "common neighbours",
        "Adamic–Adar",
        "preferential attachment",
        "node2vec",
        "spectral",
        "chance",
    ];
    let roc = LineChart {
        title: "Denoising a network <with & without> motifs".into(),
        x_label: "false positive rate".into(),
        y_label: "true positive rate".into(),
        series: names
            .iter()
            .zip([0.1, 0.2, 0.3, 0.45, 0.6, 0.75, 1.0])
            .map(|(n, b)| Series::new(*n, roc(b)))
            .collect(),
        ..LineChart::default()
    };
    let atom = |i: usize| -> Vec<f64> {
        let entry = |r: usize, c: usize| match i % 4 {
            0 => f64::from(u8::from(r.abs_diff(c) == 1)) * (1.0 - r as f64 / 16.0),
            1 => f64::from(u8::from((r == i / 4) != (c == i / 4))),
            2 => f64::from(u8::from((r < 4) == (c < 4))) * ((i + r * c) % 5) as f64,
            _ => (-((r as f64 - 3.5).powi(2) + (c as f64 - i as f64 / 2.0).powi(2)) / 6.0).exp(),
        };
        (0..64).map(|k| entry(k / 8, k % 8)).collect()
    };
    let atoms: Vec<Vec<f64>> = (0..16).map(atom).collect();
    let signed: Vec<Vec<f64>> = (1..=12)
        .map(|i| (0..100).map(|k| (f64::from(i * k) * 0.05).sin() * f64::from(k % 10)).collect())
        .collect();
    let labels: Vec<String> = (0..16).map(|i| format!("{:.3}", 0.31 * 0.82f64.powi(i))).collect();
    let rows = names.iter().enumerate().map(|(i, n)| {
        vec![
            (*n).to_owned(),
            format!("0.{} ± 0.0{}", 97 - 6 * i, i + 1),
            format!("{}", 12 + 37 * i),
            "–".to_owned(),
        ]
    });
    let facts = [
        ("input", "Caltech36.txt"),
        ("nodes, edges", "762, 16 651"),
        ("motif", "path of 8 nodes"),
        ("atoms r", "16"),
        ("iterations", "20 000"),
        ("λ", "1"),
        ("seed", "2718281828"),
        ("threads", "2"),
        ("input digest", "blake3:4f1a6c0b77a1d2e95c3b8840de"),
        ("version", "ergodict 0.1.0"),
        ("time", "41.7 s"),
    ];
    let grid = AtomGrid { labels: Some(labels), ..AtomGrid::new(&atoms, (8, 8)) };
    let empty = LineChart { y_label: "loss".into(), ..LineChart::default() };
    Ok(Report::new("Sixteen atoms of the Caltech network")
        .lead(LEAD)
        .facts(&facts)
        .figure(figure("Loss", loss.svg(), LOSS))
        .figure(figure("Atoms", grid.svg()?, ATOMS))
        .figure(figure("ROC curves", roc.svg(), ROC))
        .figure(figure("Signed atoms", AtomGrid::new(&signed, (10, 10)).svg()?, SIGNED))
        .figure(figure(
            "Profiles",
            AtomProfile::new(&signed[..8]).svg()?,
            "Atoms without a shape, entry by entry.",
        ))
        .figure(figure("An empty chart", empty.svg(), ""))
        .table(Table {
            title: "Methods".into(),
            head: ["method", "AUC", "seconds", "note"].map(str::to_owned).to_vec(),
            rows: rows.collect(),
            words: "Area under the ROC curve with the standard error over ten runs.".into(),
        })
        .code("Three commands to try next", COMMANDS)
        .render())
}

fn figure(title: &str, svg: String, words: &str) -> Figure {
    Figure { title: title.into(), svg, words: words.into() }
}

const LEAD: &str = "
    A chain of 20 000 motif samples was factorised online into sixteen 8-node atoms. Five of them carry four fifths
    of the weight, and the reconstruction keeps 97 % of the edges. (Invented figures: this page shows the layout.)";

const LOSS: &str = "
    How well the dictionary explains the samples seen so far; lower is better.

    Both axes are logarithmic: a straight line is a power law. When the curve is flat, more samples will not help.";

const ATOMS: &str = "
    Each square is the adjacency matrix of one latent motif, black for an edge that is surely there. The first
    off-diagonals are the path along which the motif was sampled.

    The number below is the dominance score: the share of the network's patches the atom explains.";

const ROC: &str = "
    The closer to the upper left corner, the better. A point tells its values when the pointer rests on it.";

const SIGNED: &str = "Orange is positive, blue negative, white zero.";

const COMMANDS: &str = "\
ergodict train network Caltech36.txt --atoms 25 --motif path:21 --seed 7
ergodict reconstruct model.edict --threshold 0.4
ergodict report model.edict -o report.html";
