//! Tables as people and programs write them: each is read as it was meant, or refused with the reason.

use ergodict::data::{
    Doubt, Network, ReadDecisions, ReadOptions, TableForm, TableOptions, parse_network, read_network,
};

fn read(text: &str) -> Result<(Network, ReadDecisions), String> {
    parse_network(text.as_bytes(), &ReadOptions::default()).map_err(|error| error.to_string())
}

/// Lines, each made of its number.
fn lines(numbers: std::ops::Range<u64>, line: impl Fn(u64) -> String) -> String {
    numbers.map(|at| line(at) + "\n").collect::<Vec<_>>().concat()
}

/// The edges by the names of their ends.
fn edges(network: &Network) -> Vec<(String, String)> {
    let name = |v: u32| network.ids().name(v as usize).into_owned();
    let mut edges: Vec<_> = network.each_edge().map(|(u, v, _)| (name(u), name(v))).collect();
    edges.sort();
    edges
}

fn pairs(of: &[(&str, &str)]) -> Vec<(String, String)> {
    of.iter().map(|(u, v)| (u.to_string(), v.to_string())).collect()
}

#[test]
fn headers_of_string_r_and_sociopatterns_are_read() {
    let ring = pairs(&[("a", "b"), ("a", "c"), ("b", "c")]);
    for (what, text) in [
        ("STRING", "#node1\tnode2\tnode1_string_id\tcombined_score\na\tb\tx\t.5\nb\tc\ty\t.7\nc\ta\tz\t.9\n"),
        ("a comment with a blank", "# time source target\n1 a b\n2 b c\n3 c a\n"),
        (
            "R, write.table",
            "\"from\" \"to\" \"weight\"\n\"1\" \"a\" \"b\" 1\n\"2\" \"b\" \"c\" 2\n\"3\" \"c\" \"a\" 3\n",
        ),
        ("R, sep = ','", "\"from\",\"to\"\n\"1\",\"a\",\"b\"\n\"2\",\"b\",\"c\"\n\"3\",\"c\",\"a\"\n"),
        ("SocioPatterns", "t i j Ci Cj\n20 a b MP PC\n40 b c PC PC\n60 c a MP MP\n"),
        ("Gephi, mutual", "Source,Target,Type\na,b,Mutual\nb,c,Mutual\nc,a,Mutual\n"),
    ] {
        let (network, decisions) = read(text).unwrap();
        assert_eq!(edges(&network), ring, "{what}");
        assert!(decisions.header.is_some(), "{what}");
    }
    let (network, decisions) = read("# FromNodeId\tToNodeId\n1\t2\n2\t3\n").unwrap();
    assert_eq!(
        (network.nodes(), decisions.header),
        (3, None),
        "a comment that says what is known is a comment"
    );
}

#[test]
fn what_is_no_list_of_edges_is_refused_with_the_reason() {
    let bits = "1,0,1\n0,1,1\n1,1,0\n0,0,1\n1,0,0\n";
    for (what, text, reason) in [
        (
            "people and events",
            format!(
                ",e1,e2,e3\n{}",
                ["Ann", "Bob", "Cat", "Dan", "Eve"].map(|name| format!("{name},0,1,1\n")).concat()
            ),
            "incidence table",
        ),
        ("named events", format!("picnic,dance,concert\n{bits}"), "incidence table"),
        ("bits alone", bits.into(), "incidence table"),
        ("counts of terms", "term,doc1,doc2\na,3,0\nb,1,2\nc,0,2\n".into(), "`term`, `doc1`, `doc2`"),
        (
            "MovieLens",
            "userId,movieId,rating,timestamp\n1,1,4.0,964982703\n1,3,4.0,964981247\n".into(),
            "two kinds of nodes, `userId`, `movieId`",
        ),
        (
            "ratings as integers",
            "user,item,rating\n1,1,5\n1,2,3\n2,1,4\n".into(),
            "two kinds of nodes, `user`, `item`",
        ),
        ("a table of nodes", "Id,Name,Age\n1,Ann,34\n2,Bob,27\n".into(), "`Name`, `Age`"),
        ("communities", "node,community\n1,0\n2,0\n3,1\n4,1\n".into(), "no two columns"),
        ("people and groups", "name,gender\nann,f\nbob,m\ncat,f\n".into(), "no two columns"),
        ("people with attributes", "name,age,city\nann,31,Rome\nbob,25,Oslo\ncat,44,Rome\n".into(), "table of nodes"),
        (
            "directed and mutual",
            "Source,Target,Type\na,b,Directed\nb,c,Mutual\n".into(),
            "1 directed and 1 undirected",
        ),
        ("hashtags", "source,target,weight\n#love,#peace,2\n#peace,#hope,3\nmusic,#love,1\n".into(), "begins as a comment does"),
        ("decimal commas between tabs", "a\tb\t2,5\nb\tc\t1,0\nc\td\t3,5\n".into(), "decimal point"),
        ("decimal commas between semicolons", "a;b;2,5\nb;c;1,0\n".into(), "decimal point"),
        ("Cytoscape's names of edges", "\"shared name\",\"name\",\"selected\",\"interaction\"\n\"a (pp) b\",\"a (pp) b\",\"false\",\"pp\"\n\"b (pp) c\",\"b (pp) c\",\"false\",\"pp\"\n".into(), "no two columns"),
        ("counts with names of rows", ",tea,coffee\nann,3,0\nbob,1,2\ncleo,0,5\n".into(), "names of rows and numbers"),
        ("id spaces of Neo4j", ":START_ID(Person),:END_ID(Movie),:TYPE\n1,1,ACTED_IN\n1,2,ACTED_IN\n".into(), "two kinds of nodes"),
        ("one id in two ways", "source,target\n1,2.0\n2,3.0\n3,1.0\n".into(), "written in one way"),
        ("places of nodes", "id,x,y\n1,3,4\n2,5,6\n".into(), "no two columns"),
        ("degrees of nodes", "Node,Degree\n1,4\n2,3\n3,3\n".into(), "no two columns"),
        ("numbers with decimals", "p,q\n1.5,4.2\n2.5,3.5\n".into(), "`p`, `q`"),
        ("edges in brackets", "(1, 2)\n(2, 3)\n".into(), "brackets"),
        ("DIMACS", "e 1 2\ne 2 3\n".into(), "DIMACS"),
        ("DIMACS in capitals", "E 1 2\nE 2 3\n".into(), "DIMACS"),
        ("integers of two kinds", "student,school\n1,1\n2,1\n3,2\n".into(), "two kinds of nodes"),
        ("their ids", "sailor_id ship_id weight\n1 1 4\n2 1 2\n3 2 3\n".into(), "two kinds of nodes"),
        ("SocioPatterns without header", lines(1..10, |at| format!("{} {} {}", 20 * at, at % 3 + 1, (at + 1) % 3 + 1)), "looks like a time"),
        ("contacts by dates", "2020-01-01,1,2\n2020-01-02,2,3\n".into(), "begins with a date"),
        ("a regular digraph of networkx.write_adjlist", "0 1 2\n1 2 3\n2 3 4\n3 4 0\n4 0 1\n".into(), "two neighbors"),
        ("numbered edges", lines(1..13, |at| format!("{at} {} {}", 1 + at % 5, 1 + (2 * at) % 7)), "numbered edge"),
        ("METIS of a cycle", "4 4\n2 4\n1 3\n2 4\n1 3\n".into(), "METIS"),
        ("METIS of a complete graph", "4 6\n2 3 4\n1 3 4\n1 2 4\n1 2 3\n".into(), "METIS"),
        ("sizes of a tree, or an edge", "5 4\n1 2\n1 3\n1 4\n1 5\n".into(), "numbers of nodes and edges"),
        ("lists with colons", "0: 1 2\n1: 2 3\n2: 3 0\n3: 0 1\n".into(), "colon"),
        ("YAML", "a: b\nb: c\n".into(), "colon"),
        ("YAML, lists", "- [a, b]\n- [b, c]\n".into(), "brackets"),
        ("bullets", "- a\n- b\n".into(), "begins with `-`"),
        ("a comment of another program", "! made today\na b\nb c\n".into(), "begins with `!`"),
        ("igraph's print", "1 -- 2\n2 -- 3\n".into(), "between both ends"),
        ("arrows", "a -> b\nb -> c\n".into(), "between both ends"),
        ("arrows without blanks", "a->b\nb->c\n".into(), "arrows"),
        ("Prolog", "edge(a, b).\nedge(b, c).\n".into(), "brackets"),
        ("Cypher", "CREATE (a)-[:KNOWS]->(b)\nCREATE (b)-[:KNOWS]->(c)\n".into(), "arrows"),
        ("keys and values", "source=a target=b\nsource=b target=c\n".into(), "with `=`"),
        ("a title", "Friendship network\nsource,target\na,b\nb,c\n".into(), ":2: has the names of columns"),
        ("two columns of one name", "source,target,target\na,b,c\nb,c,d\n".into(), "two columns called `target`"),
        ("the trivial graph format", "a A\nb B\nc C\n#\na b\nb c\n".into(), "trivial graph format"),
        ("lists of neighbors", "0 1 2 3\n1 2\n2 3 0\n3\n".into(), "lists of neighbors"),
        ("METIS", "4 4\n2 3 4\n1\n1 4\n1 3\n".into(), "lists of neighbors"),
    ] {
        let message = read(&text).map(|(network, _)| edges(&network)).expect_err(what);
        assert!(message.contains(reason), "{what}: {message}");
    }
    let table = TableOptions { form: TableForm::Edges, ..TableOptions::default() };
    let asked = parse_network(bits.as_bytes(), &ReadOptions { table, ..ReadOptions::default() });
    assert_eq!(asked.unwrap().0.nodes(), 2, "what is asked for is done");
}

#[test]
fn ordinary_tables_are_no_other_thing() {
    for (what, text, expected) in [
        (
            "postal codes",
            "zipa,zipz\n01001,13121\n13121,01002\n",
            &[("01001", "13121"), ("01002", "13121")][..],
        ),
        ("the same by name", "source,target\n01001,13121\n", &[("01001", "13121")]),
        ("numbers over 64 bits", "p,q\n100000000000000000001,2\n", &[("100000000000000000001", "2")]),
        ("x and y as ends", "x,y,weight\na,b,2\nb,c,1\n", &[("a", "b"), ("b", "c")]),
        ("rows by dates", ",u,v\n2020-01-01,1,2\n2020-01-02,2,3\n", &[("1", "2"), ("2", "3")]),
        (
            "commas in names between tabs",
            "chr1,100\tchr2,200\nchr2,200\tchr3,300\nchr3,300\tchr1,100\n",
            &[("chr1,100", "chr2,200"), ("chr1,100", "chr3,300"), ("chr2,200", "chr3,300")],
        ),
        (
            "a stacked table of pandas",
            "level_0,level_1,0\na,b,0.5\nb,c,0.7\nc,a,0.2\n",
            &[("a", "b"), ("a", "c"), ("b", "c")],
        ),
        (
            "a first edge written as the others",
            "TP53\tMDM2\nBRCA1\tBRCA2\nBRCA2\tRAD51\nRAD51\tBRCA1\n",
            &[("BRCA1", "BRCA2"), ("BRCA1", "RAD51"), ("BRCA2", "RAD51"), ("MDM2", "TP53")],
        ),
        ("years between friends", "person,year,friend\na,1990,b\nb,1991,c\n", &[("a", "b"), ("b", "c")]),
        ("comments above", "#made by x,today\na,b\nb,c\n", &[("a", "b"), ("b", "c")]),
        ("a bare sign", "a b\n#\nb c\n", &[("a", "b"), ("b", "c")]),
        (
            "a table of psql",
            " source | target \n--------+--------\n a      | b\n b      | New York\n(2 rows)\n\n",
            &[("New York", "b"), ("a", "b")],
        ),
        ("psql without frames", "source\ttarget\na\tb\nb\tc\n(2 rows)\n", &[("a", "b"), ("b", "c")]),
        (
            "a table of MySQL",
            "+---+---+\n| u | v |\n+---+---+\n| 1 | 2 |\n| 2 | 3 |\n+---+---+\n2 rows in set (0.00 sec)\n",
            &[("1", "2"), ("2", "3")],
        ),
        ("Markdown", "| source | target |\n|:--|--:|\n| a | b |\n| b | c |\n", &[("a", "b"), ("b", "c")]),
        ("CAIDA's bars", "1|2|5\n2|3|6\n", &[("1", "2"), ("2", "3")]),
        (
            "bars in names",
            "sp|P1|A sp|P2|B\nsp|P2|B sp|P3|C\n",
            &[("sp|P1|A", "sp|P2|B"), ("sp|P2|B", "sp|P3|C")],
        ),
        (
            "numbers of nodes and edges above",
            "4 5\n1 2\n1 3\n1 4\n2 3\n3 4\n",
            &[("1", "2"), ("1", "3"), ("1", "4"), ("2", "3"), ("3", "4")],
        ),
        (
            "sizes of a matrix above",
            "% by the Network Repository\n4 4 5\n1 2\n1 3\n1 4\n2 3\n3 4\n",
            &[("1", "2"), ("1", "3"), ("1", "4"), ("2", "3"), ("3", "4")],
        ),
        ("a path that descends", "5 4\n4 3\n3 2\n2 1\n", &[("1", "2"), ("2", "3"), ("3", "4"), ("4", "5")]),
        (
            "contacts of two people",
            "start,end,u,v\n1,2,11,12\n2,3,12,13\n5,9,13,11\n",
            &[("11", "12"), ("11", "13"), ("12", "13")],
        ),
        ("addresses", "src_ip,dst_ip\n10.0.0.1,10.0.0.2\n", &[("10.0.0.1", "10.0.0.2")]),
        ("names of R", "V1 V2\na b\nc d\n", &[("a", "b"), ("c", "d")]),
        (
            "printed by pandas",
            "  source target  weight\n0      a      b       1\n1      b      c       2\n",
            &[("a", "b"), ("b", "c")],
        ),
        ("numpy.savetxt", "1.000e+00 2.000e+00\n2.000e+00 1.200e+01\n", &[("1", "2"), ("2", "12")]),
        ("Excel's separator", "sep=;\nsource;target\na;b\nb;c\n", &[("a", "b"), ("b", "c")]),
        (
            "tables put together",
            "source,target,weight\na,b,1\nsource,target,weight\nb,c,2\n",
            &[("a", "b"), ("b", "c")],
        ),
        ("senders", "sender_id,receiver_id\n1,2\n2,7\n8,9\n", &[("1", "2"), ("2", "7"), ("8", "9")]),
        ("taxis", "PULocationID,DOLocationID\n1,2\n2,7\n8,9\n", &[("1", "2"), ("2", "7"), ("8", "9")]),
        (
            "one key",
            "page?id=1 page?id=2\npage?id=2 page?id=3\n",
            &[("page?id=1", "page?id=2"), ("page?id=2", "page?id=3")],
        ),
        ("managers", "manager,employee\n1,2\n2,3\n3,4\n", &[("1", "2"), ("2", "3"), ("3", "4")]),
        (
            "airports",
            "ORIGIN_AIRPORT_ID,DEST_AIRPORT_ID,PASSENGERS\n1,2,100\n2,3,30\n",
            &[("1", "2"), ("2", "3")],
        ),
        (
            "words that are kinds",
            "book page\npage2 cat\ncat dog\n",
            &[("book", "page"), ("cat", "dog"), ("cat", "page2")],
        ),
    ] {
        assert_eq!(read(text).map(|(network, _)| edges(&network)), Ok(pairs(expected)), "{what}");
    }
    let table = TableOptions { header: ergodict::data::Header::Yes, ..TableOptions::default() };
    let options = ReadOptions { table, ..ReadOptions::default() };
    for text in ["2000,2001\n1,2\n2000,2001\n", "cue,response,weight\na,b,1\ncue,response,2\n"] {
        let (network, _) = parse_network(text.as_bytes(), &options).unwrap();
        assert_eq!(network.edges(), 2, "{text}");
    }
    let mixed = lines(1..200, |at| format!("{at}.0,{}.0", at + 1)) + "1.5,2.0\n";
    assert!(read(&mixed).unwrap_err().contains(":200: has the id `1.5`"));
    // A weight that the header does not name is not R's row names.
    assert!(read("\"source\",\"target\"\n\"a\",\"b\",3\n\"b\",\"c\",4\n").is_err());
    // Hashtags without a header, and after many other lines.
    let late = lines(0..200, |at| format!("a{at},b{at}")) + "#love,#peace\n";
    for text in ["#love,#peace,2\n#peace,#hope,3\nmusic,#love,1\n", &late] {
        let message = read(text).map(|(network, _)| network.edges()).unwrap_err();
        assert!(message.contains("begins as a comment does"), "{message}");
    }
}

#[test]
fn two_kinds_of_nodes_with_names_are_a_network() {
    let (network, _) = read("user,item,rating\nu1,i1,5\nu1,i2,3\nu2,i1,4\n").unwrap();
    assert_eq!(edges(&network), pairs(&[("i1", "u1"), ("i1", "u2"), ("i2", "u1")]));
    let given =
        TableOptions { source: Some("user".into()), target: Some("item".into()), ..TableOptions::default() };
    let options = ReadOptions { table: given, ..ReadOptions::default() };
    let (network, _) = parse_network(b"user,item\n1,101\n2,101\n", &options).unwrap();
    assert_eq!(network.nodes(), 3, "who gives the columns says that numbers differ");
    let spaces = b":START_ID(Person),:END_ID(Movie)\n1,101\n2,101\n";
    let given =
        TableOptions { source: Some("1".into()), target: Some("2".into()), ..TableOptions::default() };
    let (network, _) =
        parse_network(spaces, &ReadOptions { table: given, ..ReadOptions::default() }).unwrap();
    assert_eq!(network.nodes(), 3, "nor are the id spaces of Neo4j an obstacle then");
    let shared = parse_network(b"user,item\n1,2\n2,3\n", &options).map(|(network, _)| network.nodes());
    assert!(shared.unwrap_err().to_string().contains("two kinds"), "unless they do not");
}

#[test]
fn what_stays_in_doubt_is_said() {
    // Contacts whose times and people share numbers.
    let contacts = lines(0..12, |at| format!("{}\t{}\t{}", at / 2, at % 4, (at + 1 + at / 4) % 4 + 2));
    assert_eq!(read(&contacts).unwrap().1.doubts, [Doubt::Times(1)]);
    // Weighted edges in order of their sources have few weights.
    let weighted = lines(0..24, |at| format!("{} {} {}", at / 4, 100 + 7 * at, at % 3 + 1));
    assert_eq!(read(&weighted).unwrap().1.doubts, []);
    assert_eq!(read("20 1 2\n20 2 3\n40 3 1\n60 1 3\n").unwrap().1.doubts, [Doubt::Times(1)]);
    assert_eq!(read("a,b\nb,NA\n").unwrap().1.doubts, [Doubt::MissingNode("NA".into())]);
    for (times, unit) in [("seconds", 1_u64), ("milliseconds", 1000)] {
        let text = lines(0..9, |at| format!("{at} {} {}", at + 1, (1_082_040_961 + at) * unit));
        assert_eq!(read(&text).unwrap().1.doubts, [Doubt::Weights(3, "times (since 1970)")], "{times}");
    }
    for (weights, what) in
        [(["1999", "2001", "2004"], "years"), (["20200101", "20200102", "20200201"], "dates")]
    {
        let rows = weights.iter().zip(1..).map(|(weight, at)| format!("{at} {} {weight}", at + 1));
        let text = rows.collect::<Vec<_>>().join("\n");
        assert_eq!(read(&text).unwrap().1.doubts, [Doubt::Weights(3, what)]);
    }
    let numbered = lines(1..10, |at| format!("{} {} {at}", at % 4 + 20, at % 3 + 30));
    assert_eq!(read(&numbered).unwrap().1.doubts, [Doubt::Weights(3, "numbers of rows")]);
    assert_eq!(read("1 2\n2 3\n4 -1\n").unwrap().1.doubts, [Doubt::MissingNode("-1".into())]);
    // The numbers of columns, which pandas writes where they have no names.
    assert!(matches!(&read("0,1\n5,7\n7,9\n9,5\n").unwrap().1.doubts[..], [Doubt::Header(_)]));
    let signs = read("source,target,sign\na,b,-1\nb,c,1\n").unwrap().1.warnings(&ReadOptions::default());
    assert!(signs[0].spelled(&ToString::to_string).starts_with("column `sign` is ignored"));
    let notes = read("a,b\nb,NA\n").unwrap().1.warnings(&ReadOptions::default());
    assert!(notes[0].spelled(&ToString::to_string).contains("`NA` is read as a node"));
}

#[test]
fn columns_are_for_tables() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.gml");
    std::fs::write(&path, "graph [ node [ id 1 ] node [ id 2 ] edge [ source 1 target 2 value 3 ] ]")
        .unwrap();
    let table = TableOptions { weight: Some("value".into()), ..TableOptions::default() };
    let read = |table| {
        read_network(&path, &ReadOptions { table, ..ReadOptions::default() })
            .map(|(network, _)| network.edges())
    };
    assert_eq!(read(TableOptions::default()).unwrap(), 1);
    assert!(read(table).unwrap_err().to_string().contains("is GML, which has no columns"));
}

#[test]
fn a_first_line_with_sizes_is_skipped_in_any_file() {
    // More lines than are looked at.
    let edges = lines(1..301, |at| format!("{} {}", at % 100 + 1, (at * 7) % 100 + 1));
    for first in ["100 100 300\n", "100\n"] {
        let (network, decisions) = read(&(first.to_owned() + &edges)).unwrap();
        let (plain, _) = read(&edges).unwrap();
        assert_eq!((network.edges(), decisions.header), (plain.edges(), Some(1)), "{first}");
    }
    let message = read(&("100 300\n".to_owned() + &edges)).unwrap_err();
    assert!(
        message.contains("numbers of nodes and edges") && message.ends_with("(header=yes|no)"),
        "{message}"
    );
    let table = TableOptions { header: ergodict::data::Header::Yes, ..TableOptions::default() };
    let options = ReadOptions { table, ..ReadOptions::default() };
    let (network, _) = parse_network(("100 300\n".to_owned() + &edges).as_bytes(), &options).unwrap();
    assert_eq!(network.edges(), read(&edges).unwrap().0.edges());
}

#[test]
fn files_of_other_programs_are_called_by_their_format() {
    let folder = tempfile::tempdir().unwrap();
    for (file, text, format) in [
        ("x.col", "c a graph\nc\np edge 3 2\ne 1 2\ne 2 3\n", "DIMACS"),
        ("x.gr", "p tw 3 2\n1 2\n2 3\n", "DIMACS"),
        (
            "x.gdf",
            "nodedef>name VARCHAR,label VARCHAR\na,Ann\nedgedef>node1 VARCHAR,node2 VARCHAR\na,a\n",
            "GDF",
        ),
        ("x.dl", "dl n=4 format=edgelist1\ndata:\n1 2\n2 3\n", "UCINET"),
        ("x.vna", "*node data\nID name\n1 a\n*tie data\nfrom to\n1 1\n", "VNA"),
        ("x.lgr", "LEDA.GRAPH\nstring\nint\n-1\n2\n|{a}|\n|{b}|\n1\n1 2 0 |{4}|\n", "LEDA"),
        ("x.lgl", "# a\nb 1\nc 2\n", "LGL"),
        ("x.g6", ">>graph6<<DQc\n", "graph6"),
        ("x.mmd", "graph TD\n  a --> b\n", "Mermaid"),
    ] {
        let path = folder.path().join(file);
        std::fs::write(&path, text).unwrap();
        let message = read_network(&path, &ReadOptions::default()).unwrap_err().to_string();
        assert!(message.contains("looks like") && message.contains(format), "{file}: {message}");
    }
}
