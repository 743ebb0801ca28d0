//! Rows with times: columns, times, faults and compression.

use super::*;
use crate::data::TableOptions;

fn parse(text: &str, column: &str) -> Result<(TimedEdges, TimedDecisions)> {
    let options = TimeOptions { column: column.parse().unwrap(), ..TimeOptions::default() };
    parse_timed(text.as_bytes(), &options)
}

/// Rows as `u v time`.
fn rows(text: &str, column: &str) -> Vec<String> {
    let (rows, _) = parse(text, column).unwrap();
    let name = |v: u32| rows.ids().name(v as usize);
    rows.ends().iter().zip(rows.times()).map(|(&(u, v), t)| format!("{} {} {t}", name(u), name(v))).collect()
}

#[test]
fn columns_are_found_by_place_by_number_and_by_name() {
    for (text, column) in [
        ("1 2 10\n2 3 20\n", "auto"),
        ("# c\n\n2 3 20\n1 2 10\n", "3"),
        ("1 2 0.5 10\n2 3 0.5 20\n", "auto"),
        ("10 1 2\n20 2 3\n", "1"),
        ("10 1 2 A B\r\n20 2 3 A B", "1"),
        ("1\t2\t+\t10\n2\t3\t+\t20\n", "auto"),
        ("\u{feff}source,target,when,time\n1,2,9,10\n2,3,9,20\n", "auto"),
        ("time;from;to;weight\n10;1;2;3\n20;2;3;4\n", "auto"),
        ("a,b,Unix-TS\n1,2,10\n2,3,20\n", "unix_ts"),
        ("a,b,c,moment\n1,2,0,10\n2,3,0,20\n", "4"),
    ] {
        assert_eq!(rows(text, column), ["1 2 10", "2 3 20"], "{text}");
    }
    assert_eq!(rows("b a 5\na c 5\na b 4\n", "auto"), ["a b 4", "b a 5", "a c 5"]);
    assert_eq!(rows("1 2 -5\n", "auto"), ["1 2 -5"]);
    let dated = parse("u,v,date\nx,y,2004-05-01 12:00\nx,z,2004-04-30T23:00:00-01:00\n", "auto").unwrap();
    assert_eq!((dated.0.kind(), dated.0.times()), (Times::Dates, &[1_083_369_600.0, 1_083_412_800.0][..]));
    assert_eq!(parse("1 2 1082040961\n", "auto").unwrap().0.kind(), Times::Unix);
}

#[test]
fn what_was_decided_is_one_line() {
    let (_, decisions) = parse("# directed\nu,v,w,t,x\n1,2,0.5,7,a\n2,1,1,3,b\n", "t").unwrap();
    assert_eq!(
        decisions.to_string(),
        "time-stamped edge list, directed (stated by the file), weights in column 3, integer ids, 2 rows from 3 to 7 \
         (column 4); header on line 2 skipped, column `x` ignored, sorted by time"
    );
    let (rows, decisions) = parse("1 2 1 5\n1 2 -1 6\n", "auto").unwrap();
    assert_eq!((rows.removes(), rows.weights(), decisions.removals), (Some(&[false, true][..]), None, 1));
}

#[test]
fn signs_remove_edges_also_where_weights_are_not_wanted() {
    let read = ReadOptions { weighted: Some(false), ..ReadOptions::default() };
    let plain = |text: &str| {
        let options = TimeOptions { read: read.clone(), ..TimeOptions::default() };
        let (rows, decisions) = parse_timed(text.as_bytes(), &options).unwrap();
        assert_eq!(rows.weights(), None);
        (rows.removes().map(<[bool]>::to_vec), decisions.weights)
    };
    assert_eq!(plain("1 2 1 5\n1 2 -1 6\n"), (Some(vec![false, true]), Weights::None));
    assert_eq!(plain("u,v,weight,t\n1,2,-1,6\n1,2,+1,5\n"), (Some(vec![false, true]), Weights::None));
    // Other weights are none of these, and nothing of them is looked at.
    for text in
        ["1 2 1 5\n1 2 -1 6\n1 2 2 7\n", "1 2 -1 5\n1 2 x 6\n1 2 -1 7\n", "1 2 -3 5\n", "1 2 1 5\n1 2 1 6\n"]
    {
        assert_eq!(plain(text), (None, Weights::Ignored), "{text}");
    }
    assert_eq!(
        plain("u,v,op,weight,t\n1,2,-,-1,6\n1,2,+,1,5\n"),
        (Some(vec![false, true]), Weights::Ignored)
    );
}

#[test]
fn faults_are_reported_with_their_line() {
    let long = "1 2 5\n".repeat(40);
    for (text, column, expected) in [
        ("", "auto", "is empty"),
        ("# nothing\n", "auto", "holds no row"),
        ("u,v,t\n", "auto", "holds no row"),
        ("1 2\n", "auto", ":1: has two fields"),
        (
            "1 2 3 4 5\n",
            "auto",
            ":1: has 5 fields: begin with a header that names them, or give the column of the time (timestamps=5)",
        ),
        ("1 2 3\n", "time", ":1: is no header"),
        ("u,v,t\n1,2,3\n", "when", ":1: has no column called `when`: there are `u`, `v`, `t`"),
        ("u,v,x\n1,2,3\n", "auto", ":1: has no column called time or date"),
        ("1 2 3\n", "4", ":1: has 3 fields, so that there is no column 4"),
        ("1 2 3\n", "0", "counted from 1"),
        ("1 2 3\n1 2 nan\n", "auto", ":2: has the time `nan`"),
        ("1 2 3\n1 2 inf\n", "auto", ":2: has the time `inf`"),
        ("1 2 3\n\n1 2 soon\n", "auto", ":3: has the time `soon`"),
        ("1 2 3\n1 2 2004-01-01\n", "auto", ":2: has the time `2004-01-01`, a date, where"),
        ("1 2 2004-01-01\n1 2 3\n", "auto", ":2: has the time `3`, a number, where"),
        ("1 2 3\n1 2\n", "auto", ":2: has 2 fields, but the lines before it have 3"),
        ("1 2 2004-01-01\n1 2 2004-01-01 10:00\n", "auto", "joined by a T"),
        ("1 2 5 3\n1 2 -10 4\n", "auto", ":2: has the weight -10"),
        ("1 2 x 3\n1 2 -10 4\n", "auto", ":1: has the weight `x`"),
        ("u,v,op,t\n1,2,?,3\n", "auto", ":2: has `?` for what becomes of the edge"),
        ("source,target,time\n1,2,3\n", "2", ":1: calls column 2 `target`, an end of the edges"),
        ("time,From,To\n1,2,3\n", "From", ":1: calls column 2 `From`, an end of the edges"),
        ("u,v,t\n1,,3\n", "auto", ":2: has an empty field 2"),
        ("\"a b 3\n", "auto", ":1: has a quotation mark"),
        (&format!("{long}7\n"), "auto", ":41: has 1 fields, but the lines before it have 3"),
    ] {
        let told = parse(text, column).unwrap_err().to_string();
        assert!(told.contains(expected), "{text}: {told}");
    }
}

#[test]
fn compressed_files_are_read_and_other_formats_refused() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, bytes: &[u8]| {
        std::fs::write(folder.path().join(name), bytes).unwrap();
        read_timed(&folder.path().join(name), &TimeOptions::default())
    };
    let packed = zstd::encode_all(&b"1 2 3\n2 3 4\n"[..], 1).unwrap();
    assert_eq!(put("a.zst", &packed).unwrap().0.len(), 2);
    let told = put("b.mtx", b"%%MatrixMarket matrix coordinate pattern general\n").unwrap_err().to_string();
    assert!(told.contains("holds no times"), "{told}");
    assert!(put("c.json", b"{\"nodes\": []}").unwrap_err().to_string().contains("JSON"));
}

#[test]
fn from_is_the_time_where_both_ends_are_given() {
    let given = |source: &str, target: &str| {
        let [source, target] = [source, target].map(|column| Some(column.to_owned()));
        let table = TableOptions { source, target, ..TableOptions::default() };
        let read = ReadOptions { table, ..ReadOptions::default() };
        let options = TimeOptions { column: "from".parse().unwrap(), read };
        parse_timed(b"ann,bob,from,to\n1,2,10,11\n2,3,20,21\n", &options)
    };
    assert_eq!(given("ann", "bob").unwrap().0.times(), [10.0, 20.0]);
    let table = TableOptions { target: Some("bob".into()), ..TableOptions::default() };
    let read = ReadOptions { table, ..ReadOptions::default() };
    let options = TimeOptions { column: "from".parse().unwrap(), read };
    let message = parse_timed(b"ann,bob,from\n1,2,10\n", &options).unwrap_err().to_string();
    assert!(message.contains("an end of the edges"), "{message}");
}

#[test]
fn as_many_rows_are_looked_at_as_of_other_lists() {
    let table = |shared: usize| {
        let row = |at: usize| format!("{},{},{at}\n", 900 - at, if at == shared { 900 } else { at % 30 + 1 });
        format!("sailor_id,ship_id,time\n{}", (0..300).map(row).collect::<String>())
    };
    assert!(matches!(&parse(&table(999), "auto").unwrap().1.doubts[..], [Doubt::Kinds(_)]));
    assert!(matches!(&parse(&table(128), "auto").unwrap().1.doubts[..], [Doubt::Kinds(_)]));
    let message = parse(&table(127), "auto").unwrap_err().to_string();
    assert!(message.contains("may be two kinds of nodes"), "{message}");
}
