//! The runs that states in the corpus are of, and the seeds that only our own code can write.

use crate::targets::{CONVERTED, WRITTEN, sorted};
use ergodict::chain::{
    ExactSampler, Motif, MotifWalker, Observable, SampledNetwork, SamplerKind, SystemData, SystemSettings,
    Thinning, Use,
};
use ergodict::data::{
    Adjacency, Image, Network, NodeIds, ReadOptions, TrajectoryWriter, png_with_note, seal_json,
    write_network, write_network_with_note,
};
use ergodict::denoise::{DenoiseRun, Denoiser, ensemble::NoiseModel};
use ergodict::factor::{FactorSettings, Factorizer};
use ergodict::linalg::Mat;
use ergodict::patch::Measures;
use ergodict::reconstruct::network::{
    PairFormat, PairSum, PairSums, ReconstructionRun, ReconstructionSettings, Reconstructor, SharePlace,
    ShareTask, SortedSums, Targets, write_pairs,
};
use ergodict::run::{
    Checkpoint, Identity, Job, MotifRecorder, NetworkData, RoundLearning, RoundSource, Run, RunPlan,
    ScanSettings, Sections, SpinRecorder, Stop, TaskContext, TemperatureScan,
};
use ergodict::settings::NetworkSettings;
use ergodict::text::Shape;
use ergodict::{Error, Result};
use std::path::Path;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

/// Two triangles that share an edge, with a sampler of paths of three nodes.
static NETWORK: LazyLock<SampledNetwork> = LazyLock::new(|| {
    let network = Network::simple(4, &[(0, 1), (1, 2), (2, 0), (1, 3), (2, 3)]).expect("a network");
    let network = Arc::new(network);
    let sampler = ExactSampler::new(network.clone(), &motif()).expect("a sampler");
    (network, Arc::new(sampler))
});

fn motif() -> Motif {
    Motif::path(3).expect("a path")
}

fn identity_matrix() -> Mat<f64> {
    Mat::from_fn(9, 9, |i, j| f64::from(i == j))
}

/// The run that checkpoints of the corpus are of.
pub(crate) fn identity() -> Identity {
    Identity {
        command: "fuzz".into(),
        settings: serde_json::json!({ "steps": 3 }),
        inputs: Vec::new(),
        seed: 0,
    }
}

/// Where tasks of the corpus are run.
pub(crate) fn task_context() -> TaskContext {
    TaskContext::new(&NETWORK)
}

/// Where shares of the corpus are run.
pub(crate) fn share_place() -> SharePlace {
    SharePlace::new(&NETWORK, Targets::All)
}

/// How many kinds of jobs there are.
const JOBS: u8 = 6;

/// Calls with a job of each kind at its beginning.
pub(crate) fn with_job(kind: u8, folder: &Path, work: impl FnOnce(&mut dyn Job)) {
    let (network, sampler) = NETWORK.clone();
    let walker = || MotifWalker::new(sampler.clone(), 0, 0, 0, 1);
    let spins = SystemSettings { size: Some(Shape(4, 4)), ..SystemSettings::default() };
    let call = || -> Result<()> {
        match kind % JOBS {
            0 => work(&mut learning()?),
            1 => {
                let measures =
                    Measures::with(Adjacency::new(&network, Adjacency::BUDGET), &motif(), None, false)?;
                work(&mut MotifRecorder::new(walker()?, 20, measures, None));
            }
            2 => {
                let walk = spins.walk(SystemData::default(), 2.0, 0, 0)?;
                let (out, every) = (folder.join("frames.npy"), Thinning::of_updates(0, 16, 1));
                work(&mut SpinRecorder::new(walk, &out, None, every, 3, &[Observable::Energy])?);
            }
            3 => {
                let settings = ReconstructionSettings::default();
                let empty = Reconstructor::<f32>::new(
                    &identity_matrix(),
                    &network,
                    &motif(),
                    &settings,
                    Targets::All,
                )?;
                work(&mut ReconstructionRun::new(empty, vec![walker()?], 50));
            }
            4 => {
                let scan =
                    ScanSettings { temperature: vec![2.0], sweeps: Some(20), ..ScanSettings::default() };
                let begin = |t, id| spins.walk(SystemData::default(), t, 0, id);
                let mut scan = TemperatureScan::new::<Error>(&scan, &spins, 0, begin)?;
                work(scan.jobs().swap_remove(0));
            }
            _ => {
                let denoiser = Denoiser::new("adamic-adar".parse()?, NoiseModel::Removed, 0);
                work(&mut DenoiseRun::new(denoiser, network.clone(), vec![(0, 3)].into()));
            }
        }
        Ok(())
    };
    call().expect("a job");
}

/// Three steps of learning.
fn learning() -> Result<Run<f64>> {
    let settings = NetworkSettings { steps: 3, batch: 4, ..NetworkSettings::default() };
    let mut data = NetworkData::new(&settings.sampling, Use::Learn, &motif(), false, 0);
    data.push("two triangles", None, NETWORK.0.clone())?;
    let first = |seed| Factorizer::<f64>::random(FactorSettings::new(2), 9, seed).map(Some);
    let how = data.plan(&settings)?;
    data.run(how, RunPlan::new("fuzz", FactorSettings::new(2), 0), Box::new(first), 0, (0, 0))
}

/// A seed: the target, the name of its file, its bytes.
pub type Seed = (&'static str, String, Vec<u8>);

/// The seeds of formats that are hard to write by hand, made anew in a folder that is there.
///
/// # Errors
/// Those of the library.
pub fn binary(folder: &Path) -> Result<Vec<Seed>> {
    let mut seeds = Vec::new();
    let mut add = |target, name: &str, bytes| seeds.push((target, name.to_owned(), bytes));
    let at = |name: &str| folder.join(name);
    let take = |name: &str| std::fs::read(at(name)).map_err(Error::io(&at(name)));
    let note = r#"{"command":"network learn","config":{"k":5,"atoms":4,"seed":7}}"#;

    let mut run = learning()?;
    run.run(None, &Stop::default())?;
    let model = run.finish()?.to_bytes(Path::new("m"))?;
    add("config", "model", model.clone());
    add("model", "network", model);

    for kind in 0..JOBS {
        let mut state = vec![kind];
        let mut saved: Result<()> = Ok(());
        with_job(kind, folder, |job| {
            let mut sections = Sections::default();
            let advanced = job.advance(Duration::ZERO, &Stop::after(1));
            saved = advanced.and_then(|_| job.save(&mut sections)).and_then(|()| {
                state.extend(sections.to_bytes()?);
                Ok(())
            });
        });
        // A trajectory that is no spool cannot be continued.
        if saved.is_ok() {
            add("job", &format!("kind-{kind}"), state);
        }
    }

    let (mut checkpoint, _) = Checkpoint::open(&at("state"), false, &identity())?;
    let mut sections = checkpoint.sections();
    sections.put_json("step", &3)?;
    sections.put("numbers", vec![1; 40]);
    checkpoint.save(&sections)?;
    add("checkpoint", "two-sections", take("state")?);
    checkpoint.remove()?;

    let plan = RoundLearning { minibatches: 1, batch: 4, chains: 1, rounds: 2, ..RoundLearning::new(2) };
    let source = RoundSource::<f64>::new(plan.clone(), "two triangles", &NETWORK, SamplerKind::Exact, 0)?;
    let mut run = Run::new(RunPlan::new("rounds", plan.parameters, 0), Box::new(source), None)?;
    let tasks = run.tasks()?;
    let outcome = tasks[0].run(&task_context(), &|| false)?;
    add("task", "first", tasks[0].to_bytes()?);
    add("task", "outcome", outcome.to_bytes()?);
    run.absorb(vec![outcome])?;
    add("task", "second", run.tasks()?[0].to_bytes()?);

    let (w, parameters) = (identity_matrix(), ReconstructionSettings::default());
    let arithmetic = ShareTask::arithmetic_here(&w, &parameters)?;
    let (chain, block, seed, burn_in, every, samples) = (0, 0, 0, 0, 1, 50);
    let share =
        ShareTask { chain, block, point: None, samples, seed, burn_in, every, parameters, w, arithmetic };
    let outcome = share.run(&share_place(), &at("share"), &|| false)?;
    add("share", "task", share.to_bytes()?);
    add("share", "outcome", outcome.to_bytes()?);
    add("sums", "share", take("share")?);
    let pairs = [(0, 1, 0.5, 2), (0, 3, -1.5, 1), (1, 2, 0.0, 7)];
    let sums = pairs.map(|(u, v, sum, count)| PairSum { u, v, sum, count });
    SortedSums::write(&at("sums"), &PairSums::of_pairs(&NETWORK.0, None, sums, 1 << 20)?)?;
    add("sums", "three", take("sums")?);

    for (target, name) in [("parquet", "p.parquet"), ("pairs", "p.tsv"), ("pairs", "p.csv")] {
        let (format, mut table) = (PairFormat::from_path(Path::new(name)), Vec::new());
        write_pairs(
            pairs.into_iter().map(Ok),
            format,
            &NodeIds::numbered(4),
            Some(note),
            &mut table,
            Path::new(name),
        )?;
        if target == "parquet" {
            add("note", target, table.clone());
            add("config", target, table.clone());
        }
        add(target, &name.replace('.', "-"), table);
    }

    let png = Image::new((2, 3), 1, vec![0.0, 0.2, 0.4, 0.6, 0.8, 1.0])?
        .png()
        .map_err(|problem| Error::format(Path::new("picture"), None, problem))?;
    add("image", "gray-png", png.clone());
    add(
        "image",
        "color-png",
        Image::new((1, 2), 3, vec![0.0, 0.5, 1.0, 1.0, 0.5, 0.0])?
            .png()
            .map_err(|problem| Error::format(Path::new("picture"), None, problem))?,
    );
    add("note", "png", png_with_note(png.clone(), note));
    add("config", "png", png_with_note(png, note));

    let mut frames = TrajectoryWriter::create(&at("t.npy"), (2, 2))?;
    [[1i8, 1, -1, 1], [1, -1, -1, -1]].iter().try_for_each(|frame| frames.write(frame))?;
    frames.finish()?;
    add("trajectory", "spins", take("t.npy")?);
    add("matrix_file", "three-axes", take("t.npy")?);

    let network = &NETWORK.0;
    for (target, name) in [
        ("egr", "n.egr"),
        ("sparse_npz", "n.npz"),
        ("matrix_market", "n.mtx"),
        ("graphml", "n.graphml"),
        ("json", "n.json"),
        ("edge_list", "n.txt"),
        ("edge_list", "n.txt.gz"),
        ("edge_list", "n.txt.zst"),
    ] {
        write_network(&at(name), network)?;
        add(target, &name.replace('.', "-"), take(name)?);
    }
    for name in ["n.txt", "n.npz", "n.mtx.gz"] {
        write_network_with_note(&at(name), network, Some(note))?;
        add("note", &name.replace('.', "-"), take(name)?);
    }

    let digests = sorted().map(|run| blake3::hash(&run).to_hex().to_string());
    let head = serde_json::json!({
        "version": 2, "bytes": CONVERTED.len(), "modified": WRITTEN.as_nanos() as u64,
        "options": format!("{:?}", ReadOptions::default()), "named": false,
    });
    let run = serde_json::json!({ "edges": 2, "end": 16, "digests": digests });
    let [head, run] = [head, run].map(|line| seal_json(&line.to_string()));
    add("conversion", "head", format!("{head}\n").into_bytes());
    add("conversion", "run", format!("{head}\n{run}\n").into_bytes());
    // Arcs of nodes that the input does not have, see the target.
    let forged = serde_json::json!({ "edges": 2, "end": 16, "digests": ["$", "$"] });
    let arcs = [[7_u64 << 32 | 9, 8 << 32 | 1].map(u64::to_le_bytes).concat()].concat();
    add("conversion", "forged", [format!("{head}\n{forged}\n").as_bytes(), b"\0", &arcs].concat());
    Ok(seeds)
}
