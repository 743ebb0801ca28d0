//! What of the book is written by programs: a chapter for each command, and the references of the Python package and of the Rust crates.

use super::tools::Tools;
use crate::place::{Scratch, command, copy_tree, name, root, succeed, target, workspace};
use anyhow::{Context, Result};
use std::path::Path;

/// Folders of `docs` that exist in the book only.
pub(super) const FOLDERS: [&str; 2] = ["docs/commands", "docs/api"];

/// Snapshots of the help of every command, which the tests of the command line keep up to date.
const HELP: &str = "crates/ergodict-cli/tests/cli/help/long";

/// The line of SUMMARY.md below which commands are listed.
const CHAPTER: &str = "- [Command line](command-line.md)\n";

/// Builds the reference of the Python package from its docstrings.
const API: &str = include_str!("api.py");

/// A command and its help.
#[derive(Debug, PartialEq)]
struct Help {
    command: String,
    text: String,
}

impl Help {
    fn file(&self) -> String {
        format!("commands/{}.md", self.command.replace(' ', "-"))
    }

    fn page(&self) -> String {
        let (about, rest) = self.text.split_once("\n\n").unwrap_or((&self.text, ""));
        format!("# `ergodict {}`\n\n{}.\n\n```text\n{}\n```\n", self.command, about.trim(), rest.trim_end())
    }
}

/// Adds a chapter for each command to the sources of the book.
pub(super) fn add_commands(docs: &Path) -> Result<usize> {
    let mut files: Vec<_> =
        std::fs::read_dir(root().join(HELP))?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    files.sort();
    let mut commands = Vec::new();
    for file in files {
        commands.extend(parse(&std::fs::read_to_string(&file)?));
    }
    let summary = docs.join("SUMMARY.md");
    let text = std::fs::read_to_string(&summary)?;
    let (before, after) =
        text.split_once(CHAPTER).with_context(|| format!("docs/SUMMARY.md has no line {CHAPTER}"))?;
    let list: Vec<String> =
        commands.iter().map(|help| format!("  - [{}]({})\n", help.command, help.file())).collect();
    let list = list.concat();
    std::fs::write(summary, format!("{before}{CHAPTER}{list}{after}"))?;
    std::fs::create_dir_all(docs.join("commands"))?;
    for help in &commands {
        std::fs::write(docs.join(help.file()), help.page())?;
    }
    Ok(commands.len())
}

/// The commands of a file of snapshots, without that of the program itself.
fn parse(snapshots: &str) -> Vec<Help> {
    let blocks = snapshots.split("```console\n").skip(1).filter_map(|block| block.split("\n```").next());
    let help = |block: &str| {
        let (first, text) = block.split_once('\n')?;
        let command = first.strip_prefix("$ ergodict ")?.strip_suffix(" --help")?;
        Some(Help { command: command.to_owned(), text: text.to_owned() })
    };
    blocks.filter_map(help).collect()
}

/// Builds the references of Python and Rust into a folder of the site.
pub(super) fn build(api: &Path, tools: &Tools) -> Result<()> {
    let sources = Scratch::new("api")?;
    let mut sphinx = tools.python(&sources.0);
    sphinx.arg("-c").arg(API).arg(&sources.0).arg(api.join("python"));
    succeed(&mut sphinx).context("Sphinx cannot build the reference of the Python package")?;
    // The step `rustdoc` of the tests has the same command, so that the work is done once.
    let mut doc = workspace("doc", "--no-deps --lib --bins --examples");
    println!("$ {}", name(&doc));
    succeed(doc.env("RUSTDOCFLAGS", "-Dwarnings"))?;
    copy_tree(&target()?.join("doc"), &api.join("rust"))
}

/// mdBook on the sources of the book with what is generated.
pub(super) fn mdbook(program: &Path, to: &Path) -> Result<()> {
    let sources = Scratch::new("guide-sources")?;
    let docs = sources.0.join("docs");
    copy_tree(&root().join("docs"), &docs)?;
    copy_tree(&root().join("gallery"), &sources.0.join("gallery"))?;
    println!("{} commands", add_commands(&docs)?);
    let mut build = command(program);
    build.arg("build").arg("--dest-dir").arg(to).arg(&docs);
    println!("$ {}", name(&build));
    let output = build.output().context("cannot start mdbook")?;
    let messages = String::from_utf8_lossy(&output.stderr);
    // It warns of what it cannot make sense of, and continues.
    let failed = !output.status.success() || messages.contains("WARN") || messages.contains("ERROR");
    anyhow::ensure!(!failed, "mdbook failed:\n{}", messages.trim_end());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_come_from_snapshots_of_their_help() {
        let found = parse(
            "```console\n$ ergodict --help\nAll\n```\n\n```console\n$ ergodict a b --help\nDoes it\n\nUsage: x\n\n```\n",
        );
        assert_eq!(found, [Help { command: "a b".into(), text: "Does it\n\nUsage: x\n".into() }]);
        assert_eq!(found[0].file(), "commands/a-b.md");
        assert_eq!(found[0].page(), "# `ergodict a b`\n\nDoes it.\n\n```text\nUsage: x\n```\n");
    }

    #[test]
    fn every_command_of_the_snapshots_is_listed() {
        let folder = Scratch::new("commands").unwrap();
        std::fs::write(folder.0.join("SUMMARY.md"), format!("# x\n{CHAPTER}- [y](y.md)\n")).unwrap();
        let count = add_commands(&folder.0).unwrap();
        let summary = std::fs::read_to_string(folder.0.join("SUMMARY.md")).unwrap();
        assert!(
            count > 30 && summary.contains("\n  - [network learn](commands/network-learn.md)\n"),
            "{summary}"
        );
        assert!(summary.ends_with("- [y](y.md)\n"));
        assert!(folder.0.join("commands/network-learn.md").is_file());
    }
}
