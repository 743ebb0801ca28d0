//! Writes a page with the pictures of networks, to look at:
//! `cargo run -p ergodict-report --example networks -- page.html [atoms.csv]…`. Each table has the atoms of one network
//! as columns below their names, as `ergodict model export` writes them.

use ergodict_report::{AtomGraphs, AtomGrid, Figure, Heat, LineChart, Report, Series, Tree};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<()> {
    let mut names = std::env::args().skip(1);
    let page = names.next().unwrap_or_else(|| "networks.html".to_owned());
    let mut report = Report::new("Pictures of networks");
    report = graphs(report, "Shapes", &shapes(12), 12, None)?;
    report = graphs(report, "Shapes of 21 nodes", &shapes(21), 21, Some(5))?;
    report = graphs(report, "Directed", &directed(8), 8, None)?;
    for name in names {
        let atoms = read(&name)?;
        let k = atoms[0].len().isqrt();
        report = graphs(report, &name, &atoms, k, None)?;
    }
    report = report
        .figure(figure("ROC curves", roc(16).svg()))
        .figure(figure("Three ROC curves", roc(3).svg()))
        .figure(figure("Accuracy", heat(4).svg()?))
        .figure(figure("Accuracy of many", heat(14).svg()?))
        .figure(figure("Tree", tree(9).svg()?))
        .figure(figure("Tree of one", tree(1).svg()?));
    std::fs::write(page, report.render())?;
    Ok(())
}

fn figure(title: &str, svg: String) -> Figure {
    Figure { title: title.into(), svg, words: String::new() }
}

fn graphs(
    report: Report,
    title: &str,
    atoms: &[Vec<f64>],
    k: usize,
    columns: Option<usize>,
) -> Outcome<Report> {
    let chain: Vec<(usize, usize)> = (1..k).map(|b| (b - 1, b)).collect();
    let labels: Vec<String> =
        (0..atoms.len()).map(|i| format!("{:.1} %", 20.0 * 0.9f64.powi(i as i32))).collect();
    let graphs = AtomGraphs { columns, ..AtomGraphs::new(atoms, k, &chain).labels(labels.clone()) };
    let grid = AtomGrid { labels: Some(labels), columns, ..AtomGrid::new(atoms, (k, k)) };
    Ok(report.figure(figure(title, graphs.svg()?)).figure(figure("The same as matrices", grid.svg()?)))
}

/// A path, a ring, a star, a clique, two cliques, a ladder, a bow, noise, nothing but one edge.
fn shapes(k: usize) -> Vec<Vec<f64>> {
    let shape = |i: usize, a: usize, b: usize| -> f64 {
        let chain = a + 1 == b;
        let half = k / 2;
        match i {
            0 => f64::from(u8::from(chain)),
            1 => f64::from(u8::from(chain || (a, b) == (0, k - 1))),
            2 => {
                if a == half || b == half {
                    1.0
                } else if chain {
                    0.3
                } else {
                    0.0
                }
            }
            3 => 1.0,
            4 => {
                if chain || (a < half) == (b < half) {
                    1.0
                } else {
                    0.0
                }
            }
            5 => {
                if chain {
                    1.0
                } else if b - a == 2 {
                    0.5
                } else {
                    0.0
                }
            }
            6 => {
                if chain {
                    1.0
                } else if b < half {
                    0.7
                } else {
                    0.0
                }
            }
            7 => {
                if chain {
                    1.0
                } else {
                    ((a * 37 + b * 61) % 100) as f64 / 250.0
                }
            }
            8 => f64::from(u8::from((a, b) == (0, 1))),
            _ => {
                if a == 0 || a == half {
                    0.8
                } else if chain {
                    1.0
                } else {
                    0.0
                }
            }
        }
    };
    (0..10)
        .map(|i| {
            (0..k * k)
                .map(|e| {
                    let (a, b) = (e / k, e % k);
                    if a == b { 0.0 } else { shape(i, a.min(b), a.max(b)) }
                })
                .collect()
        })
        .collect()
}

fn directed(k: usize) -> Vec<Vec<f64>> {
    let entry = |i: usize, a: usize, b: usize| match i {
        0 => f64::from(u8::from(a + 1 == b)),
        1 => f64::from(u8::from(a < b)) * if a + 1 == b { 1.0 } else { 0.4 },
        _ => {
            if a == b {
                f64::from(u8::from(a.is_multiple_of(3)))
            } else if a + 1 == b {
                1.0
            } else if a == b + 1 {
                0.7
            } else if a == b + 2 {
                0.6
            } else {
                0.0
            }
        }
    };
    (0..3).map(|i| (0..k * k).map(|e| entry(i, e / k, e % k)).collect()).collect()
}

fn read(name: &str) -> Outcome<Vec<Vec<f64>>> {
    let text = std::fs::read_to_string(name)?;
    let mut atoms: Vec<Vec<f64>> = Vec::new();
    for line in text.lines().skip(1) {
        for (i, field) in line.split(',').enumerate() {
            if i == atoms.len() {
                atoms.push(Vec::new());
            }
            atoms[i].push(field.parse()?);
        }
    }
    Ok(atoms)
}

const METHODS: [&str; 16] = [
    "ensemble",
    "ndr-off-motif",
    "ndr",
    "co-visits",
    "common-neighbors",
    "jaccard",
    "adamic-adar",
    "resource-allocation",
    "preferential-attachment",
    "l3",
    "rw3",
    "ra-l3",
    "spectral",
    "prone",
    "motif-codes",
    "node2vec",
];

fn roc(curves: usize) -> LineChart {
    let curve = |i: usize| {
        let auc = 0.995 - 0.03 * i as f64;
        let points: Vec<(f64, f64)> =
            (0..=500).map(|k| f64::from(k) / 500.0).map(|x: f64| (x, x.powf(1.0 / auc - 1.0))).collect();
        Series::new(format!("{} · AUC {auc:.3}", METHODS[i]), points)
    };
    LineChart {
        x_label: "false positive rate".into(),
        y_label: "true positive rate".into(),
        y_range: Some((0.0, 1.0)),
        square: true,
        series: (0..curves).map(curve).collect(),
        ..LineChart::default()
    }
}

const NETWORKS: [&str; 14] = [
    "facebook",
    "ppi_pathways",
    "arxiv",
    "Caltech36",
    "MIT8",
    "UCLA26",
    "Harvard1",
    "coronavirus PPI",
    "H. sapiens",
    "Erdős–Rényi",
    "Watts–Strogatz",
    "Barabási–Albert",
    "stochastic block model",
    "les misérables",
];

fn heat(n: usize) -> Heat {
    let value = |e: usize| {
        let (a, b) = (e / n, e % n);
        (a + 2 * b != 5).then(|| {
            if a == b {
                0.97 - 0.01 * a as f64
            } else {
                0.9 - 0.05 * (a.abs_diff(b) as f64) - 0.02 * (b % 3) as f64
            }
        })
    };
    Heat {
        row_label: "atoms of".into(),
        col_label: "network rebuilt".into(),
        ..Heat::new(NETWORKS[..n].to_vec(), NETWORKS[..n].to_vec(), (0..n * n).map(value).collect::<Vec<_>>())
    }
}

fn tree(n: usize) -> Tree {
    let all = [
        (0, 3, 0.04),
        (4, 5, 0.06),
        (9, 10, 0.09),
        (6, 11, 0.1),
        (1, 7, 0.13),
        (12, 2, 0.21),
        (8, 13, 0.25),
        (14, 15, 0.41),
    ];
    let merges = if n == 9 { all.to_vec() } else { Vec::new() };
    Tree { x_label: "mean distance 1 − accuracy".into(), ..Tree::new(NETWORKS[..n].to_vec(), merges) }
}
