//! `ergodict image learn` and `reconstruct`: gray and color, one image and several.

use crate::bench::{Bench, over};
use ergodict::data::Image;
use serde_json::{Value, json};

pub(crate) const SMALL: &str = "-r 6 --patch 4 --patches 40 --steps 8";

/// Stripes of a width that changes, in as many colors.
pub(crate) fn stripes(i: usize, j: usize, c: usize) -> f32 {
    if (i / 3 + j / 5 + c).is_multiple_of(2) { 0.9 } else { 0.15 + 0.1 * c as f32 }
}

/// A gray and a color image.
pub(crate) fn bench() -> Bench {
    let bench = Bench::new();
    bench.put_image("gray.png", (24, 30), 1, stripes);
    bench.put_image("color.png", (20, 26), 3, stripes);
    bench
}

fn learn(bench: &Bench, words: &str) -> Value {
    bench.run(&format!("image learn -o m --json -q {words}")).fine().json()
}

fn rebuild(bench: &Bench, words: &str) -> Value {
    bench.run(&format!("image reconstruct -o out.png --json -q {words}")).fine().json()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

#[test]
fn learns_from_gray_and_color() {
    let bench = bench();
    for (words, features) in [
        ("gray.png", 16),
        ("gray.png --sampling walk", 16),
        ("color.png", 16),
        ("color.png --color", 48),
        ("gray.png --color --boundary free", 48),
        ("gray.png --patch 3x5 --f32", 15),
    ] {
        let summary = learn(&bench, &over(SMALL, words));
        for (key, value) in [
            ("schema", json!("ergodict.image-learn/1")),
            ("model", json!("m")),
            ("features", json!(features)),
            ("atoms", json!(6)),
            ("steps", json!(8)),
            ("samples", json!(320)),
            ("resumed_after_step", json!(null)),
        ] {
            assert_eq!(summary[key], value, "{words}: {key}");
        }
        let model = bench.model("m");
        assert_eq!((&*model.kind, model.w.rows()), ("image", features));
        assert_eq!(summary["config"].as_object(), Some(&model.provenance.config));
        assert_eq!(summary["inputs"][0]["name"], words.split(' ').next().unwrap());
    }
    let said = bench.run(&format!("image learn color.png -o m {SMALL}")).fine().stderr;
    assert!(said.contains("color.png: PNG, 26×20 pixels"), "{said}");
    learn(&bench, "@tessellation -r 4 --patch 5 --patches 50 --steps 3 --report page.html");
    let page = String::from_utf8(bench.bytes("page.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("@tessellation") && page.contains("<svg"));
}

#[test]
fn one_seed_gives_one_model_whatever_the_threads() {
    let bench = bench();
    for flags in ["gray.png", "gray.png color.png --sampling walk", "color.png --color --f32"] {
        let run = |more: &str| {
            learn(&bench, &format!("{SMALL} {flags} {more}"));
            bench.bytes("m")
        };
        let one = run("-j 1");
        assert!(one == run("-j 2") && one == run("--seed 0"), "{flags}");
        assert!(one != run("--seed 1"), "{flags}");
    }
}

#[test]
fn every_image_has_its_say() {
    let bench = bench();
    bench.put_image("black.png", (24, 30), 1, |_, _, _| 0.0);
    for sampling in ["iid", "walk"] {
        let flags = format!("{SMALL} --sampling {sampling}");
        let summary = learn(&bench, &format!("{flags} gray.png color.png --report page.html"));
        let names: Vec<&str> =
            summary["inputs"].as_array().unwrap().iter().map(|i| i["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["gray.png", "color.png"]);
        let page = String::from_utf8(bench.bytes("page.html")).unwrap();
        assert!(page.contains("Reconstruction of gray") && page.contains("Reconstruction of color"));
        let figures = format!("{flags} gray.png gray.png --figures figures-{sampling}");
        learn(&bench, &figures);
        for name in ["atoms", "loss", "reconstruction-of-gray", "reconstruction-of-gray-2"] {
            assert!(bench.path(&format!("figures-{sampling}/{name}.svg")).exists(), "{name}");
        }
        // A black image halves the energy: that share of patches comes from it.
        let energy = |words: &str| {
            learn(
                &bench,
                &format!("{words} --sampling {sampling} -r 1 --patch 4 --patches 200 --steps 20 --lambda 0"),
            );
            bench.model("m").aggregates.a.get(0, 0)
        };
        let ratio = energy("gray.png black.png") / energy("gray.png");
        assert!((ratio - 0.5).abs() < 0.15, "{sampling}: {ratio}");
    }
}

#[test]
fn reconstructs_what_it_has_learned_from() {
    let bench = bench();
    for (image, flags, channels) in [("gray.png", "", 1), ("color.png", "--color", 3)] {
        learn(&bench, &format!("{image} -r 30 --patch 4 --patches 100 --steps 20 --lambda 0.01 {flags}"));
        for (stride, patches) in [(1, None), (2, None), (4, None), (1, Some("--lambda 0.1"))] {
            let more = patches.unwrap_or_default();
            let summary = rebuild(&bench, &format!("m {image} --stride {stride} {more}"));
            let (given, _) = Image::open(&bench.path(image), channels == 3).unwrap();
            let (found, _) = Image::open(&bench.path("out.png"), channels == 3).unwrap();
            assert_eq!((found.shape(), summary["channels"].as_u64()), (given.shape(), Some(channels)));
            assert!(number(&summary["psnr"]) > 20.0, "{image} {stride} {more}: {summary:#}");
            // The file has 8 bits, so its own PSNR is nearly the printed one.
            let n = found.values().len() as f64;
            let square = |(a, b): (&f32, &f32)| f64::from(a - b).powi(2);
            let error: f64 = found.values().iter().zip(given.values()).map(square).sum::<f64>() / n;
            let own = -10.0 * error.log10();
            assert!((own - number(&summary["psnr"])).abs() < 1.0, "{own}: {summary:#}");
            assert_eq!((&summary["stride"], &summary["sigma"]), (&json!(stride), &json!(null)));
        }
    }
    rebuild(&bench, "m gray.png --stride 2 --report page.html");
    assert!(bench.bytes("page.html").starts_with(b"<!DOCTYPE html>"));
    let done = bench.run("image reconstruct m gray.png --stride 2 -o - -q").fine();
    assert!(done.stdout == bench.bytes("out.png"));
}

#[test]
fn independent_positions_and_a_walk_teach_about_the_same() {
    let bench = bench();
    let psnr = |sampling: &str| {
        learn(
            &bench,
            &format!("gray.png -r 16 --patch 4 --patches 200 --steps 40 --sampling {sampling} --lambda 0.05"),
        );
        number(&rebuild(&bench, "m gray.png")["psnr"])
    };
    let (iid, walk) = (psnr("iid"), psnr("walk"));
    // Within 1.2 dB of each other for twenty seeds.
    assert!((iid - walk).abs() < 2.0, "{iid} dB and {walk} dB");
}

#[test]
fn noise_is_taken_away() {
    let bench = bench();
    // Noise of standard deviation 0.1 from a small generator, uniform.
    let noise = |i: usize, j: usize| {
        let mut x = (1 + i * 641 + j) as u64;
        for _ in 0..3 {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            x ^= x >> 29;
        }
        ((x >> 40) as f32 / (1_u64 << 24) as f32 - 0.5) * 0.1 * 12_f32.sqrt()
    };
    let smooth = |i: usize, j: usize| 0.5 + 0.15 * ((i as f32 / 6.0).sin() + (j as f32 / 9.0).cos());
    bench.put_image("clean.png", (40, 40), 1, |i, j, _| smooth(i, j));
    bench.put_image("noisy.png", (40, 40), 1, |i, j, _| smooth(i, j) + noise(i, j));
    learn(
        &bench,
        "noisy.png -r 40 --patch 6 --patches 200 --steps 20 --lambda 0.3 --dictionary ball --code free",
    );
    let denoise = |flags: &str| -> (Value, String) {
        let said = bench.run(&format!("image denoise noisy.png -o out.png --json {flags}")).fine();
        (said.json(), said.stderr)
    };
    for (flags, gain) in
        [("", 5.0), ("--sigma 0.1", 5.0), ("--model m", 2.0), ("--patch 6x5 -r 20 --stride 2 --seed 3", 4.0)]
    {
        let (summary, said) = denoise(&format!("{flags} --reference clean.png"));
        let (before, after) = (number(&summary["reference_psnr_before"]), number(&summary["reference_psnr"]));
        assert!(after > before + gain, "{flags}: {before} dB before, {after} dB after");
        assert!((0.09..0.11).contains(&number(&summary["sigma"])), "{summary:#}");
        assert!(said.contains("Denoised: PSNR 20.") && said.contains("dB against the reference"), "{said}");
    }
    let page = |flags: &str| {
        denoise(&format!("--report page.html {flags}"));
        String::from_utf8(bench.bytes("page.html")).unwrap()
    };
    for (flags, said) in [
        ("--sigma 0.1 --reference clean.png", ["σ = 0.1000 (given", "PSNR 20.", "(reference)"]),
        ("", ["(estimated", "learned from patches of the noisy image", "removed"]),
        ("--model m", ["of the given model", "--model m", "of 40 atoms"]),
    ] {
        let page = page(flags);
        for words in said.iter().chain(&["Denoised image", "fewest atoms", "of 40×40 pixels"]) {
            assert!(page.contains(words), "{flags}: {words}");
        }
        assert!(
            !page.contains("Reconstruction of an image") && !page.contains("without a penalty"),
            "{flags}"
        );
    }
    let (plain, said) = denoise("--sigma 0");
    assert_eq!(plain["psnr"], json!(null), "{plain:#}");
    assert!(said.contains("No noise found"), "{said}");
}

#[test]
fn colors_are_kept_and_gray_files_stay_gray() {
    let bench = bench();
    for (name, flags, channels) in [("color.png", "", 3), ("color.png", "--gray", 1), ("gray.png", "", 1)] {
        let said = bench
            .run(&format!("image denoise {name} --patch 4 -r 30 --sigma 0.05 {flags} -o out.png --json"))
            .fine();
        let summary: Value = said.json();
        assert_eq!(summary["channels"], channels, "{name} {flags}");
        let (found, _) = Image::open(&bench.path("out.png"), true).unwrap();
        assert_eq!(found.without_equal_channels().channels(), channels, "{name} {flags}");
    }
}

#[test]
fn sixteen_bits_transparency_and_other_formats() {
    let bench = bench();
    // A ramp in 16 bits, and the same in 8: nearly the same image.
    let ramp = |i: usize, j: usize| (i * 16 + j) as f32 / 255.0;
    let wide: Vec<u8> =
        (0..256).flat_map(|at| ((ramp(at / 16, at % 16) * 65535.0) as u16).to_be_bytes()).collect();
    bench.put("wide.pgm", [b"P5 16 16 65535\n".as_slice(), &wide].concat());
    let narrow: Vec<u8> = (0..=255).collect();
    bench.put("narrow.pgm", [b"P5 16 16 255\n".as_slice(), &narrow].concat());
    // Transparent black is white.
    let clear = [0_u8, 0, 0, 0].repeat(256);
    let head = b"P7\nWIDTH 16\nHEIGHT 16\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n";
    bench.put("clear.pam", [head.as_slice(), &clear].concat());
    bench.put_image("white.png", (16, 16), 1, |_, _, _| 1.0);
    let w = |name: &str| {
        learn(&bench, &format!("{name} {SMALL}"));
        bench.model("m").w
    };
    let (a, b) = (w("wide.pgm"), w("narrow.pgm"));
    let far =
        (0..6).flat_map(|k| a.col(k).iter().zip(b.col(k)).map(|(x, y)| (x - y).abs())).fold(0.0, f64::max);
    assert!(far < 1e-3, "{far}");
    assert!(w("clear.pam") == w("white.png"));
    let said = bench.run(&format!("image learn wide.pgm -o m {SMALL}")).fine().stderr;
    assert!(said.contains("wide.pgm: PNM, 16×16 pixels, gray, 16 bit"), "{said}");
    // Standard input is an image like any other.
    let done = bench.run_with(&format!("image learn - -o n -q {SMALL}"), &bench.bytes("wide.pgm"));
    done.fine();
    assert!(bench.model("n").w == bench.model("m").w);
}

#[test]
fn constant_images_are_no_trouble() {
    let bench = bench();
    for (name, level) in [("black.png", 0.0), ("mid.png", 0.5), ("white.png", 1.0)] {
        bench.put_image(name, (12, 12), 1, |_, _, _| level);
        learn(&bench, &format!("{name} {SMALL} --report page.html"));
        let summary = rebuild(&bench, &format!("m {name} --report page.html"));
        assert!(
            summary["relative_error"].is_null() || number(&summary["relative_error"]) < 1e-3,
            "{summary:#}"
        );
        let (found, _) = Image::open(&bench.path("out.png"), false).unwrap();
        assert!(found.values().iter().all(|v| (v - level).abs() < 0.01), "{name}");
        bench.run(&format!("image denoise {name} --patch 4 -r 9 -o out.png")).fine();
    }
}

#[test]
fn an_image_of_one_patch() {
    let bench = bench();
    bench.put_image("tiny.png", (4, 4), 1, stripes);
    for flags in ["", "--boundary free", "--sampling walk --boundary free"] {
        learn(&bench, &format!("tiny.png {SMALL} --lambda 0.01 {flags}"));
        let summary = rebuild(&bench, "m tiny.png");
        assert!(number(&summary["psnr"]) > 20.0, "{flags}: {summary:#}");
        assert_eq!(summary["patches"], if flags.contains("free") { 1 } else { 16 });
    }
}

#[test]
fn large_images_get_a_longer_stride_and_smaller_pictures() {
    let bench = bench();
    bench.put_image("large.png", (400, 600), 1, stripes);
    let said = bench.run(&format!("image learn large.png -o m {SMALL} --report page.html")).fine().stderr;
    assert!(said.contains("large.png: PNG, 600×400 pixels"), "{said}");
    // 400×600 patches at stride 1, 200×300 at stride 2, which is just as many as a report has.
    let page = String::from_utf8(bench.bytes("page.html")).unwrap();
    for words in ["(stride 2)", "may differ slightly", "the mean of 2×2 pixels"] {
        assert!(page.contains(words), "{words}");
    }
    bench.run(&format!("image learn large.png large.png -o m -q {SMALL} --report page.html")).fine();
    let page = String::from_utf8(bench.bytes("page.html")).unwrap();
    assert!(page.contains("(stride 3)") && !page.contains("(stride 2)"));
    let said = bench.run("image reconstruct m large.png -o out.png --report page.html").fine().stderr;
    assert!(said.contains("60,000 patches, stride 2 (chosen"), "{said}");
    let page = String::from_utf8(bench.bytes("page.html")).unwrap();
    assert!(page.contains("An image of 600×400 pixels") && page.contains("the mean of 2×2 pixels"));
    let (found, _) = Image::open(&bench.path("out.png"), false).unwrap();
    assert_eq!(found.shape(), (400, 600));
    // Small images are as they were: every patch, pictures of their own size.
    let said = bench.run("image reconstruct m gray.png -o out.png --report page.html").fine().stderr;
    assert!(said.contains("720 patches, stride 1\n"), "{said}");
    let page = String::from_utf8(bench.bytes("page.html")).unwrap();
    assert!(page.contains("(stride 1)") && !page.contains("the mean of"), "{page}");
    let pixels = || Image::open(&bench.path("out.png"), false).unwrap().0.values().to_vec();
    let one = pixels();
    assert_eq!(rebuild(&bench, "m gray.png --stride 1")["stride"], 1);
    assert!(one == pixels());
}
