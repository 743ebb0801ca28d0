//! `ergodict network fetch`: what it takes; the work is there with the feature `fetch`.

#[cfg(feature = "fetch")]
mod work;

use std::path::PathBuf;
#[cfg(feature = "fetch")]
pub(crate) use work::run;

const HELP: &str = "\
What comes is a simple network without directions and weights, its nodes numbered 0, 1, … by the rank of their ids; loops and repeated
edges are dropped. It is checked by its nodes, its edges and the SHA-256 of its list of edges, which `zcat NAME.txt.gz | sha256sum`
prints. A file that has the network already is left alone.

Requires a program built with it: `cargo install --path crates/ergodict-cli --features fetch`.

Without a network: download the file elsewhere (`ergodict network list --json` has the addresses), bring it here and name it by --from.
Proxies are taken from HTTPS_PROXY, HTTP_PROXY and NO_PROXY, other roots of trust from SSL_CERT_FILE.

Example:
  ergodict network fetch facebook
  ergodict network fetch all -o networks
  ergodict network fetch facebook --from Downloads/facebook_combined.txt.gz -o facebook.egr";

/// Download a public network from its publisher, check and convert it
#[derive(clap::Args)]
#[command(after_long_help = HELP)]
pub(crate) struct Args {
    /// facebook, arxiv, ppi_pathways, enron, twitter, or all: the first three, which are the paper's
    #[arg(value_name = "NAME", default_value = "all")]
    name: String,
    /// The file to write, in the format of its name, or the folder for NAME.txt.gz [default: this folder]
    #[arg(short, long, value_name = "FILE|DIR")]
    out: Option<PathBuf>,
    /// Another address of the publisher's file, or the file itself, or the folder it is in
    #[arg(long, value_name = "URL|FILE|DIR")]
    from: Option<String>,
    /// Keep the publisher's file too, next to the output
    #[arg(long)]
    keep: bool,
    /// Take what comes even if it is not the network that is known
    #[arg(long)]
    unchecked: bool,
}

/// Says what this program lacks, and how to get it.
#[cfg(not(feature = "fetch"))]
pub(crate) fn run(_: &Args, _: &crate::args::Common) -> anyhow::Result<std::process::ExitCode> {
    anyhow::bail!(
        "this program was built without `fetch`, which downloads public networks: in a clone of its sources, \
         `cargo install --path crates/ergodict-cli --features fetch` adds it"
    )
}
