//! `ergodict network fetch` of a program that was built without it.

use crate::bench::Bench;

#[test]
fn the_verb_is_known_and_says_how_to_get_it() {
    let bench = Bench::new();
    for words in
        ["network fetch", "network fetch facebook --from x --keep -o y", "network fetch facebok --json"]
    {
        let done = bench.run(words);
        assert_eq!((done.code, done.stderr.lines().count()), (Some(2), 1), "{words}: {}", done.stderr);
        for part in ["built without `fetch`", "cargo install --path crates/ergodict-cli --features fetch"] {
            assert!(done.stderr.contains(part), "{words}: {}", done.stderr);
        }
    }
    assert!(bench.files().is_empty());
    let list = bench.run("network list").fine();
    assert!(
        String::from_utf8(list.stdout).unwrap().ends_with("in a program built with `--features fetch`\n")
    );
    assert_eq!(bench.run("network list --json").fine().json()["to_fetch"], serde_json::json!([]));
}
