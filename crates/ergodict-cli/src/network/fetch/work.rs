//! Public networks from their publishers, checked and converted.

use super::Args;
use crate::args::Common;
use crate::nearest::hint;
use crate::progress::{Progress, say};
use crate::summary::{Summary, emit};
use crate::text::table;
use crate::{memory, output, paths, reports, shell};
use anyhow::{Result, anyhow, bail};
use ergodict::Error;
use ergodict::data::check_network_name;
use ergodict::data::fetch::{Fetch, Fetched, Fetching, Original, original, originals};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

/// A network and where it goes.
struct Task {
    original: &'static Original,
    out: PathBuf,
    fetch: Fetch,
}

pub(crate) fn run(args: &Args, common: &Common) -> Result<ExitCode> {
    let started = Instant::now();
    let tasks = args.tasks()?;
    for task in &tasks {
        task.check(common)?;
    }
    let mut done = Vec::new();
    for task in &tasks {
        let began = Instant::now();
        let fetched = task.run(args, common)?;
        done.push(task.summary(fetched, began.elapsed().as_secs_f64()));
    }
    emit(&FetchSummary { networks: done, seconds: started.elapsed().as_secs_f64() }, common)?;
    Ok(ExitCode::SUCCESS)
}

/// `ergodict network fetch`
#[derive(Serialize)]
struct FetchSummary {
    /// Networks, in the order they were fetched
    networks: Vec<FetchedNetwork>,
    /// Time of this run
    seconds: f64,
}

#[derive(Serialize)]
struct FetchedNetwork {
    /// Name of the network
    name: &'static str,
    /// File that was written
    out: PathBuf,
    /// Address or file it came from; `null` where `out` had the network already
    from: Option<String>,
    /// Bytes that came, or `null`
    bytes: Option<u64>,
    /// SHA-256 of those bytes, or `null`
    sha256: Option<String>,
    /// Number of nodes
    nodes: usize,
    /// Number of edges
    edges: u64,
    /// SHA-256 of the list of edges
    content_sha256: String,
    /// Whether it is the network that is known
    as_known: bool,
    /// What there is to say, or `null`
    note: Option<String>,
    /// Where the network is from
    citation: &'static str,
    /// Time of this network
    seconds: f64,
}

impl Summary for FetchSummary {
    const SCHEMA: &'static str = "ergodict.network-fetch/1";
}

impl Args {
    fn is_all(&self) -> bool {
        self.name == "all"
    }

    /// What is to be done.
    fn tasks(&self) -> Result<Vec<Task>> {
        let folder = self.out.as_deref().filter(|out| self.is_all() || out.is_dir());
        let found: Vec<&'static Original> = if self.is_all() {
            originals().iter().filter(|one| one.of_the_paper).collect()
        } else {
            let names = originals().iter().map(|one| &*one.name);
            vec![original(&self.name).map_err(|error| anyhow!("{error}{}", hint(&self.name, names)))?]
        };
        if self.is_all() {
            let folder = folder.unwrap_or(Path::new("."));
            reports::probe_folder("-o", folder)?;
            std::fs::create_dir_all(folder).map_err(Error::io(folder))?;
        }
        let task = |original: &'static Original| {
            let name = format!("{}.txt.gz", original.name);
            let out = match (folder, &self.out) {
                (Some(folder), _) => folder.join(name),
                (None, Some(file)) => file.clone(),
                (None, None) => name.into(),
            };
            let beside = out.parent().filter(|_| !output::is_standard(&out)).unwrap_or(Path::new(""));
            let beside = if beside.as_os_str().is_empty() { Path::new(".") } else { beside };
            let keep = self.keep.then(|| beside.to_owned());
            let from = self.place_of(original)?;
            Ok(Task {
                original,
                out,
                fetch: Fetch { from, unchecked: self.unchecked, keep, ..Fetch::default() },
            })
        };
        found.into_iter().map(task).collect()
    }

    /// Where an original is, if that was said. Several are in one folder, here or on a server.
    fn place_of(&self, original: &Original) -> Result<Option<String>> {
        let Some(from) = &self.from else { return Ok(None) };
        if !self.is_all() {
            return Ok(Some(from.clone()));
        }
        if from.contains("://") {
            return Ok(Some(format!("{}/{}", from.trim_end_matches('/'), original.file_name())));
        }
        if Path::new(from).is_dir() {
            return Ok(Some(from.clone()));
        }
        bail!(
            "--from {from}: several networks are fetched: expected the folder that has {}",
            originals()
                .iter()
                .filter(|one| one.of_the_paper)
                .map(Original::file_name)
                .collect::<Vec<_>>()
                .join(", ")
        )
    }
}

impl Task {
    /// Finds out before the work whether the file can be written.
    fn check(&self, common: &Common) -> Result<()> {
        let from = self.fetch.from.as_deref().filter(|from| !from.contains("://")).map(Path::new);
        let inputs: Vec<paths::NamedPath<'_>> = from.map(|from| ("--from", from)).into_iter().collect();
        let kept = self.fetch.keep.as_ref().map(|folder| folder.join(self.original.file_name()));
        let mut outputs: Vec<paths::NamedPath<'_>> = vec![("-o", &self.out)];
        outputs.extend(kept.as_deref().map(|kept| ("--keep", kept)));
        paths::check(common, &inputs, &outputs)?;
        check_network_name(&self.out)?;
        output::probe(&self.out)
    }

    /// Nothing where the file was there.
    fn run(&self, args: &Args, common: &Common) -> Result<Option<Fetched>> {
        let mut progress: Option<Progress> = None;
        let mut seen = |now: Fetching| {
            if now.bytes > 0 {
                let progress =
                    progress.get_or_insert_with(|| Progress::with_unit("bytes", common.quiet, now.total, 0));
                progress.update(now.bytes, || format!("fetching {}", self.original.name));
            }
            // A signal ends the process, and what is not whole with it.
            true
        };
        let written = self.fetch.write(self.original, &self.out, &mut seen);
        progress.iter().for_each(Progress::finish);
        let (_, fetched) = written.map_err(|error| self.explained(args, error))?;
        if !common.quiet {
            self.report(fetched.as_ref());
        }
        Ok(fetched)
    }

    fn report(&self, fetched: Option<&Fetched>) {
        let Some(fetched) = fetched else {
            return say(&format!("{}: has the network {} already", self.out.display(), self.original.name));
        };
        let content = &fetched.content;
        let mut lines = vec![
            (
                "fetched",
                format!("{}: {}, SHA-256 {}", fetched.from, memory::bytes(fetched.bytes), fetched.sha256),
            ),
            ("wrote", format!("{}: {} nodes, {} edges", self.out.display(), content.nodes, content.edges)),
        ];
        lines.push(if fetched.as_known {
            ("checked", format!("the list of edges has the SHA-256 {}, as it should", content.sha256))
        } else {
            ("warning", format!("this is not the network that is known, of {}", self.original.content))
        });
        lines.extend(fetched.note.iter().map(|note| ("note", note.clone())));
        say(&table(&lines));
    }

    fn summary(&self, fetched: Option<Fetched>, seconds: f64) -> FetchedNetwork {
        let content = fetched.as_ref().map_or(&self.original.content, |fetched| &fetched.content).clone();
        FetchedNetwork {
            name: &self.original.name,
            out: self.out.clone(),
            bytes: fetched.as_ref().map(|fetched| fetched.bytes),
            sha256: fetched.as_ref().map(|fetched| fetched.sha256.clone()),
            nodes: content.nodes,
            edges: content.edges,
            content_sha256: content.sha256.into_owned(),
            as_known: fetched.as_ref().is_none_or(|fetched| fetched.as_known),
            note: fetched.as_ref().and_then(|fetched| fetched.note.clone()),
            from: fetched.map(|fetched| fetched.from),
            citation: self.original.citation,
            seconds,
        }
    }

    /// An error with what to do about it.
    fn explained(&self, args: &Args, error: Error) -> anyhow::Error {
        match error {
            Error::NotAsKnown { .. } => anyhow!("{error}; --unchecked takes it nevertheless"),
            Error::Fetch { .. } => {
                let wanted = if args.is_all() {
                    let all = originals().iter().filter(|one| one.of_the_paper);
                    all.map(|one| &*one.url).collect::<Vec<_>>().join(" and ")
                } else {
                    self.original.url.to_string()
                };
                let file = if args.is_all() { "." } else { self.original.file_name() };
                let mut again = format!("ergodict network fetch {} --from {file}", args.name);
                if let Some(out) = &args.out {
                    again.push_str(" -o ");
                    again.push_str(&shell::quoted(&out.to_string_lossy()));
                }
                anyhow!(
                    "{error}; by hand: download {wanted} (elsewhere, if there is no network here) into this folder, and run `{again}`"
                )
            }
            other => other.into(),
        }
    }
}
