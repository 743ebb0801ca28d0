//! Each format as its programs write it; damaged and hostile files.

use crate::data::{Doubt, Network, ReadDecisions, ReadOptions, TableOptions, read_network, write_network};
use crate::{Error, Result};
use std::io::Write;

/// Reads a file with this content.
fn read_with(bytes: &[u8], options: &ReadOptions) -> Result<(Network, ReadDecisions)> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x");
    std::fs::write(&path, bytes).unwrap();
    read_network(&path, options)
}

fn read(bytes: &[u8]) -> Result<(Network, ReadDecisions)> {
    read_with(bytes, &ReadOptions::default())
}

/// Edges as `u v weight`, after the format and the direction.
fn facts(bytes: &[u8]) -> String {
    let (network, decisions) = read(bytes).unwrap();
    let name = |v: u32| network.ids().name(v as usize);
    let edges: Vec<String> =
        network.each_edge().map(|(u, v, w)| format!("{} {} {w}", name(u), name(v))).collect();
    let direction = if network.is_directed() { "directed" } else { "undirected" };
    format!("{}, {direction}, {}: {}", decisions.format, network.nodes(), edges.join("; "))
}

fn message(bytes: &[u8]) -> String {
    read(bytes).map(|(network, _)| network.nodes()).unwrap_err().to_string()
}

const GRAPHML: &str = r#"<?xml version="1.0"?>
<!-- networkx --><graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="d0" for="edge" attr.name="weight" attr.type="double"><default>1.5</default></key>
  <key id="d1" for="node" attr.name="label" attr.type="string" />
  <graph edgedefault="directed"><node id="A &amp; B"><data key="d1">x</data></node><node id="b"/><node id="c"/>
    <edge source="A &amp; B" target="b"><data key="d0">2</data></edge><edge source="b" target="A &amp; B"/>
  </graph></graphml>"#;

const GEXF: &str = r#"<gexf version="1.2" xmlns:viz="http://x"><meta><creator>x</creator></meta>
  <graph defaultedgetype="undirected" mode="static"><attributes class="node"><attribute id="0" title="t"/></attributes>
  <nodes><node id="a" label="Ann"><attvalues><attvalue for="0" value="1"/></attvalues></node><node id="b" label="Bob"/><node id="c"/></nodes>
  <edges><edge id="0" source="a" target="b" weight="2.0"/><edge source="b" target="a"/></edges></graph></gexf>"#;

/// As igraph has it: ids are numbers of its own.
const IGRAPH: &str = r#"<graphml><key id="v_name" for="node" attr.name="name" attr.type="string"/><key id="v_id" for="node" attr.name="id" attr.type="string"/>
  <graph id="G" edgedefault="undirected"><node id="n0"><data key="v_name">Ann</data></node><node id="n1"><data key="v_id">x</data><data key="v_name">Bob</data></node>
  <edge source="n0" target="n1"/></graph></graphml>"#;

/// As yEd has it: labels are part of drawings.
const YED: &str = r#"<graphml xmlns:y="http://www.yworks.com/xml/graphml"><key for="node" id="d6" yfiles.type="nodegraphics"/><graph edgedefault="directed">
  <node id="n0"><data key="d5"/><data key="d6"><y:ShapeNode><y:Geometry height="30"/><y:NodeLabel alignment="center">Ann<y:LabelModel><y:S/></y:LabelModel></y:NodeLabel></y:ShapeNode></data></node>
  <node id="n1"><data key="d6"><y:ShapeNode><y:NodeLabel>Bob</y:NodeLabel><y:Shape type="x"/></y:ShapeNode></data></node>
  <edge source="n0" target="n1"/></graph></graphml>"#;

const GEPHI: &str = r#"<gexf><graph><nodes><node id="52" label="Ann"/><node id="53" label="Bob"></node></nodes><edges><edge source="52" target="53"/></edges></graph></gexf>"#;

const GML: &str = "Creator \"me\"\ngraph\n[\n  comment \"x ] y\"\n  directed 1\n  node\n  [\n    id 1\n    label \"Ann &#233;\"\n    graphics [ x 1 y [ z 2 ] ]\n  ]\n  \
                   node [ id 2 label \"b\" ]\n  edge [ source 1 target 2 value 3 ]\n]\n";

const PAJEK: &str = "% c\n*Vertices 3\n1 \"Ann B\" 0.0 0.5 ellipse\n2 b\n*Arcs\n1 2 2.5\n*Edges\n";

const DOT: &str = "/* x */ digraph \"G [1]\" {\n  graph [rankdir=LR]; a [label=\"A }\", weight=x] // c\n  a -> b:port:n -> \"c \\\"d\" [weight=2, color=red];\n  \
                   subgraph cluster_1 { edge [weight=.5]; a -> {b -7} }\n}\n";

/// As D3's examples have it: links by the names of nodes, or by their numbers, and `value` for weights.
const D3: [&str; 2] = [
    r#"{"nodes": [{"name": "Ann", "group": 1}, {"name": "Bob"}], "links": [{"source": "Ann", "target": "Bob", "value": 3}]}"#,
    r#"{"nodes": [{"name": "Ann"}, {"name": "Bob"}], "links": [{"source": 0, "target": 1, "value": 3, "color": "red"}]}"#,
];

const NODE_LINK: &str = r#"{"directed": false, "multigraph": false, "graph": {"a": [1, {}]}, "nodes": [{"id": 1, "x": [[]]}, {"id": 2}, {"id": 7}],
  "links": [{"source": 1, "target": 2, "weight": 0.5, "key": 0}, {"source": 2, "target": 1, "weight": 0.25}]}"#;

const CYTOSCAPE: &str = r#"{"data": [], "directed": true, "elements": {"nodes": [{"data": {"id": "1", "value": 1, "name": "1"}}, {"data": {"id": "2"}}],
  "edges": [{"data": {"source": 2, "target": 1}}]}}"#;

#[test]
fn graphs_of_every_program_are_read() {
    for (text, expected) in [
        (GRAPHML, "GraphML, directed, 3: A & B b 2; b A & B 1.5"),
        (GEXF, "GEXF, undirected, 3: a b 3"),
        (IGRAPH, "GraphML, undirected, 2: Ann Bob 1"),
        (YED, "GraphML, directed, 2: Ann Bob 1"),
        (GEPHI, "GEXF, undirected, 2: Ann Bob 1"),
        (GML, "GML, directed, 2: Ann \u{e9} b 3"),
        (PAJEK, "Pajek, directed, 3: Ann B b 2.5"),
        (DOT, "DOT, directed, 4: a -7 0.5; a b 2.5; b c \"d 2"),
        (NODE_LINK, "node-link JSON, undirected, 3: 1 2 0.75"),
        (CYTOSCAPE, "Cytoscape JSON, directed, 2: 2 1 1"),
        (
            "{\"nodes\": [{\"name\": \"x\"}, {\"name\": \"y\"}], \"edges\": [{\"source\": 0, \"target\": 1}]}",
            "node-link JSON, undirected, 2: x y 1",
        ),
        (
            "{\"elements\": [{\"data\": {\"id\": \"a\"}}, {\"data\": {\"id\": \"b\"}}, {\"data\": {\"source\": \"a\", \"target\": \"b\", \"weight\": 2}}]}",
            "Cytoscape JSON, undirected, 2: a b 2",
        ),
        ("graph [ node [ id 5 ] node [ id 4 ] edge [ source 5 target 4 ] ]", "GML, undirected, 2: 4 5 1"),
        ("*Vertices 4\n*Edgeslist\n1 2 3\n", "Pajek, undirected, 4: 1 2 1; 1 3 1"),
        ("*vertices 2\r\n1 a\r\n2 b\r\n*matrix\r\n0 1\r\n2 0\r\n", "Pajek, directed, 2: a b 1; b a 2"),
    ] {
        assert_eq!(facts(text.as_bytes()), expected);
        let marked = [b"\xef\xbb\xbf", text.as_bytes()].concat();
        assert_eq!(facts(&marked), expected);
    }
    let said = read(GRAPHML.as_bytes()).unwrap().1.to_string();
    assert!(said.starts_with("GraphML, directed (stated by the file), with weights, words as ids"), "{said}");
}

#[test]
fn nodes_are_called_by_labels_of_their_own() {
    let twice = "graph [ node [ id 1 label \"a\" ] node [ id 2 label \"a\" ] edge [ source 1 target 2 ] ]";
    let (network, decisions) = read(twice.as_bytes()).unwrap();
    assert_eq!((network.ids().name(0), decisions.labels), ("1".into(), None));
    assert_eq!(decisions.doubts, [Doubt::Labels("a".into())]);
    let notes = decisions.warnings(&ReadOptions::default());
    assert!(notes[0].spelled(&ToString::to_string).contains("several nodes are labeled `a`"));
    // Labels that are not different, names that are.
    let named = "graph [ node [ id 1 label \"a\" name \"x\" ] node [ id 2 label \"a\" name \"y\" ] edge [ source 1 target 2 ] ]";
    let (network, decisions) = read(named.as_bytes()).unwrap();
    assert_eq!(
        (network.ids().name(0), decisions.labels, decisions.doubts),
        ("x".into(), Some("name"), vec![])
    );
    let cytoscape = r#"{"elements": {"nodes": [{"data": {"id": "52", "name": "TP53", "label": {"a": 1}}}, {"data": {"id": "53", "name": "MDM2"}}],
        "edges": [{"data": {"source": "52", "target": "53"}}]}}"#;
    let d3 = r#"{"nodes": [{"id": 0, "label": "TP53"}, {"id": 1, "label": "MDM2"}], "links": [{"source": 0, "target": 1}]}"#;
    for (text, ids) in [
        (cytoscape, ["52", "53"]),
        (d3, ["0", "1"]),
        (IGRAPH, ["n0", "n1"]),
        (YED, ["n0", "n1"]),
        (GEPHI, ["52", "53"]),
    ] {
        let (network, decisions) = read(text.as_bytes()).unwrap();
        assert!(decisions.to_string().contains("nodes called by their attribute `"), "{decisions}");
        assert_ne!(network.ids().name(0), ids[0]);
        let (network, decisions) =
            read_with(text.as_bytes(), &ReadOptions { ids: true, ..ReadOptions::default() }).unwrap();
        assert_eq!([0, 1].map(|v| network.ids().name(v)), ids);
        assert_eq!(decisions.labels, None);
    }
}

#[test]
fn what_is_no_graph_is_refused_with_the_reason() {
    let deep = format!("<graphml>{}", "<a>".repeat(100_000));
    let brackets = format!("graph [ {}", "a [ ".repeat(100_000));
    let arrays = format!("{{\"x\": {}", "[".repeat(100_000));
    let braces = format!("graph {}", "{".repeat(100_000));
    let numbers = (0..5000).map(|at| at.to_string()).collect::<Vec<_>>().join(" ");
    let groups = format!("graph {{ {{ {numbers} }} -- {{ {numbers} }} }}");
    for (text, words) in [
        ("<!DOCTYPE x [<!ENTITY a \"aaaa\">]><graphml/>", "document type"),
        ("<graphml><graph edgedefault=\"directed\"><node id=\"&a;\"/></graph></graphml>", "not well-formed"),
        ("<graphml><graph edgedefault=\"directed\"><node id=\"a\"/>&a;</graph></graphml>", "entity `a`"),
        ("<html/>", "the root `html`"),
        ("<graphml/>", "without a graph"),
        ("<graphml><graph><node/></graph></graphml>", "a node without id"),
        ("<graphml><graph><edge source=\"a\"/></graph></graphml>", "without source and target"),
        ("<graphml><graph><hyperedge/></graph></graphml>", "hyperedge"),
        ("<graphml><graph><node id=\"a\"><graph/></node></graph></graphml>", "within a node"),
        (
            "<graphml><graph edgedefault=\"directed\"><edge source=\"a\" target=\"b\" directed=\"false\"/></graph></graphml>",
            "undirected in a graph that is directed",
        ),
        (
            "<gexf><graph><edges><edge source=\"a\" target=\"b\" weight=\"x\"/></edges></graph></gexf>",
            "the weight `x`",
        ),
        (&deep, "deeper than 64"),
        (&brackets, "deeper than 64"),
        (&arrays, "JSON"),
        ("graph [ node [ id 1 ] node [ id 1 ] ]", "second node with the id `1`"),
        ("graph [ node [ id 1 ] edge [ source 1 target 2 ] ]", "the node `2`, which is not listed"),
        ("graph [ node [ id", "cut off"),
        ("*Vertices x\n", "has no number of vertices"),
        ("*Vertices 4000000000\n", "4000000000 nodes"),
        ("*Vertices 16000000\n*Edges\n1 2\n", "15999998 are neither listed nor in an edge"),
        ("*Vertices 2\n*Arcs\n1 3\n", "expected 1 to 2"),
        ("*Vertices 3\n*Arcs\n1 2\n*Edges\n2 3\n", "undirected in a graph that is directed"),
        ("{\"a\": 1}", "expected `nodes`"),
        ("{\"nodes\": [{\"id\": 1}], \"links\": [{\"source\": 1}]}", "without source and target"),
        ("{\"nodes\": [{\"id\": [1]}], \"links\": []}", "the name of a node"),
        ("{\"nodes\": [{\"id\": 1}], \"links\": [{\"source\": 1, \"target\": 2}]}", "not listed"),
        ("[1, 2]", "JSON array"),
        ("digraph G { a -- b }", "has `--` in DOT: expected ->"),
        ("graph { a -- b", "cut off"),
        ("graph { a -- }", "has `}` in DOT: expected an id"),
        ("graph { a -- node }", "keywords only in quotation marks"),
        ("graph { a -- b [weight=heavy] }", "the weight `heavy`"),
        ("graph { a } graph { b }", "expected one graph"),
        ("graph { subgraph x; }", "the opening brace of a subgraph"),
        (&braces, "deeper than 64"),
        (&groups, "more than 2²⁴ edges"),
    ] {
        let message = message(text.as_bytes());
        assert!(message.contains(words), "{}: {message}", &text[..text.len().min(80)]);
    }
    let mixed = "*Vertices 3\n*Arcs\n1 2\n*Edges\n2 3\n";
    let options = ReadOptions { directed: Some(false), ..ReadOptions::default() };
    assert_eq!(read_with(mixed.as_bytes(), &options).unwrap().0.edges(), 2);
}

/// An element of a `.mat` file.
fn element(kind: u32, bytes: &[u8]) -> Vec<u8> {
    let mut made = [kind.to_le_bytes(), (bytes.len() as u32).to_le_bytes()].concat();
    made.extend_from_slice(bytes);
    made.resize(made.len().next_multiple_of(8), 0);
    made
}

/// A variable: sparse, with the rows, starts and entries, or dense.
fn variable(name: &str, shape: [i32; 2], sparse: Option<(&[i32], &[i32])>, entries: &[f64]) -> Vec<u8> {
    let integers = |list: &[i32]| -> Vec<u8> { list.iter().flat_map(|x| x.to_le_bytes()).collect() };
    let class: u32 = if sparse.is_some() { 5 } else { 6 };
    let mut inner = element(6, &[class.to_le_bytes(), [0; 4]].concat());
    inner.extend(element(5, &integers(&shape)));
    // A short element.
    inner.extend((1 | (name.len() as u32) << 16).to_le_bytes());
    let mut letters = [0; 4];
    letters[..name.len()].copy_from_slice(name.as_bytes());
    inner.extend(letters);
    if let Some((rows, starts)) = sparse {
        inner.extend(element(5, &integers(rows)));
        inner.extend(element(5, &integers(starts)));
    }
    let entries: Vec<u8> = entries.iter().flat_map(|x| x.to_le_bytes()).collect();
    inner.extend(element(9, &entries));
    element(14, &inner)
}

fn mat(variables: &[Vec<u8>], packed: bool) -> Vec<u8> {
    let mut file = b"MATLAB 5.0 MAT-file, made by a test".to_vec();
    file.resize(124, b' ');
    file.extend([0, 1, b'I', b'M']);
    for variable in variables {
        if packed {
            let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
            zlib.write_all(variable).unwrap();
            let bytes = zlib.finish().unwrap();
            file.extend([15u32.to_le_bytes(), (bytes.len() as u32).to_le_bytes()].concat());
            file.extend(bytes);
        } else {
            file.extend(variable);
        }
    }
    file
}

fn matrices() -> [Vec<u8>; 3] {
    let sparse = variable("A", [3, 3], Some((&[1, 0, 2, 1], &[0, 1, 3, 4])), &[1.0, 1.0, 2.0, 2.0]);
    let dense = variable("B", [2, 2], None, &[0.0, 0.0, 5.0, 0.0]);
    let other = variable("info", [3, 1], None, &[1.0, 2.0, 3.0]);
    [sparse, dense, other]
}

#[test]
fn matrices_of_matlab_are_read() {
    let [sparse, dense, other] = matrices();
    for packed in [false, true] {
        let file = mat(&[other.clone(), sparse.clone(), dense.clone()], packed);
        assert_eq!(facts(&file), "MATLAB, undirected, 3: 0 1 1; 1 2 2");
        assert_eq!(facts(&mat(&[dense.clone(), other.clone()], packed)), "MATLAB, directed, 2: 0 1 5");
    }
    assert!(message(&mat(&[other], false)).contains("its variables are `info`"));
    let again = variable("B", [2, 2], Some((&[0], &[0, 1, 1])), &[1.0]);
    let same = variable("C", [2, 2], Some((&[0], &[0, 1, 1])), &[1.0]);
    assert!(message(&mat(&[again, same], true)).contains("several square matrices, `B`, `C`"));
    for (rows, starts, words) in [
        (&[9][..], &[0, 1, 1][..], "in row 9"),
        (&[0], &[0, 2, 1], "do not ascend"),
        (&[0], &[0, 1, 5], "do not fit"),
        (&[0], &[0, 1], "has 2 starts of columns in the matrix `A` of 2 rows: expected 3"),
        (&[0; 5], &[0, 1, 1], "has 5 entries in the matrix `A` of 2 rows: expected no more than 4"),
        (&[0, 0], &[0, 1, 2], "has 1 numbers in the matrix `A` of 2 rows: expected 2"),
    ] {
        let message = message(&mat(&[variable("A", [2, 2], Some((rows, starts)), &[1.0])], false));
        assert!(message.contains(words), "{message}");
    }
}

/// Zeros compress a thousand times.
#[test]
fn a_compressed_matrix_that_expands_without_end_is_refused() {
    let rows = 1 << 13;
    let bytes = |count: usize| element(1, &vec![0; count]);
    let claimed = |class: u32, lists: &[Vec<u8>]| {
        let shape = [i32::to_le_bytes(rows), i32::to_le_bytes(rows)].concat();
        let head = element(6, &[class.to_le_bytes(), [0; 4]].concat());
        element(14, &[head, element(5, &shape), element(1, b"A"), lists.concat()].concat())
    };
    let entries = (1 << 24) + (1 << 22);
    let file = mat(&[claimed(5, &[bytes(entries)])], true);
    assert!(file.len() < 1 << 16, "{}", file.len());
    let message = message(&file);
    assert!(message.contains("expected no more than 2²⁴ entries and 16 for each byte"), "{message}");
    // Of several variables that are each below the limit, all are kept.
    let half = |count: usize| {
        let starts: Vec<u8> = (0..=rows).flat_map(|at| (at * (count as i32 / rows)).to_le_bytes()).collect();
        claimed(5, &[bytes(count), element(5, &starts), bytes(count)])
    };
    assert_eq!(read(&mat(&[half(1 << 22)], true)).unwrap().0.nodes(), rows as usize);
    let several: Vec<_> = (0..5).map(|_| half(1 << 22)).collect();
    let message = self::message(&mat(&several, true));
    assert!(message.contains("expected no more than 2²⁴ entries"), "{message}");
    // A dense one has as many numbers as its shape says.
    let message = self::message(&mat(&[claimed(8, &[bytes((rows * rows) as usize + 8)])], true));
    assert!(
        message.contains("has 67108872 numbers in the matrix `A` of 8192 rows: expected 67108864"),
        "{message}"
    );
}

#[test]
fn nodes_of_graphml_and_gexf_are_listed_once() {
    let graphml =
        |inner: &str| format!("<graphml><graph edgedefault=\"undirected\">{inner}</graph></graphml>");
    let gexf = |nodes: &str, edges: &str| {
        format!("<gexf><graph><nodes>{nodes}</nodes><edges>{edges}</edges></graph></gexf>")
    };
    let (one, edge) = ("<node id=\"Ann\"/>", "<edge source=\"Ann\" target=\"Bob\"/>");
    for text in [graphml(&format!("{one}{edge}")), gexf(one, edge)] {
        let message = message(text.as_bytes());
        assert!(message.contains("has an edge of the node `Bob`, which is not listed"), "{message}");
    }
    for text in [graphml(&format!("{one}\n{one}")), gexf(&format!("{one}\n{one}"), "")] {
        let message = message(text.as_bytes());
        assert!(message.contains(":2: has a second node with the id `Ann`"), "{message}");
    }
    // Nodes may follow their edges.
    let late = graphml(&format!("{edge}<node id=\"Bob\"/>{one}"));
    assert_eq!(facts(late.as_bytes()), "GraphML, undirected, 2: Ann Bob 1");
    let twice = "{\"nodes\": [{\"id\": 7}, {\"id\": 7}], \"links\": []}";
    assert!(message(twice.as_bytes()).contains("second node with the id `7`"));
}

#[test]
fn gml_is_recognized_by_its_graph_and_not_by_a_first_word() {
    for table in
        ["creator,work\nAnn,x\nBob,x\nAnn,y\n", "creator work\nAnn x\nBob x\n", "graph,edge\nAnn,x\nBob,x\n"]
    {
        assert_eq!(read(table.as_bytes()).unwrap().1.format, crate::data::NetworkFormat::EdgeList, "{table}");
    }
    let graph = "graph [ node [ id 1 ] node [ id 2 ] edge [ source 1 target 2 ] ]";
    for before in [
        "Creator Gephi\n",
        "Version 1\n# made by hand\ncomment \"a graph [\"\n",
        "# c\n\nGraph_data [ a 1 ]\n",
    ] {
        assert_eq!(facts(format!("{before}{graph}").as_bytes()), "GML, undirected, 2: 1 2 1", "{before}");
    }
}

#[test]
fn statements_of_dot_are_those_of_graphviz() {
    for (text, expected) in [
        // Groups are joined node by node, chains as a whole.
        ("graph { {a b} -- {c d} -- e }", "5: a c 1; a d 1; b c 1; b d 1; c e 1; d e 1"),
        ("graph { a -- {b -- c} }", "3: a b 1; a c 1; b c 1"),
        ("graph { subgraph S {a b} c -- subgraph S {} }", "3: a c 1; b c 1"),
        ("graph { {} -- a; b }", "2: "),
        // Parallel edges add up, those of strict graphs are one, and the weight that was given last holds.
        ("graph { a -- b [weight=2]; b -- a }", "2: a b 3"),
        ("strict graph { a -- b [weight=2]; b -- a; a -- b [weight=5]; b -- a }", "2: a b 5"),
        ("strict graph { edge [weight=7] a -- b edge [weight=3] a -- b a -- c }", "3: a b 7; a c 3"),
        // Defaults hold from where they stand to the end of the braces.
        (
            "graph { a -- b; {edge [weight=2] b -- c} c -- d; edge [weight=\"3\"] d -- e }",
            "5: a b 1; b c 2; c d 1; d e 3",
        ),
        // Ids: quoted keywords, numbers as they are written, HTML with its brackets, letters of all languages.
        ("Graph x{\"node\"--1.0;-1--1.00}", "4: -1 1.00 1; 1.0 node 1"),
        ("graph { <b <i>x</i>> -- Ünï; Ünï -- \"日 本\" }", "3: <b <i>x</i>> Ünï 1; Ünï 日 本 1"),
        (
            "graph <b> { size=\"4,4\"; node [shape=box, style=\"a;b\"] [x=1;y=2 bold]; a -- b[w] [len=1] }",
            "2: a b 1",
        ),
        ("# 1 \"x.gv\"\r\rgraph{a--b//c\rb--c/*\r*/}\r", "3: a b 1; b c 1"),
    ] {
        assert_eq!(facts(text.as_bytes()), format!("DOT, undirected, {expected}"), "{text}");
    }
    assert_eq!(facts(b"strict digraph { a -> b; b -> a; a -> b }"), "DOT, directed, 2: a b 1; b a 1");
    // Where the word `graph` begins something else.
    for table in ["graph,edge\nAnn,x\nBob,x\n", "digraph a\na b\n", "strict graph\ngraph b\n"] {
        assert_eq!(read(table.as_bytes()).unwrap().1.format, crate::data::NetworkFormat::EdgeList, "{table}");
    }
    assert_eq!(read(b"graph { graph [bgcolor=white] a -- b }").unwrap().1.format.to_string(), "DOT");
    let message = message(b"graph {\n a -- b\n b -- c [weight=x]\n}");
    assert!(message.contains(":3: has the weight `x`"), "{message}");
}

#[test]
fn a_form_that_is_asked_for_wins_over_what_the_file_begins_with() {
    let asked = |form| {
        let table = crate::data::TableOptions { form, ..Default::default() };
        ReadOptions { table, ..ReadOptions::default() }
    };
    let (edges, adjacency) = (asked(crate::data::TableForm::Edges), asked(crate::data::TableForm::Adjacency));
    for text in [
        "<a> b\nb c\n",
        "{a} b\nb c\n",
        "[a] b\nb c\n",
        "*vertices b\nb c\n",
        "graph [\nb c\n",
        "%%matrix\na b\nb c\n",
    ] {
        assert!(read(text.as_bytes()).is_err(), "{text}");
        let (network, decisions) = read_with(text.as_bytes(), &edges).unwrap();
        assert_eq!(decisions.format, crate::data::NetworkFormat::EdgeList);
        assert!(network.edges() == 2, "{text}");
    }
    let table = "graph [\n0 1\n1 0\n";
    assert_eq!(read_with(table.as_bytes(), &adjacency).unwrap().0.edges(), 1);
    // What cannot be text is what it is.
    let packed = mat(&[matrices()[0].clone()], true);
    assert!(read_with(&packed, &edges).is_err());
}

#[test]
fn errors_in_xml_name_the_line() {
    for (text, line, words) in [
        ("<?xml version=\"1.0\"?>\n<graphml>\n<graph edgedefault=\"x\"/></graphml>", 3, "edgedefault"),
        ("<graphml><graph>\n\n<node/></graph></graphml>", 3, "without id"),
        (
            "<gexf><graph>\n<nodes><node id=\"a\"/>\n<node\nid=\"a\"/></nodes></graph></gexf>",
            3,
            "second node",
        ),
        ("<graphml>\n<graph>\n</graphml>", 3, "not well-formed"),
        ("<graphml>\n<graph>\n<node id=\"&x;\"/>", 3, "attribute"),
        ("<graphml>\n<graph>\n<node id=\"a\">\n\n", 5, "cut off"),
        ("\n\n<!DOCTYPE x><graphml/>", 3, "document type"),
        ("\n<x/>", 2, "the root `x`"),
    ] {
        let message = message(text.as_bytes());
        assert!(message.contains(&format!(":{line}: ")) && message.contains(words), "{message}");
        assert!(!message.contains("byte"), "{message}");
    }
}

/// The answer to a damaged file is a network or an error of one line, never a panic.
#[test]
fn damaged_files_are_read_or_refused() {
    let [sparse, dense, other] = matrices();
    let plain = mat(&[sparse.clone(), dense.clone(), other.clone()], false);
    let packed = mat(&[sparse, dense, other], true);
    let texts = [GRAPHML, GEXF, GML, PAJEK, DOT, NODE_LINK, CYTOSCAPE].map(|text| text.as_bytes().to_vec());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x");
    let look = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        match read_network(&path, &ReadOptions::default()) {
            Ok((network, _)) => assert!(network.nodes() < 1 << 20),
            Err(Error::Format { problem, .. }) => {
                assert!(!problem.is_empty() && !problem.contains('\n'), "{problem}");
            }
            Err(_) => {}
        }
    };
    for file in texts.into_iter().chain([plain, packed]) {
        for at in 0..file.len() {
            look(&file[..at]);
            for change in [0x01, 0x20, 0x80] {
                let mut bytes = file.clone();
                bytes[at] ^= change;
                look(&bytes);
            }
        }
    }
}

#[test]
fn what_is_written_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    for text in ["a b 0.1\nb \"c & <d>\" 2\n", "1 2\n2 3\n3 3\n", "# directed\n0 1 3\n1 0 4\n5 1 1e-9\n"] {
        let options = ReadOptions { loops: crate::data::Loops::Keep, ..ReadOptions::default() };
        let network = crate::data::parse_network(text.as_bytes(), &options).unwrap().0;
        for name in ["x.graphml", "x.json", "x.graphml.gz", "x.json.zst"] {
            let path = folder.path().join(name);
            assert_eq!(write_network(&path, &network).unwrap().lost, None);
            assert_eq!(read_network(&path, &options).unwrap().0, network, "{name}");
        }
    }
    let isolated = Network::simple(3, &[(0, 1)]).unwrap();
    for name in ["x.graphml", "x.json"] {
        write_network(&folder.path().join(name), &isolated).unwrap();
        assert_eq!(read_network(&folder.path().join(name), &ReadOptions::default()).unwrap().0, isolated);
    }
    for name in ["x.gexf", "x.gml", "x.net.gz", "x.mat"] {
        let message = write_network(&folder.path().join(name), &isolated).unwrap_err().to_string();
        assert!(message.contains("is only read"), "{message}");
    }
}

#[test]
fn files_of_cytoscape_are_known_by_their_names() {
    let folder = tempfile::tempdir().unwrap();
    let read = |name: &str, text: &str, options: &ReadOptions| {
        std::fs::write(folder.path().join(name), text).unwrap();
        read_network(&folder.path().join(name), options)
    };
    let plain = ReadOptions::default();
    for (name, text) in
        [("a.sif", "Ann pp b\nb pd c Ann\n\nalone\n"), ("b.SIF", "Ann\tpp\tb\r\nb\tpd\tc\tAnn\r\nalone\r\n")]
    {
        let (network, decisions) = read(name, text, &plain).unwrap();
        assert_eq!(
            (network.nodes(), network.edges(), network.ids().name(0)),
            (4, 2, "Ann".into()),
            "{text:?}"
        );
        assert!(
            decisions.to_string().starts_with("SIF, undirected (assumed), without weights"),
            "{decisions}"
        );
    }
    let (network, _) = read("c.sif", "Ann B\tis near\tc d\n", &plain).unwrap();
    assert_eq!(network.ids().name(1), "c d");
    assert!(read("d.sif", "a b\n", &plain).unwrap_err().to_string().contains(":1: has two fields"));
    assert!(read("e.sif", "\n", &plain).unwrap_err().to_string().contains("holds no node"));
    // Under another name it is a table, and what the message says is right.
    let text = "a pp b\nb pp c\nc pd a\n";
    let message = read("f.txt", text, &plain).unwrap_err().to_string();
    assert!(message.contains("source and target") && message.contains("`.sif`"), "{message}");
    let [source, target] = ["1", "3"].map(|column| Some(column.to_owned()));
    let table = TableOptions { source, target, ..TableOptions::default() };
    let (network, decisions) = read("f.txt", text, &ReadOptions { table, ..plain.clone() }).unwrap();
    assert_eq!((network.nodes(), network.edges(), decisions.unused), (3, 3, vec!["2".into()]));
    assert_eq!(read("f.sif", text, &plain).unwrap().0, network);
}

#[test]
fn weights_that_are_all_1_are_said_to_be() {
    let ones = GRAPHML.replace("1.5", "1").replace(">2<", ">1<");
    let (network, decisions) = read(ones.as_bytes()).unwrap();
    assert!(!network.is_weighted() && decisions.to_string().contains(", weights all 1, "), "{decisions}");
    let wanted = ReadOptions { weighted: Some(true), ..ReadOptions::default() };
    assert!(read_with(ones.as_bytes(), &wanted).is_ok());
}

#[test]
fn links_of_d3_have_names_or_numbers() {
    for text in D3 {
        assert_eq!(facts(text.as_bytes()), "node-link JSON, undirected, 2: Ann Bob 3", "{text}");
        // What is no number is no weight.
        let words = text.replace(": 3", ": [\"x\", {}]");
        assert_eq!(facts(words.as_bytes()), "node-link JSON, undirected, 2: Ann Bob 1", "{words}");
    }
    assert!(
        message(D3[0].replace("\"target\": \"Bob\"", "\"target\": \"Cat\"").as_bytes()).contains("`Ann`")
    );
    let both = D3[1].replace("\"value\": 3", "\"weight\": 0.5, \"value\": 3");
    assert_eq!(facts(both.as_bytes()), "node-link JSON, undirected, 2: Ann Bob 0.5");
}
