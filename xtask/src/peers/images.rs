//! `cargo xtask peers images`: photographs and textures denoised by ours and by other methods.
//!
//! The work is that of `benchsuite/peers/images.py`; here its environment and our package are made ready, and the page is written.

use super::graphs::parse;
use super::networks::{lines, packages, publish};
use super::setup::environment;
use super::single_threaded;
use super::table::load;
use crate::place::{command, root, succeed, target};
use crate::wheel;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::process::Stdio;

const SCRIPT: &str = "benchsuite/peers/images.py";

const PROTOCOL: &str = "\
Images come with scikit-image, scikit-learn and matplotlib; noise is white and not clipped, and the same for every method. Cells: PSNR in dB, the best of a row in bold. Every method is given σ but \
`ergodict, σ estimated`, and has otherwise its defaults; nl_means has `h=0.8σ, sigma=σ, patch_size=5, patch_distance=6, fast_mode=True`; scikit-learn learns 128 atoms of 8×8 patches of the noisy image, codes all of them by orthogonal matching pursuit to 64 (1.1σ)², and takes the mean (more atoms, fewer positions or 1.15σ had less on camera and brick). Settings of ours were chosen on the first half of the images; the others were held back. CPU time is that of one \
thread, learning included.\n";

/// Denoises, prints the tables and writes them under `benchsuite/runs`. `--package FOLDER` measures the package in that folder instead of a wheel that
/// is built; other arguments go to the script.
pub(super) fn run(arguments: &[String]) -> Result<bool> {
    let (package, rest) = parse(arguments)?;
    let target = target()?;
    let folder = target.strip_prefix(root()).unwrap_or(&target).join("peers/images");
    std::fs::create_dir_all(root().join(&folder))
        .with_context(|| format!("cannot make {}", folder.display()))?;
    std::fs::copy(root().join("benchsuite/peers/images.txt"), root().join(&folder).join("requirements.txt"))?;
    let python = environment(&folder)?;
    let mut script = single_threaded(&python);
    script.arg(SCRIPT);
    if let Some(folder) = &package {
        script.arg("--package").arg(folder);
    } else {
        let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"];
        succeed(command(root().join(&python)).args(pip).arg(wheel::make("release")?))?;
    }
    let before = load();
    let output = script.args(&rest).stderr(Stdio::inherit()).output().context("cannot start Python")?;
    if !output.status.success() {
        bail!("{SCRIPT} failed ({})", output.status);
    }
    let raw = String::from_utf8_lossy(&output.stdout);
    let page = page(&lines(&raw))?;
    if rest.iter().any(|word| word == "--quick") {
        println!("{page}");
        return Ok(true);
    }
    let records: String = raw
        .lines()
        .filter(|line| !line.contains("\"page\""))
        .fold(String::new(), |text, line| text + line + "\n");
    publish("images", "Images denoised beside other methods", &before, &page, &records)?;
    Ok(true)
}

/// What was run, the protocol, and the tables that the script made.
fn page(lines: &[Value]) -> Result<String> {
    let last = lines.last().context("the script printed nothing")?;
    let (about, tables) = (&last["about"], last["page"].as_str().context("the script printed no table")?);
    let packages = packages(about)?.join(", ");
    Ok(format!(
        "- the middle {0}×{0} pixels of each image; {packages}\n\n{PROTOCOL}\n{tables}",
        about["side"]
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_page_has_the_packages_and_the_tables() {
        let about = json!({ "packages": { "bm3d": "4" }, "side": 512 });
        let text = page(&[json!({ "method": "x" }), json!({ "about": about, "page": "TABLE" })]).unwrap();
        for part in ["bm3d 4", "512×512", "TABLE"] {
            assert!(text.contains(part), "{part} in {text}");
        }
        assert!(page(&[]).is_err() && page(&[json!({ "method": "x" })]).is_err());
    }
}
