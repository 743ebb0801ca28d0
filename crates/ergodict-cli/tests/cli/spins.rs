//! `ergodict spins learn` and `reconstruct`: dictionaries of configurations, one for each temperature and τ.

use crate::bench::{Bench, npy_header, npy_numbers};
use ergodict::model::Model;
use serde_json::{Value, json};

pub(crate) const SMALL: &str = "--size 16 --updates 4000 --every 400 --patch 4 --patches 30 -r 5";

/// Learns into `m` and returns the summary.
fn learn(bench: &Bench, flags: &str) -> Value {
    bench.run(&format!("spins learn -o m.safetensors --json -q {flags}")).fine().json()
}

/// What was learned, apart from where the data came from.
fn learned(model: &Model) -> (Vec<f64>, u64, Vec<f64>) {
    let w = (0..model.w.cols()).flat_map(|k| model.w.col(k).to_vec()).collect();
    (w, model.aggregates.samples, model.history.points.iter().map(|p| p.surrogate).collect())
}

#[test]
fn one_run_gives_one_model() {
    let bench = Bench::new();
    let summary = learn(&bench, &format!("{SMALL} --temperature 3"));
    assert_eq!(bench.files(), ["m.safetensors"]);
    assert_eq!(summary["schema"], "ergodict.spins-learn/1");
    let [run] = &summary["runs"].as_array().unwrap()[..] else { panic!("{summary:#}") };
    for (key, value) in [
        ("model", json!("m.safetensors")),
        ("temperature", json!(3.0)),
        ("every", json!(400)),
        ("features", json!(16)),
        ("atoms", json!(5)),
        ("steps", json!(10)),
        ("samples", json!(300)),
        ("resumed_after_step", json!(null)),
        ("inputs", json!([])),
    ] {
        assert_eq!(run[key], value, "{key}");
    }
    let model = bench.model("m.safetensors");
    assert_eq!((&*model.kind, model.w.rows(), model.w.cols()), ("spins", 16, 5));
    assert_eq!(run["config"].as_object(), Some(&model.provenance.config));
    assert_eq!(run["config"]["spins"], "zero-one");
    assert_eq!(
        (&run["config"]["dictionary"], &run["config"]["code"]),
        (&json!("nonneg-ball"), &json!("nonneg"))
    );
    let share = run["sites_right"].as_f64().unwrap();
    assert!(0.5 < share && share <= 1.0, "{share}");
}

#[test]
fn temperatures_times_epochs_give_a_dictionary_each() {
    let bench = Bench::new();
    let flags = "--size 16 --updates 4000 --patch 4 --patches 30 -r 5 --temperature 0.5 --temperature 3";
    let summary = learn(&bench, &format!("{flags} --every 400 --every 1000 --fixed=3 --report page.html"));
    let want = [
        ("T0.5-every400", Some(400), 10),
        ("T0.5-every1000", Some(1000), 4),
        ("T3-every400", Some(400), 10),
        ("T3-every1000", Some(1000), 4),
        ("T0.5-fixed", None, 3),
        ("T3-fixed", None, 3),
    ];
    let runs = summary["runs"].as_array().unwrap();
    assert_eq!(runs.len(), want.len());
    for (run, (tag, every, steps)) in runs.iter().zip(want) {
        let name = format!("m-{tag}.safetensors");
        assert_eq!((&run["model"], &run["every"]), (&json!(name), &json!(every)));
        assert_eq!(
            (&run["steps"], &run["temperature"]),
            (&json!(steps), &json!(if tag.contains("T3") { 3.0 } else { 0.5 }))
        );
        assert_eq!(bench.model(&name).aggregates.t, steps);
    }
    assert_eq!(bench.files().len(), 7, "{:?}", bench.files());
    let page = String::from_utf8(bench.bytes("page.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>"));
    let charts = |page: &str| page.matches("surrogate loss per patch").count();
    bench.run(&format!("spins learn {SMALL} --every 1000 -o one -q --report one.html")).fine();
    let one = charts(&String::from_utf8(bench.bytes("one.html")).unwrap());
    assert!(one > 0 && charts(&page) == 2 * one, "a chart for each temperature");
    for word in ["T = 0.5", "T = 3", "τ = 400", "τ = 1000", "one fixed configuration"] {
        assert!(page.contains(word), "{word}");
    }
    // What is asked for besides makes no difference.
    for (run, (tag, ..)) in runs.iter().zip(&want[..4]) {
        let (hot, every) = (&run["temperature"], &run["every"]);
        let flags = "--size 16 --updates 4000 --patch 4 --patches 30 -r 5";
        learn(&bench, &format!("{flags} --temperature {hot} --every {every}"));
        assert!(bench.bytes("m.safetensors") == bench.bytes(&format!("m-{tag}.safetensors")), "{tag}");
    }
}

#[test]
fn one_seed_gives_one_model_whatever_the_threads() {
    let bench = Bench::new();
    for flags in [
        "",
        "--update checkerboard --f32",
        "--model potts",
        "--model cellular-potts --cells 4",
        "--model rbm --hidden 6",
        "--model xy",
    ] {
        let run = |more: &str| {
            learn(&bench, &format!("{SMALL} {flags} --fixed=2 {more}"));
            (bench.bytes("m.safetensors"), bench.bytes("m-fixed.safetensors"))
        };
        let one = run("-j 1");
        assert!(one == run("-j 2"), "{flags}");
        let other = run("--seed 1");
        assert!(one.0 != other.0 && one.1 != other.1, "{flags}");
    }
}

#[test]
fn a_trajectory_in_a_file_teaches_the_same() {
    let bench = Bench::new();
    for system in [
        "--temperature 3 --size 16",
        "--temperature 3 --size 16 --boundary free",
        "--model potts --size 16",
        "--model xy --size 16",
    ] {
        bench.run(&format!("spins simulate {system} --updates 4000 --every 400 -o t.npy -q")).fine();
        let flags = "--patch 4 --patches 30 -r 5";
        learn(&bench, &format!("{system} --updates 4000 --every 400 {flags}"));
        let alive = bench.model("m.safetensors");
        // That angles are no plain numbers has to be said.
        let edge = match system {
            _ if system.contains("free") => "--boundary free",
            _ if system.contains("xy") => "--model xy",
            _ => "",
        };
        let summary = learn(&bench, &format!("--trajectory t.npy {flags} {edge}"));
        let run = &summary["runs"][0];
        assert_eq!((&run["temperature"], &run["every"]), (&json!(null), &json!(1)));
        let model = bench.model("m.safetensors");
        assert!(learned(&model) == learned(&alive), "{system}");
        assert_eq!(model.inputs[0].name, "t.npy");
        assert!(model.inputs[0].digest.starts_with("blake3:"));
    }
}

#[test]
fn a_model_says_what_the_values_of_a_trajectory_are() {
    let bench = Bench::new();
    bench.put_spins("up.npy", 4, (12, 12), |_, _, _| 1);
    bench.put_spins("some.npy", 1, (12, 12), |_, i, j| if (i + j) % 3 == 0 { 1 } else { -1 });
    let flags = "--trajectory up.npy --patch 3 --patches 20 -r 3";
    let rebuild = "spins reconstruct m.safetensors some.npy -o again.npy -q";
    // One value is ambiguous; it is taken for 1 of 0 and 1.
    learn(&bench, flags);
    assert_eq!(bench.run(rebuild).code, Some(2));
    let summary = learn(&bench, &format!("{flags} --model ising"));
    assert_eq!(summary["runs"][0]["config"]["model"], "ising");
    bench.run(rebuild).fine();
    let first = bench.bytes("m.safetensors");
    bench.run("spins learn --config m.safetensors -o n -q").fine();
    assert!(bench.bytes("n") == first, "the model gives its run again");
    for (more, features) in [
        ("--model rbm", 9),
        ("--model potts", 2 * 9),
        ("--model potts --states 5", 5 * 9),
        ("--model cellular-potts", 9),
    ] {
        learn(&bench, &format!("{flags} {more}"));
        let model = bench.model("m.safetensors");
        assert_eq!(model.w.rows(), features, "{more}");
        bench.run("spins learn --config m.safetensors -o n -q").fine();
        assert!(bench.bytes("n") == bench.bytes("m.safetensors"), "{more}");
    }
}

#[test]
fn whole_steps_are_reported() {
    let bench = Bench::new();
    let flags = "--size 16 --updates 4000 --patch 4 --patches 30 -r 5 --update checkerboard";
    let said = bench.run(&format!("spins learn {flags} --every 400 --every 600 -o m")).fine().stderr;
    assert!(
        said.contains("a step updates 256 sites: configurations are kept every 512, 768 updates"),
        "{said}"
    );
    let said = bench.run(&format!("spins learn {flags} --every 512 -o m")).fine().stderr;
    assert!(!said.contains("a step updates"), "{said}");
}

#[test]
fn figures_are_files() {
    let bench = Bench::new();
    let flags = "--size 16 --updates 4000 --patch 4 --patches 30 -r 5 --temperature 1 --temperature 3.5";
    learn(&bench, &format!("{flags} --every 400 --every 1000 --figures some/figures"));
    let mut names: Vec<String> = std::fs::read_dir(bench.path("some/figures"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let mut want = Vec::new();
    for hot in ["1", "3.5"] {
        for figure in [
            "autocorrelation",
            "configurations-over-time",
            "dictionaries",
            "error-map",
            "loss",
            "reconstruction",
        ] {
            want.push(format!("t-{hot}-{figure}.svg"));
        }
    }
    assert_eq!(names, want);
    for name in names {
        assert!(bench.bytes(&format!("some/figures/{name}")).starts_with(b"<svg"), "{name}");
    }
    assert!(!bench.path("page.html").exists());
}

#[test]
fn frames_of_a_trajectory_are_skipped_and_left_out() {
    let bench = Bench::new();
    bench.put_spins("t.npy", 10, (12, 12), |t, i, j| if (t + i * j) % 3 == 0 { 1 } else { -1 });
    let flags = "--trajectory t.npy --patch 3 --patches 20 -r 3";
    let summary = learn(&bench, &format!("{flags} --every 2 --every 3 --burn-in 1 --fixed=4"));
    let runs = summary["runs"].as_array().unwrap();
    let steps: Vec<u64> = runs.iter().map(|run| run["steps"].as_u64().unwrap()).collect();
    assert_eq!(steps, [4, 3, 4]);
    assert_eq!(runs[2]["model"], "m-fixed.safetensors");
    // The same frames alone.
    let (frames, _) = bench.spins("t.npy");
    bench.put_spins("u.npy", 4, (12, 12), |t, i, j| frames[2 + 2 * t][12 * i + j]);
    learn(&bench, "--trajectory u.npy --patch 3 --patches 20 -r 3");
    assert!(learned(&bench.model("m.safetensors")) == learned(&bench.model("m-every2.safetensors")));
}

#[test]
fn spins_have_the_chosen_encoding() {
    let bench = Bench::new();
    let summary = learn(&bench, &format!("{SMALL} --spins signed"));
    let config = &summary["runs"][0]["config"];
    let sets = |config: &Value| {
        [&config["spins"], &config["dictionary"], &config["code"]].map(|v| v.as_str().unwrap().to_owned())
    };
    assert_eq!(sets(config), ["signed", "ball", "free"]);
    let signed = bench.model("m.safetensors");
    assert!((0..5).any(|k| signed.w.col(k).iter().any(|w| *w < 0.0)));
    let summary = learn(&bench, &format!("{SMALL} --spins signed --dictionary nonneg-ball --code nonneg"));
    assert_eq!(sets(&summary["runs"][0]["config"]), ["signed", "nonneg-ball", "nonneg"]);
    let summary = learn(&bench, &format!("{SMALL} --spins zero-one"));
    assert_eq!(sets(&summary["runs"][0]["config"]), ["zero-one", "nonneg-ball", "nonneg"]);
    let plain = bench.bytes("m.safetensors");
    learn(&bench, SMALL);
    assert!(bench.bytes("m.safetensors") == plain, "zero-one is the default");
    // A channel for each label.
    let summary = learn(&bench, &format!("{SMALL} --model potts --states 4 --report page.html"));
    assert_eq!(sets(&summary["runs"][0]["config"]), ["one-hot", "nonneg-ball", "nonneg"]);
    assert_eq!(bench.model("m.safetensors").w.rows(), 4 * 4 * 4);
    // Cosine and sine of an angle.
    let summary = learn(&bench, &format!("{SMALL} --model xy --report page.html"));
    assert_eq!(sets(&summary["runs"][0]["config"]), ["vector", "ball", "free"]);
    assert_eq!(
        (bench.model("m.safetensors").w.rows(), &summary["runs"][0]["sites_right"]),
        (4 * 4 * 2, &json!(null))
    );
    assert!(String::from_utf8_lossy(&bench.bytes("page.html")).contains("Colors are directions"));
}

#[test]
fn few_patterns_are_found_and_reconstructed() {
    let bench = Bench::new();
    // Stripes one way or the other: patches of two sites know two patterns each way.
    bench.put_spins(
        "t.npy",
        40,
        (12, 12),
        |t, i, j| if (if t % 2 == 0 { i } else { j }) % 2 == 0 { 1 } else { -1 },
    );
    learn(&bench, "--trajectory t.npy --patch 2 --patches 50 -r 4 --lambda 0.1");
    for (frame, flags) in [(39, ""), (0, "--frame 0 --stride 2"), (6, "--frame 6 --lambda 0.01")] {
        let words = format!("spins reconstruct m.safetensors t.npy -o again.npy --json -q {flags}");
        let summary = bench.run(&words).fine().json();
        assert_eq!(
            (&summary["schema"], &summary["frame"]),
            (&json!("ergodict.spins-reconstruct/1"), &json!(frame))
        );
        assert_eq!((&summary["shape"], &summary["sites_right"]), (&json!([12, 12]), &json!(1.0)), "{flags}");
        assert_eq!(summary["patches"], if flags.contains("stride") { 36 } else { 144 });
        assert!(summary["relative_error"].as_f64().unwrap() < 0.5, "{summary:#}");
        let bytes = bench.bytes("again.npy");
        assert!(npy_header(&bytes).contains("(12, 12)"), "{}", npy_header(&bytes));
        let given = &bench.spins("t.npy").0[frame];
        for (value, spin) in npy_numbers(&bytes).iter().zip(given) {
            assert_eq!(*value > 0.5, *spin == 1);
        }
    }
    let words =
        "spins reconstruct m.safetensors t.npy -o again.npy -q --error-map map.png --report page.html";
    bench.run(words).fine();
    let (map, _) = ergodict::data::Image::open(&bench.path("map.png"), true).unwrap();
    assert_eq!(map.shape().0 % 12, 0);
    let page = String::from_utf8(bench.bytes("page.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("<svg"));
}

#[test]
fn labels_are_reconstructed_by_channel() {
    let bench = Bench::new();
    learn(&bench, &format!("{SMALL} --model potts --lambda 0.1"));
    bench.run("spins simulate --model potts --size 12x10 --updates 500 --every 500 -o c.npy -q").fine();
    let words = "spins reconstruct m.safetensors c.npy -o again.npy --json -q --stride 2 --error-map e.png --report p.html";
    let summary = bench.run(words).fine().json();
    let bytes = bench.bytes("again.npy");
    assert!(npy_header(&bytes).contains("(12, 30)"), "{}", npy_header(&bytes));
    let (frames, _) = bench.spins("c.npy");
    let largest = |v: &[f64]| (0..3).max_by(|a, b| v[*a].total_cmp(&v[*b])).unwrap() as i8;
    let right = npy_numbers(&bytes).chunks(3).zip(&frames[0]).filter(|(v, s)| largest(v) == **s).count();
    assert_eq!(summary["sites_right"].as_f64().unwrap(), right as f64 / 120.0);
}

#[test]
fn a_configuration_of_two_axes_is_one_frame() {
    let bench = Bench::new();
    let spin = |i: usize, j: usize| if (i * j + i).is_multiple_of(3) { 1_i8 } else { -1 };
    bench.put_spins("t.npy", 1, (12, 10), |_, i, j| spin(i, j));
    // The columns of the matrix are the rows of the file.
    bench.put_npy("c.npy", &ergodict::linalg::Mat::<f64>::from_fn(10, 12, |j, i| f64::from(spin(i, j))));
    assert!(npy_header(&bench.bytes("c.npy")).contains("(12, 10)"));
    let models = ["t.npy", "c.npy"].map(|name| {
        learn(&bench, &format!("--trajectory {name} --patch 3 --patches 20 -r 4"));
        bench.model("m.safetensors")
    });
    assert!(learned(&models[0]) == learned(&models[1]));
    let rebuilt = ["t.npy", "c.npy"].map(|name| {
        bench.run(&format!("spins reconstruct m.safetensors {name} -o again.npy -q")).fine();
        bench.bytes("again.npy")
    });
    assert!(rebuilt[0] == rebuilt[1]);
    assert!(npy_header(&rebuilt[0]).contains("(12, 10)"));
}

#[test]
fn cells_are_learned_by_their_borders_and_reconstructed() {
    let bench = Bench::new();
    let system = "--model cellular-potts --cells 4 --size 20";
    bench.run(&format!("spins simulate {system} --updates 4000 --every 400 -o t.npy -q")).fine();
    let flags = "--patch 4 --patches 60 -r 25 --lambda 0.05";
    let summary = learn(&bench, &format!("{system} --updates 4000 --every 400 {flags}"));
    assert_eq!(
        (&summary["runs"][0]["config"]["spins"], &summary["runs"][0]["features"]),
        (&json!("borders"), &json!(16))
    );
    let alive = bench.model("m.safetensors");
    // The labels of a file only distinguish cells when that is set.
    for more in ["--spins borders", "--model cellular-potts"] {
        learn(&bench, &format!("--trajectory t.npy {flags} {more}"));
        assert!(learned(&bench.model("m.safetensors")) == learned(&alive), "{more}");
    }
    learn(&bench, &format!("--trajectory t.npy {flags}"));
    assert_eq!(bench.model("m.safetensors").w.rows(), 5 * 16, "a channel for each label");
    learn(&bench, &format!("{system} --updates 4000 --every 400 {flags}"));
    let words =
        "spins reconstruct m.safetensors t.npy -o again.npy --json -q --error-map e.png --report p.html";
    let summary = bench.run(words).fine().json();
    let labels = bench.spins("t.npy").0.pop().unwrap();
    // A site is on a border where the one below or to the right, also across the edge, has another label.
    let border = |at: usize| {
        let (i, j) = (at / 20, at % 20);
        let around = [(i + 1, j), (i, j + 1)];
        around.iter().any(|(a, b)| labels[a % 20 * 20 + b % 20] != labels[at])
    };
    let right = npy_numbers(&bench.bytes("again.npy"))
        .iter()
        .enumerate()
        .filter(|(at, v)| (**v > 0.5) == border(*at))
        .count();
    assert_eq!(summary["sites_right"].as_f64().unwrap(), right as f64 / 400.0);
    // All of them, with twenty seeds.
    assert!(right > 390, "{right} of 400");
}

#[test]
fn a_trajectory_that_never_changes_is_warned_of() {
    let bench = Bench::new();
    bench.put_spins("t.npy", 50, (12, 12), |_, i, j| if (i + j) % 3 == 0 { 1 } else { -1 });
    let words = "spins learn --trajectory t.npy --patch 3 --patches 20 -r 3 -o m --report page.html";
    let talk = bench.run(words).fine().stderr;
    let warning = "mean product of neighbors never changed; all configurations may be the same";
    let page = String::from_utf8(bench.bytes("page.html")).unwrap();
    assert!(talk.contains("warning") && talk.contains(warning) && page.contains(warning), "{talk}");
    assert!(!page.contains("NaN"));
    // A density that is conserved is no standstill: a row that moves by one site changes its neighbors.
    bench.put_spins("t.npy", 50, (12, 12), |t, i, j| {
        if j < 3 + usize::from(i == 0) || (i == 1 && j == t % 8 + 4) { 1 } else { -1 }
    });
    let talk = bench.run(words).fine().stderr;
    assert!(talk.contains("chain") && !talk.contains("never changed"), "{talk}");
}

/// Two labels that take turns slowly are seen in their shares, not in that of the most frequent one.
#[test]
fn slow_changes_of_the_label_ahead_count() {
    let bench = Bench::new();
    let label =
        |t: usize, at: usize| if (at * 7919 + t * 104_729) % 97 < 10 { 2 } else { (t / 100 % 2) as i8 };
    bench.put_spins("t.npy", 400, (12, 12), |t, i, j| label(t, 12 * i + j));
    let summary = learn(&bench, "--trajectory t.npy --patch 3 --patches 5 -r 3 --model potts");
    let worth = summary["runs"][0]["effective_minibatches"].as_f64().unwrap();
    assert!(worth < 30.0, "{worth}");
}

/// The badge of the report warns where the terminal does.
#[test]
fn terminal_and_report_have_one_criterion() {
    let bench = Bench::new();
    for (hold, warns) in [(1, false), (40, true)] {
        let noise = |t: usize, at: usize| {
            (at * 7919 + (t / hold) * (t / hold) * 104_729) % 97 < 48 + (t / hold * 31) % 11
        };
        bench.put_spins("t.npy", 200, (12, 12), |t, i, j| if noise(t, 12 * i + j) { 1 } else { -1 });
        let talk = bench
            .run("spins learn --trajectory t.npy --patch 3 --patches 5 -r 3 -o m --report p.html")
            .fine()
            .stderr;
        let page = String::from_utf8(bench.bytes("p.html")).unwrap();
        assert_eq!(talk.contains("warning"), warns, "{talk}");
        assert_eq!(page.contains("30 are advised; use a longer trajectory"), warns);
        assert!(!page.contains("Not converged") && !page.contains("chains not converged"));
    }
}

#[test]
fn the_error_of_real_numbers_stands_next_to_that_of_their_mean() {
    let bench = Bench::new();
    bench.put_npy(
        "t.npy",
        &ergodict::linalg::Mat::<f64>::from_fn(12, 12, |j, i| 3.5 + (i as f64 * 0.7).sin() + j as f64 * 0.01),
    );
    let done = bench.run("spins learn --trajectory t.npy --patch 3 --patches 20 -r 3 -o m --json").fine();
    let run = &done.json()["runs"][0];
    let values: Vec<f64> =
        (0..144).map(|at| 3.5 + (f64::from(at / 12) * 0.7).sin() + f64::from(at % 12) * 0.01).collect();
    let mean = values.iter().sum::<f64>() / 144.0;
    let squares = |shift: f64| values.iter().map(|x| (x - shift).powi(2)).sum::<f64>();
    let expected = (squares(mean) / squares(0.0)).sqrt();
    assert!((run["mean_error"].as_f64().unwrap() - expected).abs() < 1e-12, "{run}");
    assert!(done.stderr.contains("(mean value alone: ") || done.stderr.is_empty(), "{}", done.stderr);
}
