//! What leaves the program: files that can be written, lines on standard output, errors as one line.

use anyhow::{Result, bail};
use ergodict::Error;
use ergodict::data::write_atomic;
use std::io::{self, Write};
use std::path::Path;

/// Whether the path is standard input or output.
pub(crate) fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Finds out before the work, not after it, whether a file can be written. Leaves nothing behind.
pub(crate) fn probe(path: &Path) -> Result<()> {
    // Pipes and devices are opened once, when there is something to write.
    if is_standard(path) || path.metadata().is_ok_and(|meta| !meta.is_file() && !meta.is_dir()) {
        return Ok(());
    }
    let mut opened = false;
    let stopped = write_atomic(path, |_| {
        opened = true;
        Err(Error::format(path, None, ""))
    });
    match stopped {
        Err(error) if !opened => Err(error.into()),
        _ => Ok(()),
    }
}

/// Refuses a name that promises another format than `extension`, in which `things` are written.
pub(crate) fn named(path: &Path, extension: &str, things: &str) -> Result<()> {
    match path.extension().filter(|e| !e.eq_ignore_ascii_case(extension)) {
        Some(other) => bail!(
            "{}: {things} are written as .{extension}, not .{}: name the output so",
            path.display(),
            other.display()
        ),
        None => Ok(()),
    }
}

/// Prints on standard output.
pub(crate) fn print(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    Ok(out.write_all(text.as_bytes()).and_then(|()| out.flush())?)
}

/// Writes a file, whole or not at all.
pub(crate) fn write(path: &Path, text: &str) -> Result<()> {
    write_bytes(path, text.as_bytes())
}

/// Writes a file of bytes, whole or not at all.
pub(crate) fn write_bytes(path: &Path, bytes: &[u8]) -> Result<()> {
    Ok(write_atomic(path, |file| file.write_all(bytes).map_err(Error::io(path)))?)
}

/// Writes a file piece by piece as `fill` makes it, whole or not at all.
pub(crate) fn stream(path: &Path, fill: impl FnOnce(&mut (dyn Write + Send)) -> Result<()>) -> Result<()> {
    let mut problem = None;
    let written = write_atomic(path, |file| {
        fill(file).map_err(|error| {
            problem = Some(error);
            Error::format(path, None, "was not finished")
        })
    });
    match problem {
        Some(error) => Err(error),
        None => Ok(written?),
    }
}

/// Whether the reader of our output has gone, which is no error.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let io = error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>());
    io.map(io::Error::kind).any(|kind| kind == io::ErrorKind::BrokenPipe)
}

/// An error and its causes as one line, without saying anything twice.
pub(crate) fn one_line(error: &anyhow::Error) -> String {
    let mut line = String::new();
    for cause in error.chain() {
        let text = cause.to_string();
        if !line.contains(&text) {
            line.push_str(if line.is_empty() { "" } else { ": " });
            line.push_str(&text);
        }
    }
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}
