//! `ergodict demo`: a tour on data made here, with everything known beforehand, so that one can see what is found.
//!
//! 1. Bars: pictures whose atoms are known, seen as one strongly dependent trajectory; are the atoms found?
//! 2. Two pictures: the smallest chains there are, with an exact expected loss; does the surrogate tell it?

use crate::args::Common;
use crate::output::{is_standard, print, write};
use crate::progress::say;
use anyhow::{Context, Result, bail};
use ergodict::chain::diagnostics::autocorrelation_time;
use ergodict::chain::rng::{Purpose, stream};
use ergodict::chain::{Bars, Chain, FiniteChain};
use ergodict::data::{MatrixStream, StreamOptions, write_npy};
use ergodict::dictionary::{History, HistoryPoint, Input, Model};
use ergodict::factor::diagnostics::stationarity_gap;
use ergodict::factor::{Aggregates, Factoriser, Normalise, Parameters, Schedule};
use ergodict::linalg::Mat;
use ergodict_report::{AtomGrid, Colour, Figure, LineChart, Report, Series};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

/// Take a tour on data made here: learn atoms from dependent pictures, and see the theory at work
///
/// Writes DIR/report.html to look at, DIR/bars.npy (the pictures) and DIR/bars.safetensors (the model), and ends with
/// commands to try next. It takes about a second.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  ergodict demo -o tour --seed 7")]
pub(crate) struct Args {
    /// The folder to write into; it is made where it is missing
    #[arg(short, long, value_name = "DIR", default_value = "ergodict-demo")]
    out: PathBuf,
}

pub(crate) fn run(args: Args, common: &Common) -> Result<ExitCode> {
    let started = Instant::now();
    let talk = |text: &str| {
        if !common.quiet {
            say(text);
        }
    };
    let dir = args.out;
    if is_standard(&dir) || dir.is_file() {
        bail!("{}: expected a folder to write into", dir.display());
    }
    std::fs::create_dir_all(&dir).map_err(ergodict::Error::io(&dir))?;
    let files = Files::within(&dir);

    talk("1. Bars: atoms from pictures that hardly change from one to the next");
    let bars = BarsRun::new(common.seed, &files.pictures)?;
    talk(&indented(&bars.account()));
    bars.model.save(&files.model)?;

    talk("\n2. Two pictures: the surrogate tells the true loss, however dependent the data");
    let two = TwoPictures::new(common.seed)?;
    talk(&indented(&two.account()));

    let seconds = started.elapsed().as_secs_f64();
    let commands = files.commands("ergodict", common.seed);
    write(&files.report, &page(common.seed, &bars, &two, &commands, seconds)?)?;

    // As this program was called, so that they work from the shell that called it.
    let program = std::env::args().next().filter(|name| name.contains('/'));
    let program = program.map_or("ergodict".to_owned(), |name| quoted(Path::new(&name)));
    let commands = files.commands(&program, common.seed);
    talk(&format!("\nThe report: {}\nTry next:", files.report.display()));
    talk(&indented(&commands));
    if common.json {
        let summary = json!({
            "schema": "ergodict.demo/1",
            "version": env!("CARGO_PKG_VERSION"),
            "seed": common.seed,
            "bars": bars.json(),
            "two_pictures": two.json(),
            "report": files.report,
            "model": files.model,
            "data": files.pictures,
            "try_next": commands.replace(CONTINUED, " ").lines().collect::<Vec<_>>(),
            "seconds": seconds,
        });
        print(&format!("{summary:#}\n"))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What the demo writes, and what the commands it ends with do.
struct Files {
    report: PathBuf,
    model: PathBuf,
    pictures: PathBuf,
    atoms: PathBuf,
    again: PathBuf,
    again_report: PathBuf,
}

impl Files {
    fn within(dir: &Path) -> Self {
        Self {
            report: dir.join("report.html"),
            model: dir.join("bars.safetensors"),
            pictures: dir.join("bars.npy"),
            atoms: dir.join("atoms.png"),
            again: dir.join("again.safetensors"),
            again_report: dir.join("again.html"),
        }
    }

    /// Three commands that work as they stand; the last one learns the same model again.
    fn commands(&self, program: &str, seed: u64) -> String {
        let [data, model, again, atoms, page] =
            [&self.pictures, &self.model, &self.again, &self.atoms, &self.again_report]
                .map(|path| quoted(path));
        let Parameters { atoms: r, lambda, schedule, .. } = parameters();
        let seed = if seed == 0 { String::new() } else { format!(" --seed {seed}") };
        format!(
            "{program} model show {model}\n\
             {program} model export {model} -o {atoms}\n\
             {program} factor {data} -r {r} --batch {BATCH} --lambda {lambda} --schedule {schedule}\
             {CONTINUED}--normalise per-column{seed} -o {again} --report {page}"
        )
    }
}

/// Breaks a long command into two lines.
const CONTINUED: &str = " \\\n    ";

/// A path as a POSIX shell takes it.
fn quoted(path: &Path) -> String {
    let mut text = path.to_string_lossy();
    if text.starts_with('-') {
        text = format!("./{text}").into();
    }
    let plain = |c: char| c.is_alphanumeric() || "/._-+:,@".contains(c);
    if text.chars().all(plain) { text.into_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("   {line}")).collect::<Vec<_>>().join("\n")
}

const SIDE: usize = 8;
/// A bar stays on for 20 pictures on average, and one in eight is on.
const OFF: f64 = 0.05;
const ON: f64 = OFF / 7.0;
const NOISE: f64 = 0.05;
const BATCH: usize = 50;
const BATCHES: usize = 1000;
/// Fresh pictures, independent draws from the stationary law, that stand for the expectation.
const FRESH: usize = 2000;
/// An atom is a bar when the cosine between them exceeds this.
const ALIKE: f64 = 0.9;

/// With these all 16 bars were found from each of the seeds 200–379. β = 0.8 missed one bar 5 times of 80, λ = 0.15
/// 3 times; linear weights and λ outside 0.1–0.3 did worse.
fn parameters() -> Parameters {
    Parameters {
        lambda: 0.2,
        schedule: Schedule::Power { beta: 0.76 },
        // Losses are then those of one picture.
        normalise: Normalise::PerColumn,
        ..Parameters::new(2 * SIDE)
    }
}

/// What happened at a step that was looked at closely.
struct Look {
    t: u64,
    surrogate: f64,
    /// `f(W_t)` on the fresh pictures.
    expected: f64,
    /// Stationarity gap of the surrogate.
    surrogate_gap: f64,
    /// Stationarity gap of the expected loss.
    expected_gap: f64,
}

/// The first part: a dictionary learned from one trajectory of the bars.
struct BarsRun {
    bars: Bars,
    model: Model,
    /// Some of the pictures in their order.
    shown: Vec<Vec<f64>>,
    /// Measured autocorrelation time of the number of bars on.
    memory: f64,
    looks: Vec<Look>,
    /// Standard error of the last expected loss.
    error: f64,
    /// Best cosine of each bar with an atom.
    likeness: Vec<f64>,
    seconds: f64,
}

/// Pictures between two of those shown.
const BETWEEN: usize = 4;

impl BarsRun {
    fn new(seed: u64, file: &Path) -> Result<Self> {
        let bars = Bars::new(SIDE, ON, OFF, NOISE)?;
        let mut rng = stream(seed, Purpose::Chain, 0);
        let mut state = bars.init(&mut rng);
        let mut lit = Vec::with_capacity(BATCH * BATCHES);
        let mut pictures = Mat::<f32>::zeros(SIDE * SIDE, BATCH * BATCHES);
        for j in 0..pictures.cols() {
            bars.step(&mut state, &mut rng);
            lit.push(state.lit() as f64);
            bars.picture(&state, &mut rng, pictures.col_mut(j));
        }
        write_npy(file, pictures.as_ref())?;
        let mut rng = stream(seed, Purpose::Chain, 1);
        let mut fresh = Mat::<f64>::zeros(SIDE * SIDE, FRESH);
        for j in 0..FRESH {
            bars.picture(&bars.init(&mut rng), &mut rng, fresh.col_mut(j));
        }

        let mut factoriser = Factoriser::<f64>::random(parameters(), SIDE * SIDE, seed)?;
        let (mut history, mut looks, mut seconds) = (History::default(), Vec::new(), 0.0);
        let mut due = log_spaced(BATCHES as u64, 10).into_iter().peekable();
        for t in 0..BATCHES {
            let x = pictures.as_ref().columns(t * BATCH, (t + 1) * BATCH).to_owned().cast::<f64>();
            let begun = Instant::now();
            let step = factoriser.step(x.as_ref())?;
            seconds += begun.elapsed().as_secs_f64();
            history.push(HistoryPoint {
                t: step.t,
                samples: factoriser.aggregates().samples,
                loss: step.loss_before,
                surrogate: step.surrogate,
            });
            if due.next_if_eq(&step.t).is_some() {
                looks.push(look(&mut factoriser, &fresh, step.surrogate)?);
            }
        }
        let mut model = Model::of(&factoriser, "factor", seed);
        let digest = MatrixStream::open(file, &StreamOptions::default())?.digest()?;
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        model.inputs = vec![Input { name, digest }];
        model.history = history;
        model.run = json!({
            "command": "demo",
            "config": { "seed": seed },
            "data": format!("{} pictures of {SIDE}×{SIDE} pixels, bars that switch on with probability {ON:.5} and off with {OFF}, noise {NOISE}", BATCH * BATCHES),
            "batch": BATCH,
        });
        let likeness = (0..bars.count())
            .map(|k| (0..model.w.cols()).map(|j| cosine(model.w.col(j), &bars.bar(k))).fold(0.0, f64::max))
            .collect();
        let each = (0..FRESH)
            .map(|j| factoriser.loss(fresh.as_ref().columns(j, j + 1)))
            .collect::<ergodict::Result<Vec<f64>>>()?;
        let mean = each.iter().sum::<f64>() / FRESH as f64;
        let variance = each.iter().map(|l| (l - mean).powi(2)).sum::<f64>() / (FRESH - 1) as f64;
        let shown =
            (0..12).map(|i| pictures.col(i * BETWEEN).iter().map(|x| f64::from(*x)).collect()).collect();
        Ok(Self {
            memory: autocorrelation_time(&lit),
            error: (variance / FRESH as f64).sqrt(),
            bars,
            model,
            shown,
            looks,
            likeness,
            seconds,
        })
    }

    fn last(&self) -> &Look {
        &self.looks[self.looks.len() - 1]
    }

    fn found(&self) -> usize {
        self.likeness.iter().filter(|c| **c > ALIKE).count()
    }

    /// How many independent pictures the trajectory is worth.
    fn worth(&self) -> f64 {
        (BATCH * BATCHES) as f64 / self.memory
    }

    /// `within 0.6 %`.
    fn agreement(&self) -> f64 {
        100.0 * (self.last().surrogate / self.last().expected - 1.0).abs()
    }

    fn account(&self) -> String {
        let Look { surrogate, expected, surrogate_gap, expected_gap, .. } = self.last();
        format!(
            "{} pictures of {SIDE}×{SIDE} pixels, sums of {} bars that switch on and off slowly: {:.0} pictures are worth\n\
             one independent picture (exactly {:.1}), so all of them are worth {:.0}.\n\
             {} atoms learned online from {BATCHES} minibatches of {BATCH} consecutive pictures in {:.2} s.\n\
             Found: {} of the {} bars (cosine above {ALIKE}; the least {:.3}).\n\
             Surrogate {surrogate:.4}, loss on {FRESH} fresh pictures {expected:.4} ± {:.4}: they differ by {:.1} %.\n\
             Stationarity gap {surrogate_gap:.1e} of the surrogate, {expected_gap:.1e} of the loss on fresh pictures.",
            BATCH * BATCHES,
            self.bars.count(),
            self.memory,
            self.bars.autocorrelation_time(),
            self.worth(),
            self.model.w.cols(),
            self.seconds,
            self.found(),
            self.bars.count(),
            self.likeness.iter().copied().fold(f64::INFINITY, f64::min),
            self.error,
            self.agreement(),
        )
    }

    fn json(&self) -> Value {
        let last = self.last();
        json!({
            "pictures": BATCH * BATCHES,
            "autocorrelation_time": self.memory,
            "autocorrelation_time_exact": self.bars.autocorrelation_time(),
            "bars": self.bars.count(),
            "bars_found": self.found(),
            "cosines": self.likeness,
            "surrogate": last.surrogate,
            "expected_loss": last.expected,
            "expected_loss_error": self.error,
            "stationarity_gap": last.surrogate_gap,
            "stationarity_gap_expected": last.expected_gap,
            "learning_seconds": self.seconds,
        })
    }
}

/// What can be said of the dictionary after a step. By the envelope theorem the gradient of the expected loss is
/// that of the quadratic whose aggregates are the codes of the fresh pictures under the dictionary itself.
fn look(factoriser: &mut Factoriser<f64>, fresh: &Mat<f64>, surrogate: f64) -> Result<Look> {
    let surrogate_gap = stationarity_gap(factoriser);
    let seen = factoriser.statistics(fresh.as_ref())?;
    let mean = |m: &Mat<f64>| Mat::from_fn(m.rows(), m.cols(), |i, j| m.get(i, j) / seen.weight);
    let aggregates = Aggregates {
        a: mean(&seen.a),
        b_transposed: mean(&seen.b_transposed),
        r: seen.r / seen.weight,
        ..*factoriser.aggregates()
    };
    let there =
        Factoriser::resume(factoriser.parameters().clone(), factoriser.dictionary().clone(), aggregates)?;
    Ok(Look {
        t: there.aggregates().t,
        surrogate,
        expected: there.surrogate(),
        surrogate_gap,
        expected_gap: stationarity_gap(&there),
    })
}

fn cosine(x: &[f64], y: &[f64]) -> f64 {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let norms = (dot(x, x) * dot(y, y)).sqrt();
    if norms > 0.0 { dot(x, y) / norms } else { 0.0 }
}

/// Whole numbers from 1 to `last`, about `per_decade` of them in a decade.
fn log_spaced(last: u64, per_decade: u32) -> Vec<u64> {
    let decades = (last as f64).log10();
    let count = (decades * f64::from(per_decade)).ceil() as u32;
    let mut times: Vec<u64> = (0..=count)
        .map(|i| 10f64.powf(decades * f64::from(i) / f64::from(count.max(1))).round() as u64)
        .collect();
    times.dedup();
    times
}

/// Steps of the chains on two pictures.
const STEPS: u64 = 30_000;
const TWO_LAMBDA: f64 = 0.5;

/// The second part: one atom for two pictures, which follow one another by chains with the same stationary law.
struct TwoPictures {
    pictures: [Vec<f64>; 2],
    atom: Vec<f64>,
    /// The exact expected loss in the end, of the alternating chain.
    loss: f64,
    chains: Vec<(&'static str, Vec<(f64, f64)>)>,
}

/// Probability that the same picture follows, and what to call it.
const CHAINS: [(f64, &str); 3] = [(0.0, "alternating"), (0.5, "coin tosses"), (0.95, "sticky")];

impl TwoPictures {
    fn new(seed: u64) -> Result<Self> {
        let picture = |on: fn(usize, usize) -> bool| -> Vec<f64> {
            (0..SIDE * SIDE).map(|k| f64::from(u8::from(on(k / SIDE, k % SIDE)))).collect()
        };
        let cross = |i: usize, j: usize| i == j || i + j == SIDE - 1;
        let ring = |i: usize, j: usize| {
            let edge = |k: usize| k == 1 || k == SIDE - 2;
            let inside = |k: usize| (1..SIDE - 1).contains(&k);
            (edge(i) && inside(j)) || (edge(j) && inside(i))
        };
        let pictures = [picture(cross), picture(ring)];
        let x = [0, 1].map(|y: usize| Mat::from_fn(SIDE * SIDE, 1, |i, _| pictures[y][i]));
        let (mut atom, mut loss, mut chains) = (Vec::new(), f64::NAN, Vec::new());
        for (id, (stay, name)) in CHAINS.into_iter().enumerate() {
            let chain = FiniteChain::new(&[vec![stay, 1.0 - stay], vec![1.0 - stay, stay]])?;
            let pi = chain.stationary();
            let parameters = Parameters { lambda: TWO_LAMBDA, ..Parameters::new(1) };
            let mut factoriser = Factoriser::<f64>::random(parameters, SIDE * SIDE, seed)?;
            let mut rng = stream(seed, Purpose::Chain, 2 + id as u64);
            let mut state = chain.init(&mut rng);
            let (mut points, mut worst, mut exact) = (Vec::new(), 0.0f64, f64::NAN);
            let mut due = log_spaced(STEPS, 12).into_iter().peekable();
            for t in 1..=STEPS {
                let step = factoriser.step(x[state].as_ref())?;
                chain.step(&mut state, &mut rng);
                exact = pi[0] * factoriser.loss(x[0].as_ref())? + pi[1] * factoriser.loss(x[1].as_ref())?;
                worst = worst.max((step.surrogate - exact).abs());
                if due.next_if_eq(&t).is_some() {
                    points.push((t as f64, worst));
                    worst = 0.0;
                }
            }
            chains.push((name, points));
            if id == 0 {
                (atom, loss) = (factoriser.dictionary().col(0).to_vec(), exact);
            }
        }
        Ok(Self { pictures, atom, loss, chains })
    }

    /// The last `|f̂ − f|` of each chain.
    fn ends(&self) -> impl Iterator<Item = (&'static str, f64)> {
        self.chains.iter().map(|(name, points)| (*name, points.last().map_or(f64::NAN, |p| p.1)))
    }

    fn account(&self) -> String {
        let ends: Vec<String> = self.ends().map(|(name, end)| format!("{name} {end:.1e}")).collect();
        format!(
            "One atom for two pictures that follow one another by three chains, {STEPS} steps each. The expected loss\n\
             is {:.4}; the surrogate's distance from it went down to: {}.",
            self.loss,
            ends.join(", ")
        )
    }

    fn json(&self) -> Value {
        let ends: serde_json::Map<String, Value> =
            self.ends().map(|(name, end)| (name.to_owned(), json!(end))).collect();
        json!({ "steps": STEPS, "expected_loss": self.loss, "surrogate_distance": ends })
    }
}

fn page(seed: u64, bars: &BarsRun, two: &TwoPictures, commands: &str, seconds: f64) -> Result<String> {
    let (found, count) = (bars.found(), bars.bars.count());
    let lead = format!(
        "From {} pictures that hardly change from one to the next, {found} of the {count} shapes they are made of were \
         found, in one pass and {:.2} seconds. The loss that the method keeps account of agrees with the loss on fresh, \
         independent pictures to {:.1} %.",
        BATCH * BATCHES,
        bars.seconds,
        bars.agreement(),
    );
    let p = &bars.model.parameters;
    let facts = [
        ("data", format!("{} pictures, {SIDE}×{SIDE} pixels", BATCH * BATCHES)),
        ("minibatches", format!("{BATCHES} of {BATCH} consecutive pictures")),
        ("atoms r", p.atoms.to_string()),
        ("λ", p.lambda.to_string()),
        ("weights", p.schedule.to_string()),
        ("dictionary", p.dictionary.to_string()),
        ("code", p.code.to_string()),
        ("arithmetic", "f64".to_owned()),
        ("stationarity gap", format!("{:.1e}", bars.last().surrogate_gap)),
        ("seed", seed.to_string()),
        ("version", format!("ergodict {}", env!("CARGO_PKG_VERSION"))),
        ("time", format!("{seconds:.2} s, learning {:.2} s", bars.seconds)),
        ("digest of bars.npy", bars.model.inputs.first().map_or(String::new(), |i| i.digest.clone())),
    ];
    let report = Report::new(format!("{found} of {count} bars, found in dependent data"))
        .lead(lead)
        .figure(trajectory(bars)?)
        .figure(atoms(bars)?)
        .figure(losses(bars))
        .figure(gaps(bars))
        .figure(two_pictures(two)?)
        .figure(three_chains(two))
        .code("Three commands to try next", commands)
        .facts(&facts);
    Ok(report.render())
}

fn trajectory(run: &BarsRun) -> Result<Figure> {
    let labels = (0..run.shown.len()).map(|i| format!("t = {}", i * BETWEEN)).collect();
    let grid = AtomGrid {
        labels: Some(labels),
        columns: Some(6),
        colour: Colour::Grey,
        ..AtomGrid::new(&run.shown, (SIDE, SIDE))
    };
    let words = format!(
        "Every {BETWEEN}th of the first pictures. Each is a sum of horizontal and vertical bars and a little noise. A bar \
         that is on stays on for {:.0} pictures on average; when it comes back its brightness is new.\n\n\
         So neighbours are nearly the same picture: {:.0} pictures in a row say as much as one independent picture \
         (measured on the number of bars that are on; the exact value is {:.1}). The method is told nothing of bars.",
        1.0 / OFF,
        run.memory,
        run.bars.autocorrelation_time(),
    );
    Ok(Figure { title: "What was seen".into(), svg: grid.svg().context("drawing the pictures")?, words })
}

fn atoms(run: &BarsRun) -> Result<Figure> {
    let (scores, order) = run.model.dominance();
    let atoms: Vec<Vec<f64>> = order.iter().map(|&k| run.model.w.col(k).to_vec()).collect();
    let labels = order.iter().map(|&k| format!("{:.3}", scores[k])).collect();
    let grid = AtomGrid { labels: Some(labels), ..AtomGrid::new(&atoms, (SIDE, SIDE)) };
    let words = format!(
        "The {} atoms, most dominant first. The number is the dominance of an atom: its share in the reconstructions.\n\n\
         {} of the {} true bars are among them: the cosine between bar and atom is above {ALIKE}, and {:.3} on average.",
        atoms.len(),
        run.found(),
        run.bars.count(),
        run.likeness.iter().sum::<f64>() / run.likeness.len() as f64,
    );
    Ok(Figure { title: "What was found".into(), svg: grid.svg().context("drawing the atoms")?, words })
}

fn losses(run: &BarsRun) -> Figure {
    let history = &run.model.history.points;
    let line =
        |value: fn(&HistoryPoint) -> f64| history.iter().map(|p| (p.t as f64, value(p))).collect::<Vec<_>>();
    let looks: Vec<(f64, f64)> = run.looks.iter().map(|l| (l.t as f64, l.expected)).collect();
    let chart = LineChart {
        x_label: "minibatches t".into(),
        y_label: "loss of a picture".into(),
        log_x: true,
        log_y: true,
        series: vec![
            Series::new("minibatch", line(|p| p.loss)),
            Series::new("surrogate", line(|p| p.surrogate)),
            Series::new("fresh pictures", looks),
        ],
        ..LineChart::default()
    };
    let words = format!(
        "How badly a picture is explained; lower is better. The loss of the newest minibatch jumps about, for {BATCH} \
         consecutive pictures are worth only {:.0} independent ones.\n\n\
         The surrogate is the account the method keeps from step to step. It ends at {:.4}; the loss on {FRESH} fresh, \
         independent pictures at {:.4} ± {:.4}. That the two meet, for dependent data, is the theorem.",
        BATCH as f64 / run.memory,
        run.last().surrogate,
        run.last().expected,
        run.error,
    );
    Figure { title: "Learning".into(), svg: chart.svg(), words }
}

fn gaps(run: &BarsRun) -> Figure {
    let line = |value: fn(&Look) -> f64| run.looks.iter().map(|l| (l.t as f64, value(l))).collect::<Vec<_>>();
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
    let words = format!(
        "How far one step of gradient descent would still move the dictionary; 0 where it cannot be improved by \
                 small changes.\n\n\
                 Every minibatch solves for the surrogate, so that gap is always as small as the tolerance asks. What the \
                 theorem promises is the other curve: the gap of the expected loss, which is never computed when learning, \
                 goes down too, as far as {FRESH} fresh pictures can tell."
    );
    Figure { title: "Nothing left to improve".into(), svg: chart.svg(), words }
}

fn two_pictures(two: &TwoPictures) -> Result<Figure> {
    let [first, second] = &two.pictures;
    let tiles = [first.clone(), second.clone(), two.atom.clone()];
    let labels = ["picture 1", "picture 2", "the atom"].map(str::to_owned).to_vec();
    let grid = AtomGrid { labels: Some(labels), columns: Some(3), ..AtomGrid::new(&tiles, (SIDE, SIDE)) };
    let words = "A chain on two pictures only, so small that the expected loss f(W) is known exactly. A single atom has to \
                 serve both.\n\n\
                 In the alternating chain picture 1 is always followed by picture 2 and 2 by 1: given one picture, all \
                 that follow are certain. No amount of waiting makes the next one random, yet the theorem holds.";
    Ok(Figure {
        title: "Two pictures".into(),
        svg: grid.svg().context("drawing the two pictures")?,
        words: words.into(),
    })
}

fn three_chains(two: &TwoPictures) -> Figure {
    let chart = LineChart {
        x_label: "steps t".into(),
        y_label: "largest |surrogate − expected loss| since the last point".into(),
        log_x: true,
        log_y: true,
        series: two.chains.iter().map(|(name, points)| Series::new(*name, points.clone())).collect(),
        ..LineChart::default()
    };
    let words = format!(
        "The two pictures by three chains that all show each picture half of the time: in turn, by tosses of a fair coin, \
         and staying with the same picture 95 times of 100.\n\n\
         The surrogate comes to tell the expected loss ({:.4}) in all of them. Dependence decides how fast: alternating \
         data are better balanced than independent ones, and sticky data take longer.",
        two.loss
    );
    Figure { title: "The surrogate tells the truth".into(), svg: chart.svg(), words }
}
