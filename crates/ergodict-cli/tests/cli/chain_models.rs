//! Models of spins and images: `--config` gives them again, and the verbs of models know what their atoms are.

use crate::bench::{Bench, over};
use crate::{image, spins};
use ergodict::data::Image;

#[test]
fn a_model_gives_its_run_again() {
    let bench = image::bench();
    bench.run("spins simulate --size 16 --updates 2000 --every 100 -o t.npy -q").fine();
    bench.put_npy("field.npy", &crate::bench::numbers(16, 16));
    let spins = spins::SMALL;
    for words in [
        format!(
            "spins learn {spins} --temperature 3 --boundary free --coupling -0.5 --field field.npy --burn-in 50"
        ),
        format!("spins learn {spins} --update checkerboard --spins signed --seed 3 --lambda 0.5 --f32"),
        format!("spins learn {spins} --model potts --states 4 --field -0.5"),
        format!(
            "spins learn {spins} --model cellular-potts --cells 4 --adhesion 16,12,14,11,10 --proposal any"
        ),
        format!("spins learn {spins} --model xy --update wolff --coupling -0.5"),
        format!("spins learn {spins} --model rbm --hidden 6 --weight-scale 0.25 --init data"),
        "spins learn --trajectory t.npy --boundary free --every 2 --patch 4 --patches 30 -r 3".into(),
    ] {
        bench.run(&format!("{words} -o m -q")).fine();
        bench.run("spins learn --config m -o again -q").fine();
        assert!(bench.bytes("again") == bench.bytes("m"), "{words}");
    }
    for words in
        ["gray.png", "color.png --color --sampling walk --boundary free --seed 3", "gray.png color.png"]
    {
        bench.run(&format!("image learn {words} {} -o m -q", image::SMALL)).fine();
        let images: Vec<&str> = words.split(' ').filter(|word| word.ends_with("png")).collect();
        bench.run(&format!("image learn --config m {} -o again -q", images.join(" "))).fine();
        assert!(bench.bytes("again") == bench.bytes("m"), "{words}");
    }
}

#[test]
fn each_of_several_models_gives_its_own_run_again() {
    let bench = Bench::new();
    let flags = "--size 16 --updates 4000 --patch 4 --patches 30 -r 5 --fixed=4";
    let words = format!("spins learn {flags} --temperature 1 --temperature 3 --every 400 --every 1000");
    bench.run(&format!("{words} -o m -q")).fine();
    for tag in ["T1-every400", "T1-every1000", "T3-every400", "T3-every1000"] {
        bench.run(&format!("spins learn --config m-{tag} -o again -q")).fine();
        assert!(bench.bytes("again") == bench.bytes(&format!("m-{tag}")), "{tag}");
    }
    // That of a fixed configuration takes its trajectory, and so the runs on that.
    bench.run("spins learn --config m-T3-fixed -o again -q").fine();
    for tag in ["every400", "every1000", "fixed"] {
        assert!(bench.bytes(&format!("again-{tag}")) == bench.bytes(&format!("m-T3-{tag}")), "{tag}");
    }
}

#[test]
fn flags_override_it_also_those_that_may_be_repeated() {
    let bench = Bench::new();
    let flags = "--size 16 --updates 4000 --patch 4 --patches 30 -r 5";
    bench.run(&format!("spins learn {flags} --every 400 --temperature 3 -o m -q")).fine();
    bench.run("spins learn --config m --every 1000 --temperature=1 --seed 2 -o over -q").fine();
    bench.run(&format!("spins learn {flags} --every 1000 --temperature 1 --seed 2 -o want -q")).fine();
    assert!(bench.bytes("over") == bench.bytes("want"));
    bench.run("spins learn --every 1000 --every 500 --config m -o two -q").fine();
    assert!(bench.path("two-every1000").exists() && bench.path("two-every500").exists());
    assert!(!bench.path("two").exists());
    bench.put("run.toml", "size = \"16\"\nupdates = 4000\npatch = 4\npatches = 30\natoms = 5\nevery = [400, 1000]\ntemperature = 3.0\n");
    bench.run("spins learn --config run.toml -o toml -q").fine();
    assert!(bench.bytes("toml-every400") == bench.bytes("m"));
}

#[test]
fn atoms_are_shown_as_what_they_are() {
    let bench = image::bench();
    let (spins, paint) = (spins::SMALL, image::SMALL);
    for (words, kind, features, channels) in [
        (format!("spins learn {spins}"), "spins", 16, 1),
        (format!("spins learn {spins} --spins signed"), "spins", 16, 1),
        (over(&format!("spins learn {spins}"), "--model potts --patch 3x4"), "spins", 36, 3),
        (over(&format!("spins learn {spins}"), "--model xy --patch 3x4"), "spins", 24, 2),
        (over(&format!("image learn gray.png {paint}"), "--patch 3x6"), "image", 18, 1),
        (format!("image learn color.png --color {paint}"), "image", 48, 3),
    ] {
        bench.run(&format!("{words} -o m -q")).fine();
        let shown = bench.run("model show m --json").fine().json();
        assert_eq!((&shown["kind"], &shown["features"]), (&kind.into(), &features.into()), "{words}");
        let told = String::from_utf8(bench.run("model show m").fine().stdout).unwrap();
        assert!(told.contains(kind), "{told}");
        bench.run("model export m -o a.png -q").fine();
        let (picture, _) = Image::open(&bench.path("a.png"), true).unwrap();
        let colored = picture.values().chunks(3).any(|p| p[0] != p[1] || p[1] != p[2]);
        assert!(colored || channels == 1, "{words}");
        bench.run("model export m -o a.svg -q").fine();
        assert!(String::from_utf8(bench.bytes("a.svg")).unwrap().contains("<svg"));
        for extension in ["npz", "npy", "csv"] {
            bench.run(&format!("model export m -o a.{extension} -q")).fine();
        }
    }
}
