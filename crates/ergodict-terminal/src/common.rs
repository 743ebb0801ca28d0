//! The flags that every verb has.

use anyhow::{Result, anyhow, bail};
use std::path::PathBuf;

/// What every verb knows.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Common options")]
#[expect(clippy::struct_excessive_bools, reason = "they are flags")]
pub struct Common {
    /// Random seed; the same seed gives the same bytes
    #[arg(long, global = true, value_name = "N", default_value_t = 0, allow_negative_numbers = true)]
    pub seed: u64,
    /// Number of threads, which never changes results [default: all cores]
    #[arg(short = 'j', long, global = true, value_name = "N", allow_negative_numbers = true)]
    pub threads: Option<usize>,
    /// Print errors only
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Also print the optimizer, the sampler, memory and times
    #[arg(short, long, global = true, hide_short_help = true)]
    pub verbose: bool,
    /// Print a summary as JSON on standard output
    #[arg(long, global = true)]
    pub json: bool,
    /// Flags from a TOML file or an earlier output; the command line overrides them
    ///
    /// Models, what --json printed, and most other outputs keep the flags they were made with (docs/formats.md), and give the
    /// same bytes again; inputs and -o stand on the command line.
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Print all flags, with defaults, as a TOML file for --config, and exit
    #[arg(long, global = true, hide_short_help = true)]
    pub show_config: bool,
}

/// Most threads that can be asked for.
const MOST_THREADS: usize = 1024;

impl Common {
    /// Starts the threads that all work shares.
    pub(crate) fn start_threads(&self) -> Result<()> {
        if self.threads == Some(0) {
            bail!("--threads is 0, but at least one is needed (leave it out to use all cores)");
        }
        // More bring nothing on any machine there is, and a slip of the finger would bring this one down.
        if let Some(threads) = self.threads.filter(|threads| *threads > MOST_THREADS) {
            bail!("--threads is {threads}, but {MOST_THREADS} is the most (leave it out to use all cores)");
        }
        // The library that starts them reads these where nothing is said.
        for name in ["RAYON_NUM_THREADS", "RAYON_RS_NUM_CPUS"] {
            let said = std::env::var(name).ok().and_then(|text| text.parse().ok());
            if let Some(threads) =
                said.filter(|threads: &usize| self.threads.is_none() && *threads > MOST_THREADS)
            {
                bail!("{name} is {threads}, but {MOST_THREADS} is the most (unset it to use all cores)");
            }
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads.unwrap_or(0));
        pool.build_global().map_err(|e| anyhow!("the threads cannot be started: {e}"))
    }
}
