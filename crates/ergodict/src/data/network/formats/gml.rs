//! GML, as networkx, igraph, Gephi and the collections of M. Newman write it.

use super::graph::{Graph, number, shown};
use super::tokens::{Token, Tokens};
use crate::Result;
use std::io::BufRead;
use std::path::Path;

/// The deepest nesting.
const DEEPEST: usize = 64;

/// Bytes at the beginning of a file in which `graph [` stands, after who made it and other remarks.
pub(in crate::data::network) const START: u64 = 1 << 12;

/// Whether a file that begins so is GML: keys and values, and then `graph [`.
pub(in crate::data::network) fn recognize(path: &Path, start: &[u8]) -> bool {
    start_graph(&mut Tokens::new(path, start)).is_ok()
}

/// Reads the first graph of a file.
pub(super) fn read(path: &Path, input: impl BufRead) -> Result<Graph> {
    let mut tokens = Tokens::new(path, input);
    start_graph(&mut tokens)?;
    graph(&mut tokens)
}

/// Everything up to the bracket that begins the graph.
fn start_graph<R: BufRead>(tokens: &mut Tokens<'_, R>) -> Result<()> {
    while let Some(token) = tokens.next()? {
        let key = key(tokens, token)?;
        match tokens.next()? {
            Some(Token::Open) if key.eq_ignore_ascii_case("graph") => return Ok(()),
            Some(Token::Open) => skip(tokens)?,
            Some(Token::Word(_) | Token::Text(_)) => {}
            Some(Token::Close) | None => {
                return Err(tokens.bad(format!("has the key `{}` without a value", shown(&key))));
            }
        }
    }
    Err(tokens.bad("is GML without a graph"))
}

fn key<R: BufRead>(tokens: &Tokens<'_, R>, token: Token) -> Result<String> {
    match token {
        Token::Word(word) => Ok(word),
        Token::Text(text) => {
            Err(tokens.bad(format!("has the text `{}` where a key is expected", shown(&text))))
        }
        Token::Open | Token::Close => Err(tokens.bad("has a bracket where a key is expected")),
    }
}

/// Everything up to the bracket that closes.
fn skip<R: BufRead>(tokens: &mut Tokens<'_, R>) -> Result<()> {
    let mut open = 1;
    while open > 0 {
        match tokens.next()? {
            Some(Token::Open) if open == DEEPEST => {
                return Err(tokens.bad(format!("nests brackets deeper than {DEEPEST} levels")));
            }
            Some(Token::Open) => open += 1,
            Some(Token::Close) => open -= 1,
            Some(_) => {}
            None => return Err(cut_off(tokens)),
        }
    }
    Ok(())
}

fn cut_off<R: BufRead>(tokens: &Tokens<'_, R>) -> crate::Error {
    tokens.bad("ends before a bracket is closed: it is cut off")
}

fn graph<R: BufRead>(tokens: &mut Tokens<'_, R>) -> Result<Graph> {
    let mut graph = Graph::new(Some(false));
    loop {
        let key = match tokens.next()? {
            Some(Token::Close) => break,
            Some(token) => key(tokens, token)?,
            None => return Err(cut_off(tokens)),
        };
        match tokens.next()? {
            Some(Token::Open) if key.eq_ignore_ascii_case("node") => {
                let [id, label, name] = pairs(tokens, ["id", "label", "name"])?;
                let Some(id) = id else { return Err(tokens.bad("has a node without id")) };
                graph
                    .node(&id, [label.as_deref(), name.as_deref()])
                    .map_err(|problem| tokens.bad(problem))?;
            }
            Some(Token::Open) if key.eq_ignore_ascii_case("edge") => {
                let [source, target, weight, value] = pairs(tokens, ["source", "target", "weight", "value"])?;
                let (Some(source), Some(target)) = (source, target) else {
                    return Err(tokens.bad("has an edge without source and target"));
                };
                let weight = weight.or(value).map(|text| number(&text)).transpose();
                graph.edge(&source, &target, weight.map_err(|problem| tokens.bad(problem))?);
            }
            Some(Token::Open) => skip(tokens)?,
            Some(Token::Word(word)) if key.eq_ignore_ascii_case("directed") => {
                graph.directed = Some(word == "1");
            }
            Some(Token::Word(_) | Token::Text(_)) => {}
            Some(Token::Close) => {
                return Err(tokens.bad(format!("has the key `{}` without a value", shown(&key))));
            }
            None => return Err(cut_off(tokens)),
        }
    }
    Ok(graph)
}

/// The values of some keys in the brackets that were just opened.
fn pairs<const N: usize, R: BufRead>(
    tokens: &mut Tokens<'_, R>,
    wanted: [&str; N],
) -> Result<[Option<String>; N]> {
    let mut found = [const { None }; N];
    loop {
        let key = match tokens.next()? {
            Some(Token::Close) => return Ok(found),
            Some(token) => key(tokens, token)?,
            None => return Err(cut_off(tokens)),
        };
        match tokens.next()? {
            Some(Token::Open) => skip(tokens)?,
            Some(Token::Word(value) | Token::Text(value)) => {
                if let Some(at) = wanted.iter().position(|name| name.eq_ignore_ascii_case(&key)) {
                    found[at] = Some(value);
                }
            }
            Some(Token::Close) => {
                return Err(tokens.bad(format!("has the key `{}` without a value", shown(&key))));
            }
            None => return Err(cut_off(tokens)),
        }
    }
}
