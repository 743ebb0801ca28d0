//! Bad usage and bad input of `ergodict spins` and `ergodict image`: one line, exit code 2, no file left behind.

use crate::bad_input::refused;
use crate::bench::{Bench, npz, numbers, over};
use crate::{image, spins};
use ergodict::linalg::Mat;

fn bench() -> Bench {
    let bench = image::bench();
    bench.put_spins("t.npy", 5, (16, 16), |t, i, j| if (t + i * j) % 3 == 0 { 1 } else { -1 });
    bench.put_spins("labels.npy", 1, (16, 16), |_, i, _| (i % 5) as i8);
    bench.put_spins("low.npy", 1, (16, 16), |_, _, _| -3);
    bench.put_spins("mixed.npy", 2, (16, 16), |t, i, _| (t + i) as i8 % 3 - 1);
    bench.put_spins("none.npy", 0, (16, 16), |_, _, _| 0);
    bench.put_npy("half.npy", &Mat::<f64>::from_fn(16, 16, |_, _| 0.5));
    bench.put("edges.txt", "a b\nb c\n");
    bench
}

#[test]
fn systems_that_cannot_be() {
    let bench = bench();
    bench.put_npy("short.npy", &numbers(4, 4));
    bench.put_npy("nan.npy", &Mat::<f64>::from_fn(16, 16, |i, _| if i == 3 { f64::NAN } else { 0.0 }));
    let weights = |w: f64| {
        npz(&[("W", &[256, 2], vec![w; 512]), ("b", &[256], vec![0.0; 256]), ("c", &[2], vec![0.0; 2])])
    };
    bench.put("nan.npz", weights(f64::NAN));
    bench.put(
        "small.npz",
        npz(&[("W", &[6, 2], vec![0.0; 12]), ("b", &[6], vec![0.0; 6]), ("c", &[2], vec![0.0; 2])]),
    );
    bench.put("other.npz", npz(&[("X", &[6, 2], vec![0.0; 12])]));
    let cells = "--model cellular-potts";
    for (flags, said) in [
        ("--temperature 0", ["temperature is 0", "positive"]),
        ("--temperature nan", ["temperature is NaN", "positive"]),
        ("--temperature -1", ["temperature is -1", "positive"]),
        ("--temperature inf", ["temperature is inf", "positive"]),
        ("--temperature warm", ["is warm", "--temperature"]),
        ("--model potts --temperature 0", ["temperature is 0", "positive"]),
        (&format!("{cells} --temperature 0"), ["temperature is 0", "positive"]),
        ("--model rbm --temperature 0", ["temperature is 0", "positive"]),
        ("--model isling", ["is isling", "did you mean 'ising'?"]),
        ("--size 0", ["is 0", "--size"]),
        ("--size 4x0", ["is 4x0", "HxW"]),
        ("--size 99999999", ["99999999×99999999", "2³¹"]),
        ("--size 15 --update checkerboard", ["torus of 15×15", "even sides"]),
        ("--states 3", ["--states is for --model potts", "not for ising"]),
        ("--cells 3", ["--cells is for --model cellular-potts", "not for ising"]),
        ("--hidden 3", ["--hidden is for --model rbm", "not for ising"]),
        ("--model rbm --update random", ["--update is for --model ising or potts", "not for rbm"]),
        ("--model potts --size 16x15 --update checkerboard", ["torus of 16×15", "even sides"]),
        ("--model xy --update checkerboard", ["update is checkerboard", "wolff and swendsen-wang"]),
        ("--model potts --update wolff --coupling -1", ["coupling is -1", "clusters of a Potts model"]),
        ("--update wolff --coupling 0", ["update is wolff", "no bonds"]),
        ("--model rbm --field 1", ["--field is for --model ising or potts", "not for rbm"]),
        ("--model potts --states 1", ["number of states is 1", "2 to 128"]),
        ("--model potts --states 129", ["number of states is 129", "2 to 128"]),
        ("--model potts --field t.npy", ["t.npy is no number", "the same everywhere"]),
        (&format!("{cells} --cells 0"), ["--cells is 0", "between 1 and 127"]),
        (&format!("{cells} --cells 128"), ["--cells is 128", "between 1 and 127"]),
        (&format!("{cells} --size 3 --cells 20"), ["number of cells is 20", "number of sites"]),
        (&format!("{cells} --adhesion 1,2,3"), ["--adhesion is 1,2,3 (3 numbers)", "two need 5"]),
        (&format!("{cells} --volume nan"), ["volume is NaN", "not negative"]),
        (&format!("{cells} --volume-strength -1"), ["strength of the volume is -1", "not negative"]),
        ("--coupling nan", ["coupling is NaN", "finite"]),
        ("--field nan", ["field is NaN", "finite"]),
        ("--field short.npy", ["short.npy: has 16 numbers", "256 sites"]),
        ("--field nan.npy", ["field is NaN (site 3)", "finite"]),
        ("--field nothing.npy", ["nothing.npy: file not found", "expected a number"]),
        ("--model rbm --weights nan.npz", ["nan.npz: ", "finite"]),
        ("--model rbm --weights small.npz", ["small.npz: ", "6 visible units"]),
        ("--model rbm --weights other.npz", ["other.npz: has no array `b`", "`X`"]),
        ("--model rbm --weights edges.txt", ["edges.txt: is not a .npz archive", ""]),
        ("--model rbm --weights small.npz --hidden 3", ["--weights", "--hidden"]),
        ("--model rbm --weights no.npz", ["--weights no.npz cannot be used", "W (visible × hidden)"]),
        ("--model rbm --weights -", ["--weights is -", "name a file"]),
        ("--field -", ["--field is -", "name a file"]),
        ("--model rbm --hidden 0", ["--hidden is 0", "at least one hidden unit"]),
        ("--model rbm --boundary free", ["--boundary is for lattices", "rbm"]),
    ] {
        refused(&bench, &over("spins simulate --size 16 --updates 1000 --every 100 -o m.npy", flags), &said);
        refused(&bench, &over(&format!("spins learn {} -o m", spins::SMALL), flags), &said);
    }
    refused(&bench, "spins simulate --graph edges.txt --size 4 -o m.npy", &["--size", "--graph"]);
    let said = ["--graph no.txt cannot be used", "expected an edge list"];
    refused(&bench, "spins simulate --graph no.txt -o m.npy", &said);
    refused(&bench, "spins simulate --graph - --chains 2 -o m.npy", &["--graph is -", "name a file"]);
    let words = "spins simulate --graph edges.txt --boundary periodic -o m.npy";
    refused(&bench, words, &["--boundary is for lattices", "--graph"]);
    bench.put("bad.txt", "a b\nb\n");
    refused(&bench, "spins simulate --graph bad.txt -o m.npy", &["bad.txt:2"]);
    refused(
        &bench,
        "spins simulate --graph edges.txt --update checkerboard -o m.npy",
        &["--graph", "lattices"],
    );
    refused(
        &bench,
        "spins simulate --graph edges.txt --observables cluster -o m.npy",
        &["cluster", "no lattice"],
    );
    let learn = "spins learn --graph edges.txt --patch 2 -r 2 -o m";
    refused(&bench, learn, &["patches are cut from a lattice", "`ergodict spins simulate`"]);
}

#[test]
fn simulations_that_make_no_sense() {
    let bench = bench();
    bench.put("file", "");
    for (flags, said) in [
        ("--every 0", ["--every is 0", "at least 1"]),
        ("--every 2000", ["--every is 2000", "only 1000 updates"]),
        ("--boundary free --observables correlation-length", ["structure-0", "periodic lattices"]),
        ("--every -1", ["is -1", "--every"]),
        ("--updates 0", ["only 0 updates", "nothing would be kept"]),
        ("--chains 0", ["--chains is 0", "between 1 and"]),
        ("--chains 999999999999", ["--chains is 999999999999", "65536"]),
        ("--observables color", ["is color", "energy, magnetization, cluster"]),
        ("--start no.npy", ["--start no.npy cannot be used", "random, ordered, or"]),
        ("--start -", ["--start is -", "name a file"]),
        ("--start ordered --model cellular-potts", ["never leaves", "--proposal any"]),
        ("--size 46340 --chains 2000", ["--chains 2000 of this --size", "are available"]),
        ("--size 1x70000 --frames t.gif", ["--frames t.gif: an animation has at most 65535", "1×70000"]),
        ("--figures file", ["--figures file: ", "is a file: expected a folder"]),
        ("--figures -", ["--figures is -", "name a folder"]),
        ("--start half.npy", ["half.npy: holds 0.5", "whole numbers"]),
        ("--start labels.npy", ["--start labels.npy: a value of the configuration is", "−1 or 1"]),
        ("--start none.npy", ["none.npy: has no frame", ""]),
        ("--start t.npy --size 12", ["t.npy: has 16×16 sites", "12×12"]),
        ("--start edges.txt", ["edges.txt: is not a .npy array", "(frames, rows, columns)"]),
        ("--frames no/t.gif", ["no/t.gif: cannot be written", "`no` does not exist"]),
        ("--frames file", ["--frames file is a file", "a folder"]),
        ("--frames m.npy", ["-o m.npy and --frames m.npy are the same file", "two"]),
        ("--report no/page", ["no/page: cannot be written", "`no` does not exist"]),
        ("--checkpoint no/c", ["cannot be written", "`no` does not exist"]),
        ("--checkpoint m.npy", ["-o m.npy and --checkpoint m.npy", "two"]),
        ("--checkpoint -", ["--checkpoint is -", "a file"]),
        ("--resume", ["--checkpoint", "needs"]),
        ("-o no/m.npy", ["no/m.npy: cannot be written", "`no` does not exist"]),
        ("-o m.csv", ["trajectories are written as .npy", "not .csv"]),
        ("-o t.npy --start t.npy", ["--start t.npy and -o t.npy are the same file", "overwritten"]),
        ("-o - --chains 2", ["-o is -", "name a file"]),
        ("-o - --frames t.gif", ["--frames", "not -"]),
        ("-o - --json", ["--json and -o - both write", "a file"]),
    ] {
        refused(&bench, &over("spins simulate --size 16 --updates 1000 --every 100 -o m.npy", flags), &said);
    }
}

#[test]
fn dictionaries_of_spins_that_cannot_be_learned() {
    let bench = bench();
    for (flags, said) in [
        ("--temperature 1 --temperature 0", ["temperature is 0", "positive"]),
        ("--temperature 1 --temperature 1.0", ["T1 is asked for twice", "once"]),
        ("--every 400 --every 400", ["every400 is asked for twice", "once"]),
        (
            "--every 400 --every 500 --update checkerboard",
            ["--every 400 and --every 500 are both 512", "give one"],
        ),
        ("--figures t.npy", ["--figures t.npy: ", "is a file: expected a folder"]),
        ("--figures t.npy/x", ["--figures t.npy/x: ", "is a file: expected a folder"]),
        ("--figures m", ["-o m and --figures m are the same file", "two"]),
        ("--every 0", ["--every is 0", "at least 1"]),
        ("--every 5000", ["--every is 5000", "only 4000 updates"]),
        ("--patch 17", ["patch is 17×17", "16×16"]),
        ("--patch 0", ["is 0", "--patch"]),
        ("--patches 0", ["--patches is 0", "at least one"]),
        ("--fixed=0", ["--fixed is 0", "at least one"]),
        ("--spins up", ["up", "zero-one, signed, one-hot, borders, vector or real"]),
        ("--spins one-hot", ["one-hot", "two-valued spins are zero-one or signed"]),
        ("--model potts --spins signed", ["signed", "labels are one-hot"]),
        ("-r 0", ["number of atoms is 0", "at least one"]),
        ("--lambda -1", ["lambda is -1", "not negative"]),
        ("--init t.npy", ["--init is t.npy", "needed"]),
        ("--trajectory t.npy", ["--updates", "--trajectory"]),
        ("-o no/m", ["no/m: cannot be written", "`no` does not exist"]),
        ("--report no/m", ["no/m: cannot be written", "`no` does not exist"]),
        ("--checkpoint no/m", ["no/m: cannot be written", "`no` does not exist"]),
        ("--checkpoint m", ["-o m and --checkpoint m", "two"]),
        ("-o - --fixed", ["-o is -", "name a file"]),
        ("--temperature 2 --temperature 3 --report m-T2", ["-o m-T2 and --report m-T2", "two"]),
    ] {
        refused(&bench, &over(&format!("spins learn {} -o m", spins::SMALL), flags), &said);
    }
    refused(&bench, "spins learn --patch 4 -o m", &["--atoms", "needs"]);
    for (flags, said) in [
        ("no.npy", ["--trajectory no.npy cannot be used", "expected .npy"]),
        ("-", ["--trajectory is -", "name a file"]),
        ("edges.txt", ["edges.txt: is not a .npy array", "(frames, rows, columns)"]),
        ("half.npy --model ising", ["half.npy: holds 0.5 in frame 0, row 0, column 0", "whole numbers"]),
        ("half.npy --spins one-hot", ["half.npy: holds 0.5 in frame 0", "--spins real, angles --model xy"]),
        (
            "labels.npy --model xy",
            ["labels.npy: holds whole numbers from 0 to 4", "multiply numbered directions by 2π/q"],
        ),
        ("labels.npy --spins vector", ["labels.npy: holds whole numbers from 0 to 4", "radians"]),
        ("low.npy", ["low.npy: the values of the trajectory go from -3", "labels from 0"]),
        ("none.npy", ["none.npy: no frame is left", "--burn-in"]),
        ("t.npy --every 6", ["t.npy: no frame is left", "--every"]),
        ("t.npy --burn-in 5", ["t.npy: no frame is left", "--burn-in"]),
        ("t.npy --every 0", ["--every is 0", "at least 1"]),
        ("t.npy --temperature 2", ["--temperature says how to simulate", "leave one of them out"]),
        ("t.npy --size 16", ["--size says how to simulate", "leave one of them out"]),
        ("mixed.npy", ["mixed.npy: holds -1, 0 and 1 together", "labels from 0"]),
        ("mixed.npy --model ising", ["mixed.npy: holds -1, 0, 1", "--model ising are -1 and 1"]),
        ("t.npy --model rbm", ["t.npy: holds -1, 1", "--model rbm are 0 and 1"]),
        ("t.npy --model potts", ["t.npy: holds -1, 1", "labels of that --model are 0 to 1"]),
        ("labels.npy --model ising", ["labels.npy: holds 0, 1, 2, 3, 4", "-1 and 1"]),
        ("labels.npy --model potts --states 4", ["labels.npy: holds 0, 1, 2, 3, 4", "0 to 3"]),
        ("labels.npy --model potts --states 129", ["--states is 129", "from 2 to 128"]),
        ("labels.npy --states 5", ["--states is for --model potts", "leave --states out"]),
        ("t.npy --update random", ["--update says how to simulate", "leave one of them out"]),
        ("t.npy --field 1", ["--field says how to simulate", "leave one of them out"]),
        ("t.npy --patch 17", ["patch is 17×17", "16×16"]),
        ("t.npy -o m.html", ["-o m.html: a model is not written as .html", "use .safetensors"]),
        ("t.npy -o t.npy", ["--trajectory t.npy and -o t.npy are the same file", "overwritten"]),
    ] {
        refused(&bench, &over("spins learn --patch 4 -r 3 -o m --trajectory", flags), &said);
    }
}

#[test]
fn the_checkpoint_that_all_runs_share_is_found_before_the_work() {
    let bench = bench();
    bench.put("state", "");
    let words = format!("spins learn {} --fixed -o m --checkpoint state", spins::SMALL);
    refused(&bench, &words, &["state: a checkpoint exists", "--resume"]);
}

#[test]
fn configurations_that_cannot_be_reconstructed() {
    let bench = bench();
    bench.run(&format!("spins learn {} -o m -q", spins::SMALL)).fine();
    bench.run(&format!("image learn gray.png {} -o i -q", image::SMALL)).fine();
    bench.put_npy("x.npy", &numbers(16, 20));
    bench.run("factor x.npy -r 2 -o f -q").fine();
    bench.put_spins("tiny.npy", 1, (3, 3), |_, _, _| 1);
    for (words, said) in [
        ("f t.npy", ["f: its atoms are plain samples", "`ergodict spins learn`"]),
        ("i t.npy", ["i: its atoms are patches of images", "`ergodict spins learn`"]),
        ("no t.npy", ["no: ", ""]),
        ("t.npy t.npy", ["t.npy: not a model file", ".safetensors"]),
        ("m no.npy", ["no.npy: ", ""]),
        ("m half.npy", ["half.npy: holds 0.5", "whole numbers"]),
        ("m labels.npy", ["labels.npy: a spin is", "-1 or 1"]),
        ("m none.npy", ["none.npy: has 0 frames", ""]),
        ("m tiny.npy", ["tiny.npy: the patch is 4×4", "3×3"]),
        ("m t.npy --frame 5", ["t.npy: has 5 frames", "no frame 5"]),
        ("m t.npy --stride 0", ["stride is 0", "at least 1 and at most 4"]),
        ("m t.npy --stride 5", ["stride is 5", "at least 1 and at most 4"]),
        ("m t.npy --lambda -1", ["lambda is -1", "not negative"]),
        ("m t.npy --lambda nan", ["lambda is NaN", "not negative"]),
        ("m t.npy -o t.npy", ["CONFIG t.npy and -o t.npy are the same file", "overwritten"]),
        ("m t.npy -o m", ["MODEL m and -o m are the same file", "overwritten"]),
        ("m t.npy -o again.csv", ["configurations are written as .npy", "not .csv"]),
        ("m t.npy -o no/x.npy", ["no/x.npy: cannot be written", "`no` does not exist"]),
        ("m t.npy --error-map e.jpg", ["error maps are written as .png", "not .jpg"]),
        ("m t.npy --error-map again.npy", ["-o again.npy and --error-map again.npy", "two"]),
        ("m t.npy --report no/x", ["no/x: cannot be written", "`no` does not exist"]),
    ] {
        refused(&bench, &over("spins reconstruct -o again.npy", words), &said);
    }
}

#[test]
fn images_that_are_none() {
    let bench = bench();
    let png = bench.bytes("gray.png");
    bench.put("cut.png", &png[..png.len() / 2]);
    let mut bytes = png.clone();
    let middle = png.len() / 2;
    bytes[middle] ^= 0x55;
    bench.put("changed.png", &bytes);
    bench.put("words.png", "these are words\n");
    bench.put("nothing.png", "");
    bench.put_image("small.png", (3, 9), 1, image::stripes);
    bench.put("animation.gif", b"GIF89a\x01\x00\x01\x00\x00\x00\x00;");
    bench.run(&format!("image learn gray.png {} -o m -q", image::SMALL)).fine();
    for (name, said) in [
        ("none.png", ["none.png: ", ""]),
        (".", [".: ", ""]),
        ("cut.png", ["cut.png: is a PNG file that is damaged or cut short", "expected an image"]),
        ("changed.png", ["changed.png: is a PNG file that is damaged or cut short", "expected an image"]),
        ("words.png", ["words.png: is not an image of a known format", "PNG, JPEG, PNM or TIFF"]),
        ("nothing.png", ["nothing.png: is empty", "PNG, JPEG, PNM or TIFF"]),
        ("animation.gif", ["animation.gif: is of the format GIF", "PNG, JPEG, PNM or TIFF"]),
        ("t.npy", ["t.npy: is not an image of a known format", "PNG, JPEG, PNM or TIFF"]),
        ("@nothing", ["@nothing: there is no embedded image of that name", "@tessellation"]),
        ("small.png", ["small.png: the patch is 4×4", "3×9"]),
    ] {
        refused(&bench, &format!("image learn -q {name} {} -o n", image::SMALL), &said);
        refused(&bench, &format!("image learn -q gray.png {name} {} -o n", image::SMALL), &said);
        refused(&bench, &format!("image reconstruct -q m {name} -o out.png"), &said);
    }
}

#[test]
fn dictionaries_of_images_that_cannot_be_learned() {
    let bench = bench();
    for (flags, said) in [
        ("--patch 25", ["gray.png: the patch is 25×25", "24×30"]),
        ("--patch 0", ["is 0", "--patch"]),
        ("--patches 0", ["--patches is 0", "at least one"]),
        ("--steps 0", ["--steps is 0", "at least one"]),
        ("--steps -1", ["is -1", "--steps"]),
        ("--sampling jump", ["is jump", "iid"]),
        ("-r 0", ["number of atoms is 0", "at least one"]),
        ("--init gray.png", ["--init is gray.png", "random, data or a matrix"]),
        ("-o gray.png", ["IMG gray.png and -o gray.png are the same file", "overwritten"]),
        ("-o no/m", ["no/m: cannot be written", "`no` does not exist"]),
        ("--report no/m", ["no/m: cannot be written", "`no` does not exist"]),
        ("--checkpoint no/m", ["no/m: cannot be written", "`no` does not exist"]),
        ("--checkpoint m", ["-o m and --checkpoint m", "two"]),
        ("- -", ["standard input holds one image", "more than once"]),
    ] {
        refused(&bench, &over(&format!("image learn -q gray.png {} -o m", image::SMALL), flags), &said);
    }
    refused(&bench, "image learn -r 3 -o m", &["<IMG>", "needs"]);
}

#[test]
fn images_that_cannot_be_reconstructed() {
    let bench = bench();
    bench.run(&format!("image learn gray.png {} -o m -q", image::SMALL)).fine();
    bench.run(&format!("spins learn {} -o s -q", spins::SMALL)).fine();
    bench.put_npy("x.npy", &numbers(16, 20));
    bench.run("factor x.npy -r 2 -o f -q").fine();
    for (words, said) in [
        ("f gray.png", ["f: its atoms are plain samples, not patches of images", "`ergodict image learn`"]),
        (
            "s gray.png",
            [
                "s: its atoms are patches of spin configurations, not patches of images",
                "`ergodict image learn`",
            ],
        ),
        ("no gray.png", ["no: ", ""]),
        ("gray.png gray.png", ["gray.png: not a model file", ".safetensors"]),
        ("m gray.png --stride 0", ["stride is 0", "at least 1 and at most 4"]),
        ("m gray.png --stride 5", ["stride is 5", "at least 1 and at most 4"]),
        ("m gray.png --lambda -1", ["lambda is -1", "not negative"]),
        ("m gray.png --reference color.png", ["color.png: has 26×20 pixels", "30×24"]),
        ("m gray.png --reference none.png", ["none.png: ", ""]),
        ("m gray.png -o gray.png", ["IMG gray.png and -o gray.png are the same file", "overwritten"]),
        (
            "m gray.png --reference color.png -o color.png",
            ["--reference color.png and -o color.png", "overwritten"],
        ),
        ("m gray.png -o m", ["MODEL m and -o m are the same file", "overwritten"]),
        ("m gray.png -o out.jpg", ["images are written as .png", "not .jpg"]),
        ("m gray.png -o out", ["images are written as .png", "ends in .png"]),
        ("m gray.png -o no/x.png", ["no/x.png: cannot be written", "`no` does not exist"]),
        ("m gray.png --report no/x", ["no/x: cannot be written", "`no` does not exist"]),
    ] {
        refused(&bench, &over("image reconstruct -q -o out.png", words), &said);
    }
}

#[test]
fn images_that_cannot_be_denoised() {
    let bench = bench();
    bench.run(&format!("image learn gray.png {} -o m -q", image::SMALL)).fine();
    bench.put_npy("x.npy", &numbers(16, 20));
    bench.run("factor x.npy -r 2 -o f -q").fine();
    for (words, said) in [
        (
            "gray.png --model f",
            ["f: its atoms are plain samples, not patches of images", "`ergodict image learn`"],
        ),
        ("gray.png --model m --patch 4", ["--model", "--patch"]),
        ("gray.png --model m -r 4", ["--model", "--atoms"]),
        ("gray.png --sigma -1", ["sigma is -1", "not negative"]),
        ("gray.png --sigma nan", ["sigma is NaN", "not negative"]),
        ("gray.png -r 0", ["atoms is 0", "at least one"]),
        ("gray.png --stride 0", ["stride is 0", "at least"]),
        ("gray.png --stride 9", ["stride is 9", "at most 8"]),
        ("gray.png --patch 40", ["gray.png: the patch is 40×40", "at most 24×30"]),
        ("gray.png --reference color.png", ["color.png: has 26×20 pixels", "30×24"]),
        ("none.png", ["none.png: ", ""]),
        ("gray.png -o gray.png", ["IMG gray.png and -o gray.png are the same file", "overwritten"]),
        ("gray.png -o out.jpg", ["images are written as .png", "not .jpg"]),
    ] {
        refused(&bench, &over("image denoise -q -o out.png", words), &said);
    }
}

#[test]
fn configurations_of_other_verbs() {
    let bench = bench();
    bench.run(&format!("spins learn {} -o s -q", spins::SMALL)).fine();
    bench.run(&format!("image learn gray.png {} -o i -q", image::SMALL)).fine();
    let said = ["i: is the configuration of `ergodict image learn`", "not of `ergodict spins learn`"];
    refused(&bench, "spins learn --config i -o m", &said);
    let said = ["s: is the configuration of `ergodict spins learn`", "not of `ergodict image learn`"];
    refused(&bench, "image learn gray.png --config s -o m", &said);
    refused(&bench, "spins learn --config s -o s", &["--config s and -o s", "overwritten"]);
    refused(&bench, "spins turn", &["turn", ""]);
}
