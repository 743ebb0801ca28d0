//! `ergodict spins simulate`: trajectories of every system, the same bytes for the same seed.

use crate::bench::{Bench, npy_header, npz, numbers, over};
use ergodict::chain::diagnostics::Mixing;
use serde_json::Value;

/// Simulates into `t.npy` and returns the summary.
fn simulate(bench: &Bench, flags: &str) -> Value {
    bench.run(&format!("spins simulate -o t.npy --json -q {flags}")).fine().json()
}

/// The values that occur in a trajectory, in order.
fn values(bench: &Bench, name: &str) -> Vec<i8> {
    let mut all = bench.spins(name).0.concat();
    all.sort_unstable();
    all.dedup();
    all
}

const SMALL: &str = "--size 16x20 --updates 4000 --every 400";

#[test]
fn ising_trajectories_are_frames_of_plus_and_minus_one() {
    let bench = Bench::new();
    bench.put_npy("field.npy", &numbers(20, 16));
    for flags in [
        "",
        "--boundary free",
        "--update checkerboard",
        "--update checkerboard --boundary free",
        "--field 0.5 --coupling -1",
        "--field -0.5 --update checkerboard",
        "--field field.npy",
        "--field field.npy --update checkerboard --burn-in 1000",
        "--update wolff",
        "--update swendsen-wang --coupling -1 --field field.npy",
    ] {
        let summary = simulate(&bench, &format!("{SMALL} {flags}"));
        let bytes = bench.bytes("t.npy");
        let frames = summary["frames"].as_u64().unwrap();
        let header = npy_header(&bytes);
        assert!(header.contains("'|i1'") && header.contains("'fortran_order': False"), "{header}");
        assert!(header.contains(&format!("({frames}, 16, 20)")), "{header}");
        assert_eq!(bytes.len(), 10 + header.len() + 320 * frames as usize);
        assert_eq!(values(&bench, "t.npy"), [-1, 1], "{flags}");
        assert_eq!(summary["shape"], serde_json::json!([16, 20]));
        assert_eq!(summary["out"], serde_json::json!(["t.npy"]));
        assert!(summary["acceptance"].is_number() == flags.contains("wolff") && summary["resumed"] == false);
        let whole = ["checkerboard", "wolff", "swendsen"].iter().any(|update| flags.contains(update));
        assert_eq!(frames, if whole { 6 } else { 10 }, "{flags}");
    }
}

#[test]
fn steps_of_many_sites_are_whole_and_that_is_said() {
    let bench = Bench::new();
    let words = format!("spins simulate {SMALL} --update checkerboard -o t.npy");
    let said = bench.run(&words).fine().stderr;
    assert!(said.contains("a step updates 320 sites: configurations are kept every 640 updates"), "{said}");
    let summary = simulate(&bench, &format!("{SMALL} --update checkerboard"));
    assert_eq!(summary["updates_between_frames"], 640);
}

#[test]
fn clusters_and_derived_quantities_are_reported() {
    let bench = Bench::new();
    let names = "energy,abs-magnetization,susceptibility,specific-heat,binder,correlation-length,bond-cluster-largest";
    let words = "spins simulate --size 16 --temperature 2.269 --update wolff --every 512 --updates 256000 --burn-in 25600";
    let done = bench.run(&format!("{words} --observables {names} -o t.npy --report t.html --json -v")).fine();
    assert!(done.stderr.contains("of the sites by a step"), "{}", done.stderr);
    let summary: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    let of = |name: &str| {
        let all = summary["observables"].as_array().unwrap();
        let one = all.iter().find(|one| one["observable"] == name).unwrap_or_else(|| panic!("{name}"));
        (one["mean"].as_f64().unwrap(), one["error"].as_f64().unwrap())
    };
    // The exact energy and specific heat of the 16×16 torus.
    let (energy, heat) = ergodict::chain::onsager::torus((16, 16), 2.269);
    for (name, exact) in [("energy", energy), ("specific-heat", heat)] {
        let (mean, error) = of(name);
        assert!((mean - exact).abs() < 4.0 * error, "{name}: {mean} ± {error}, {exact}");
    }
    let (binder, _) = of("binder");
    assert!(
        (0.5..0.67).contains(&binder) && of("correlation-length").0 > 8.0 && of("susceptibility").0 > 1.0
    );
    let page = String::from_utf8(bench.bytes("t.html")).unwrap();
    assert!(page.contains("Trace: energy") && !page.contains("Trace: binder"));
    assert!(page.contains("<td>binder</td>") || page.contains(">binder<"));
}

#[test]
fn scans_print_a_row_for_each_temperature_and_resume() {
    let bench = Bench::new();
    let words = "spins scan --size 12 --from 2 --to 3 --temperatures 3 --sweeps 800";
    let done = bench.run(&format!("{words} --json --report scan.html")).fine();
    let summary: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    let rows = summary["temperatures"].as_array().unwrap();
    assert_eq!(
        rows.iter().map(|row| row["temperature"].as_f64().unwrap()).collect::<Vec<_>>(),
        [2.0, 2.5, 3.0]
    );
    for row in rows {
        let energy = &row["observables"][0];
        let (mean, error) = (energy["mean"].as_f64().unwrap(), energy["error"].as_f64().unwrap());
        let exact = row["exact_energy"].as_f64().unwrap();
        assert!((mean - exact).abs() < 4.5 * error, "{row}");
        assert!(row["exchange_rate"].is_null());
    }
    assert_eq!(summary["config"]["update"], "swendsen-wang");
    assert!(done.stderr.contains("critical") && done.stderr.contains("2.2692"), "{}", done.stderr);
    assert!(
        String::from_utf8(bench.bytes("scan.html")).unwrap().contains("Temperature scan of the Ising model")
    );
    let tempered = bench.run(&format!("{words} --tempering --update checkerboard --json")).fine();
    let summary: serde_json::Value = serde_json::from_slice(&tempered.stdout).unwrap();
    assert!(summary["temperatures"][0]["exchange_rate"].as_f64().unwrap() > 0.01);
    assert!(summary["temperatures"][2]["exchange_rate"].is_null());
    // The table as data, with the same numbers.
    for (name, separator) in [("scan.csv", ','), ("scan.tsv", '\t')] {
        bench.run(&format!("{words} --tempering --update checkerboard -o {name}")).fine();
        let table = String::from_utf8(bench.bytes(name)).unwrap();
        let lines: Vec<Vec<&str>> = table.lines().map(|line| line.split(separator).collect()).collect();
        let head = ["temperature", "energy", "energy-error", "energy-r-hat", "energy-ess", "energy-exact"];
        assert_eq!(lines[0][..6], head);
        assert_eq!((lines.len(), lines[0].last(), lines[3].last()), (4, Some(&"exchange-rate"), Some(&"")));
        let first = &summary["temperatures"][0];
        assert_eq!(lines[1][1].parse::<f64>().ok(), first["observables"][0]["mean"].as_f64());
        assert_eq!(lines[1][3].parse::<f64>().ok(), first["observables"][0]["r_hat"].as_f64());
        assert_eq!(lines[1][5].parse::<f64>().ok(), first["exact_energy"].as_f64());
    }
    bench.run(&format!("{words} -o scan.json")).fine();
    let table: serde_json::Value = serde_json::from_slice(&bench.bytes("scan.json")).unwrap();
    assert_eq!(table.as_array().unwrap().len(), 3);
    assert!(table[0]["specific-heat-exact"].is_f64());
    let printed = bench.run(&format!("{words} -o -")).fine();
    assert!(printed.stdout.starts_with(b"temperature,energy,"));
    assert!(printed.stderr.contains("exact"), "{}", printed.stderr);
    // Neighbors beyond an edge have no wave vectors: what is asked for by default is left out.
    let free = bench.run("spins scan --size 6 --boundary free --temperature 2,4 --sweeps 50 --json").fine();
    assert!(!String::from_utf8_lossy(&free.stdout).contains("correlation-length"));
    for (flags, expected) in [
        ("--from 3 --to 2", "it must go from a positive temperature to a higher one"),
        ("--model rbm --temperature 1", "scans are of the Ising model"),
        ("--sweeps 0", "it must be at least 1"),
        ("--coupling -1", "no known critical temperature"),
        ("--temperature 2 --from 1", "--from"),
        ("-o scan.txt", "tables are written as .csv, .tsv or .json"),
        ("--sweeps 1e13", "choose a smaller lattice, or fewer chains, temperatures or sweeps"),
    ] {
        let failed = bench.run(&format!("spins scan --size 8 {flags}"));
        assert!(failed.stderr.contains(expected), "{flags}: {}", failed.stderr);
        assert_eq!(failed.code, Some(2), "{flags}");
    }
}

#[test]
fn a_field_pulls_and_heat_frees() {
    let bench = Bench::new();
    let magnetization = |flags: &str| {
        let summary =
            simulate(&bench, &format!("--size 16 --updates 40000 --every 2000 --burn-in 8000 {flags}"));
        summary["observables"][1]["mean"].as_f64().unwrap()
    };
    // tanh(h/T) for spins that do not see each other; 20 frames of 256 spins are within 0.1 of it.
    let wanted = (1.5_f64 / 2.0).tanh();
    for update in ["random", "checkerboard"] {
        let found = magnetization(&format!("--coupling 0 --field 1.5 --temperature 2 --update {update}"));
        assert!((found - wanted).abs() < 0.1, "{update}: {found}, not {wanted}");
    }
    assert!(magnetization("--temperature 0.5 --start ordered") > 0.999);
    assert!(magnetization("--temperature 1000").abs() < 0.1);
}

#[test]
fn the_exact_energy_is_printed_where_it_is_known() {
    let bench = Bench::new();
    let exact = |flags: &str| simulate(&bench, &over(SMALL, flags))["exact_energy"].clone();
    // At the critical temperature it is −√2 on the infinite lattice, and lower on a torus, by about 0.62 over its side.
    let critical = exact("--size 256 --temperature 2.269185314213022").as_f64().unwrap();
    let excess = -2_f64.sqrt() - critical;
    assert!(excess > 0.5 / 256.0 && excess < 0.8 / 256.0, "{critical}");
    assert!(exact("--field 0.1").is_null() && exact("--model potts").is_null());
    // Open ends are another system.
    assert!(exact("--boundary free").is_null() && !exact("--size 4").is_null());
}

#[test]
fn a_chain_that_never_moved_is_no_perfect_one() {
    let bench = Bench::new();
    let cold =
        "spins simulate --size 8 --temperature 0.01 --start ordered --updates 6400 --every 64 -o t.npy";
    let done = bench.run(cold).fine();
    let talk = String::from_utf8_lossy(&done.stdout).into_owned() + &done.stderr;
    assert!(talk.contains("1.00, never changed: the chain may be stuck\n"), "{talk}");
    let warning = "energy and magnetization never changed; the chain may be stuck";
    assert!(talk.contains(&format!("warning       {warning}; try another --start or --update")), "{talk}");
    bench.run(&format!("{cold} --chains 4 --report cold.html")).fine();
    let page = String::from_utf8(bench.bytes("cold.html")).unwrap();
    assert!(page.contains(warning) && !page.contains("± 0") && !page.contains("speaks against"));
    // Of four draws nothing can be said.
    let few = bench
        .run("spins simulate --size 8 --temperature 0.01 --start ordered --updates 256 --every 64 -o t.npy");
    assert!(!few.fine().stderr.contains("warning"));
}

/// The stars and the temperatures of the warning are those whose R̂ or ESS in the table are out of bounds.
#[test]
fn a_scan_names_the_temperatures_that_have_not_converged() {
    let bench = Bench::new();
    let words = "spins scan --size 16 --temperature 2.26,8 --update random --observables energy --sweeps 1000 --seed 3";
    let done = bench.run(&format!("{words} -o scan.json --report scan.html")).fine();
    let table: Value = serde_json::from_slice(&bench.bytes("scan.json")).unwrap();
    let failed =
        |row: &Value| row["energy-r-hat"].as_f64() > Some(1.01) || row["energy-ess"].as_f64() < Some(200.0);
    assert_eq!(table.as_array().unwrap().iter().map(failed).collect::<Vec<_>>(), [true, false]);
    let talk = &done.stderr;
    assert!(
        talk.contains(" at T = 2.26; increase --sweeps") && talk.contains("2.26*") && !talk.contains("8*"),
        "{talk}"
    );
    let page = String::from_utf8(bench.bytes("scan.html")).unwrap();
    assert!(page.contains(" at T = 2.26; run longer"));
}

#[test]
fn the_report_of_a_scan_begins_with_what_was_measured() {
    let bench = Bench::new();
    bench
        .run("spins scan --size 8 --from 1.5 --to 3.5 --temperatures 5 --sweeps 500 --report scan.html -q")
        .fine();
    let page = String::from_utf8(bench.bytes("scan.html")).unwrap();
    let measured = page.find("temperature of the largest specific heat, grid spacing 0.5").unwrap();
    assert!(measured < page.find("critical temperature (infinite lattice)").unwrap());
}

#[test]
fn any_graph_will_do() {
    let bench = Bench::new();
    bench.put("edges.txt", "# a square with a tail\na b 1\nb c 1\nc d 1\nd a 1\nd e 2.5\n");
    let summary = simulate(&bench, "--graph edges.txt --updates 500 --every 5 --field 0.2");
    assert_eq!((&summary["frames"], summary["config"].get("size")), (&Value::from(100), None));
    let (frames, shape) = bench.spins("t.npy");
    assert_eq!((frames.len(), shape.0 * shape.1), (100, 5));
    assert_eq!(values(&bench, "t.npy"), [-1, 1]);
}

#[test]
fn potts_labels() {
    let bench = Bench::new();
    let summary = simulate(&bench, &format!("{SMALL} --model potts --states 5 --temperature 3"));
    assert_eq!(values(&bench, "t.npy"), [0, 1, 2, 3, 4]);
    assert_eq!(summary["config"]["states"], 5);
    // Without a flag there are three.
    simulate(&bench, &format!("{SMALL} --model potts"));
    assert_eq!(values(&bench, "t.npy"), [0, 1, 2]);
}

#[test]
fn cellular_potts_reports_its_acceptance() {
    let bench = Bench::new();
    let run = format!("{SMALL} --model cellular-potts --cells 4");
    let mut rates = Vec::new();
    for flags in ["--proposal any", "--proposal neighbor", "--adhesion 16,12,14,11,10 --volume 30"] {
        let summary = simulate(&bench, &format!("{run} {flags}"));
        let rate = summary["acceptance"].as_f64().unwrap();
        assert!(0.0 < rate && rate < 1.0, "{flags}: {rate}");
        assert_eq!(values(&bench, "t.npy"), [0, 1, 2, 3, 4], "{flags}");
        rates.push(rate);
    }
    // Any label nearly everywhere is a bad idea; that of a neighbor is often the site's own.
    assert!(rates[0] < rates[1], "{rates:?}");
}

#[test]
fn boltzmann_machines_with_random_weights_and_with_given_ones() {
    let bench = Bench::new();
    let summary = simulate(&bench, "--model rbm --size 6x5 --hidden 4 --updates 3400 --every 340");
    assert_eq!((&summary["frames"], &summary["shape"]), (&Value::from(10), &serde_json::json!([6, 5])));
    assert_eq!(values(&bench, "t.npy"), [0, 1]);
    // Visible biases so large that nothing else matters.
    let bias = (0..6).map(|i| if i % 2 == 0 { 40.0 } else { -40.0 }).collect();
    let weights = npz(&[("W", &[6, 2], vec![0.0; 12]), ("b", &[6], bias), ("c", &[2], vec![0.0; 2])]);
    bench.put("w.npz", weights);
    simulate(&bench, "--model rbm --weights w.npz --size 2x3 --updates 800 --every 8");
    let (frames, shape) = bench.spins("t.npy");
    assert_eq!((frames.len(), shape), (100, (2, 3)));
    assert!(frames.iter().all(|frame| frame == &[1, 0, 1, 0, 1, 0]));
}

#[test]
fn one_seed_gives_one_trajectory_whatever_the_threads() {
    let bench = Bench::new();
    for flags in [
        "",
        "--update checkerboard",
        "--model potts",
        "--model potts --update checkerboard",
        "--model cellular-potts --cells 4",
        "--model rbm",
        "--model xy",
    ] {
        let run = |more: &str| {
            simulate(&bench, &format!("{SMALL} {flags} {more}"));
            bench.bytes("t.npy")
        };
        let one = run("-j 1");
        assert!(one == run("-j 2") && one == run("--seed 0"), "{flags}");
        assert!(one != run("--seed 1"), "{flags}");
    }
}

#[test]
fn several_chains_are_several_files_and_compared() {
    let bench = Bench::new();
    let words = format!("spins simulate {SMALL} --temperature 5 --chains 3 --json -q");
    let summary = bench.run(&format!("{words} -o t.npy -j 1")).fine().json();
    assert_eq!(summary["out"], serde_json::json!(["t-chain0.npy", "t-chain1.npy", "t-chain2.npy"]));
    assert_eq!((&summary["chains"], &summary["frames"]), (&Value::from(3), &Value::from(30)));
    let series: Vec<Vec<f64>> = (0..3)
        .map(|id| bench.spins(&format!("t-chain{id}.npy")).0)
        .map(|frames| frames.iter().map(|f| f.iter().map(|&s| f64::from(s)).sum::<f64>() / 320.0).collect())
        .collect();
    let told = &summary["observables"][1];
    let (r_hat, wanted) = (told["r_hat"].as_f64().unwrap(), Mixing::from_series(&series));
    assert!((r_hat - wanted.r_hat).abs() < 1e-9, "{r_hat}, not {}", wanted.r_hat);
    assert_eq!(told["mixed"], false, "ten frames are too few");
    bench.run(&format!("{words} -o u.npy -j 2")).fine();
    for id in 0..3 {
        assert!(bench.bytes(&format!("t-chain{id}.npy")) == bench.bytes(&format!("u-chain{id}.npy")));
    }
    assert!(bench.bytes("t-chain0.npy") != bench.bytes("t-chain1.npy"));
    simulate(&bench, &format!("{SMALL} --temperature 5"));
    assert!(bench.bytes("t.npy") == bench.bytes("t-chain0.npy"), "the first chain is the only one");
    // Cold chains that start anywhere do not agree.
    let cold =
        "--size 16 --temperature 0.1 --chains 4 --updates 20000 --every 1000 --observables magnetization";
    let done = bench.run(&format!("spins simulate {cold} -o cold.npy")).fine();
    assert!(done.stderr.contains("not converged (R̂ "), "{}", done.stderr);
    // Chains that stand still in different places: R̂ is infinite, which JSON has no number for.
    let frozen = "--size 2 --coupling 0 --field up.npy --temperature 0.001 --updates 4000 --every 1000";
    bench.put_npy(
        "up.npy",
        &ergodict::linalg::Mat::<f64>::from_fn(2, 2, |i, _| if i == 0 { 1.0 } else { -1.0 }),
    );
    let still = simulate(&bench, &format!("{frozen} --observables magnetization"));
    assert_eq!(
        (&still["observables"][0]["r_hat"], &still["observables"][0]["mixed"]),
        (&serde_json::Value::Null, &serde_json::Value::Null),
        "constant values have no R̂"
    );
    let few = simulate(&bench, "--size 4 --updates 20 --every 10 --observables energy");
    assert!(few["observables"][0]["r_hat"].is_null() && few["observables"][0]["mixed"].is_null());
    let cold = "--size 4 --temperature 0.01 --chains 8 --updates 40000 --every 10000 --burn-in 100000";
    let apart = simulate(&bench, &format!("{cold} --observables magnetization"));
    assert!(apart["observables"][0]["r_hat"].is_null(), "{apart:#}");
    assert_eq!(apart["observables"][0]["mixed"], false);
}

#[test]
fn observables_are_those_of_the_frames() {
    let bench = Bench::new();
    let summary = simulate(&bench, &format!("{SMALL} --observables cluster,magnetization,energy"));
    let observables = summary["observables"].as_array().unwrap();
    let names: Vec<&str> = observables.iter().map(|o| o["observable"].as_str().unwrap()).collect();
    assert_eq!(names, ["cluster", "magnetization", "energy"]);
    let (frames, (rows, cols)) = bench.spins("t.npy");
    let sum: i64 = frames.iter().flatten().map(|&s| i64::from(s)).sum();
    let bond = |f: &[i8], i: usize, j: usize| {
        f[i * cols + j] * (f[(i + 1) % rows * cols + j] + f[i * cols + (j + 1) % cols])
    };
    let sites = || (0..rows * cols).map(|at| (at / cols, at % cols));
    let bonds: i64 = frames.iter().flat_map(|f| sites().map(|(i, j)| i64::from(bond(f, i, j)))).sum();
    let all = (frames.len() * rows * cols) as f64;
    for (at, wanted) in [(1, sum as f64 / all), (2, -(bonds as f64) / all)] {
        let found = observables[at]["mean"].as_f64().unwrap();
        assert!((found - wanted).abs() < 1e-12, "{}: {found}, not {wanted}", names[at]);
    }
    let share = observables[0]["mean"].as_f64().unwrap();
    assert!(0.0 < share && share <= 1.0);
}

#[test]
fn starts_from_the_given_configuration() {
    let bench = Bench::new();
    let one = "--size 16 --updates 1 --every 1";
    simulate(&bench, &format!("{one} --start ordered"));
    // One update has flipped at most one spin.
    assert!(bench.spins("t.npy").0[0].iter().filter(|s| **s == -1).count() <= 1);
    bench.put_spins("start.npy", 2, (16, 16), |t, i, j| if (i + j + t) % 2 == 0 { 1 } else { -1 });
    simulate(&bench, &format!("{one} --start start.npy"));
    let last = &bench.spins("start.npy").0[1];
    let moved = bench.spins("t.npy").0[0].iter().zip(last).filter(|(a, b)| a != b).count();
    assert!(moved <= 1, "{moved} spins have moved in one update");
    // A trajectory goes on from its end.
    simulate(&bench, "--size 16 --updates 100 --every 10 --model potts --start ordered");
    assert_eq!(values(&bench, "t.npy").len(), 3);
    // Labels alike are all 0.
    for flags in ["--model potts", "--model cellular-potts --cells 4 --proposal any"] {
        simulate(&bench, &format!("{one} {flags} --start ordered"));
        assert!(bench.spins("t.npy").0[0].iter().filter(|s| **s != 0).count() <= 1, "{flags}");
    }
}

#[test]
fn what_cannot_be_drawn_leaves_a_trajectory_and_can_be_drawn_later() {
    let bench = Bench::new();
    std::fs::create_dir_all(bench.path("drawn/frame-03.png")).unwrap();
    let words =
        format!("spins simulate {SMALL} -o t.npy --frames drawn --checkpoint state --checkpoint-every 0 -q");
    let done = bench.run(&words);
    assert!(done.code == Some(2) && done.stderr.contains("frame-03.png"), "{}", done.stderr);
    assert!(done.stderr.contains("the state is in state"), "{}", done.stderr);
    assert_eq!(bench.files(), ["drawn", "state", "t.npy"]);
    assert_eq!(bench.spins("t.npy").0.len(), 10);
    let before = bench.bytes("t.npy");
    std::fs::remove_dir(bench.path("drawn/frame-03.png")).unwrap();
    let done = bench.run(&format!("{} --json", words.replace("-q", "-q --resume"))).fine();
    assert_eq!((&done.json()["resumed"], bench.bytes("t.npy") == before), (&true.into(), true));
    assert_eq!(bench.files(), ["drawn", "t.npy"]);
    assert!(bench.bytes("drawn/frame-03.png").starts_with(b"\x89PNG"));
}

#[test]
fn burn_in_is_what_is_left_out() {
    let bench = Bench::new();
    simulate(&bench, "--size 16 --updates 3000 --every 100");
    let whole = bench.spins("t.npy").0;
    simulate(&bench, "--size 16 --updates 2000 --every 100 --burn-in 1000");
    assert!(bench.spins("t.npy").0 == whole[10..]);
    simulate(&bench, "--size 16 --updates 3000 --every 300");
    let sparse: Vec<_> = whole.chunks(3).map(|three| three[2].clone()).collect();
    assert!(bench.spins("t.npy").0 == sparse);
}

#[test]
fn frames_are_drawn() {
    let bench = Bench::new();
    for flags in ["", "--model potts", "--model xy"] {
        simulate(&bench, &format!("{SMALL} {flags} --frames t.gif"));
        let gif = bench.bytes("t.gif");
        assert!(gif.starts_with(b"GIF89a") && gif.ends_with(b";"));
    }
    simulate(&bench, &format!("{SMALL} --frames drawn"));
    let names: Vec<_> = (0..10).map(|at| format!("drawn/frame-{at:02}.png")).collect();
    assert_eq!(std::fs::read_dir(bench.path("drawn")).unwrap().count(), 10);
    let frames = bench.spins("t.npy").0;
    for (name, frame) in names.iter().zip(frames) {
        let (image, _) = ergodict::data::Image::open(&bench.path(name), false).unwrap();
        let (height, width) = image.shape();
        let cell = height / 16;
        assert_eq!((height, width), (16 * cell, 20 * cell));
        let pixel = |i: usize, j: usize| image.values()[(i * cell + cell / 2) * width + j * cell + cell / 2];
        let up = pixel(0, 0);
        for (at, spin) in frame.iter().enumerate() {
            assert_eq!(pixel(at / 20, at % 20) == up, *spin == frame[0], "{name}: site {at}");
        }
    }
    bench.run(&format!("spins simulate {SMALL} -q --chains 2 -o c.npy --frames c.gif")).fine();
    bench.run(&format!("spins simulate {SMALL} -q --chains 2 -o c.npy --frames some")).fine();
    for name in ["c-chain0.gif", "c-chain1.gif", "some-chain0/frame-00.png", "some-chain1/frame-09.png"] {
        assert!(bench.path(name).exists(), "{name}");
    }
}

#[test]
fn a_trajectory_goes_to_standard_output() {
    let bench = Bench::new();
    simulate(&bench, SMALL);
    let done = bench.run(&format!("spins simulate {SMALL} -q -o -")).fine();
    assert!(done.stdout == bench.bytes("t.npy"));
    assert_eq!(bench.files(), ["t.npy"]);
}

#[test]
fn the_report_shows_each_observable() {
    let bench = Bench::new();
    simulate(&bench, &format!("{SMALL} --observables cluster,energy --chains 2 --report page.html"));
    let page = String::from_utf8(bench.bytes("page.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>"));
    for word in ["<svg", "cluster", "energy", "16×20"] {
        assert!(page.contains(word), "{word}");
    }
}

#[test]
fn the_summary_is_a_configuration() {
    let bench = Bench::new();
    let flags = "--size 16x18 --updates 3000 --every 300 --burn-in 100 --temperature 3 --boundary free --field -0.25 \
                 --coupling 0.5 --seed 7 --observables cluster,energy --start ordered";
    let done = bench.run(&format!("spins simulate -o t.npy --json -q {flags}")).fine();
    bench.put("run.json", &done.stdout);
    let again = bench.run("spins simulate -o again.npy --json -q --config run.json").fine();
    assert!(bench.bytes("t.npy") == bench.bytes("again.npy"));
    assert_eq!(again.json()["config"], done.json()["config"]);
    bench.run("spins simulate -o over.npy -q --config run.json --seed 8").fine();
    bench.run(&over(&format!("spins simulate -o want.npy -q {flags}"), "--seed 8")).fine();
    assert!(bench.bytes("over.npy") == bench.bytes("want.npy"));
    let over = bench.run("spins simulate -o x.npy --json -q --config run.json --observables energy").fine();
    assert_eq!(over.json()["observables"].as_array().unwrap().len(), 1);
}
