//! Columns that say whether edges have a direction.

use super::names::plain;

/// How many edges of a table have a direction, and how many have none.
#[derive(Clone, Copy, Debug, Default)]
pub(in super::super) struct Directions {
    directed: u64,
    undirected: u64,
}

impl Directions {
    /// Counts an edge.
    pub(in super::super) fn add(&mut self, directed: bool) {
        *(if directed { &mut self.directed } else { &mut self.undirected }) += 1;
    }

    /// Adds the counts of other rows.
    pub(in super::super) fn append(&mut self, other: &Self) {
        self.directed += other.directed;
        self.undirected += other.undirected;
    }

    /// Whether edges have a direction, where they say so and are of one kind.
    pub(in super::super) fn directed(&self) -> Option<bool> {
        (self.directed + self.undirected > 0).then_some(self.directed > 0)
    }

    /// Refuses edges of both kinds, in a sentence that goes on after the name of the table.
    pub(in super::super) fn check(&self) -> Result<(), String> {
        let Self { directed, undirected } = self;
        if *directed == 0 || *undirected == 0 {
            return Ok(());
        }
        Err(format!(
            "has {directed} directed and {undirected} undirected edges: expected edges of one kind, or to be read without directions"
        ))
    }
}

/// Whether a value of such a column says that its edge has a direction, or none; nothing for anything else. `name` is that of the column:
/// below `directed`, `true` and `1` are words as well.
pub(in super::super) fn direction_of(name: &str, value: &str) -> Option<bool> {
    let switch = plain(name) != "type" && plain(name) != "edgetype";
    match value.trim().to_lowercase().as_str() {
        "directed" => Some(true),
        // Gephi's word for an edge in both directions.
        "undirected" | "mutual" => Some(false),
        "true" | "yes" | "1" if switch => Some(true),
        "false" | "no" | "0" if switch => Some(false),
        _ => None,
    }
}
