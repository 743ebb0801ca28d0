//! Which columns of tables are found, and which tables are refused.

use super::*;

fn find(names: &[&str], rows: &[&[&str]]) -> Result<(usize, usize, Option<usize>, Option<usize>), String> {
    let rows: Vec<Vec<&str>> = rows.iter().map(|row| row.to_vec()).collect();
    TableColumns::find(names, &rows, &TableOptions::default())
        .map(|found| (found.source, found.target, found.weight, found.direction))
}

#[test]
fn columns_of_every_tool_are_found() {
    let words: &[&[&str]] = &[&["a", "b"], &["b", "c"]];
    for (names, rows, expected) in [
        (&["Source", "Target"][..], words, (0, 1, None, None)),
        (&[":START_ID(Person)", ":END_ID(Person)"], words, (0, 1, None, None)),
        (&["FromNodeId", "ToNodeId"], words, (0, 1, None, None)),
        (
            &[":START_ID", "since:int", ":END_ID", "Weight:double"],
            &[&["a", "2001", "b", "2"]],
            (0, 2, Some(3), None),
        ),
        (&["person", "friend"], words, (0, 1, None, None)),
        (&["whatever", "else"], words, (0, 1, None, None)),
        (
            &["Source", "Target", "Type", "Id", "Label", "timeset", "Weight"],
            &[&["a", "b", "Directed", "0", "", "", "2"]],
            (0, 1, Some(6), Some(2)),
        ),
        (&["id", "person", "friend"], &[&["0", "a", "b"], &["1", "b", "c"]], (1, 2, None, None)),
        (&["", "from", "to", "strength"], &[&["1", "a", "b", "2"]], (1, 2, Some(3), None)),
        (&["Unnamed: 0", "u", "v", "count"], &[&["1", "a", "b", "2"]], (1, 2, Some(3), None)),
        (&["edge", "protein_A", "protein_B", "city"], &[&["1", "a", "b", "x"]], (1, 2, None, None)),
        (&["source", "target", "type"], &[&["a", "b", "friend"]], (0, 1, None, None)),
        (&["source", "target", "directed"], &[&["a", "b", "true"]], (0, 1, None, Some(2))),
        (&["target", "source", "Weight"], &[&["a", "b", "1"]], (1, 0, Some(2), None)),
        (&["Source", "friend", "age"], &[&["a", "b", "12"]], (0, 1, None, None)),
        (&["p", "q", "age"], &[&["a", "b", "12"], &["b", "c", "14"]], (0, 1, None, None)),
        (&["p", "q", "town"], &[&["a", "b", "Ulm"], &["b", "c", "Ulm"]], (0, 1, None, None)),
        (
            &["t", "i", "j", "Ci", "Cj"],
            &[&["20", "1", "2", "x", "y"], &["40", "2", "3", "y", "y"]],
            (1, 2, None, None),
        ),
        (&["user", "item"], &[&["u1", "i1"], &["u2", "i1"]], (0, 1, None, None)),
        (&["source", "target", "type"], &[&["a", "b", "Mutual"]], (0, 1, None, Some(2))),
        (&["src_ip", "source", "target", "dst_ip"], &[&["a", "b", "c", "d"]], (1, 2, None, None)),
        (&["src_ip", "src_host", "dst_host"], &[&["a", "b", "c"]], (1, 2, None, None)),
        (&["src_ip", "dst_host"], words, (0, 1, None, None)),
        // Ids go with ids, and names with names.
        (
            &["employee_id", "manager_id", "employee_name"],
            &[&["1", "2", "ann"], &["2", "3", "bob"]],
            (0, 1, None, None),
        ),
        (&["sender", "receiver_id", "receiver"], &[&["a", "7", "b"], &["b", "8", "c"]], (0, 2, None, None)),
        (
            &["sender_id", "sender_name", "receiver_name", "receiver_id"],
            &[&["1", "a", "b", "2"], &["2", "b", "c", "3"]],
            (0, 3, None, None),
        ),
        (&["source", "target_id", "target_name"], &[&["1", "2", "b"], &["2", "3", "c"]], (0, 1, None, None)),
        // The partner of an end that is known by its name.
        (&["origin", "destination", "trips"], &[&["1", "2", "30"], &["2", "3", "12"]], (0, 1, None, None)),
        (&["donor", "recipient", "amount"], &[&["1", "2", "30"], &["2", "3", "12"]], (0, 1, None, None)),
        (
            &["donor_id", "recipient_id", "amount"],
            &[&["1", "2", "30"], &["2", "3", "12"]],
            (0, 1, None, None),
        ),
        (
            &["origin_name", "destination_name", "carrier_name"],
            &[&["JFK", "LAX", "Delta"], &["LAX", "SFO", "United"], &["SFO", "JFK", "Delta"]],
            (0, 1, None, None),
        ),
        (&["recipient", "amount", "donor"], &[&["1", "9", "2"], &["2", "8", "3"]], (2, 0, None, None)),
    ] {
        assert_eq!(find(names, rows), Ok(expected), "{names:?}");
    }
}

/// One end is given: the other one has the same kind of values.
#[test]
fn a_given_end_goes_with_the_other_end_of_its_kind() {
    let names = ["sender_id", "sender_name", "receiver_id", "receiver_name"];
    let rows = [vec!["1", "ann", "2", "bob"], vec!["2", "bob", "3", "cat"]];
    let with = |names: &[&str], rows: &[Vec<&str>], source: Option<&str>, target: Option<&str>| {
        let [source, target] = [source, target].map(|name| name.map(str::to_owned));
        let options = TableOptions { source, target, ..TableOptions::default() };
        TableColumns::find(names, rows, &options).map(|found| (found.source, found.target))
    };
    assert_eq!(with(&names, &rows, None, None), Ok((0, 2)));
    assert_eq!(with(&names, &rows, Some("sender_name"), None), Ok((1, 3)));
    assert_eq!(with(&names, &rows, Some("sender_id"), None), Ok((0, 2)));
    assert_eq!(with(&names, &rows, None, Some("receiver_name")), Ok((1, 3)));
    let three = ["sender_id", "receiver", "receiver_id"];
    let rows = [vec!["1", "bob", "2"], vec!["2", "cat", "3"]];
    assert_eq!(with(&three, &rows, Some("sender_id"), None), Ok((0, 2)));
    // Names with ids only where both are given.
    let mixed = ["source_name", "target_id"];
    let rows = [vec!["ann", "2"], vec!["bob", "3"]];
    for (source, target) in [(None, None), (Some("source_name"), None), (None, Some("target_id"))] {
        let message = with(&mixed, &rows, source, target).unwrap_err();
        assert!(message.contains("`source_name`, `target_id`"), "{message}");
    }
    assert_eq!(with(&mixed, &rows, Some("source_name"), Some("target_id")), Ok((0, 1)));
}

#[test]
fn ambiguous_tables_are_refused_with_their_columns() {
    let numbered: &[&[&str]] = &[&["0", "a", "b"], &["1", "b", "c"]];
    for (names, rows, words) in [
        (&["nr", "p", "q"][..], numbered, "`nr`, `p`, `q`"),
        (&["p", "q", "r"], &[&["1", "2", "3"]], "`p`, `q`, `r`"),
        (&["source", "p", "q"], &[&["a", "b", "c"]], "`p`, `q`"),
        (&["id", "year"], &[&["1", "2"]], "no two columns"),
        (
            &["user_id", "friend_name", "friend_id"],
            &[&["1", "ann", "2"], &["2", "bob", "3"]],
            "`user_id`, `friend_name`, `friend_id`",
        ),
        (&["mother_id", "child_name"], &[&["1", "ann"], &["2", "bob"]], "`mother_id`, `child_name`"),
        (&["Id", "Name", "Age"], &[&["1", "Ann", "34"], &["2", "Bob", "27"]], "`Name`, `Age`"),
        (&["term", "doc1", "doc2"], &[&["a", "3", "0"], &["b", "1", "2"]], "`term`, `doc1`, `doc2`"),
        (
            &["user", "item", "rating"],
            &[&["1", "7", "5"], &["2", "1", "4"]],
            "two kinds of nodes, `user`, `item`",
        ),
        (&["source", "weight"], &[&["1", "2"]], "`source`, and none"),
        (
            &["origin_city", "origin_airport", "dest_airport", "dest_city"],
            &[&["a", "b", "c", "d"]],
            "`origin_city`, `origin_airport`, `dest_airport`, `dest_city`",
        ),
        (
            &["src_ip", "src_host", "dst_host", "dst_ip"],
            &[&["a", "b", "c", "d"]],
            "`src_ip`, `src_host`, `dst_host`, `dst_ip`",
        ),
    ] {
        let message = find(names, rows).unwrap_err();
        assert!(message.contains(words), "{names:?}: {message}");
    }
    let options = TableOptions {
        source: Some("Q".into()),
        target: Some("r".into()),
        weight: Some("1".into()),
        ..TableOptions::default()
    };
    let found = TableColumns::find(&["p", "q", "r"], &[vec!["1", "2", "3"]], &options).unwrap();
    assert_eq!((found.source, found.target, found.weight), (1, 2, Some(0)));
    let first =
        TableOptions { source: Some("1".into()), target: Some("2".into()), ..TableOptions::default() };
    let found = TableColumns::find(&["source", "target", "source"], &[vec!["a", "b", "c"]], &first);
    assert_eq!(found.map(|found| (found.source, found.target)), Ok((0, 1)));
    let missing = TableOptions { source: Some("z".into()), ..TableOptions::default() };
    let message = TableColumns::find(&["p", "q"], &[vec!["1", "2"]], &missing).unwrap_err();
    assert_eq!(message, "has no column called `z`: there are `p`, `q`");
    let twice =
        TableOptions { source: Some("p".into()), target: Some("p".into()), ..TableOptions::default() };
    assert!(TableColumns::find(&["p", "q"], &[vec!["1", "2"]], &twice).unwrap_err().contains("two things"));
}

#[test]
fn incidence_tables_are_no_edges() {
    let rows: &[&[&str]] =
        &[&["Ann", "1", "0", "1"], &["Bob", "0", "1", "1"], &["Cat", "1", "1", "0"], &["Dan", "0", "0", "1"]];
    for names in [["", "e1", "e2", "e3"], ["name", "picnic", "dance", "concert"]] {
        let message = find(&names, rows).unwrap_err();
        assert!(message.contains("incidence table"), "{names:?}: {message}");
    }
    let bare: Vec<Vec<&str>> = rows.iter().map(|row| row[1..].to_vec()).collect();
    assert!(is_incidence(&bare, &[0, 1]) && !is_incidence(&bare[..3], &[0, 1]));
    // Names that say so are ends whatever stands below.
    assert!(find(&["n", "source", "target", "w"], rows).is_ok());
    // Flags next to two columns of words.
    let flagged: &[&[&str]] =
        &[&["a", "b", "1", "0"], &["b", "c", "0", "0"], &["c", "d", "1", "1"], &["d", "a", "0", "1"]];
    assert_eq!(find(&["p", "q", "close", "kin"], flagged), Ok((0, 1, None, None)));
}

#[test]
fn names_that_are_nodes_are_no_names() {
    let check = |names: &[&str], rows: &[&[&str]]| {
        let rows: Vec<Vec<&str>> = rows.iter().map(|row| row.to_vec()).collect();
        let found = TableColumns::find(names, &rows, &TableOptions::default()).unwrap();
        found.check_names(names, &rows)
    };
    assert!(check(&["1", "2"], &[&["2", "3"], &["3", "4"]]).unwrap_err().contains("`1`, `2`"));
    assert!(check(&["Ann", "Bob"], &[&["Bob", "Cat"]]).unwrap_err().contains("first edge"));
    assert!(check(&["node1", "node2"], &[&["node7", "node9"]]).is_ok());
    assert!(check(&["source", "target"], &[&["source", "sink"]]).is_ok());
    assert!(check(&["2019", "person"], &[&["a", "b"]]).is_ok());
}
