//! Graphviz DOT: a graph whose edges are lines, and chains and groups of them.
//!
//! Nodes are called by their ids. The weight of an edge is its attribute `weight`, or the one that `edge [weight=…]` before it gives all edges
//! of its subgraph; all other attributes are about drawing. In a `strict` graph an edge that comes again is the same edge, as in Graphviz.

use super::dot_tokens::{Token, Tokens};
use super::graph::{Graph, number};
use crate::{Error, Result};
use std::collections::HashMap;
use std::io::BufRead;
use std::path::Path;

/// The deepest nesting of subgraphs.
const DEEPEST: usize = 64;

/// Bytes at the beginning of a file in which the first brace stands, after comments.
pub(in crate::data::network) const START: u64 = 1 << 12;

/// Edges that groups of nodes may stand for: a small file would otherwise have edges without end.
const GROUPED: u64 = 1 << 24;

/// Whether a file that begins so is DOT: `graph {`, perhaps `strict`, `digraph` or with a name.
pub(in crate::data::network) fn recognize(path: &Path, start: &[u8]) -> bool {
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
    start_graph(&mut Tokens::new(path, start)).is_ok()
}

/// Reads the graph of a file.
pub(super) fn read(path: &Path, input: impl BufRead) -> Result<Graph> {
    let mut tokens = Tokens::new(path, input);
    let (strict, directed) = start_graph(&mut tokens)?;
    let mut parser = Parser {
        tokens,
        graph: Graph::new(Some(directed)),
        directed,
        strict: strict.then(HashMap::new),
        named: HashMap::new(),
        grouped: 0,
    };
    parser.statements(None, None, 1)?;
    if let Some(token) = parser.tokens.next()? {
        let problem = format!("has `{}` after the end of the graph: expected one graph", token.words());
        return Err(parser.tokens.bad(problem));
    }
    Ok(parser.graph)
}

/// Everything up to the first brace: whether the graph is strict, and whether its edges have a direction.
fn start_graph<R: BufRead>(tokens: &mut Tokens<'_, R>) -> Result<(bool, bool)> {
    let mut keyword = tokens.next()?;
    let strict = is_keyword(keyword.as_ref(), "strict");
    if strict {
        keyword = tokens.next()?;
    }
    let directed = is_keyword(keyword.as_ref(), "digraph");
    if directed || is_keyword(keyword.as_ref(), "graph") {
        if matches!(tokens.look()?, Some(Token::Word(_) | Token::Text(_))) {
            tokens.next()?;
        }
        if tokens.accept(&Token::Sign(b'{'))? {
            return Ok((strict, directed));
        }
    }
    Err(tokens.bad("is no DOT: expected `graph {` or `digraph {`"))
}

fn is_keyword(token: Option<&Token>, keyword: &str) -> bool {
    matches!(token, Some(Token::Word(word)) if word.eq_ignore_ascii_case(keyword))
}

struct Parser<'a, R> {
    tokens: Tokens<'a, R>,
    graph: Graph,
    directed: bool,
    /// The edges of a strict graph, by their ends.
    strict: Option<HashMap<(u32, u32), usize>>,
    /// The nodes of subgraphs that have a name, which may come again.
    named: HashMap<String, Vec<u32>>,
    /// Edges that groups stood for so far.
    grouped: u64,
}

impl<R: BufRead> Parser<'_, R> {
    /// What stands up to a closing brace; `weight` is that of edges without one, `nodes` are those of the subgraph.
    fn statements(
        &mut self,
        mut weight: Option<f64>,
        mut nodes: Option<&mut Vec<u32>>,
        depth: usize,
    ) -> Result<()> {
        if depth > DEEPEST {
            return Err(self.tokens.bad(format!("nests subgraphs deeper than {DEEPEST} levels")));
        }
        while !self.tokens.accept(&Token::Sign(b'}'))? {
            let token = self.tokens.look()?;
            let of_edges = is_keyword(token, "edge");
            if token == Some(&Token::Sign(b';')) {
                self.tokens.next()?;
            } else if of_edges || is_keyword(token, "graph") || is_keyword(token, "node") {
                self.tokens.next()?;
                let given = self.attributes()?;
                if of_edges && given.is_some() {
                    weight = self.number(given)?;
                }
            } else {
                let found = self.statement(weight, depth)?;
                if let Some(nodes) = &mut nodes {
                    nodes.extend(found);
                }
            }
        }
        Ok(())
    }

    /// A node, a subgraph, a chain of edges between such, or an attribute of the graph; the nodes of it.
    fn statement(&mut self, weight: Option<f64>, depth: usize) -> Result<Vec<u32>> {
        let mut ends = Vec::new();
        if self.is_group()? {
            ends.push(self.group(weight, depth)?);
        } else {
            let id = self.id()?;
            if self.tokens.accept(&Token::Sign(b'='))? {
                self.id()?;
                return Ok(Vec::new());
            }
            ends.push(self.node(&id)?);
        }
        while let Some(&Token::Edge(directed)) = self.tokens.look()? {
            if directed != self.directed {
                return Err(self.unexpected(if self.directed { "-> in a digraph" } else { "-- in a graph" }));
            }
            self.tokens.next()?;
            let end = if self.is_group()? {
                self.group(weight, depth)?
            } else {
                let id = self.id()?;
                self.node(&id)?
            };
            ends.push(end);
        }
        let given = self.attributes()?;
        if ends.len() > 1 {
            let given = self.number(given)?;
            ends.windows(2).try_for_each(|two| self.connect(&two[0], &two[1], given, weight))?;
        }
        Ok(ends.concat())
    }

    fn is_group(&mut self) -> Result<bool> {
        let token = self.tokens.look()?;
        Ok(token == Some(&Token::Sign(b'{')) || is_keyword(token, "subgraph"))
    }

    /// The nodes of a subgraph.
    fn group(&mut self, weight: Option<f64>, depth: usize) -> Result<Vec<u32>> {
        let mut name = None;
        if is_keyword(self.tokens.look()?, "subgraph") {
            self.tokens.next()?;
            if self.tokens.look()? != Some(&Token::Sign(b'{')) {
                name = Some(self.id()?);
            }
        }
        if !self.tokens.accept(&Token::Sign(b'{'))? {
            return Err(self.unexpected("the opening brace of a subgraph"));
        }
        let mut nodes = name.as_ref().and_then(|name| self.named.remove(name)).unwrap_or_default();
        self.statements(weight, Some(&mut nodes), depth + 1)?;
        nodes.sort_unstable();
        nodes.dedup();
        if let Some(name) = name {
            self.named.insert(name, nodes.clone());
        }
        Ok(nodes)
    }

    /// A node whose id was taken, and where on it the line begins.
    fn node(&mut self, id: &str) -> Result<Vec<u32>> {
        while self.tokens.accept(&Token::Sign(b':'))? {
            self.id()?;
        }
        Ok(vec![self.graph.mention(id)])
    }

    /// Edges from each of the first nodes to each of the second.
    fn connect(&mut self, from: &[u32], to: &[u32], given: Option<f64>, default: Option<f64>) -> Result<()> {
        let edges = from.len() as u64 * to.len() as u64;
        self.grouped += if edges > 1 { edges } else { 0 };
        if self.grouped > GROUPED {
            return Err(self.tokens.bad("has groups of nodes that stand for more than 2²⁴ edges"));
        }
        for (&u, &v) in from.iter().flat_map(|u| to.iter().map(move |v| (u, v))) {
            let at = self.graph.edges();
            if let Some(known) = &mut self.strict {
                let ends = if self.directed { (u, v) } else { (u.min(v), u.max(v)) };
                let before = *known.entry(ends).or_insert(at);
                if before < at {
                    given.into_iter().for_each(|weight| self.graph.weigh(before, weight));
                    continue;
                }
            }
            self.graph.connect(u, v, given.or(default));
        }
        Ok(())
    }

    /// Attributes in brackets, if there are any; the last weight among them.
    fn attributes(&mut self) -> Result<Option<String>> {
        let mut weight = None;
        while self.tokens.accept(&Token::Sign(b'['))? {
            while !self.tokens.accept(&Token::Sign(b']'))? {
                let name = self.id()?;
                let value = if self.tokens.accept(&Token::Sign(b'='))? { Some(self.id()?) } else { None };
                if name == "weight" && value.is_some() {
                    weight = value;
                }
                if !self.tokens.accept(&Token::Sign(b','))? {
                    self.tokens.accept(&Token::Sign(b';'))?;
                }
            }
        }
        Ok(weight)
    }

    fn number(&self, text: Option<String>) -> Result<Option<f64>> {
        text.map(|text| number(&text)).transpose().map_err(|problem| self.tokens.bad(problem))
    }

    fn id(&mut self) -> Result<String> {
        let keywords = ["strict", "graph", "digraph", "node", "edge", "subgraph"];
        let id = match self.tokens.look()? {
            token if keywords.iter().any(|keyword| is_keyword(token, keyword)) => None,
            Some(Token::Word(id) | Token::Text(id)) => Some(id.clone()),
            _ => None,
        };
        let Some(id) = id else {
            return Err(self.unexpected("an id (keywords only in quotation marks)"));
        };
        self.tokens.next()?;
        Ok(id)
    }

    /// An error of what follows.
    fn unexpected(&mut self, expected: &str) -> Error {
        match self.tokens.next() {
            Ok(Some(token)) => {
                self.tokens.bad(format!("has `{}` in DOT: expected {expected}", token.words()))
            }
            Ok(None) => self.tokens.bad("ends before a brace is closed: it is cut off"),
            Err(error) => error,
        }
    }
}
