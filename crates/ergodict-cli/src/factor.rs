//! `ergodict factor`: learns a dictionary from any matrix.

use crate::args::Common;
use crate::learn::Learner;
use crate::saving::Saving;
use crate::scheme::Scheme;
use crate::showing::{self, Showing};
use crate::{input, memory, paths};
use anyhow::{Result, bail};
use ergodict::data::FeedOptions;
use ergodict::dictionary::feed_config;
use ergodict::factor::Parameters;
use ergodict::linalg::Scalar;
use serde_json::Value;
use std::path::PathBuf;
use std::process::ExitCode;

const HELP: &str = "\
Example:
  ergodict factor faces.npy -r 25 -o faces.safetensors --epochs 3 --shuffle --report faces.html

The same run again:
  ergodict factor faces.npy -o again.safetensors --config faces.safetensors";

/// Learn a dictionary from the rows of a matrix, minibatch by minibatch
#[derive(clap::Args)]
#[command(after_long_help = HELP)]
pub(crate) struct Args {
    /// The matrix, one sample a row: .npy, .npz (also FILE.npz:ARRAY), .csv, .tsv, .parquet; - is standard input
    pub(crate) data: PathBuf,
    /// The model file to write; - is standard output
    #[arg(short, long, value_name = "MODEL")]
    pub(crate) out: PathBuf,

    #[command(flatten)]
    pub(crate) scheme: Scheme,
    /// Samples of a minibatch
    #[arg(long, value_name = "N", default_value_t = FeedOptions::default().batch, value_parser = crate::args::number, allow_negative_numbers = true)]
    batch: usize,
    /// How often all samples are seen
    #[arg(long, value_name = "E", default_value_t = FeedOptions::default().epochs, allow_negative_numbers = true)]
    pub(crate) epochs: u64,
    /// Take the samples of each epoch in a random order
    ///
    /// Exact for .npy and uncompressed .npz; within windows of at most 65536 samples for formats that can only be read
    /// in order. The order depends on the seed and on the format.
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL")]
    #[arg(default_value_t = FeedOptions::default().shuffle, hide_possible_values = true, hide_default_value = true)]
    shuffle: bool,
    /// Share of the samples kept apart for a final loss
    #[arg(long, value_name = "FRACTION", default_value_t = FeedOptions::default().holdout)]
    #[arg(allow_negative_numbers = true)]
    holdout: f64,
    /// Take NaN and empty cells for missing entries, which are left out
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL")]
    #[arg(default_value_t = false, hide_possible_values = true, hide_default_value = true)]
    pub(crate) missing: bool,

    #[command(flatten)]
    pub(crate) saving: Saving,
    #[command(flatten)]
    pub(crate) showing: Showing,
    /// Rows and columns of an atom's picture in the report [default: square, if it can be]
    #[arg(long, value_name = "HxW", value_parser = crate::model::shape, hide_short_help = true)]
    pub(crate) shape: Option<(usize, usize)>,
}

pub(crate) fn run(args: &Args, common: &Common) -> Result<ExitCode> {
    if args.scheme.f32 { learn::<f32>(args, common) } else { learn::<f64>(args, common) }
}

fn learn<T: Scalar>(args: &Args, common: &Common) -> Result<ExitCode> {
    args.check(common)?;
    let stream = input::open(&args.data)?;
    let parameters = args.parameters();
    let d = stream.features();
    parameters.check(d)?;
    if let Some((height, width)) = args.shape.filter(|(height, width)| height.checked_mul(*width) != Some(d))
    {
        bail!("--shape is {height}x{width}, but the samples of {} have {d} features", args.data.display());
    }
    let feed = input::feed::<T>(stream, args.feed(common))?;
    let batch = feed.stream().samples().unwrap_or(u64::MAX).min(args.batch as u64);
    let needed = feed.buffer_bytes().saturating_add(args.scheme.memory::<T>(d, batch));
    let what = format!("{} atoms of {d} features in minibatches of {}", parameters.atoms, args.batch);
    memory::check(needed, &what, "lower -r or --batch, or use --f32")?;
    showing::probe(&args.outputs())?;
    if crate::verbose::on() {
        let (format, samples) = (feed.stream().format(), feed.stream().samples());
        let samples = samples.map_or_else(|| "an unknown number of".to_owned(), |n| n.to_string());
        let memory = memory::bytes(needed);
        crate::progress::say(&format!(
            "{}: {format:?}, {samples} samples of {d} features; about {memory} of memory",
            args.data.display()
        ));
    }
    Learner::new(args, common, feed)?.run()
}

impl Args {
    /// Checks what does not need the data.
    fn check(&self, common: &Common) -> Result<()> {
        self.saving.check()?;
        let mut inputs = vec![("DATA", &*self.data)];
        inputs.extend(self.scheme.file().map(|path| ("--init", path)));
        paths::check(common, &inputs, &self.outputs())
    }

    /// What is written.
    fn outputs(&self) -> Vec<paths::Given<'_>> {
        let checkpoint = self.saving.checkpoint.as_deref().map(|path| ("--checkpoint", path));
        [("-o", &*self.out)].into_iter().chain(self.showing.outputs()).chain(checkpoint).collect()
    }

    pub(crate) fn parameters(&self) -> Parameters {
        self.scheme.parameters(&crate::scheme::defaults())
    }

    fn feed(&self, common: &Common) -> FeedOptions {
        FeedOptions {
            batch: self.batch,
            epochs: self.epochs,
            shuffle: self.shuffle,
            seed: common.seed,
            holdout: self.holdout,
        }
    }

    /// Every flag that has a say in the result, with its value: what `--config` takes to give it again.
    pub(crate) fn config(&self, common: &Common) -> Result<Value> {
        let mut config = self.scheme.config(&self.parameters())?;
        feed_config(&mut config, &self.feed(common), self.missing);
        Ok(config)
    }
}
