//! The names of a network's nodes: numbers or words, in ascending order.

use super::edge_list::integer_of;
use super::section::Section;
use crate::linalg::prefetch;
use std::borrow::Cow;

/// The names of nodes `0..len`, ascending: integers by value, words by their bytes.
///
/// ```
/// use ergodict::data::NodeIds;
/// let (order, ids) = NodeIds::in_order(&["bob", "al"]).expect("they differ");
/// assert_eq!((order, ids.len(), ids.name(0), ids.find("bob")), (vec![1, 0], 2, "al".into(), Some(1)));
/// ```
#[derive(Clone, Debug)]
pub struct NodeIds(pub(crate) Names);

/// How names are kept.
#[derive(Clone, Debug)]
pub(crate) enum Names {
    /// Node `v` is called `v`.
    Numbered(usize),
    /// Integers, strictly ascending.
    Integers(Section<i64>),
    /// The same below 2³², as they lie in a file.
    Small(Section<u32>),
    /// Word `v` is `bytes[starts[v]..starts[v + 1]]`, UTF-8, strictly ascending.
    Words { starts: Section<u64>, bytes: Section<u8> },
}

impl NodeIds {
    /// Nodes called `0..nodes`.
    pub fn numbered(nodes: usize) -> Self {
        Self(Names::Numbered(nodes))
    }

    /// Nodes called by integers, strictly ascending; the names `0..n` are kept as a count.
    pub(crate) fn integers(ids: Vec<i64>) -> Self {
        debug_assert!(ids.windows(2).all(|pair| pair[0] < pair[1]));
        if ids.iter().zip(0..).all(|(&id, v)| id == v) {
            return Self::numbered(ids.len());
        }
        Self(Names::Integers(ids.into()))
    }

    /// Nodes called by words, strictly ascending.
    pub(crate) fn words<'a>(words: impl IntoIterator<Item = &'a str>) -> Self {
        let (mut starts, mut bytes) = (vec![0], Vec::new());
        for word in words {
            bytes.extend_from_slice(word.as_bytes());
            starts.push(bytes.len() as u64);
        }
        Self(Names::Words { starts: starts.into(), bytes: bytes.into() })
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        match &self.0 {
            Names::Numbered(nodes) => *nodes,
            Names::Integers(ids) => ids.len(),
            Names::Small(ids) => ids.len(),
            Names::Words { starts, .. } => starts.len() - 1,
        }
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether names are words, not integers.
    pub fn are_words(&self) -> bool {
        matches!(self.0, Names::Words { .. })
    }

    /// The name of node `v` where names are integers.
    pub fn integer(&self, v: usize) -> Option<i64> {
        match &self.0 {
            Names::Numbered(nodes) => (v < *nodes).then_some(v as i64),
            Names::Integers(ids) => ids.get(v).copied(),
            Names::Small(ids) => ids.get(v).map(|&id| id.into()),
            Names::Words { .. } => None,
        }
    }

    /// Starts loading the name of node `v`.
    pub(crate) fn prefetch(&self, v: usize) {
        match &self.0 {
            Names::Numbered(_) => {}
            Names::Integers(ids) => prefetch(ids, v),
            Names::Small(ids) => prefetch(ids, v),
            Names::Words { starts, .. } => prefetch(starts, v),
        }
    }

    /// The name of node `v`.
    ///
    /// # Panics
    /// When there is no node `v`.
    pub fn name(&self, v: usize) -> Cow<'_, str> {
        match &self.0 {
            Names::Words { starts, bytes } => {
                String::from_utf8_lossy(&bytes[starts[v] as usize..starts[v + 1] as usize])
            }
            Names::Numbered(_) => Cow::Owned(v.to_string()),
            Names::Integers(ids) => Cow::Owned(ids[v].to_string()),
            Names::Small(ids) => Cow::Owned(ids[v].to_string()),
        }
    }

    /// The node of that name. Integers are found as they are written: `02` is a word, and not the node 2.
    ///
    /// ```
    /// # use ergodict::data::NodeIds;
    /// assert_eq!(NodeIds::numbered(3).find("2"), Some(2));
    /// assert_eq!(NodeIds::numbered(3).find("02"), None);
    /// assert_eq!(NodeIds::numbered(3).find("3"), None);
    /// ```
    pub fn find(&self, name: &str) -> Option<usize> {
        match &self.0 {
            Names::Numbered(nodes) => integer_of(name)?.try_into().ok().filter(|v| v < nodes),
            Names::Integers(ids) => ids.binary_search(&integer_of(name)?).ok(),
            Names::Small(ids) => ids.binary_search(&integer_of(name)?.try_into().ok()?).ok(),
            Names::Words { starts, bytes } => {
                let word = |v: usize| &bytes[starts[v] as usize..starts[v + 1] as usize];
                let (mut low, mut high) = (0, starts.len() - 1);
                while low < high {
                    let middle = low.midpoint(high);
                    match word(middle).cmp(name.as_bytes()) {
                        std::cmp::Ordering::Less => low = middle + 1,
                        std::cmp::Ordering::Equal => return Some(middle),
                        std::cmp::Ordering::Greater => high = middle,
                    }
                }
                None
            }
        }
    }

    /// The names of some nodes, which are given in ascending order.
    pub(crate) fn part(&self, nodes: &[u32]) -> Self {
        match &self.0 {
            Names::Words { starts, bytes } => {
                let word = |v: &u32| {
                    let v = *v as usize;
                    std::str::from_utf8(&bytes[starts[v] as usize..starts[v + 1] as usize]).unwrap_or("")
                };
                Self::words(nodes.iter().map(word))
            }
            _ => Self::integers(nodes.iter().filter_map(|&v| self.integer(v as usize)).collect()),
        }
    }
}

impl PartialEq for NodeIds {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Names::Words { starts, bytes }, Names::Words { starts: s, bytes: b }) => {
                **starts == **s && **bytes == **b
            }
            (Names::Words { .. }, _) | (_, Names::Words { .. }) => false,
            _ => self.len() == other.len() && (0..self.len()).all(|v| self.integer(v) == other.integer(v)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_and_listed() {
        let words = NodeIds::words(["Ada", "Åse", "ß"]);
        for (v, name) in ["Ada", "Åse", "ß"].into_iter().enumerate() {
            assert_eq!((words.name(v), words.find(name)), (name.into(), Some(v)));
        }
        assert_eq!((words.find("A"), words.find("z"), words.integer(0)), (None, None, None));
        let integers = NodeIds::integers(vec![-3, 5, 1 << 40]);
        assert_eq!((integers.name(0), integers.find("5"), integers.find("6")), ("-3".into(), Some(1), None));
        for name in ["05", "+5", " 5", "-03", "5.0", ""] {
            assert_eq!((integers.find(name), NodeIds::numbered(9).find(name)), (None, None), "{name}");
        }
        assert_eq!(NodeIds::integers(vec![0, 1, 2]), NodeIds::numbered(3));
        assert_ne!(NodeIds::integers(vec![0, 1, 3]), NodeIds::numbered(3));
        assert_eq!(words.part(&[0, 2]), NodeIds::words(["Ada", "ß"]));
        assert_eq!(integers.part(&[1]), NodeIds::integers(vec![5]));
        assert!(NodeIds::numbered(0).is_empty() && NodeIds::words([]).is_empty());
    }
}
