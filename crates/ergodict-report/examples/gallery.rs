//! Writes a page with one of everything, to look at: `cargo run -p ergodict-report --example gallery -- page.html`.

use ergodict_report::gallery::{Atom, Example, Form};
use ergodict_report::{
    Bar, BarChart, Color, Figure, Frames, Gallery, Heat, LineChart, Picture, Report, Series, Shade, Table,
};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<()> {
    let page = std::env::args().nth(1).unwrap_or_else(|| "gallery.html".to_owned());
    std::fs::write(page, report()?.render())?;
    Ok(())
}

/// One of everything; the browser tests open it too.
pub(crate) fn report() -> Outcome<Report> {
    let patches: Vec<Vec<f64>> = (0..12).map(lattice).collect();
    let frames = Frames {
        title: "The lattice over time".into(),
        words: "Black sites are up, white ones down.".into(),
        items: patches
            .iter()
            .enumerate()
            .map(|(i, p)| {
                (Picture::new(p, (24, 24), Shade::Ink { low: -1.0, high: 1.0 }), format!("step {}", 1000 * i))
            })
            .collect(),
    };
    let figure =
        |title: &str, svg: String, words: &str| Figure { title: title.into(), svg, words: words.into() };
    Ok(Report::new("What les misérables is made of")
        .lead("25 latent motifs of a network of 77 nodes, learned from 10 000 patches in 100 steps.")
        .gallery(&networks(25, 12))?
        .figure(figure("Loss", loss().svg(), &"Lower is better. ".repeat(12)))
        .figure(figure("One curve", one().svg(), ""))
        .frames(&frames)?
        .figure(figure("Degrees", degrees(false).svg(), "How many nodes have which degree."))
        .figure(figure("Degrees on a logarithmic axis", degrees(true).svg(), "The same."))
        .figure(figure("Accuracy", heat().svg()?, "Darker is more."))
        .table(table())
        .gallery(&images(16))?
        .gallery(&profiles(7))?
        .gallery(&networks(70, 21))?
        .facts(&[
            ("seed", "7"),
            ("input", "@lesmis 5d2c6bd4c7a2f0e5f4b2f5f9bd0f9b1f9d0a1c33"),
            ("time", "0.31 s"),
        ])
        .code(
            "Again",
            "ergodict network learn @lesmis --report page.html --seed 7 -r 25 -k 12 --steps 100 --batch 100",
        ))
}

const NAMES: [&str; 14] = [
    "Valjean",
    "Javert",
    "Cosette",
    "Marius",
    "Mme. Hucheloup",
    "Gavroche",
    "Enjolras",
    "Thénardier",
    "Fantine",
    "Combeferre",
    "Myriel",
    "Mlle. Baptistine",
    "Bahorel",
    "Éponine",
];

fn noise(seed: usize) -> f64 {
    let mut x = (seed as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d;
    x ^= x >> 29;
    x = x.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (x >> 11) as f64 / (1u64 << 53) as f64
}

fn networks(count: usize, k: usize) -> Gallery {
    let motif: Vec<(usize, usize)> = (1..k).map(|b| (b - 1, b)).collect();
    let atom = |i: usize| {
        let (from, to, hub) = (i % k, (i * 5) % (k - 2) + 2, (i * 7) % k);
        let entry = |a: usize, b: usize| {
            if a == b {
                0.0
            } else if a + 1 == b {
                0.6 + 0.4 * noise(i * 91 + a)
            } else if i.is_multiple_of(3) && a >= from.min(to) && b <= from.max(to) {
                0.4 + 0.4 * noise(i + 17 * a + 31 * b)
            } else if i % 3 == 1 && (a == hub || b == hub) {
                0.7
            } else {
                0.08 * noise(3 * i + 7 * a + b)
            }
        };
        let values: Vec<f64> = (0..k * k).map(|e| entry((e / k).min(e % k), (e / k).max(e % k))).collect();
        let example = |x: usize| {
            let node = |a: usize| {
                // One who is not everywhere, to be found.
                if (a, i < 5) == (3, true) {
                    return "Babet".to_owned();
                }
                NAMES[if a == k - 1 { (i + x) % NAMES.len() } else { (i + x + a) % NAMES.len() }].to_owned()
            };
            Example {
                title: format!("{:.1} % of this patch", 90.0 - 7.0 * x as f64 - 0.3 * i as f64),
                nodes: (0..k).map(node).collect(),
                values: values.iter().map(|v| f64::from(u8::from(*v > 0.3))).collect(),
            }
        };
        Atom {
            name: ((i * 7) % count).to_string(),
            scores: vec![0.2 * 0.87f64.powi(i as i32), noise(i), (i * 13 % 29) as f64],
            examples: (0..4).map(example).collect(),
            values,
        }
    };
    Gallery {
        title: format!("{count} atoms"),
        words: "Each atom is a piece that patches of the network are made of. Edges of the motif are blue, all others \
                orange. Press a card to enlarge it and to see where the network uses it most."
            .into(),
        form: Form::Network { k, motif },
        scores: ["dominance", "clustering", "edges"].map(str::to_owned).to_vec(),
        atoms: (0..count).map(atom).collect(),
    }
}

fn images(count: usize) -> Gallery {
    let atom = |i: usize| {
        let value = |e: usize| {
            let (r, c) = ((e / 3 / 10) as f64 / 10.0, (e / 3 % 10) as f64 / 10.0);
            0.5 + 0.5 * (6.0 * (r * (i as f64).cos() + c * (i as f64).sin()) + (e % 3) as f64).sin()
        };
        let values: Vec<f64> = (0..300).map(value).collect();
        let examples = (0..3).map(|x| Example {
            title: format!("row {}, column {}", 10 * x, 7 * i),
            nodes: Vec::new(),
            values: values.iter().enumerate().map(|(e, v)| 0.8 * v + 0.2 * noise(e + x)).collect(),
        });
        Atom { name: i.to_string(), scores: vec![noise(i)], examples: examples.collect(), values }
    };
    let form = Form::Matrix { shape: (10, 10), channels: 3, color: Color::Rgb };
    let atoms = (0..count).map(atom).collect();
    Gallery {
        title: "Patches of an image".into(),
        words: "In color.".into(),
        form,
        scores: vec!["dominance".into()],
        atoms,
    }
}

fn profiles(count: usize) -> Gallery {
    let atom = |i: usize| Atom {
        name: format!("component {i}"),
        values: (0..60).map(|e| ((e * (i + 1)) as f64 / 10.0).sin() * noise(i)).collect(),
        scores: Vec::new(),
        examples: Vec::new(),
    };
    let atoms = (0..count).map(atom).collect();
    Gallery { title: "Profiles".into(), words: String::new(), form: Form::Profile, scores: Vec::new(), atoms }
}

fn lattice(t: usize) -> Vec<f64> {
    let site = |e: usize| {
        let (r, c) = ((e / 24) as f64, (e % 24) as f64);
        let smooth = (r / 4.0 + t as f64 / 3.0).sin() + (c / 5.0 - t as f64 / 5.0).cos();
        if smooth + 2.0 * (noise(e + 577 * t) - 0.5) > 0.0 { 1.0 } else { -1.0 }
    };
    (0..576).map(site).collect()
}

fn loss() -> LineChart {
    let curve = |s: usize| -> Vec<(f64, f64)> {
        (1..=300)
            .map(|t| {
                (
                    f64::from(t),
                    (1.0 + s as f64 / 3.0) * (1.0 + 3.0 / f64::from(t).sqrt())
                        + 0.1 * noise(t as usize * 7 + s),
                )
            })
            .collect()
    };
    LineChart {
        x_label: "samples seen".into(),
        y_label: "loss per sample".into(),
        log_x: true,
        series: vec![
            Series::new("surrogate", curve(0)),
            Series::new("minibatch", curve(1)),
            Series::new("held out", curve(2)),
        ],
        ..LineChart::default()
    }
}

fn one() -> LineChart {
    let points: Vec<(f64, f64)> = (0..30).map(|t| (f64::from(t), (f64::from(t) / 4.0).sin())).collect();
    LineChart {
        x_label: "step".into(),
        y_label: "magnetization".into(),
        series: vec![Series::new("", points)],
        ..LineChart::default()
    }
}

fn degrees(log: bool) -> BarChart {
    let bar = |d: i32| Bar {
        from: f64::from(d),
        to: f64::from(d + 1),
        value: (400.0 * f64::from(d).powf(-1.5)).round(),
        label: Some(d.to_string()),
    };
    BarChart {
        x_label: "degree".into(),
        y_label: "nodes".into(),
        log_x: log,
        bars: (1..36).map(bar).collect(),
    }
}

fn heat() -> Heat {
    let names = ["facebook", "ppi_pathways", "arxiv", "Caltech36", "MIT8"];
    let values: Vec<Option<f64>> = (0..25).map(|e| (e != 7).then(|| 0.6 + 0.4 * noise(e))).collect();
    Heat {
        row_label: "atoms of".into(),
        col_label: "network rebuilt".into(),
        ..Heat::new(names, names, values)
    }
}

fn table() -> Table {
    let row = |i: usize| {
        vec![
            format!("method no. {i}"),
            format!("{:.4} ± 0.0031", noise(i)),
            format!("{:.2}", 40.0 * noise(i + 50)),
            format!("{}", i * i * 37),
            "as described in the handbook, chapter seven".into(),
        ]
    };
    Table {
        title: "Methods".into(),
        head: ["method", "AUC", "seconds", "edges", "notes"].map(str::to_owned).to_vec(),
        rows: (0..9).map(row).collect(),
        words: "All methods on the same network, in the order in which they were run.".into(),
    }
}
