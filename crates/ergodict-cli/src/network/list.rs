//! `ergodict network list`: the networks that come with the program, and those that can be fetched.

use crate::args::Common;
use crate::summary::{Summary, emit};
use anyhow::Result;
use ergodict::data::{Embedded, embedded_names};
use serde::Serialize;
use std::fmt::Write;
use std::process::ExitCode;

/// List built-in networks and those that can be fetched
#[derive(clap::Args)]
#[command(after_long_help = "Example:\n  ergodict network list\n  ergodict network info @karate")]
pub(crate) struct Args {}

pub(crate) fn run(_: &Args, common: &Common) -> Result<ExitCode> {
    let network = |one: &'static Embedded| EmbeddedEntry {
        name: format!("@{}", one.name),
        nodes: one.nodes,
        edges: one.edges,
        description: one.description,
        citation: one.citation,
    };
    let networks = embedded_names().iter().map(network).collect();
    emit(&ListSummary { networks, to_fetch: to_fetch() }, common)?;
    Ok(ExitCode::SUCCESS)
}

/// `ergodict network list`
#[derive(Serialize)]
struct ListSummary {
    /// Networks that come with the program
    networks: Vec<EmbeddedEntry>,
    /// Networks that `ergodict network fetch` downloads; none if the program was built without it
    to_fetch: Vec<FetchEntry>,
}

#[derive(Serialize)]
struct EmbeddedEntry {
    /// Name, which starts with `@`
    name: String,
    /// Number of nodes
    nodes: usize,
    /// Number of edges
    edges: u64,
    /// What it is
    description: &'static str,
    /// Where it is from
    citation: &'static str,
}

#[derive(Serialize)]
struct FetchEntry {
    /// Name
    name: &'static str,
    /// Number of nodes
    nodes: usize,
    /// Number of edges
    edges: u64,
    /// What it is
    description: &'static str,
    /// Where it is from
    citation: &'static str,
    /// Address of the publisher's file
    url: &'static str,
    /// Web address of the publisher
    page: &'static str,
    /// SHA-256 of the list of edges
    content_sha256: &'static str,
}

impl Summary for ListSummary {
    const SCHEMA: &'static str = "ergodict.network-list/1";

    fn text(&self) -> String {
        let width = self.networks.iter().map(|one| one.name.len()).max().unwrap_or(0);
        let mut text = String::new();
        for EmbeddedEntry { name, nodes, edges, description, citation } in &self.networks {
            let _ = writeln!(
                text,
                "{name:<width$}  {nodes:>3} nodes  {edges:>3} edges  {description} ({citation})"
            );
        }
        text += if self.to_fetch.is_empty() {
            "\n`ergodict network fetch` downloads others, in a program built with `--features fetch`\n"
        } else {
            "\nto be fetched from their publishers, by `ergodict network fetch NAME`:\n"
        };
        for FetchEntry { name, nodes, edges, description, citation, .. } in &self.to_fetch {
            let _ =
                writeln!(text, "{name:<12}  {nodes:>5} nodes  {edges:>7} edges  {description} ({citation})");
        }
        text
    }
}

/// The networks that can be fetched: none by a program that was built without `fetch`.
fn to_fetch() -> Vec<FetchEntry> {
    #[cfg(feature = "fetch")]
    let originals = ergodict::data::fetch::originals().iter().map(|one| FetchEntry {
        name: &one.name,
        nodes: one.content.nodes,
        edges: one.content.edges,
        description: one.description,
        citation: one.citation,
        url: &one.url,
        page: &one.page,
        content_sha256: &one.content.sha256,
    });
    #[cfg(not(feature = "fetch"))]
    let originals = std::iter::empty();
    originals.collect()
}
