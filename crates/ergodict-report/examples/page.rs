//! Writes a page with every kind of block, to look at: `cargo run -p ergodict-report --example page -- page.html`.
//! A second name is that of a GIF file.

use ergodict_report::{
    AtomGrid, AtomProfile, Color, Figure, GifWriter, LineChart, Palette, Picture, Pictures, Report, Series,
    Shade, Table,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "page.html".to_owned());
    std::fs::write(path, page()?)?;
    if let Some(path) = std::env::args().nth(2) {
        let mut gif = GifWriter::new(std::fs::File::create(path)?, (SIDE, SIDE), Palette::Labels, 4, 100)?;
        for shift in 0..20 {
            let waves = field(shift).into_iter().map(|v| (3.0 * (v + 1.0)) as i8);
            gif.frame(&waves.collect::<Vec<_>>())?;
        }
        gif.finish()?;
    }
    Ok(())
}

const SIDE: usize = 120;

/// Smooth waves between −1 and 1 on a square.
fn field(shift: i32) -> Vec<f64> {
    let wave = |k: usize| {
        let (r, c) = ((k / SIDE) as f64 / 9.0, (k % SIDE) as f64 / 9.0);
        ((r + 0.4 * c).sin() + (c - 0.3 * r + f64::from(shift) / 3.0).cos() + (0.6 * r * c / 4.0).sin()) / 3.0
    };
    (0..SIDE * SIDE).map(wave).collect()
}

/// Random-looking numbers between 0 and 1.
fn noise(count: usize, seed: u64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / (1u64 << 24) as f64
    };
    (0..count).map(|_| next()).collect()
}

/// What a report of spins and images shows.
fn lattices(report: Report) -> Result<Report, Box<dyn std::error::Error>> {
    let waves = field(0);
    let grain = noise(SIDE * SIDE, 1);
    let spins: Vec<f64> =
        waves.iter().zip(&grain).map(|(w, g)| if *w + 0.6 * g > 0.3 { 1.0 } else { -1.0 }).collect();
    let labels: Vec<f64> = waves.iter().map(|w| (4.0 * (w + 1.0)).floor()).collect();
    let error: Vec<f64> = waves.iter().zip(&grain).map(|(w, g)| (w * g).abs()).collect();
    let color: Vec<f64> = waves
        .iter()
        .zip(field(9))
        .flat_map(|(a, b)| [0.5 + 0.5 * a, 0.5 + 0.5 * b, 0.5 - 0.4 * a * b])
        .collect();
    let shape = (SIDE, SIDE);
    let ink = Shade::Ink { low: -1.0, high: 1.0 };
    let four = Pictures::new(vec![
        (Picture::new(&spins, shape, ink), "T = 0.5".into()),
        (Picture::new(&spins, shape, ink), "T = 2.26, every 500\u{a0}000 steps".into()),
        (Picture::new(&waves, shape, Shade::Signed { full: 1.0 }), "signed".into()),
        (Picture::new(&error, shape, Shade::Heat { full: 0.8 }), "error, 23.1 dB".into()),
    ]);
    let three = Pictures::new(vec![
        (Picture::new(&waves, shape, Shade::Photo { low: -1.0, high: 1.0 }), "a photograph".into()),
        (Picture::new(&color, shape, Shade::Rgb), "a photograph in color".into()),
        (Picture::new(&labels, shape, Shade::Labels), "labels".into()),
    ]);
    let one = Pictures::new(vec![(Picture::new(&waves[..40 * SIDE], (40, SIDE), ink), String::new())]);
    let step = |tau: usize, rate: f64| -> Series {
        let points = (1..=5_000_000 / tau).map(|k| ((k * tau) as f64, 1.0 + 8.0 / (k as f64).powf(rate)));
        Series::new(format!("every {tau}"), points.collect::<Vec<_>>())
    };
    let curves = |log_x: bool, level: f64| LineChart {
        x_label: "MCMC iterations".into(),
        y_label: "surrogate loss".into(),
        log_x,
        y_range: Some((0.0, 10.0)),
        series: [(10_000, 0.5), (100_000, 0.4), (500_000, 0.3), (5_000_000, 0.3)]
            .map(|(tau, rate)| step(tau, rate * level))
            .to_vec(),
        ..LineChart::default()
    };
    let atoms: Vec<Vec<f64>> = (0..100).map(|i| noise(400, i + 2)).collect();
    let smooth = |i: usize, k: usize| (0.15 * (1 + i % 7) as f64 * k as f64 + i as f64).sin();
    let rgb: Vec<Vec<f64>> = (0..20)
        .map(|i| (0..192).map(|k| 1.0 + smooth(i + k % 3, k / 3 % 8 + (k / 24) * (i % 4))).collect())
        .collect();
    let rgb_signed: Vec<Vec<f64>> = rgb.iter().map(|a| a.iter().map(|v| v - 1.0).collect()).collect();
    let potts: Vec<Vec<f64>> = (0..20)
        .map(|i| {
            (0..256).map(|k| (1.0 + smooth(i + k % 4, (k / 4 % 8) * (1 + k % 2) + k / 32)).powi(3)).collect()
        })
        .collect();
    let colored = |atoms, channels, color| AtomGrid { channels, color, ..AtomGrid::new(atoms, (8, 8)) };
    Ok(report
        .section("Lattices and images", "Pictures of every kind, with invented contents.")
        .figure(figure("Four in a row", four.svg()?, "Spins, a signed field and a map of errors."))
        .figure(figure("Three in a row", three.svg()?, "Photographs run from black to white."))
        .figure(figure("One alone", one.svg()?, "Without a label."))
        .section("Four curves", "Each chart runs from 0 to 10, so that they can be compared.")
        .figure(figure("Linear", curves(false, 1.0).svg(), "Series of 500, 50, 10 points and one point."))
        .figure(figure("Logarithmic", curves(true, 2.0).svg(), ""))
        .section("Atoms in color", "")
        .figure(figure(
            "One hundred atoms",
            AtomGrid::new(&atoms, (20, 20)).sheet()?,
            "A sheet is one image.",
        ))
        .figure(figure("RGB", colored(&rgb, 3, Color::Rgb).svg()?, "Zero is black."))
        .figure(figure("RGB, signed", colored(&rgb_signed, 3, Color::Rgb).svg()?, "Zero is gray."))
        .figure(figure("One-hot labels", colored(&potts, 4, Color::Labels).sheet()?, "Four labels.")))
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
        "common neighbors",
        "Adamic–Adar",
        "preferential attachment",
        "node2vec",
        "spectral",
        "chance",
    ];
    let roc = LineChart {
        title: "Denoiser a network <with & without> motifs".into(),
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
    let report = Report::new("Sixteen atoms of the Caltech network")
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
        });
    Ok(lattices(report)?.code("Three commands to try next", COMMANDS).render())
}

fn figure(title: &str, svg: String, words: &str) -> Figure {
    Figure { title: title.into(), svg, words: words.into() }
}

const LEAD: &str = "
    A chain of 20 000 motif samples was factorized online into sixteen 8-node atoms. Five of them carry four fifths
    of the weight, and the reconstruction keeps 97 % of the edges. (Invented figures: this page shows the layout.)";

const LOSS: &str = "
    How well the dictionary explains the samples seen so far; lower is better.

    Both axes are logarithmic: a straight line is a power law. When the curve is flat, more samples will not help.";

const ATOMS: &str = "
    Each square is the adjacency matrix of one latent motif, black for an edge that is surely there. The first
    off-diagonals are the path along which the motif was sampled.

    The number below is the dominance score: the share of the network's patches the atom explains.";

const ROC: &str = "
    The closer to the upper left corner, the better. Hover over a point for its values.";

const SIGNED: &str = "Orange is positive, blue negative, white zero.";

const COMMANDS: &str = "\
ergodict train network Caltech36.txt --atoms 25 --motif path:21 --seed 7
ergodict reconstruct model.edict --threshold 0.4
ergodict report model.edict -o report.html";
