//! Snapshots next to a fresh build of the same edges, and errors that change nothing.

use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Edges by name, the simplest way, and the nodes that ever were.
#[derive(Default, Clone)]
struct Reference {
    edges: BTreeMap<(String, String), f64>,
    nodes: BTreeSet<String>,
}

impl Reference {
    fn key(u: &str, v: &str, directed: bool) -> (String, String) {
        if directed || u <= v { (u.into(), v.into()) } else { (v.into(), u.into()) }
    }

    /// A fresh build of what is there.
    fn built(&self, build: Build) -> Network {
        let integers: Option<Vec<i64>> = self.nodes.iter().map(|name| integer_of(name)).collect();
        let mut names: Vec<&String> = self.nodes.iter().collect();
        let ids = match integers {
            Some(mut integers) => {
                names.sort_by_key(|name| integer_of(name));
                integers.sort_unstable();
                NodeIds::integers(integers)
            }
            None => NodeIds::words(names.iter().map(|name| name.as_str())),
        };
        let place = |name: &String| names.iter().position(|other| *other == name).unwrap() as u32;
        let edges: Vec<crate::data::Edge> =
            self.edges.iter().map(|((u, v), w)| (place(u), place(v), *w)).collect();
        Network::build(ids, &edges, true, build).unwrap().0
    }
}

/// A name: mostly integers, of which some are no node of the first network; words, where `words` says so.
fn name(number: u8, words: bool) -> String {
    if words && number % 7 == 3 { format!("w{number}") } else { number.to_string() }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]
    #[test]
    fn snapshots_are_what_a_fresh_build_gives(
        directed: bool,
        loops: bool,
        words: bool,
        begun: bool,
        batches in proptest::collection::vec(proptest::collection::vec((0u8..24, 0u8..24, 0u8..6), 0..14), 1..8),
    ) {
        let build = Build { directed, loops: if loops { Loops::Keep } else { Loops::Drop } };
        let mut reference = Reference::default();
        let mut changing = ChangingNetwork::new(build);
        if begun {
            // A network from elsewhere, with weights.
            let edges = [(0, 1, 2.0), (1, 2, 1.0), (2, 0, 1.0), (3, 4, 0.5)];
            let ids = NodeIds::integers(vec![2, 4, 5, 11, 20]);
            let network = Network::build(ids, &edges, true, build).unwrap().0;
            for (u, v, weight) in network.each_edge() {
                let (u, v) = (network.ids().name(u as usize), network.ids().name(v as usize));
                reference.edges.insert(Reference::key(&u, &v, directed), weight);
            }
            reference.nodes.extend((0..5).map(|v| network.ids().name(v).into_owned()));
            changing = ChangingNetwork::from_network(Arc::new(network), build.loops);
        }
        for batch in batches {
            let mut next = reference.clone();
            let (mut changes, mut possible) = (Vec::new(), true);
            for (u, v, what) in batch {
                let (u, v) = (name(u, words), name(v, words));
                let key = Reference::key(&u, &v, directed);
                if what < 2 && (what == 0 || next.edges.contains_key(&key)) {
                    possible &= next.edges.remove(&key).is_some();
                    changes.push(Change::remove(u, v));
                } else {
                    let weight = f64::from(what) / 2.0;
                    let weight = if what < 4 { 1.0 } else { weight };
                    next.nodes.extend([u.clone(), v.clone()]);
                    if u != v || loops {
                        next.edges.insert(key, weight);
                    }
                    changes.push(Change::insert(u, v, weight));
                }
            }
            let version = changing.version();
            let before = changing.snapshot();
            prop_assert_eq!(changing.apply(&changes).is_ok(), possible);
            if possible {
                reference = next;
                prop_assert_eq!(changing.version(), version + changes.len() as u64);
            } else {
                prop_assert_eq!(changing.version(), version);
                prop_assert!(Arc::ptr_eq(&before, &changing.snapshot()));
            }
            let seen: BTreeMap<_, _> = changing
                .each_edge()
                .map(|(u, v, weight)| (Reference::key(&u, &v, directed), weight))
                .collect();
            prop_assert_eq!(&seen, &reference.edges);
            let (now, fresh) = (changing.snapshot(), reference.built(build));
            prop_assert!(*now == fresh, "{now:?} {fresh:?}");
            prop_assert_eq!((now.loops(), now.edges()), (fresh.loops(), fresh.edges()));
            prop_assert!(Arc::ptr_eq(&now, &changing.snapshot()));
        }
    }
}

#[test]
fn errors_say_what_stands_where() {
    let mut network = ChangingNetwork::new(Build::default());
    let told = |error: Result<()>| error.unwrap_err().to_string();
    assert!(told(network.remove("a", "b")).contains("from a to b, but there is none"));
    assert!(told(network.insert("a", "b", 0.0)).contains("above 0"));
    assert!(told(network.insert("a", "b", f64::NAN)).contains("above 0"));
    assert!(told(network.insert("", "b", 1.0)).contains("at least one letter"));
    let batch = [Change::insert("a", "b", 1.0), Change::remove("a", "c")];
    assert!(told(network.apply(&batch)).contains("change 2 of the batch, of which none was made"));
    assert_eq!((network.nodes(), network.version(), network.weight("a", "b")), (0, 0, 0.0));
    network.insert("7", "8", 2.0).unwrap();
    assert_eq!((network.weight("8", "7"), network.weight("07", "8")), (2.0, 0.0));
    network.insert("07", "8", 1.0).unwrap();
    assert_eq!(network.snapshot().nodes(), 3);
}
