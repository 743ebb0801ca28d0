//! The files of a command: none that it writes is also read, or written twice.

use crate::Common;
use crate::output::{is_standard, refuse_binary};
use anyhow::{Result, bail};
use ergodict::data::MatrixStream;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

/// A file and the flag, or the name of the argument, that it was given by.
pub type NamedPath<'a> = (&'static str, &'a Path);

/// Refuses a file to write that is also an input or another file to write, however it is spelled. `--config` and
/// `--json` are known here.
pub fn check(common: &Common, inputs: &[NamedPath<'_>], outputs: &[NamedPath<'_>]) -> Result<()> {
    let config = common.config.as_deref().map(|path| ("--config", path));
    let written: Vec<_> = outputs.iter().map(|&given| (given, place(given.1))).collect();
    for (flag, path) in inputs.iter().copied().chain(config).filter(|given| !is_standard(given.1)) {
        let read = place(&MatrixStream::file_of(path));
        if let Some(((out, to), _)) = written.iter().find(|(_, place)| place.is_some() && *place == read) {
            bail!(
                "{flag} {} and {out} {} are the same file, which would be overwritten: name another file",
                path.display(),
                to.display()
            );
        }
    }
    let json = common.json.then_some(("--json", Path::new("-")));
    let mut standard = json.into_iter().chain(outputs.iter().copied()).filter(|given| is_standard(given.1));
    if let (Some((one, _)), Some((other, _))) = (standard.next(), standard.next()) {
        let other = format!("{other} -");
        let one = if one == "--json" { one.to_owned() } else { format!("{one} -") };
        bail!("{one} and {other} both write to standard output: give one of them a file");
    }
    for (i, ((one, path), place)) in written.iter().enumerate() {
        if let Some(((other, to), _)) = written[..i].iter().find(|(_, p)| p.is_some() && p == place) {
            bail!(
                "{other} {} and {one} {} are the same file: name two different ones",
                to.display(),
                path.display()
            );
        }
    }
    Ok(())
}

/// Refuses the name of a report or a picture for a model.
pub fn check_model(path: &Path) -> Result<()> {
    refuse_binary(path, std::io::stdout().is_terminal(), "models")?;
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_ascii_lowercase();
    if matches!(&*ending, "html" | "svg" | "png" | "pdf") {
        let path = path.display();
        bail!(
            "-o {path}: a model is not written as .{ending}; use .safetensors, and --report for the report"
        );
    }
    Ok(())
}

/// Where a file is, or would be; none for standard streams, pipes and devices, which can be named twice.
fn place(path: &Path) -> Option<PathBuf> {
    if is_standard(path) || path.metadata().is_ok_and(|meta| !meta.is_file() && !meta.is_dir()) {
        return None;
    }
    if let Ok(real) = path.canonicalize() {
        return Some(real);
    }
    let whole = std::path::absolute(path).ok()?;
    let (folder, name) = (whole.parent()?, whole.file_name()?);
    Some(folder.canonicalize().unwrap_or_else(|_| folder.to_owned()).join(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn common(json: bool, config: Option<&Path>) -> Common {
        let config = config.map(Path::to_owned);
        Common { seed: 0, threads: None, quiet: false, verbose: false, json, config, show_config: false }
    }

    #[test]
    fn one_file_has_many_names() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("sub")).unwrap();
        std::fs::write(at("there"), "").unwrap();
        let same = |one: &Path, other: &Path| place(one).is_some_and(|p| Some(p) == place(other));
        for (one, other) in [("there", "sub/../there"), ("new", "sub/../new"), ("no/new", "./no/new")] {
            assert!(same(&at(one), &at(other)), "{one} and {other}");
        }
        assert!(!same(&at("there"), &at("new")) && !same(&at("new"), &at("sub/new")));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(at("there"), at("link")).unwrap();
            std::os::unix::fs::symlink(at("sub"), at("folder")).unwrap();
            assert!(same(&at("link"), &at("there")) && same(&at("folder/new"), &at("sub/new")));
            assert!(!same(Path::new("/dev/null"), Path::new("/dev/null")));
        }
    }

    #[test]
    fn binary_data_is_not_printed_on_a_terminal() {
        let (dash, file) = (Path::new("-"), Path::new("m"));
        assert!(refuse_binary(dash, true, "models").is_err());
        assert!(refuse_binary(dash, false, "models").is_ok() && refuse_binary(file, true, "models").is_ok());
    }

    #[test]
    fn standard_streams_meet_only_where_both_are_written() {
        let (dash, file) = (Path::new("-"), Path::new("some-file"));
        assert!(check(&common(false, None), &[("DATA", dash)], &[("-o", dash)]).is_ok());
        assert!(check(&common(true, None), &[], &[("-o", file)]).is_ok());
        assert!(check(&common(true, None), &[], &[("-o", dash)]).is_err());
        assert!(check(&common(false, None), &[], &[("-o", dash), ("--report", dash)]).is_err());
        assert!(check(&common(false, Some(file)), &[], &[("-o", file)]).is_err());
    }
}
