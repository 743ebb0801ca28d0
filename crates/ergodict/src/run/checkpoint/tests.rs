use super::*;
use crate::linalg::Mat;
use serde_json::json;

fn identity(steps: u64) -> Identity {
    let inputs = vec![Input { name: "x.csv".into(), digest: "blake3:00".into() }];
    Identity { command: "test".into(), settings: json!({ "steps": steps, "batch": 5 }), inputs, seed: 3 }
}

/// A checkpoint with some sections and a spool.
fn saved(path: &Path) -> Checkpoint {
    let (mut checkpoint, nothing) = Checkpoint::open(path, false, &identity(1)).unwrap();
    assert!(nothing.is_none() && !checkpoint.is_saved());
    let spool = checkpoint.spool("samples", None).unwrap();
    spool.write(b"0123456789").unwrap();
    let mut sections = checkpoint.sections();
    sections.put_json("point", &json!({ "taken": 12 })).unwrap();
    sections.put_u64s("counts", [1, u64::MAX]);
    sections.put_matrix("w", &Mat::<f32>::from_fn(3, 2, |i, j| (i * 10 + j) as f32));
    sections.put_stream("sums", |w| w.write_all(&[7; 1000]).map_err(Error::io(path))).unwrap();
    sections.put("empty", Vec::new());
    checkpoint.save(&sections).unwrap();
    checkpoint
}

#[test]
fn what_is_saved_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    let checkpoint = saved(&path);
    // What is written after it was saved does not count.
    checkpoint.spools[0].write(b"more").unwrap();
    checkpoint.spools[0].sync().unwrap();
    drop(checkpoint);
    assert_eq!(fs::metadata(path.with_extension("samples")).unwrap().len(), 14);
    assert!(!path.with_extension("lock").exists());
    let (mut checkpoint, sections) = Checkpoint::open(&path, true, &identity(1)).unwrap();
    let sections = sections.unwrap();
    assert_eq!(sections.json::<Value>("point").unwrap()["taken"], 12);
    assert_eq!(sections.u64s("counts").unwrap(), [1, u64::MAX]);
    assert_eq!(sections.matrix::<f32>("w").unwrap().col(1), [1.0, 11.0, 21.0]);
    assert_eq!(sections.bytes("sums").unwrap(), [7; 1000]);
    assert!(sections.has("empty") && !sections.has("more"));
    assert!(sections.matrix::<f64>("counts").is_err() && sections.u64s("sums").is_ok());
    let spool = checkpoint.spool("samples", None).unwrap();
    spool.write(b"ab").unwrap();
    let mut text = String::new();
    spool.reader(0).unwrap().read_to_string(&mut text).unwrap();
    spool.write(b"c").unwrap();
    assert_eq!((&*text, spool.len()), ("0123456789ab", 13));
    checkpoint.remove().unwrap();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_second_one_is_refused_while_the_first_is_in_use() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    let first = saved(&path);
    for resume in [false, true] {
        let second = Checkpoint::open(&path, resume, &identity(1)).unwrap_err();
        assert!(matches!(second, Error::Busy { .. }), "{second}");
    }
    drop(first);
    let without = Checkpoint::open(&path, false, &identity(1)).unwrap_err();
    assert!(matches!(without, Error::Exists { .. }), "{without}");
    assert!(path.exists() && path.with_extension("samples").exists());
    Checkpoint::open(&path, true, &identity(1)).unwrap();
}

#[test]
fn another_setting_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    drop(saved(&path));
    let refused = |run: &Identity| Checkpoint::open(&path, true, run).unwrap_err().to_string();
    assert!(refused(&identity(2)).contains("steps was 1 there and is 2 here"));
    assert!(refused(&Identity { seed: 4, ..identity(1) }).contains("seed was 3 there and is 4 here"));
    assert!(
        refused(&Identity { command: "other".into(), ..identity(1) }).contains("was test there and is other")
    );
    assert!(
        refused(&Identity { settings: json!({ "steps": 1 }), ..identity(1) })
            .contains("batch was 5 there and is null")
    );
    assert!(refused(&Identity { inputs: Vec::new(), ..identity(1) }).contains("inputs was 1"));
    let changed = vec![Input { name: "y.csv".into(), digest: "blake3:01".into() }];
    assert!(refused(&Identity { inputs: changed, ..identity(1) }).contains("is of other data: y.csv"));
    Checkpoint::open(&path, true, &identity(1)).unwrap();
}

#[test]
fn every_flipped_byte_and_every_truncation_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    drop(saved(&path));
    let whole = fs::read(&path).unwrap();
    let refused = |bytes: &[u8], what: &str| {
        fs::write(&path, bytes).unwrap();
        let error = Checkpoint::open(&path, true, &identity(1)).expect_err(what);
        assert!(matches!(error, Error::Format { .. }), "{what}: {error}");
    };
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (at % 8);
        refused(&bytes, &format!("byte {at} is flipped"));
        refused(&whole[..at], &format!("cut at {at}"));
    }
    refused(&[&whole[..], b"x"].concat(), "a byte more");
    fs::write(&path, &whole).unwrap();
    // The same for a spool.
    let spool = path.with_extension("samples");
    for bytes in [&b"0123456788"[..], b"012345678", b""] {
        fs::write(&spool, bytes).unwrap();
        let (mut checkpoint, _) = Checkpoint::open(&path, true, &identity(1)).unwrap();
        assert!(matches!(checkpoint.spool("samples", None).unwrap_err(), Error::Format { .. }));
    }
    fs::write(&spool, "0123456789").unwrap();
    Checkpoint::open(&path, true, &identity(1)).unwrap().0.spool("samples", None).unwrap();
}

#[test]
fn foreign_files_and_other_formats_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    let refused = || Checkpoint::open(&path, true, &identity(1)).unwrap_err().to_string();
    fs::write(&path, "a,b\n1,2\n").unwrap();
    assert!(refused().ends_with("is not a checkpoint"));
    fs::remove_file(&path).unwrap();
    drop(saved(&path));
    let mut bytes = fs::read(&path).unwrap();
    bytes[MAGIC.len()] = 9;
    let end = bytes.len() - 32;
    let digest = blake3::hash(&bytes[..end]);
    bytes[end..].copy_from_slice(digest.as_bytes());
    fs::write(&path, bytes).unwrap();
    assert!(refused().contains("format 9"));
    assert!(path.exists());
}

#[test]
fn spools_go_when_there_is_no_checkpoint_to_continue_from() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    let (mut checkpoint, _) = Checkpoint::open(&path, false, &identity(1)).unwrap();
    checkpoint.spool("samples", None).unwrap().write(b"x").unwrap();
    drop(checkpoint);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_spool_may_have_become_an_output() {
    let folder = tempfile::tempdir().unwrap();
    let (path, out) = (folder.path().join("state"), folder.path().join("out"));
    let checkpoint = saved(&path);
    checkpoint.spools[0].publish(&out).unwrap();
    assert_eq!(fs::read(&out).unwrap(), b"0123456789");
    assert!(!path.with_extension("samples").exists());
    // Killed before the checkpoint was removed.
    drop(checkpoint);
    let (mut checkpoint, _) = Checkpoint::open(&path, true, &identity(1)).unwrap();
    let spool = checkpoint.spool("samples", Some(&out)).unwrap();
    spool.publish(&out).unwrap();
    assert_eq!(spool.len(), 10);
    drop(spool);
    drop(checkpoint);
    // Another file of that name is neither taken nor touched.
    fs::write(&out, "0123456789 and more").unwrap();
    let (mut checkpoint, _) = Checkpoint::open(&path, true, &identity(1)).unwrap();
    assert!(checkpoint.spool("samples", Some(&out)).is_err());
    checkpoint.remove().unwrap();
    assert_eq!((fs::read(&out).unwrap().len(), fs::read_dir(folder.path()).unwrap().count()), (19, 1));
}

#[test]
fn publishing_replaces_files_and_leaves_the_spool_when_it_cannot() {
    let folder = tempfile::tempdir().unwrap();
    let (path, out) = (folder.path().join("state"), folder.path().join("out"));
    let checkpoint = saved(&path);
    let spool = &checkpoint.spools[0];
    let refused = |out: &Path| spool.publish(out).unwrap_err().to_string();
    assert!(refused(&folder.path().join("no/such/out")).contains("does not exist"));
    assert!(refused(folder.path()).contains("is a directory"));
    #[cfg(unix)]
    {
        spool.publish(Path::new("/dev/null")).unwrap();
        assert!(path.with_extension("samples").exists());
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&out, &link).unwrap();
        fs::write(&out, "old").unwrap();
        spool.publish(&link).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&out).unwrap(), b"0123456789");
    }
}

/// A process that saves all the time, until it is killed; the test below starts it.
#[test]
#[ignore = "runs until it is killed"]
fn saves_until_killed() {
    let Some(path) = std::env::var_os("ERGODICT_TEST_CHECKPOINT") else { return };
    let (mut checkpoint, _) = Checkpoint::open(Path::new(&path), true, &identity(1)).unwrap();
    let spool = checkpoint.spool("samples", None).unwrap();
    for round in 0..u64::MAX {
        spool.write(&[round as u8; 1000]).unwrap();
        let mut sections = checkpoint.sections();
        sections.put_u64s("rounds", std::iter::repeat_n(round, 20_000));
        checkpoint.save(&sections).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn a_killed_process_leaves_the_old_or_the_new_one_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    for wait in [10, 25, 40] {
        let name = "run::checkpoint::tests::saves_until_killed";
        let mut child = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", name, "--ignored"])
            .env("ERGODICT_TEST_CHECKPOINT", &path)
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        while !path.exists() {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_millis(wait));
        child.kill().unwrap();
        child.wait().unwrap();
        let (mut checkpoint, sections) = Checkpoint::open(&path, true, &identity(1)).unwrap();
        let rounds = sections.unwrap().u64s("rounds").unwrap();
        assert!(rounds.len() == 20_000 && rounds.iter().all(|round| *round == rounds[0]));
        let spool = checkpoint.spool("samples", None).unwrap();
        assert_eq!(spool.len(), 1000 * (rounds[0] + 1));
        checkpoint.remove().unwrap();
    }
}
