//! What leaves the program: files that can be written, lines on standard output, errors as one line.

use crate::nearest::file_hint;
use crate::resolved;
use anyhow::{Result, bail};
use ergodict::data::write_atomic;
use ergodict::{Error, Note};
use ergodict_pages::shell::flag;
use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

/// Whether the path is standard input or output.
pub fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Finds out before the work, not after it, whether a file can be written. Leaves nothing behind.
pub fn probe(path: &Path) -> Result<()> {
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
pub fn named(path: &Path, extension: &str, things: &str) -> Result<()> {
    match path.extension().filter(|e| !e.eq_ignore_ascii_case(extension)) {
        Some(other) => bail!(
            "{}: {things} are written as .{extension}, not .{}; use a name that ends in .{extension}",
            path.display(),
            other.display()
        ),
        None => refuse_binary(path, io::stdout().is_terminal(), things),
    }
}

/// Refuses to print what is not text on a terminal.
pub(crate) fn refuse_binary(path: &Path, is_terminal: bool, things: &str) -> Result<()> {
    if is_standard(path) && is_terminal {
        bail!("-o -: {things} are binary, and standard output is a terminal; redirect it, or name a file");
    }
    Ok(())
}

/// Prints on standard output.
pub fn print(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    Ok(out.write_all(printable(text).as_bytes()).and_then(|()| out.flush())?)
}

/// Text without characters that would steer a terminal: names in files may hold any.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    let steers = |c: char| {
        c.is_control() && !matches!(c, '\n' | '\t' | '\r')
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if !text.contains(steers) {
        return Cow::Borrowed(text);
    }
    let escaped = |c: char| if steers(c) { c.escape_unicode().to_string() } else { c.to_string() };
    Cow::Owned(text.chars().map(escaped).collect())
}

/// Writes a file, whole or not at all.
pub fn write(path: &Path, text: &str) -> Result<()> {
    write_bytes(path, text.as_bytes())
}

/// Writes a file of bytes, whole or not at all.
pub fn write_bytes(path: &Path, bytes: &[u8]) -> Result<()> {
    Ok(write_atomic(path, |file| file.write_all(bytes).map_err(Error::io(path)))?)
}

/// Writes a file piece by piece as `fill` makes it, whole or not at all.
pub fn stream(path: &Path, fill: impl FnOnce(&mut (dyn Write + Send)) -> Result<()>) -> Result<()> {
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
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let io = error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>());
    io.map(io::Error::kind).any(|kind| kind == io::ErrorKind::BrokenPipe)
}

/// An error and its causes as one line, without saying anything twice.
pub fn one_line(error: &anyhow::Error) -> String {
    let mut line = String::new();
    for cause in error.chain() {
        let text = describe(cause);
        if !line.contains(&text) {
            line.push_str(if line.is_empty() { "" } else { ": " });
            line.push_str(&text);
        }
    }
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What a cause says, in our words where it is the system's, and by the flag where it is a parameter's.
fn describe(cause: &(dyn std::error::Error + 'static)) -> String {
    match (cause.downcast_ref::<Error>(), cause.downcast_ref::<io::Error>()) {
        (Some(Error::Io { path, source }), _) => {
            let hint = if source.kind() == io::ErrorKind::NotFound { file_hint(path) } else { String::new() };
            format!("{}: {}{hint}", path.display(), in_words(source))
        }
        (Some(Error::Parameter { name, value, expected }), _) if resolved::has_flag(name) => {
            format!("--{name} is {value}, but {expected}")
        }
        (Some(error), _) => error.spelled(&flag),
        (_, Some(source)) => in_words(source),
        _ => cause.to_string(),
    }
}

/// A note of the library, with settings as flags.
pub fn in_flags(note: &Note) -> String {
    note.spelled(&flag)
}

/// Notes of the library, with settings as flags.
pub fn spelled(notes: &[Note]) -> Vec<String> {
    notes.iter().map(in_flags).collect()
}

/// What the system says, without its numbers.
pub fn in_words(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "file not found".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::IsADirectory => "is a folder: expected a file".to_owned(),
        io::ErrorKind::NotADirectory => "a part of its path is a file, not a folder".to_owned(),
        io::ErrorKind::FileTooLarge => "is too large".to_owned(),
        io::ErrorKind::StorageFull => "the disk is full".to_owned(),
        io::ErrorKind::ReadOnlyFilesystem => "the disk can only be read".to_owned(),
        io::ErrorKind::InvalidFilename => {
            "its name is too long, or has characters that names cannot have".to_owned()
        }
        io::ErrorKind::UnexpectedEof => "ends too early: it is cut off".to_owned(),
        _ => {
            let text = error.to_string();
            text.split(" (os error ").next().map_or(text.clone(), str::to_lowercase)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ergodict::Hint;

    #[test]
    fn the_system_speaks_in_words() {
        for (code, words) in
            [(2, "file not found"), (13, "permission"), (21, "folder"), (28, "full"), (30, "only be read")]
        {
            let error = io::Error::from_raw_os_error(code);
            let line = one_line(&anyhow::Error::from(Error::io(Path::new("/no/where"))(error)));
            assert!(
                line.starts_with("/no/where: ") && line.contains(words) && !line.contains("os error"),
                "{line}"
            );
        }
        assert_eq!(in_words(&io::Error::from_raw_os_error(5)), "input/output error");
    }

    #[test]
    fn nothing_that_is_printed_steers_a_terminal() {
        assert_eq!(
            printable("a\tb\né\u{1b}[2J\u{9b}1m\u{7f}\u{202e}x"),
            "a\tb\né\\u{1b}[2J\\u{9b}1m\\u{7f}\\u{202e}x"
        );
        assert!(matches!(printable("plain\r\n"), Cow::Borrowed(_)));
    }

    #[test]
    fn settings_are_spelled_as_flags() {
        for (setting, value, flag) in [("resume", "true", "--resume"), ("timestamps", "3", "--timestamps=3")]
        {
            let hint = Some(Hint { setting, value: value.to_owned() });
            let error = Error::Format { path: "a".into(), line: None, problem: "is so".to_owned(), hint };
            assert_eq!(one_line(&error.into()), format!("a: is so ({flag})"));
        }
    }
}
