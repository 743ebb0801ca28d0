//! The report pages in a real browser: they open from disk, ask nothing of the network, and what one can do there works.
//!
//! Without a browser the tests are skipped loudly, and fail where `CI=true`. Screenshots are kept in the target folder
//! under `tmp/browser`.

mod chromium;
// The page that has one of everything, as people look at it.
#[path = "../../../ergodict-report/examples/gallery.rs"]
#[allow(dead_code, unreachable_pub)]
mod sample;

use chromium::{Browser, find, folder};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Largest page of a usual run.
const LARGEST: u64 = 2_000_000;

/// A browser, or none when there is none to be had.
fn browser() -> Option<Browser> {
    if let Some(program) = find() {
        return Some(Browser::start(&program));
    }
    let said =
        "no chromium, chromium-browser or google-chrome on the path: install one or name it in CHROMIUM";
    assert!(std::env::var("CI").as_deref() != Ok("true"), "{said}");
    eprintln!("\n=== SKIPPED: {said} ===\n");
    None
}

/// Runs `ergodict` in `folder`.
fn ergodict(folder: &Path, words: &str) {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("ergodict"));
    let output = command.current_dir(folder).args(words.split(' ')).arg("-q").output().unwrap();
    assert!(output.status.success(), "ergodict {words}: {}", String::from_utf8_lossy(&output.stderr));
}

fn url(file: &Path) -> String {
    format!("file://{}", file.canonicalize().unwrap().display())
}

/// Opens all folded parts.
const UNFOLD: &str = "document.querySelectorAll('details').forEach(e => { e.open = true; })";

/// What every page promises.
fn check(browser: &mut Browser, file: &Path) {
    let size = std::fs::metadata(file).unwrap().len();
    assert!(size < LARGEST, "{} has {size} bytes", file.display());
    let address = url(file);
    for width in [360, 768, 1100, 1280] {
        browser.width(width, 900);
        browser.open(&address);
        assert!(browser.holds("document.documentElement.classList.contains('js')"), "the script did not run");
        browser.value(UNFOLD);
        let wide = browser.number("document.documentElement.scrollWidth");
        let widest = "[...document.querySelectorAll('main *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1 \
                      && !e.closest('.scroll, pre, svg')).map(e => e.outerHTML.slice(0, 80)).slice(0, 3).join(' | ')";
        let culprits = browser.text(widest);
        assert!(wide <= f64::from(width) && culprits.is_empty(), "{width} px: {wide}: {culprits}");
        // On a screen of usual width tables are seen whole; on narrow ones they scroll.
        let beyond = "[...document.querySelectorAll('.scroll')].map(e => [e.scrollWidth - e.clientWidth, e]) \
                      .filter(([more]) => more > 0).map(([more, e]) => `${more} px of ${e.textContent.slice(0, 60)}`).join()";
        let cut = browser.text(beyond);
        assert!(width < 1100 || cut.is_empty(), "{width} px: tables are cut off by {cut}");
        // Labels of charts and graphs are inside their picture.
        let outside = "[...document.querySelectorAll('svg text')].filter(e => { const s = e.ownerSVGElement.getBoundingClientRect(), \
                       t = e.getBoundingClientRect(); return t.width > 0 && (t.left < s.left - 1 || t.right > s.right + 1); }) \
                       .map(e => e.textContent).slice(0, 3).join(' | ')";
        let labels = browser.text(outside);
        assert!(labels.is_empty(), "{width} px: labels outside their picture: {labels}");
        quiet(browser, &address);
    }
    named(browser);
}

/// No error, no warning, nothing blocked, no request but for the page itself.
fn quiet(browser: &mut Browser, address: &str) {
    browser.value("new Promise(done => requestAnimationFrame(() => setTimeout(done)))");
    for event in &browser.events {
        let told = &event["params"];
        match event["method"].as_str().unwrap_or_default() {
            "Runtime.exceptionThrown" | "Runtime.consoleAPICalled" | "Log.entryAdded" => {
                panic!("the console says {told}")
            }
            "Audits.issueAdded" => {
                let code = told["issue"]["code"].as_str().unwrap_or_default();
                assert_ne!(code, "ContentSecurityPolicyIssue", "{told}");
            }
            "Network.requestWillBeSent" => {
                let asked = told["request"]["url"].as_str().unwrap_or_default();
                let own = asked.split('#').next() == Some(address) || asked.starts_with("data:");
                assert!(own, "the page asks for {asked}");
            }
            _ => {}
        }
    }
}

/// Everything that takes the focus says what it is.
fn named(browser: &mut Browser) {
    let tree = browser.call("Accessibility.getFullAXTree", serde_json::json!({}));
    let mut seen = 0;
    for node in tree["nodes"].as_array().unwrap() {
        let properties = node["properties"].as_array().map_or(&[][..], Vec::as_slice);
        let focusable = |p: &Value| p["name"] == "focusable" && p["value"]["value"] == true;
        if node["ignored"] == true
            || !properties.iter().any(focusable)
            || node["role"]["value"] == "RootWebArea"
        {
            continue;
        }
        seen += 1;
        let name = node["name"]["value"].as_str().unwrap_or_default();
        assert!(!name.trim().is_empty(), "no name: {node}");
    }
    assert!(seen > 0, "nothing on the page takes the focus");
}

/// Light, dark, on a phone and on paper.
fn look(browser: &mut Browser, file: &Path, name: &str) {
    let address = url(file);
    for (scheme, width) in [("light", 1280), ("dark", 1280), ("light", 360)] {
        browser.scheme(scheme);
        browser.width(width, 900);
        browser.open(&address);
        let kind = if width < 500 { "phone" } else { scheme };
        browser.screenshot(&format!("{}-{kind}", name.replace('/', "-")), true);
    }
    browser.print(&name.replace('/', "-"));
}

/// The page that has one of everything.
fn sample_page(browser: &mut Browser, name: &str) -> std::path::PathBuf {
    std::fs::create_dir_all(folder()).unwrap();
    let file = folder().join(format!("{name}.html"));
    std::fs::write(&file, sample::report().unwrap().render()).unwrap();
    browser.width(1280, 900);
    browser.open(&url(&file));
    file
}

const NAMES: &str = "[...document.querySelectorAll('.gallery')[0].querySelectorAll('.cards li:not([hidden]) .caption span:first-child')]\
     .map(e => e.textContent).join()";

#[test]
fn atoms_can_be_sorted_and_filtered() {
    let Some(mut browser) = browser() else { return };
    let file = sample_page(&mut browser, "gallery");
    let first = browser.text(NAMES);
    assert!(first.starts_with("atom 0,atom 7,atom 14"), "{first}");
    browser.click(".direction");
    assert!(browser.text(NAMES).ends_with("atom 14,atom 7,atom 0"));
    let sort = |by: &str| {
        format!(
            "(s => {{ s.value = '{by}'; s.dispatchEvent(new Event('change')); return 0; }})(document.querySelector('.sort'))"
        )
    };
    browser.value(&sort("name"));
    assert!(browser.text(NAMES).starts_with("atom 0,atom 1,atom 2,atom 3"), "names ascend, as numbers");
    browser.value(&sort("2"));
    let edges = "JSON.parse(document.querySelector('.gallery script').textContent).atoms.sort((a, b) => b.s[2] - a.s[2])[0].n";
    let most = browser.text(edges);
    assert!(browser.text(NAMES).starts_with(&most), "scores descend");
    browser.value(&sort("0"));
    assert_eq!(browser.text(NAMES), first);

    // The slider, by the keyboard, leaves out the least one by one.
    browser.focus(".least", 0);
    (0..5).for_each(|_| browser.key("ArrowRight"));
    assert_eq!(browser.text("document.querySelector('.remain').textContent"), "20 of 25 atoms");
    assert_eq!(browser.text(NAMES).split(',').count(), 20);
    (0..5).for_each(|_| browser.key("ArrowLeft"));
    browser.click(".find");
    browser.write("7");
    assert_eq!(browser.text(NAMES), "atom 7", "a number is an atom");
    browser.value("document.querySelector('.find').select()");
    browser.write("babet");
    assert_eq!(browser.text(NAMES).split(',').count(), 5, "the atoms whose examples have the node");
    browser.value("document.querySelector('.find').select()");
    browser.write("nobody");
    assert_eq!(browser.text("document.querySelector('.remain').textContent"), "0 of 25 atoms");

    let shows =
        |what: &str| format!("getComputedStyle(document.querySelector('.card {what}')).display !== 'none'");
    assert!(browser.holds(&shows(".sketch")) && !browser.holds(&shows(".tile")));
    browser.click(".switch label:last-child");
    assert!(!browser.holds(&shows(".sketch")) && browser.holds(&shows(".tile")));
    quiet(&mut browser, &url(&file));
}

#[test]
fn an_atom_is_enlarged_and_read_cell_by_cell() {
    let Some(mut browser) = browser() else { return };
    let file = sample_page(&mut browser, "dialog");
    let open = "document.querySelector('dialog[open]')";
    let title = "document.querySelector('dialog[open] h2').textContent";
    browser.click(".cards li:nth-child(2) .card");
    assert_eq!(browser.text(title), "Atom 7");
    browser.screenshot("dialog-light", false);
    browser.key("ArrowRight");
    assert_eq!(browser.text(title), "Atom 14");
    browser.click("dialog[open] header button");
    assert_eq!(browser.text(title), "Atom 7");
    browser.key("ArrowLeft");
    browser.key("ArrowLeft");
    assert_eq!(browser.text(title), "Atom 18", "from the first to the last");
    browser.key("ArrowRight");
    browser.key("ArrowRight");

    // The value of a cell is that of the atom.
    browser.hover("dialog[open] .matrix", (0.5 / 12.0, 1.5 / 12.0));
    let told = browser.text("document.querySelector('dialog[open] output').textContent");
    assert!(told.starts_with("row 2, column 1: 0."), "{told}");
    browser.focus("dialog[open] .matrix", 0);
    browser.key("ArrowRight");
    let told = browser.text("document.querySelector('dialog[open] output').textContent");
    assert_eq!(told, "row 2, column 2: 0", "there are no loops");
    browser.key("ArrowDown");
    assert!(
        browser
            .text("document.querySelector('dialog[open] output').textContent")
            .starts_with("row 3, column 2: 0.")
    );
    assert_eq!(browser.text(title), "Atom 7", "arrow keys on the matrix do not leave the atom");

    // Twelve places, of which the last is where the walk began: eleven nodes with a name each.
    let example = "document.querySelector('dialog[open] .examples figure')";
    assert_eq!(browser.number(&format!("{example}.querySelectorAll('.node').length")), 11.0);
    let names =
        browser.text(&format!("[...{example}.querySelectorAll('.node')].map(e => e.dataset.tip).join()"));
    assert!(names.starts_with("Javert,Cosette,Marius,Babet"), "{names}");
    assert!(
        browser
            .text(&format!("{example}.querySelector('figcaption').textContent"))
            .ends_with("% of this patch")
    );
    browser.hover("dialog[open] .examples .node", (0.5, 0.5));
    assert_eq!(browser.text("document.querySelector('.tip:not([hidden])').textContent"), "Javert");

    browser.key("Escape");
    assert!(!browser.holds(open));
    let focus = "document.activeElement.getAttribute('aria-label')";
    assert!(browser.text(focus).starts_with("atom 7, dominance"), "focus returns to the card");
    browser.key("Enter");
    assert_eq!(browser.text(title), "Atom 7");
    named(&mut browser);
    browser.click("dialog[open] header button:last-child");
    assert!(!browser.holds(open));

    browser.scheme("dark");
    browser.key("Enter");
    browser.screenshot("dialog-dark", false);
    browser.key("Escape");
    browser.scheme("light");
    browser.width(360, 780);
    browser.key("Enter");
    assert!(browser.holds(&format!("{open}.scrollWidth <= innerWidth")));
    browser.screenshot("dialog-phone", false);
    browser.value("document.querySelector('dialog[open] .examples').scrollIntoView()");
    browser.screenshot("dialog-phone-examples", false);
    browser.key("Escape");
    quiet(&mut browser, &url(&file));
}

#[test]
fn charts_tables_and_frames_answer() {
    let Some(mut browser) = browser() else { return };
    let file = sample_page(&mut browser, "everything");
    let tip = "document.querySelector('.tip:not([hidden])')";
    browser.hover("svg.chart", (0.6, 0.5));
    let told = browser.text(&format!("{tip}.textContent"));
    for name in ["samples seen", "surrogate", "minibatch", "held out"] {
        assert!(told.contains(name), "{told}");
    }
    browser.screenshot("chart-hover", false);
    // The curve of chart 2 is sin(t / 4), with a dot at each step: the crosshair shows the values of the dots.
    browser.focus("svg.chart", 1);
    browser.key("ArrowRight");
    (0..6).for_each(|_| browser.key("ArrowRight"));
    let cells = browser.text(&format!("[...{tip}.querySelectorAll('td')].map(e => e.textContent).join('|')"));
    let cells: Vec<&str> = cells.split('|').collect();
    // sin(1.5) is 0.997495.
    assert_eq!(cells, ["step", "6", "magnetization", "0.99749"]);

    browser.click(".legend-keys button:nth-child(2)");
    assert_eq!(
        browser.text("document.querySelectorAll('.legend-keys button')[1].getAttribute('aria-pressed')"),
        "false"
    );
    browser.hover("svg.chart", (0.6, 0.5));
    assert!(!browser.text(&format!("{tip}.textContent")).contains("minibatch"));
    browser.focus(".legend-keys button", 1);
    browser.key("Enter");
    assert_eq!(
        browser.text("document.querySelectorAll('.legend-keys button')[1].getAttribute('aria-pressed')"),
        "true"
    );

    browser.hover("svg.heat .cell", (0.5, 0.5));
    assert!(browser.text(&format!("{tip}.textContent")).starts_with("facebook, facebook: 0."));
    browser.focus("svg.heat", 0);
    browser.key("ArrowRight");
    browser.key("ArrowDown");
    assert!(browser.text(&format!("{tip}.textContent")).starts_with("ppi_pathways, facebook: 0."));
    browser.hover("svg.bars .cell", (0.5, 0.9));
    assert_eq!(browser.text(&format!("{tip}.textContent")), "1: 400");

    let column = "[...document.querySelectorAll('.scroll tbody tr')].map(r => r.cells[2].textContent).join()";
    let sorted = |text: &str| {
        let values: Vec<f64> = text.split(',').map(|v| v.parse().unwrap()).collect();
        (values.is_sorted_by(|a, b| a >= b), values.is_sorted())
    };
    browser.click(".scroll th:nth-child(3) button");
    assert_eq!(sorted(&browser.text(column)), (true, false));
    assert_eq!(
        browser.text("document.querySelectorAll('.scroll th')[2].getAttribute('aria-sort')"),
        "descending"
    );
    browser.key("Enter");
    assert_eq!(sorted(&browser.text(column)), (false, true));

    let frame = "[...document.querySelectorAll('.strip li')].filter(e => e.offsetParent).map(e => e.textContent.trim()).join()";
    assert_eq!(browser.text(frame), "step 0");
    browser.focus(".player input", 0);
    browser.key("ArrowRight");
    assert_eq!(browser.text(frame), "step 1000");
    browser.click(".player button");
    browser.until("document.querySelector('.player input').value > 3");
    browser.click(".player button");

    let paper = "getComputedStyle(document.body).backgroundColor";
    let light = browser.text(paper);
    browser.click(".theme");
    assert_eq!(browser.text(paper), light, "light by hand");
    browser.click(".theme");
    assert_ne!(browser.text(paper), light, "dark by hand");
    quiet(&mut browser, &url(&file));
    check(&mut browser, &file);
    look(&mut browser, &file, "everything");
}

/// Opens the first card of a page, and what it is folded in.
fn enlarge(browser: &mut Browser, file: &Path, name: &str) {
    browser.width(1280, 900);
    browser.open(&url(file));
    if browser.holds("document.querySelector('.card').closest('details:not([open])')") {
        browser.click("details:has(.card) > summary");
    }
    browser.click(".card");
    assert!(browser.holds("document.querySelector('dialog[open] .matrix')"), "{name}");
    browser.screenshot(&format!("{}-dialog", name.replace('/', "-")), false);
    browser.key("Escape");
    quiet(browser, &url(file));
}

#[test]
fn pages_of_the_commands_open_from_disk() {
    let Some(mut browser) = browser() else { return };
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let random = |n: u64| n.wrapping_mul(6_364_136_223_846_793_005) >> 33;
    let contact = |n: u64| {
        format!("{},{},2023-0{}-{:02}\n", random(n) % 30, 30 + random(n + 9999) % 30, 1 + n / 200, 1 + n % 28)
    };
    let contacts: String = (0..1200).map(contact).collect();
    std::fs::write(at.join("times.csv"), format!("source,target,time\n{contacts}")).unwrap();
    let row =
        |n: u64| (0..8).map(|j| format!("0.{:04}", random(n * 8 + j) % 10_000)).collect::<Vec<_>>().join(",");
    let rows: String = (0..200).map(|n| row(n) + "\n").collect();
    std::fs::write(at.join("x.csv"), format!("apple,pear,plum,fig,kiwi,lime,date,nut\n{rows}")).unwrap();
    for words in [
        "network learn @lesmis -k 10 -r 16 --steps 40 --batch 50 -o net --report network-learn.html",
        "network learn @lesmis -k 10 -r 16 --steps 40 --batch 50 --seed 1 -o other",
        "report net other -o report.html",
        "network reconstruct @lesmis --model net --samples 3000 -o rebuilt.tsv --report network-reconstruct.html",
        "network compare @lesmis @karate -k 6 -r 6 --steps 15 --batch 40 --samples 3000 --report network-compare.html",
        "network corrupt @lesmis --add 0.3 -o noisy.txt --truth truth.tsv",
        "network denoise noisy.txt --pairs truth.tsv --method resource-allocation -o scores.tsv --report network-denoise.html",
        "network denoise noisy.txt -o scores-ensemble.tsv --report network-suspicious.html",
        "network denoise @lesmis --pairs non-edges --top 20 -o missing.tsv --report network-missing.html",
        "evaluate scores.tsv truth.tsv --report evaluate.html",
        "evaluate scores-ensemble.tsv scores.tsv truth.tsv --report evaluate-several.html",
        "network info @lesmis --report network-info.html",
        "network sample @lesmis -k 6 --sampler pivot --chains 2 --count 500 --report network-sample.html",
        "network learn @karate -k 4 -r 3 --static -o static --report network-static.html",
        "network learn times.csv --timestamps --window 30d -k 4 -r 4 --steps 20 -o time --report network-time.html",
        "spins learn -r 9 --size 60 --patch 10 --patches 100 --updates 100000 --every 2000 -o spin --report spins-learn.html",
        "spins learn -r 9 --size 60 --patch 10 --patches 100 --updates 100000 --temperature 2.0,2.6 --every 2000,5000 -o spins --report spins-compare.html",
        "spins simulate --size 30 --updates 100000 --every 200 --chains 2 --observables energy,magnetization,cluster -o spins.npy --report spins-simulate.html",
        "spins reconstruct spin spins-chain0.npy -o again.npy --report spins-reconstruct.html",
        "spins scan --size 6 --from 1.5 --to 3.5 --temperatures 4 --sweeps 60 --report spins-scan.html",
        "factor x.csv -r 3 -o table --report factor.html",
        "demo -o demo",
        "image learn @tessellation -r 9 --patch 8 --patches 300 --steps 8 -o image --report image-learn.html",
        "image reconstruct image @tessellation -o again.png --report image-reconstruct.html",
        "image denoise @tessellation-noisy --gray --stride 4 -o clean.png --report image-denoise.html",
    ] {
        ergodict(at, words);
    }
    for (name, cards) in [
        ("network-learn", true),
        ("report", true),
        ("network-reconstruct", true),
        ("network-compare", false),
        ("network-denoise", false),
        ("network-suspicious", false),
        ("network-missing", false),
        ("network-info", false),
        ("network-sample", false),
        ("network-static", true),
        ("network-time", true),
        ("evaluate", false),
        ("evaluate-several", false),
        ("spins-learn", true),
        ("spins-compare", false),
        ("spins-simulate", false),
        ("spins-reconstruct", true),
        ("spins-scan", false),
        ("factor", true),
        ("demo/report", true),
        ("image-learn", true),
        ("image-reconstruct", true),
        ("image-denoise", true),
    ] {
        let file = at.join(format!("{name}.html"));
        check(&mut browser, &file);
        look(&mut browser, &file, name);
        if cards {
            enlarge(&mut browser, &file, name);
        }
    }
}

#[test]
fn names_of_nodes_are_text_whatever_they_hold() {
    let Some(mut browser) = browser() else { return };
    let folder = tempfile::tempdir().unwrap();
    let evil = [
        "</script><script>alert(1)</script>",
        "<img src=x onerror=alert(2)>",
        "a\"b'c&amp;",
        "\u{2028}",
        "日本",
    ];
    let pair = |i: usize, j: usize| format!("{}\t{}\n", evil[i], evil[j]);
    let edges: String =
        [(4, 0), (0, 1), (1, 2), (2, 3), (3, 4), (0, 2)].iter().map(|&(i, j)| pair(i, j)).collect();
    std::fs::write(folder.path().join("net.tsv"), edges).unwrap();
    ergodict(folder.path(), "network learn net.tsv -k 4 -r 3 --steps 10 -o m --report evil.html");
    let file = folder.path().join("evil.html");
    check(&mut browser, &file);
    enlarge(&mut browser, &file, "evil");
    let names = browser.text("JSON.parse(document.querySelector('.gallery script').textContent).atoms.flatMap(a => a.x || []).flatMap(x => x.n || []).join(' ')");
    for name in evil {
        assert!(names.contains(name), "{name} is not among {names}");
    }
}

#[test]
fn without_a_script_everything_is_there_but_what_moves() {
    let Some(mut browser) = browser() else { return };
    let file = sample_page(&mut browser, "no-script");
    browser.call("Emulation.setScriptExecutionDisabled", serde_json::json!({ "value": true }));
    browser.width(1280, 900);
    browser.open(&url(&file));
    browser.screenshot("no-script", true);
    let count = |browser: &mut Browser, what: &str| {
        browser.number(&format!("document.querySelectorAll('{what}').length"))
    };
    assert_eq!(count(&mut browser, "html.js"), 0.0, "a script ran");
    assert!(count(&mut browser, ".cards .card svg") > 20.0 && count(&mut browser, "svg.chart") > 1.0);
    assert!(count(&mut browser, ".strip img") > 1.0);
}
