//! Tables of which a newcomer may expect something else: read as they are meant, with a note, or refused with a way out.

use ergodict::data::{
    Doubt, Header, Network, ReadDecisions, ReadOptions, TableForm, TableOptions, parse_network,
    write_edge_list,
};

fn read(text: &str) -> Result<(Network, ReadDecisions), String> {
    parse_network(text.as_bytes(), &ReadOptions::default()).map_err(|error| error.to_string())
}

fn refused(text: &str) -> String {
    read(text).map(|(_, decisions)| decisions.to_string()).expect_err(text)
}

/// The edges by the names of their ends, with weights.
fn edges(network: &Network) -> Vec<(String, String, f64)> {
    let name = |v: u32| network.ids().name(v as usize).into_owned();
    network.each_edge().map(|(u, v, weight)| (name(u), name(v), weight)).collect()
}

fn listed(edges: &[(&str, &str, f64)]) -> Vec<(String, String, f64)> {
    edges.iter().map(|&(u, v, weight)| (u.into(), v.into(), weight)).collect()
}

fn notes(text: &str) -> Vec<String> {
    let (_, decisions) = read(text).unwrap();
    let warnings = decisions.warnings(&ReadOptions::default());
    warnings.iter().map(|note| note.spelled(&ToString::to_string)).collect()
}

#[test]
fn repeated_contacts_next_to_times_are_noted() {
    let found = notes("time,i,j\n1,10,11\n2,10,11\n3,11,12\n4,12,10\n5,10,11\n");
    assert_eq!(
        found,
        [
            "2 rows repeat edges in either direction, each of which counts once (a column `weight` of ones counts them; so does learning over time with \
          timestamps=time weighted=true)"
        ]
    );
    // Without a header the column of times is known by its values.
    let columns =
        TableOptions { source: Some("2".into()), target: Some("3".into()), ..TableOptions::default() };
    let options = ReadOptions { table: columns, ..ReadOptions::default() };
    for (text, noted) in [
        ("20 1 2\n20 2 3\n40 1 2\n40 2 3\n60 1 2\n60 3 1\n80 1 2\n80 2 3\n", true),
        ("1503435956.5 1 2\n1503435957.25 1 2\n", true),
        ("2020-01-31 1 2\n2020-02-01 1 2\n", true),
        ("7 1 2\n5 1 2\n", false),
    ] {
        let (_, decisions) = parse_network(text.as_bytes(), &options).unwrap();
        let found: Vec<String> =
            decisions.warnings(&options).iter().map(|note| note.spelled(&ToString::to_string)).collect();
        assert_eq!(found.iter().any(|note| note.contains("timestamps=1")), noted, "{text}: {found:?}");
    }
    for once in ["time,i,j\n1,10,11\n2,11,12\n", "i,j\n10,11\n10,11\n"] {
        assert_eq!(notes(once), [""; 0], "{once}");
    }
    assert_eq!(
        notes("time,i,j,weight\n1,10,11,1\n2,10,11,2\n"),
        [
            "1 row repeats an edge in either direction, whose weights are added up (learning over time with timestamps=time keeps times apart)"
        ]
    );
}

/// A table whose first line is a header, whatever it looks like.
fn read_below_header(text: &str) -> ergodict::Result<(Network, ReadDecisions)> {
    let table = TableOptions { header: Header::Yes, ..TableOptions::default() };
    parse_network(text.as_bytes(), &ReadOptions { table, ..ReadOptions::default() })
}

#[test]
fn two_columns_that_a_third_is_tied_to_are_no_edges() {
    for text in [
        "student,friend1,friend2\nann,bob,cleo\nbob,ann,dan\ncleo,ann,bob\ndan,bob,cleo\n",
        "name;Freund 1;Freund 2\nann;bob;cleo\nbob;ann;cleo\ncleo;ann;bob\n",
        "node,neighbor1,neighbor2\n1,2,3\n2,3,4\n",
        "id,sire,dam\nc,a,b\nd,a,b\ne,c,d\n",
        "id,sire,dam\n3,1,2\n4,1,2\n",
        "child,parent1,parent2\nc,a,b\nd,a,c\ne,b,c\na,d,e\n",
        "respondent,ally_1,ally_2\nann,bob,cleo\nbob,ann,dan\ncleo,ann,bob\n",
    ] {
        let message =
            read_below_header(text).map(|(_, decisions)| decisions.to_string()).expect_err(text).to_string();
        assert!(message.contains("several columns that could be ends of edges"), "{message}");
    }
    for (text, edges) in [
        // No household is a member of one, and no relation a person.
        ("household,member1,member2\nh1,ann,bob\nh2,bob,dan\n", 2),
        ("relation,person_1,person_2\nkin,ann,bob\nally,bob,cleo\nkin,cleo,dan\n", 3),
        ("id,person_1,person_2\n1,2,3\n2,3,4\n", 2),
        ("friend1,friend2\nann,bob\nbob,cleo\n", 2),
    ] {
        let (network, _) = read_below_header(text).unwrap();
        assert_eq!(network.edges(), edges, "{text}");
    }
}

#[test]
fn cells_with_several_nodes_are_noted() {
    for text in [
        "title,author,year\nA,Smith J.; Lee K.; Wu X.,2001\nB,Lee K.,2002\n",
        "From;To\na@e.com;\"b@e.com, c@e.com\"\nb@e.com;a@e.com\n",
    ] {
        let found = notes(text);
        assert!(
            found.iter().any(|note| note.contains("is read as one node, as are similar cells")),
            "{text}: {found:?}"
        );
    }
    for text in ["source;target\n\"Doe, Jane\";\"Roe, Ann\"\n\"Roe, Ann\";Bob\n", "a,b\nx y,z\nz,w\n"] {
        let found = notes(text);
        assert!(!found.iter().any(|note| note.contains("one node")), "{text}: {found:?}");
    }
}

#[test]
fn names_of_columns_below_a_title_are_no_edge() {
    for text in [
        "Class 7b,contacts\nA,B\n1,2\n2,3\n",
        "Class 7b\nA,B\n1,2\n2,3\n",
        "Class 7b,contacts\nsource,target\na,b\nb,c\n",
    ] {
        let message = refused(text);
        assert!(message.contains(":2: has the names of columns, but is not the first line"), "{message}");
    }
    for text in ["Contacts,,\nA,B,n\na,b,3\nb,c,4\n", "Contacts,,\na,b,3\nb,c,4\nc,a,4\n"] {
        let message = refused(text);
        assert!(
            message.contains(":1: has one field and otherwise blanks: give it its second end")
                && message.contains("leave it out"),
            "{message}"
        );
        assert!(!message.contains("weight"), "{message}");
    }
    // Words apart from the other rows could be edges as well: no row is left out, and the first is named.
    for text in [
        "Class 7b,contacts\nFrom whom,To whom\na,b\nb,c\nc,a\n",
        "Class 7b,contacts\nA,B\nann,bob\nbob,cleo\ncleo,ann\ndan,eve\n",
        "ann,bob\ncarl,dora\neve,fay\nfay,gil\ngil,eve\n",
    ] {
        let (network, decisions) = read(text).unwrap();
        assert!(matches!(&decisions.doubts[..], [Doubt::Header(_)]), "{text}: {:?}", decisions.doubts);
        assert_eq!(network.stored(), 2 * (text.lines().count() as u64), "{text}");
    }
    for text in ["kunde,firma\na,b\nb,c\nc,a\n", "source,target\nx,y\na,b\nb,c\nc,a\n"] {
        assert_eq!(read(text).unwrap().1.doubts, [], "{text}");
    }
}

#[test]
fn titles_of_several_words_are_no_edge() {
    for text in [
        "Friendship network\nAnn,Bob\nBob,Cleo\nCleo,Ann\n",
        "Friendship network\nName,Knows\nAnn,Bob\nBob,Cleo\n",
        "My friends\nAnn Lee,Bob Ray\nBob Ray,Cleo Fay\n",
        "My friends 2019\nAnn\tBob\nBob\tCleo\n",
    ] {
        let message = refused(text);
        assert!(message.contains(":1: has one field, and the lines below have more"), "{text}: {message}");
    }
    // A header between blanks, and names with blanks, are none.
    let (network, decisions) = read("FromNodeId ToNodeId\n1\t2\n2\t3\n").unwrap();
    assert_eq!((network.nodes(), decisions.header), (3, Some(1)));
    assert_eq!(read("Ann Lee,Bob Ray\nBob Ray,Cleo Fay\n").unwrap().0.nodes(), 3);
}

#[test]
fn numbers_can_be_names_of_columns_next_to_both_ends() {
    let (network, decisions) = read("source,target,2019\nUSA,CHN,410\nCHN,DEU,55\nDEU,USA,12\n").unwrap();
    assert_eq!((network.nodes(), network.edges(), decisions.header), (3, 3, Some(1)));
    assert_eq!(decisions.unused, ["2019"]);
    let (network, _) = read("source,target,2018,2019\nUSA,CHN,1,2\nCHN,DEU,3,4\n").unwrap();
    assert_eq!(network.edges(), 2);
    let (network, _) = read(",0,1\n0,5,7\n1,7,9\n2,9,5\n").unwrap();
    assert_eq!(edges(&network), listed(&[("5", "7", 1.0), ("5", "9", 1.0), ("7", "9", 1.0)]));
}

#[test]
fn of_several_columns_for_an_end_those_that_go_together_are_taken() {
    for (names, expected) in [
        (".egoID,.srcID,.tgtID", ("11", "12")),
        ("ego,source,target", ("11", "12")),
        ("source,from,to", ("11", "12")),
    ] {
        let (network, _) = read(&format!("{names}\n1,11,12\n")).unwrap();
        assert_eq!(edges(&network), listed(&[(expected.0, expected.1, 1.0)]), "{names}");
    }
    let message = refused("follower,sender,receiver,following\n1,2,3,4\n");
    assert!(message.contains("`follower`, `sender`, `receiver`, `following`"), "{message}");
}

#[test]
fn from_and_to_may_be_a_span_of_time() {
    for names in [
        "source,target",
        "source_id,target_id",
        "sender,receiver",
        "node1,node2",
        "id1,id2",
        "vertex1,vertex2",
        "fromnode,tonode",
        "FromNodeId,ToNodeId",
        "sourcenode,targetnode",
        "start_node,end_node",
        "from_id,to_id",
    ] {
        for text in [format!("{names},from,to\n1,2,1999,2001\n"), format!("from,to,{names}\n1999,2001,1,2\n")]
        {
            assert_eq!(edges(&read(&text).unwrap().0), listed(&[("1", "2", 1.0)]), "{text}");
        }
    }
    for names in [
        "person_a,person_b",
        "u,v",
        "i,j",
        "source_id,target",
        "sender,target",
        "src_ip,dst_ip",
        "from_name,to_name",
    ] {
        let message = refused(&format!("{names},from,to\n1,2,1999,2001\n"));
        let columns = format!("could be ends of edges, `{}`, `from`, `to`:", names.replace(',', "`, `"));
        assert!(message.contains(&columns), "{message}");
    }
    // Neither `start` and `end` nor cities are other ends.
    for names in ["from,to,start,end", "from,to,from_city,to_city", "from,to,note,trips"] {
        let (network, _) = read(&format!("{names}\n1,2,1999,2001\n")).unwrap();
        assert_eq!(edges(&network), listed(&[("1", "2", 1.0)]), "{names}");
    }
}

#[test]
fn source_next_to_both_ends_is_where_an_edge_is_from() {
    for names in ["node1,node2", "id1,id2", "protein1,protein2", "gene_a,gene_b", "u,v", "person,friend"] {
        for text in [
            format!("{names},score,source\n1,2,0.5,STRING\n2,3,0.25,BioGRID\n"),
            format!("{names},source\n1,2,7\n2,3,8\n"),
            format!("target,{names}\n7,1,2\n8,2,3\n"),
        ] {
            let (network, _) = read(&text).unwrap();
            assert_eq!(edges(&network), listed(&[("1", "2", 1.0), ("2", "3", 1.0)]), "{text}");
        }
    }
}

#[test]
fn the_other_end_of_words_is_of_words() {
    for (names, rows) in [
        ("origin,dest,air_time", "JFK,LAX,320\nLAX,SFO,70\n"),
        ("orig,dest,air_time", "JFK,LAX,320\nLAX,SFO,70\n"),
        ("source,neighbor,distance_km", "JFK,LAX,3.5\nLAX,SFO,4\n"),
        ("country,destination,tonnes", "JFK,LAX,12\nLAX,SFO,5\n"),
    ] {
        let (network, _) = read(&format!("{names}\n{rows}")).unwrap();
        assert_eq!(edges(&network), listed(&[("JFK", "LAX", 1.0), ("LAX", "SFO", 1.0)]), "{names}");
    }
    // Whichever stands first, the follower is the source.
    let directed = ReadOptions { directed: Some(true), ..ReadOptions::default() };
    for text in ["leader,follower,n_likes\n1,2,7\n", "follower,leader,n_likes\n2,1,7\n"] {
        let (network, _) = parse_network(text.as_bytes(), &directed).unwrap();
        assert_eq!(edges(&network), listed(&[("2", "1", 1.0)]), "{text}");
    }
    assert!(refused("user,followers,following\nann,10,20\nbob,20,10\n").contains("`user`, `followers`"));
}

#[test]
fn tables_without_names_that_pandas_writes_are_lists() {
    for (text, expected) in [
        (",0,1,2\n0,5,7,2.5\n1,7,9,1\n", listed(&[("5", "7", 2.5), ("7", "9", 1.0)])),
        (",0,1,2\n0,5,7,2\n1,7,9,3\n", listed(&[("5", "7", 2.0), ("7", "9", 3.0)])),
        (",0,1,2\n0,b,a,2\n", listed(&[("a", "b", 2.0)])),
    ] {
        let (network, decisions) = read(text).unwrap();
        assert_eq!(edges(&network), expected, "{text}");
        assert_eq!((decisions.header, decisions.weight_column), (Some(1), Some(4)), "{text}");
        assert!(decisions.unused.is_empty());
    }
    let years = ",0,1,2\n0,5,7,1999\n1,7,9,2001\n";
    assert_eq!(read(years).unwrap().1.doubts, [Doubt::Weights(4, "years")]);
    let contacts: Vec<String> = (0..9).map(|at| format!("{at},{},{},{}", 100 + at, at, at + 1)).collect();
    let contacts = format!(",0,1,2\n{}\n", contacts.join("\n"));
    assert!(refused(&contacts).contains("as source and target (1 and 2; or 0 and 1, with 2 as the weight)"));
    // Numbered rows and columns are those of a matrix, or of a list.
    let square = |rows: &str| read(&format!(",0,1,2\n{rows}"));
    assert_eq!(square("0,0,1,0\n1,1,0,2\n2,0,2,0\n").unwrap().0.nodes(), 3);
    let message = square("0,5,7,2\n1,7,9,1\n2,9,5,3\n").unwrap_err();
    assert!(message.contains("adjacency matrix of 3 nodes or 3 edges"), "{message}");
    // Given columns are called by these numbers, which no place stands in for.
    let given = |source: &str, target: &str| {
        let [source, target] = [source, target].map(|column| Some(column.to_owned()));
        let table = TableOptions { source, target, ..TableOptions::default() };
        let options = ReadOptions { table, ..ReadOptions::default() };
        parse_network(contacts.as_bytes(), &options).map(|(network, _)| network.nodes())
    };
    assert_eq!(given("1", "2").unwrap(), 10);
    assert!(given("2", "3").unwrap_err().to_string().contains("no column called `3`"));
}

#[test]
fn numbers_of_two_kinds_of_nodes_beyond_the_first_rows_are_noted() {
    let rows: Vec<String> = (0..300).map(|at| format!("{},{}", 900 - at, at % 30 + 1)).collect();
    let rows = rows.join("\n");
    assert!(matches!(&read(&format!("sailor_id,ship_id\n{rows}")).unwrap().1.doubts[..], [Doubt::Kinds(_)]));
    for names in ["source,target", "friend_1,friend_2"] {
        assert_eq!(read(&format!("{names}\n{rows}")).unwrap().1.doubts, [], "{names}");
    }
}

#[test]
fn measures_are_no_ends() {
    for text in ["student_id,score\n1001,85\n1002,90\n1003,85\n", "student,minutes\n1,30\n2,40\n"] {
        assert!(refused(text).contains("looks like a measure"), "{text}");
    }
}

#[test]
fn triples_of_knowledge_graphs_have_their_ends_outside() {
    let expected = listed(&[("1", "2", 1.0), ("1", "3", 1.0), ("2", "3", 1.0)]);
    for names in [
        "head,relation,tail",
        "subject,predicate,object",
        "h,r,t",
        "head_id,relation_id,tail_id",
        "source,rel,target",
    ] {
        let (network, decisions) = read(&format!("{names}\n1,0,2\n2,1,3\n3,0,1\n")).unwrap();
        assert_eq!(edges(&network), expected, "{names}");
        assert_eq!(decisions.unused, [names.split(',').nth(1).unwrap()]);
    }
    let (network, _) = read("head relation tail\na likes b\nb likes c\nc knows a\n").unwrap();
    assert_eq!((network.nodes(), network.edges()), (3, 3));
    let triples = "1 0 5\n2 1 6\n3 0 7\n4 1 8\n5 0 1\n6 1 2\n7 0 3\n8 1 4\n";
    assert_eq!(read(triples).unwrap().1.doubts, [Doubt::Triples(1)]);
    assert!(notes(triples)[0].contains("source=1 target=3"));
}

#[test]
fn an_edge_index_is_refused() {
    for text in ["0 1 2 3 4 5 0\n1 2 3 4 5 0 3\n", "0,1,2,3\n1,2,3,0\n", "0.0 1.0 2.0 3.0\n1.0 2.0 3.0 0.0\n"]
    {
        let message = refused(text);
        assert!(message.contains("two rows of") && message.contains("transpose it"), "{message}");
    }
    assert_eq!(read("0 1 2\n1 2 0\n").unwrap().1.doubts, [Doubt::EdgeIndex]);
}

#[test]
fn separators_of_thousands_are_no_decimals() {
    let message = refused("source,target,weight\na,b,\"1,016\"\nb,c,12\n");
    assert!(
        message.contains(
            "has the weight `1,016`: expected a number without commas, 1016 if the comma separates thousands, or 1.016 if it stands before decimals"
        ),
        "{message}"
    );
    assert!(refused("source,target,weight\na,b,\"1,016,000\"\n").contains("such as 1016000"));
    assert!(refused("source,target,weight\na,b,inf\n").contains("expected a finite number"));
    assert!(refused("a b 1.016.000\nb c 950\n").contains("such as 1016000"));
    assert!(refused("a;b;0,5\nb;c;1,5\n").contains("decimal point"));
    for text in ["source,target,weight\na,b,1.016\nb,c,950\n", "a b 1.016\nb c 950\n"] {
        assert_eq!(read(text).unwrap().1.doubts, [Doubt::Thousands(3)]);
    }
    assert_eq!(read("a b 1.016\nb c 0.950\n").unwrap().1.doubts, []);
    let unweighted = ReadOptions { weighted: Some(false), ..ReadOptions::default() };
    assert_eq!(parse_network(b"a b 1.016\nb c 950\n", &unweighted).unwrap().1.doubts, []);
}

#[test]
fn typographic_quotation_marks_are_no_part_of_names() {
    let (network, _) = read("source,target\n“Anna”,“Bo, jun.”\n„Cleo“,Anna\n").unwrap();
    assert_eq!(edges(&network), listed(&[("Anna", "Bo, jun.", 1.0), ("Anna", "Cleo", 1.0)]));
    let (network, _) = read("source,target\n“Weird Al” Yankovic,Bob\n“Anna” ,Bob\n").unwrap();
    assert_eq!(edges(&network), listed(&[("Anna", "Bob", 1.0), ("Bob", "“Weird Al” Yankovic", 1.0)]));
    // Names that have such marks are written so that they keep them.
    let (network, _) = read("\"“Anna”\" b\nb c\n").unwrap();
    let mut text = Vec::new();
    write_edge_list(&network, &mut text).unwrap();
    let (again, _) = read(std::str::from_utf8(&text).unwrap()).unwrap();
    assert_eq!(edges(&again), edges(&network));
    assert!(edges(&again).iter().any(|edge| edge.0 == "“Anna”" || edge.1 == "“Anna”"));
}

#[test]
fn senders_and_receivers_are_ends_next_to_other_ids() {
    for names in [
        "message_id,sender_id,receiver_id,n",
        "timestamp,sender_id,receiver_id,length",
        "thread_id,from_id,to_id,message_id",
        "paper_id,citing_id,cited_id,year",
        "order_id,buyer_id,seller_id,amount",
    ] {
        let (network, decisions) = read(&format!("{names}\n1,10,11,2\n2,11,12,10\n3,12,10,11\n")).unwrap();
        let ids: Vec<String> = (0..3).map(|v| network.ids().name(v).into_owned()).collect();
        assert_eq!(ids, ["10", "11", "12"], "{names}");
        assert_eq!(decisions.unused.len(), 2, "{names}");
    }
    assert_eq!(
        notes("message_id,sender_id,receiver_id,n\n1,10,11,2\n2,11,12,3\n"),
        ["column `n` is ignored (weight=NAME uses it as weights)"]
    );
}

#[test]
fn measures_behind_two_columns_are_no_ends() {
    // The minutes are numbers of students, too.
    let text = "student,contact,minutes\n1,2,1\n2,3,2\n3,1,3\n";
    assert_eq!(read(text).unwrap().0.edges(), 3);
    assert_eq!(notes(text), ["column `minutes` is ignored (weight=NAME uses it as weights)"]);
    let table = TableOptions { weight: Some("minutes".into()), ..TableOptions::default() };
    let (network, _) =
        parse_network(text.as_bytes(), &ReadOptions { table, ..ReadOptions::default() }).unwrap();
    assert_eq!(edges(&network)[1..2], listed(&[("1", "3", 3.0)]));
}

#[test]
fn weights_in_their_order_are_no_times() {
    let list = |weights: &str| {
        let line = |(at, weight): (usize, &str)| format!("{} {} {weight}\n", 100 + at, 200 + 3 * at);
        weights.split(' ').enumerate().map(line).collect::<String>()
    };
    assert_eq!(read(&list("1 1 1 2 2 2 3 3 4")).unwrap().1.doubts, []);
    let times = [Doubt::Weights(3, "times (ascending)")];
    assert_eq!(read(&list("20 20 40 40 60 80 80 100")).unwrap().1.doubts, times);
}

#[test]
fn matrices_with_blanks_are_refused_with_what_to_write() {
    for text in [
        ",a,b,c,d\na,,1,2,\nb,1,,1,\nc,2,1,,1\nd,,,1,\n",
        ",a,b,c,d\na,nan,1,2,nan\nb,1,nan,1,nan\nc,2,1,nan,1\nd,nan,nan,1,nan\n",
        "0,1,,2\n1,0,1,\n,1,0,1\n2,,1,0\n",
    ] {
        let message = refused(text);
        assert!(
            message.contains("adjacency matrix with missing entries: expected 0 where there is no edge"),
            "{message}"
        );
    }
    let table = TableOptions { form: TableForm::Adjacency, ..TableOptions::default() };
    let options = ReadOptions { table, ..ReadOptions::default() };
    let message = parse_network(b"0,1,\n1,0,1\n,1,0\n", &options).unwrap_err().to_string();
    assert!(message.contains(":1: has ``") && message.contains("0 where there is no edge"), "{message}");
}

#[test]
fn no_strength_is_below_zero() {
    let (network, _) = read("# directed\na b 2.5\nb c 3\n").unwrap();
    assert!(network.rows().strength(2).is_sign_positive());
    assert_eq!(network.summary().strengths.unwrap().min.to_string(), "0");
}
