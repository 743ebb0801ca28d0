//! Homomorphisms and their patches as files.

use crate::{interrupt, output};
use anyhow::{Result, bail};
use ergodict::Error;
use ergodict::data::{NodeIds, npy_header, write_name};
use ergodict::patch::NetworkPatches;
use ergodict::run::MotifRecorder;
use std::io::Write;
use std::path::Path;

/// What is written of recorders.
pub(in crate::network) struct Outputs<'a> {
    /// The homomorphisms: an array, or text.
    pub(in crate::network) samples: Option<&'a Path>,
    /// Their patches, an array.
    pub(in crate::network) patches: Option<&'a Path>,
    /// How many there are.
    pub(in crate::network) count: u64,
}

impl Outputs<'_> {
    /// Writes all; false when interrupted meanwhile.
    pub(in crate::network) fn write(
        &self,
        recorders: &[MotifRecorder],
        patches: &NetworkPatches,
    ) -> Result<bool> {
        let (network, k) = (patches.network(), patches.k());
        if let Some(out) = self.samples {
            let is = |end: &str| out.extension().is_some_and(|e| e.eq_ignore_ascii_case(end));
            let (as_array, between) = (is("npy"), if is("csv") { b',' } else { b'\t' });
            let header = if as_array { npy_header("<i8", self.count, &[k]) } else { Vec::new() };
            let one = |bytes: &mut Vec<u8>, x: &[u32]| {
                if as_array {
                    numbers(bytes, x, network.ids());
                    return Ok(());
                }
                names(bytes, x, network.ids(), between)
            };
            if !each(out, &header, recorders, k, one)? {
                return Ok(false);
            }
        }
        let Some(out) = self.patches else { return Ok(true) };
        let weighted = network.is_weighted();
        let header = npy_header(if weighted { "<f8" } else { "|u1" }, self.count, &[k * k]);
        let mut column = vec![0.0f64; k * k];
        each(out, &header, recorders, k, |bytes, x| {
            patches.write(x, &mut column);
            if weighted {
                column.iter().for_each(|v| bytes.extend_from_slice(&v.to_le_bytes()));
            } else {
                bytes.extend(column.iter().map(|v| u8::from(*v > 0.0)));
            }
            Ok(())
        })
    }
}

/// Writes a header and, for each homomorphism, what `one` makes of it; false when interrupted meanwhile.
fn each(
    out: &Path,
    header: &[u8],
    recorders: &[MotifRecorder],
    k: usize,
    mut one: impl FnMut(&mut Vec<u8>, &[u32]) -> std::io::Result<()>,
) -> Result<bool> {
    let written = output::stream(out, |file| {
        file.write_all(header).map_err(Error::io(out))?;
        let mut bytes = Vec::new();
        for recorder in recorders {
            recorder.each(|xs| {
                if interrupt::asked() {
                    bail!("interrupted");
                }
                bytes.clear();
                xs.chunks_exact(k).try_for_each(|x| one(&mut bytes, x)).map_err(Error::io(out))?;
                Ok(file.write_all(&bytes).map_err(Error::io(out))?)
            })?;
        }
        Ok(())
    });
    match written {
        Err(_) if interrupt::asked() => Ok(false),
        written => written.map(|()| true),
    }
}

/// A homomorphism as eight bytes a node.
fn numbers(bytes: &mut Vec<u8>, x: &[u32], ids: &NodeIds) {
    for &v in x {
        let number = ids.integer(v as usize).unwrap_or(i64::from(v));
        bytes.extend_from_slice(&number.to_le_bytes());
    }
}

/// A homomorphism as a line of names.
fn names(bytes: &mut Vec<u8>, x: &[u32], ids: &NodeIds, between: u8) -> std::io::Result<()> {
    for (i, &v) in x.iter().enumerate() {
        if i > 0 {
            bytes.push(between);
        }
        match ids.integer(v as usize) {
            Some(number) => write!(bytes, "{number}")?,
            None => bytes.extend_from_slice(write_name(&ids.name(v as usize))?.as_bytes()),
        }
    }
    bytes.push(b'\n');
    Ok(())
}
