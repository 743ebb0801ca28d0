//! Runs the blocks of a page in a folder of its own, which has nothing in it but the gallery, and compares what they print with what the page shows.

use super::blocks::Kind;
use super::markdown::{Block, Page};
use super::sessions::{commands, outputs, script};
use super::shown::missing;
use super::tools::Tools;
use crate::place::{Scratch, copy_tree, root, succeed};
use anyhow::{Context, Result, bail};
use std::io::Write;
use std::process::Stdio;
use std::sync::Mutex;
use std::time::Instant;

/// The program that runs blocks, in Python, so that those in Python share a namespace.
const PLAYER: &str = include_str!("play.py");

/// Writes a picture with 128 colors, which takes a third of the bytes and looks like the original.
const SMALLER: &str = "import sys; from PIL import Image; Image.open(sys.argv[1]).convert('RGB').quantize(128).save(sys.argv[2], optimize=True)";

/// Runs pages, two at a time: as many as the smallest machines that run this have cores.
pub(super) fn all(pages: &[&Page], tools: &Tools, pictures: bool) -> Result<()> {
    let (queue, failures) = (Mutex::new(pages.iter()), Mutex::new(Vec::new()));
    let next = || queue.lock().ok().and_then(|mut queue| queue.next().copied());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(page) = next() {
                    if let (Err(error), Ok(mut failures)) = (one(page, tools, pictures), failures.lock()) {
                        println!("{}: FAILED", page.path.display());
                        failures.push(format!("{error:#}"));
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap_or_default();
    if !failures.is_empty() {
        bail!("{}", failures.join("\n\n"));
    }
    Ok(())
}

/// The blocks of a page that are run.
pub(super) fn blocks(page: &Page, pictures: bool) -> impl Iterator<Item = (&Block, Kind)> {
    let wanted = move |kind| matches!(kind, Kind::Console | Kind::Python) || (kind == Kind::Slow && pictures);
    let kinds = page.blocks.iter().filter_map(|block| Some((block, Kind::from_info(&block.info)?)));
    kinds.filter(move |(_, kind)| wanted(*kind))
}

fn one(page: &Page, tools: &Tools, pictures: bool) -> Result<()> {
    let start = Instant::now();
    let blocks: Vec<_> =
        blocks(page, pictures).map(|(block, kind)| (block, kind, commands(&block.text))).collect();
    let name = page.path.display().to_string();
    let folder = Scratch::new(&format!("guide-{}", name.replace(['/', '.'], "-")))?;
    copy_tree(&root().join("gallery"), &folder.0.join("gallery"))?;
    let work: Vec<serde_json::Value> = blocks
        .iter()
        .map(|(block, kind, commands)| {
            let python = *kind == Kind::Python;
            let text = if python { block.text.clone() } else { script(commands) };
            let language = if python { "python" } else { "console" };
            serde_json::json!({ "language": language, "line": block.line, "text": text })
        })
        .collect();
    let work = serde_json::json!({ "page": name, "blocks": work });

    let record = folder.0.join(".printed.json");
    let mut player = tools.python(&folder.0);
    player.arg("-c").arg(PLAYER).arg(&record);
    player.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = player.spawn().context("cannot start Python")?;
    child.stdin.take().context("no standard input")?.write_all(work.to_string().as_bytes())?;
    let output = child.wait_with_output()?;
    if !output.status.success() {
        let talk = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        bail!("{}", talk.concat().replace('\u{1e}', "").trim_end());
    }
    let printed: Vec<String> = serde_json::from_str(&std::fs::read_to_string(&record)?)?;
    let mut count = 0;
    for ((block, kind, commands), printed) in blocks.iter().zip(&printed) {
        if *kind == Kind::Python {
            continue;
        }
        for (command, output) in commands.iter().zip(outputs(commands, printed)) {
            count += 1;
            if let Some(line) = missing(&command.shown, output) {
                let place = format!("{name}:{}", block.line);
                let (words, output) = (&command.words, output.trim());
                bail!("{place}: the page shows\n{line}\nbut `{words}` prints\n{output}");
            }
        }
    }
    take(page, &folder, tools, pictures)?;
    println!("{name}: {} blocks, {count} commands, {:.1} s", blocks.len(), start.elapsed().as_secs_f64());
    Ok(())
}

/// Pictures that the blocks made: taken into the guide, or only looked whether they are there.
fn take(page: &Page, folder: &Scratch, tools: &Tools, pictures: bool) -> Result<()> {
    let slow = page.blocks.iter().any(|block| Kind::from_info(&block.info) == Some(Kind::Slow));
    for picture in &page.pictures {
        let (place, made) =
            (format!("{}:{}", page.path.display(), picture.line), folder.0.join(&picture.made));
        if picture.image.is_empty() {
            bail!("{place}: there is no image before the comment");
        }
        if pictures {
            let image = root().join("docs").join(&picture.image);
            if !made.is_file() {
                bail!("{place}: the blocks did not make {}", picture.made);
            }
            if made.extension().is_some_and(|ending| ending == "png") {
                succeed(tools.python(&folder.0).arg("-c").arg(SMALLER).args([&made, &image]))?;
            } else {
                std::fs::copy(&made, &image).with_context(|| format!("cannot write {}", image.display()))?;
            }
        } else if !slow && !made.is_file() {
            bail!("{place}: the blocks did not make {}", picture.made);
        }
    }
    Ok(())
}
