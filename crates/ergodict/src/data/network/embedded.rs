//! Small public networks that are part of the program, by name.

use super::{Network, ReadOptions, parse_network};
use crate::{Error, Result};

/// A network that is part of the program.
///
/// ```
/// use ergodict::data::embedded_names;
/// let karate = embedded_names().iter().find(|one| one.name.ends_with("karate")).expect("it is there");
/// assert_eq!((karate.nodes, karate.edges), (34, 78));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Embedded {
    /// What it is asked for by.
    pub name: &'static str,
    /// Number of nodes.
    pub nodes: usize,
    /// Number of edges.
    pub edges: u64,
    /// What nodes and edges are.
    pub description: &'static str,
    /// Where the data were published.
    pub citation: &'static str,
    /// The list of edges, as in a file: ends and perhaps a weight between tabs.
    list: &'static str,
}

const ALL: [Embedded; 5] = [
    Embedded {
        name: "davis",
        nodes: 32,
        edges: 89,
        description: "18 women and the 14 social events they attended (bipartite)",
        citation: "A. Davis, B. B. Gardner, M. R. Gardner, Deep South, University of Chicago Press, 1941",
        list: include_str!("embedded/davis.txt"),
    },
    Embedded {
        name: "florentine",
        nodes: 15,
        edges: 20,
        description: "marriages between families of Renaissance Florence",
        citation: "J. F. Padgett, C. K. Ansell, American Journal of Sociology 98 (1993), 1259–1319",
        list: include_str!("embedded/florentine.txt"),
    },
    Embedded {
        name: "karate",
        nodes: 34,
        edges: 78,
        description: "members of a karate club who met outside of it",
        citation: "W. W. Zachary, Journal of Anthropological Research 33 (1977), 452–473",
        list: include_str!("embedded/karate.txt"),
    },
    Embedded {
        name: "kite",
        nodes: 10,
        edges: 18,
        description: "the kite, whose most central node depends on what central means",
        citation: "D. Krackhardt, Administrative Science Quarterly 35 (1990), 342–369",
        list: include_str!("embedded/kite.txt"),
    },
    Embedded {
        name: "lesmis",
        nodes: 77,
        edges: 254,
        description: "characters of Les Misérables; weights count the chapters in which both appear",
        citation: "D. E. Knuth, The Stanford GraphBase, Addison-Wesley, 1993",
        list: include_str!("embedded/lesmis.txt"),
    },
];

/// The networks there are, by name.
///
/// ```
/// use ergodict::data::{embedded, embedded_names};
/// for one in embedded_names() {
///     assert_eq!(embedded(one.name)?.edges(), one.edges);
/// }
/// # Ok::<(), ergodict::Error>(())
/// ```
pub fn embedded_names() -> &'static [Embedded] {
    &ALL
}

/// The network of that name, with or without `@` in front.
///
/// ```
/// let network = ergodict::data::embedded("@karate")?;
/// assert_eq!((network.nodes(), network.edges()), (34, 78));
/// # Ok::<(), ergodict::Error>(())
/// ```
///
/// # Errors
/// [`Error::Parameter`] for any other name; the error lists those there are.
pub fn embedded(name: &str) -> Result<Network> {
    let plain = name.strip_prefix('@').unwrap_or(name);
    match ALL.iter().find(|network| network.name == plain) {
        Some(found) => Ok(parse_network(found.list.as_bytes(), &ReadOptions::default())?.0),
        None => {
            Err(Error::parameter("the name of the embedded network", format!("{name:?}"), unknown(plain)))
        }
    }
}

fn unknown(name: &str) -> String {
    let names: Vec<&str> = ALL.iter().map(|network| network.name).collect();
    let list = format!("there are {}", names.join(", "));
    let name = name.to_lowercase();
    let nearest = names.iter().map(|known| (distance(&name, known), known)).min();
    match nearest {
        // Half of a name may be wrong, no more.
        Some((edits, known)) if 2 * edits <= known.len() => format!("{list}; did you mean '@{known}'?"),
        _ => list,
    }
}

/// Letters to insert, delete or replace to make one word of another.
fn distance(one: &str, two: &str) -> usize {
    let two: Vec<char> = two.chars().collect();
    let mut row: Vec<usize> = (0..=two.len()).collect();
    for (i, a) in one.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in two.iter().enumerate() {
            let replaced = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[two.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn degrees(network: &Network) -> Vec<usize> {
        let mut degrees: Vec<usize> = (0..network.nodes()).map(|u| network.rows().degree(u)).collect();
        degrees.sort_unstable();
        degrees
    }

    #[test]
    fn all_have_the_sizes_they_claim_and_are_named_in_order() {
        assert!(ALL.windows(2).all(|pair| pair[0].name < pair[1].name));
        for known in embedded_names() {
            let network = embedded(known.name).unwrap();
            assert_eq!((network.nodes(), network.edges()), (known.nodes, known.edges), "{}", known.name);
            assert_eq!(network.components().sizes.len(), 1, "{}", known.name);
            assert_eq!(network.is_weighted(), known.name == "lesmis");
            let lines: Vec<&str> = known.list.lines().collect();
            assert_eq!(lines.len() as u64, known.edges + 1, "{}: each edge once", known.name);
        }
    }

    #[test]
    fn degrees_and_names_are_the_published_ones() {
        let karate = embedded("karate").unwrap();
        assert_eq!((karate.ids().name(0), karate.ids().name(33)), ("1".into(), "34".into()));
        let degree = |id: &str| karate.rows().degree(karate.ids().find(id).unwrap());
        assert_eq!(["1", "2", "3", "33", "34", "12"].map(degree), [16, 9, 10, 12, 17, 1]);
        assert_eq!(degrees(&karate)[..12], [1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2]);

        let lesmis = embedded("@lesmis").unwrap();
        let node = |id: &str| lesmis.ids().find(id).unwrap();
        assert_eq!(lesmis.rows().degree(node("Valjean")), 36);
        assert_eq!(lesmis.weight(node("Valjean"), node("Cosette")), 31.0);
        assert_eq!(lesmis.each_edge().map(|edge| edge.2).sum::<f64>(), 820.0);

        let florentine = embedded("florentine").unwrap();
        assert_eq!(degrees(&florentine), [1, 1, 1, 1, 2, 2, 3, 3, 3, 3, 3, 3, 4, 4, 6]);
        assert_eq!(florentine.rows().degree(florentine.ids().find("Medici").unwrap()), 6);

        let davis = embedded("davis").unwrap();
        assert!(davis.components().bipartite[0]);
        let events: Vec<usize> =
            (1..=14).map(|e| davis.rows().degree(davis.ids().find(&format!("E{e}")).unwrap())).collect();
        assert_eq!(events, [3, 3, 6, 4, 8, 8, 10, 14, 12, 5, 4, 6, 3, 3]);

        let kite = embedded("kite").unwrap();
        assert_eq!(
            (0..10).map(|u| kite.rows().degree(u)).collect::<Vec<_>>(),
            [4, 4, 3, 6, 3, 5, 5, 3, 2, 1]
        );
    }

    #[test]
    fn unknown_names_list_what_there_is() {
        let message = |name: &str| embedded(name).unwrap_err().to_string();
        assert!(message("@karat").ends_with("did you mean '@karate'?"), "{}", message("@karat"));
        assert!(message("Karate").ends_with("did you mean '@karate'?"));
        let none = message("zzzzzzzzzzzz");
        assert!(none.contains("davis, florentine, karate, kite, lesmis") && !none.contains("mean"), "{none}");
        assert!(embedded("").is_err() && embedded("@").is_err() && embedded("@@karate").is_err());
        assert_eq!((distance("kitten", "sitting"), distance("", "abc"), distance("é", "e")), (3, 3, 1));
    }
}
