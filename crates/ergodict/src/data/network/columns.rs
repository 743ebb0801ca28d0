//! Which column of a table of edges is which: one set of rules for files, files with times, and tables in Python.
//!
//! | column | recognized by |
//! |---|---|
//! | ends of edges | their names ([`Role`]); a pair such as `person_1`, `person_2`; the only two columns left; of more, the first two if nothing else can be ends |
//! | weight | `weight` and its synonyms; from the third column on also `w`, `count`, `strength`, `value` |
//! | direction | `Type` or `directed`, where the values are words such as `Directed`, `undirected` or `true` |
//! | neither | `id`, `label`, `year`, `time` and other names of attributes |
//!
//! Names are compared without case, blanks, `_`, `-`, `.` and `:`. What stays ambiguous is refused, with the columns that it could be.

use super::edge_list::integer_of;
use crate::data::npy_header::shorten;
use crate::{Hint, Note};
use serde::{Deserialize, Serialize};

/// Whether the first row of a table has the names of its columns.
///
/// ```
/// use ergodict::data::{Header, ReadOptions, TableOptions, parse_network};
/// let table = TableOptions { header: Header::Yes, ..TableOptions::default() };
/// let (network, _) = parse_network(b"2000,2001\n1,2\n", &ReadOptions { table, ..ReadOptions::default() })?;
/// assert_eq!(network.nodes(), 2);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Header {
    /// Its content decides
    #[default]
    Auto,
    /// It has
    Yes,
    /// It is an edge
    No,
}

/// What the rows of a table are.
///
/// ```
/// use ergodict::data::{ReadOptions, TableForm, TableOptions, parse_network};
/// let table = TableOptions { form: TableForm::Adjacency, ..TableOptions::default() };
/// let (network, _) = parse_network(b"0 1 1\n1 0 1\n1 1 0\n", &ReadOptions { table, ..ReadOptions::default() })?;
/// assert_eq!((network.nodes(), network.edges()), (3, 3));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum TableForm {
    /// Its content decides
    #[default]
    Auto,
    /// Edges
    Edges,
    /// Rows of an adjacency matrix
    Adjacency,
}

/// How a table is read; what is left open is decided by its names and first rows.
///
/// ```
/// use ergodict::data::{ReadOptions, TableOptions, parse_network};
/// let table = TableOptions { source: Some("b".into()), target: Some("c".into()), ..TableOptions::default() };
/// let (network, _) = parse_network(b"a,b,c\n1,x,y\n2,y,z\n", &ReadOptions { table, ..ReadOptions::default() })?;
/// assert_eq!((network.nodes(), network.edges()), (3, 2));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TableOptions {
    /// What rows are.
    pub form: TableForm,
    /// Whether the first row has names.
    pub header: Header,
    /// The column of one end of the edges: its name, or its number from 1.
    pub source: Option<String>,
    /// That of the other end.
    pub target: Option<String>,
    /// That of the weights.
    pub weight: Option<String>,
}

impl TableOptions {
    /// Whether a column is given.
    pub(super) fn has_columns(&self) -> bool {
        self.source.is_some() || self.target.is_some() || self.weight.is_some()
    }
}

/// The columns of a table of edges, from 0.
///
/// ```
/// use ergodict::data::{TableColumns, TableOptions};
/// let names = ["Id", "Source", "Target", "Weight"];
/// let found = TableColumns::find(&names, &[vec!["0", "a", "b", "2"]], &TableOptions::default())?;
/// assert_eq!((found.source, found.target, found.weight, found.unused), (1, 2, Some(3), vec![0]));
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct TableColumns {
    /// One end of the edges.
    pub source: usize,
    /// The other end.
    pub target: usize,
    /// Weights, where there are any.
    pub weight: Option<usize>,
    /// Where a row says whether its edge has a direction.
    pub direction: Option<usize>,
    /// What nothing is made of.
    pub unused: Vec<usize>,
}

/// How many edges of a table have a direction, and how many have none.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Directions {
    directed: u64,
    undirected: u64,
}

impl Directions {
    /// Counts an edge.
    pub(super) fn add(&mut self, directed: bool) {
        *(if directed { &mut self.directed } else { &mut self.undirected }) += 1;
    }

    /// Adds the counts of other rows.
    pub(super) fn append(&mut self, other: &Self) {
        self.directed += other.directed;
        self.undirected += other.undirected;
    }

    /// Whether edges have a direction, where they say so and are of one kind.
    pub(super) fn directed(&self) -> Option<bool> {
        (self.directed + self.undirected > 0).then_some(self.directed > 0)
    }

    /// Refuses edges of both kinds, in a sentence that goes on after the name of the table.
    pub(super) fn check(&self) -> Result<(), String> {
        let Self { directed, undirected } = self;
        if *directed == 0 || *undirected == 0 {
            return Ok(());
        }
        Err(format!(
            "has {directed} directed and {undirected} undirected edges: expected edges of one kind, or to be read without directions"
        ))
    }
}

/// What the name of a column says of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    Source,
    Target,
    Weight,
    Direction,
    /// No end of edges: an id or an attribute of the edge.
    Attribute,
}

/// Types of numbers and words that Neo4j writes behind names.
const TYPES: [&str; 9] = ["int", "long", "float", "double", "boolean", "byte", "short", "char", "string"];

/// The name without what people vary: case, blanks and punctuation, and Neo4j's groups in brackets and types, as in `weight:double`.
fn plain(name: &str) -> String {
    let name = name.split('(').next().unwrap_or(name).to_lowercase();
    let typed = name.rsplit_once(':').filter(|(name, kind)| !name.is_empty() && TYPES.contains(kind));
    let name = typed.map_or(&*name, |(name, _)| name);
    name.chars().filter(|c| !c.is_whitespace() && !matches!(c, '_' | '-' | '.' | ':' | '"')).collect()
}

/// What a name says of its column, whatever stands below it.
pub(super) fn role(name: &str) -> Option<Role> {
    Some(match plain(name).as_str() {
        "source" | "src" | "from" | "fromnode" | "fromnodeid" | "fromid" | "sourceid" | "sourcenode"
        | "startid" | "startnode" | "sourcename" | "fromname" | "sender" | "follower" | "citing"
        | "caller" | "ego" | "node1" | "id1" | "vertex1" => Role::Source,
        "target" | "tgt" | "dst" | "dest" | "destination" | "to" | "tonode" | "tonodeid" | "toid"
        | "targetid" | "targetnode" | "endid" | "endnode" | "targetname" | "toname" | "receiver"
        | "recipient" | "followee" | "following" | "cited" | "callee" | "alter" | "node2" | "id2"
        | "vertex2" => Role::Target,
        "weight" | "weights" | "edgeweight" | "coupling" => Role::Weight,
        "type" | "directed" | "isdirected" | "edgetype" => Role::Direction,
        "" | "id" | "edgeid" | "edge" | "key" | "index" | "rowid" | "rownames" | "rowname" | "unnamed0"
        | "suid" | "label" | "edgelabel" | "kind" | "timeset" | "interaction" | "sharedinteraction"
        | "relationship" | "relation" | "selected" | "time" | "timestamp" | "timestamps" | "datetime"
        | "date" | "year" | "day" | "month" | "sign" | "color" | "category" | "since" | "epoch"
        | "unixtime" => Role::Attribute,
        _ => return None,
    })
}

/// Whether a name is one of weights where ends of edges do not stand: `v w` are two ends.
fn is_weak_weight(name: &str) -> bool {
    matches!(plain(name).as_str(), "w" | "wt" | "j" | "strength" | "value" | "count" | "counts" | "frequency")
}

/// Whether two names are those of the two ends, as in `person_1`, `person_2` and `who`, `whom`; `words` leaves out letters,
/// which are names of nodes just as well.
pub(super) fn is_pair(one: &str, two: &str, words: bool) -> bool {
    const PAIRS: &[(&str, &str)] = &[
        ("person", "friend"),
        ("user", "friend"),
        ("name", "friend"),
        ("who", "whom"),
        ("parent", "child"),
        ("buyer", "seller"),
        ("head", "tail"),
        ("tail", "head"),
        ("author", "coauthor"),
        ("origin", "destination"),
        ("start", "end"),
        ("left", "right"),
        ("node", "neighbor"),
        ("node", "neighbour"),
        ("subject", "object"),
    ];
    const LETTERS: &[(&str, &str)] = &[("u", "v"), ("i", "j"), ("a", "b"), ("x", "y"), ("v", "w")];
    const STEMS: &[&str] = &[
        "person",
        "protein",
        "gene",
        "interactor",
        "name",
        "actor",
        "user",
        "author",
        "character",
        "entity",
        "player",
        "country",
        "city",
        "airport",
        "member",
        "word",
        "page",
        "article",
        "species",
        "company",
        "personid",
        "userid",
        "nodeid",
        "vertexid",
        "proteinid",
        "station",
        "student",
        "official",
        "officialsymbol",
        "region",
        "agent",
    ];
    let (one, two) = (plain(one), plain(two));
    if PAIRS.contains(&(&one, &two)) || !words && LETTERS.contains(&(&one, &two)) {
        return true;
    }
    let ends = [("1", "2"), ("a", "b"), ("0", "1"), ("x", "y"), ("i", "j")];
    ends.iter().any(|(first, second)| match (one.strip_suffix(first), two.strip_suffix(second)) {
        (Some(stem), Some(other)) => {
            stem == other && if words { STEMS.contains(&stem) } else { !stem.is_empty() }
        }
        _ => false,
    })
}

/// What the values of a column are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Empty,
    Integers,
    Numbers,
    Words,
}

impl Kind {
    fn of<T: AsRef<str>>(rows: &[Vec<T>], at: usize) -> Self {
        let values =
            || rows.iter().filter_map(|row| row.get(at)).map(AsRef::as_ref).filter(|value| !value.is_empty());
        if values().next().is_none() {
            Self::Empty
        } else if values().all(|value| integer_of(value).is_some()) {
            Self::Integers
        } else if values().all(|value| value.parse::<f64>().is_ok()) {
            Self::Numbers
        } else {
            Self::Words
        }
    }
}

/// Whether a value of such a column says that its edge has a direction, or none; nothing for anything else. `name` is that of the column:
/// below `directed`, `true` and `1` are words as well.
pub(super) fn direction_of(name: &str, value: &str) -> Option<bool> {
    let switch = plain(name) != "type" && plain(name) != "edgetype";
    match value.trim().to_lowercase().as_str() {
        "directed" => Some(true),
        "undirected" => Some(false),
        "true" | "yes" | "1" if switch => Some(true),
        "false" | "no" | "0" if switch => Some(false),
        _ => None,
    }
}

/// Names in a message.
fn listed(names: &[impl AsRef<str>], at: impl IntoIterator<Item = usize>) -> String {
    let names: Vec<String> = at
        .into_iter()
        .map(|at| format!("`{}`", shorten(&names[at].as_ref().escape_debug().to_string())))
        .collect();
    names.join(", ")
}

impl TableColumns {
    /// Finds the columns of a table with these names and first rows.
    ///
    /// # Errors
    /// A sentence that goes on after the name of the table, for columns that are given but not there, and for tables in which the ends of
    /// edges could be several columns, or none.
    pub fn find<T: AsRef<str>>(
        names: &[impl AsRef<str>],
        rows: &[Vec<T>],
        options: &TableOptions,
    ) -> Result<Self, String> {
        Self::among(names, rows, options, &[])
    }

    /// A warning of columns that nothing is made of where no weights are found: those whose names do not say that they are something else.
    ///
    /// ```
    /// use ergodict::data::TableColumns;
    /// assert_eq!(TableColumns::ignored(&["year", "id"]), None);
    /// let note = TableColumns::ignored(&["score", "year"]).unwrap();
    /// assert!(note.spelled(&ToString::to_string).starts_with("column `score` is ignored"));
    /// ```
    pub fn ignored(unused: &[impl AsRef<str>]) -> Option<Note> {
        let unknown: Vec<usize> =
            (0..unused.len()).filter(|&at| role(unused[at].as_ref()).is_none()).collect();
        let (columns, are, one) = match unknown.len() {
            0 => return None,
            1 => ("column", "is", "it"),
            _ => ("columns", "are", "one"),
        };
        let which = listed(unused, unknown);
        let text = format!("{columns} {which} {are} ignored ({{}} uses {one} as weights)");
        Some(Note::hinting(text, Hint { setting: "weight", value: "NAME".into() }))
    }

    /// Whether edges have a direction, by all values of a column of that name; each has to say it where that is required.
    ///
    /// # Errors
    /// A sentence that goes on after the name of the table, for values that are not the same or say something else.
    pub fn directed<T: AsRef<str>>(name: &str, values: &[T], required: bool) -> Result<bool, String> {
        let mut directions = Directions::default();
        for value in values.iter().map(AsRef::as_ref) {
            match direction_of(name, value) {
                Some(directed) => directions.add(directed),
                None if required => {
                    let value = shorten(value);
                    return Err(format!(
                        "has `{value}` in the column `{name}`: expected directed or undirected; say which it is"
                    ));
                }
                None => {}
            }
        }
        directions.check()?;
        Ok(directions.directed().unwrap_or(false))
    }

    /// The same where some columns are something else.
    pub(super) fn among<T: AsRef<str>>(
        names: &[impl AsRef<str>],
        rows: &[Vec<T>],
        options: &TableOptions,
        taken: &[usize],
    ) -> Result<Self, String> {
        let columns = names.len();
        let given = |column: &Option<String>| {
            column.as_deref().map(|name| place(name, Some(names), columns)).transpose()
        };
        let (source, target, weight) =
            (given(&options.source)?, given(&options.target)?, given(&options.weight)?);
        let mut used: Vec<usize> = taken.to_vec();
        for at in [source, target, weight].into_iter().flatten() {
            if used.contains(&at) {
                return Err(format!("has the column {} for two things", listed(names, [at])));
            }
            used.push(at);
        }
        let role_at = |at: usize| role(names[at].as_ref());
        let free = |at: &usize| !used.contains(at);
        let called = |of: Role| (0..columns).filter(free).find(|&at| role_at(at) == Some(of));
        let source = source.or_else(|| called(Role::Source));
        let target = target.or_else(|| called(Role::Target));
        let weight = weight.or_else(|| called(Role::Weight)).or_else(|| {
            let mut rest = (2..columns).filter(free).filter(|&at| ![source, target].contains(&Some(at)));
            rest.find(|&at| is_weak_weight(names[at].as_ref()))
        });
        let direction =
            (0..columns).filter(free).filter(|&at| role_at(at) == Some(Role::Direction)).find(|&at| {
                let mut values = rows.iter().filter_map(|row| row.get(at));
                !rows.is_empty()
                    && values.all(|value| direction_of(names[at].as_ref(), value.as_ref()).is_some())
            });
        let known = [source, target, weight, direction];
        let candidates: Vec<usize> = (0..columns)
            .filter(free)
            .filter(|&at| {
                !known.contains(&Some(at))
                    && role_at(at).is_none_or(|of| matches!(of, Role::Source | Role::Target))
            })
            .collect();
        let (source, target) = ends(names, rows, (source, target), &candidates)?;
        let known = [Some(source), Some(target), weight, direction];
        let unused = (0..columns).filter(|at| !known.contains(&Some(*at)) && !taken.contains(at)).collect();
        Ok(Self { source, target, weight, direction, unused })
    }

    /// The columns of a table without names that begins with this row: both ends and, where there is a third column, the weight. Next to ends that are given
    /// it is one only if it is a number.
    pub(super) fn unnamed<T: AsRef<str>>(row: &[T], options: &TableOptions) -> Result<Option<Self>, String> {
        let columns = row.len();
        let given = |column: &Option<String>| {
            column.as_deref().map(|name| place::<&str>(name, None, columns)).transpose()
        };
        let (source, target, weight) =
            (given(&options.source)?, given(&options.target)?, given(&options.weight)?);
        if source.is_some() && (source == target || source == weight) || target.is_some() && target == weight
        {
            return Err("has one column given for two things".into());
        }
        if columns > 3 && (source.is_none() || target.is_none()) {
            return Ok(None);
        }
        let mut free = (0..columns).filter(|at| ![source, target, weight].contains(&Some(*at)));
        let (Some(source), Some(target)) = (source.or_else(|| free.next()), target.or_else(|| free.next()))
        else {
            return Ok(None);
        };
        let elsewhere = (source, target) != (0, 1);
        let is_weight = |at: &usize| columns == 3 && (!elsewhere || row[*at].as_ref().parse::<f64>().is_ok());
        let weight = weight.or_else(|| free.next().filter(is_weight));
        let unused =
            (0..columns).filter(|at| ![Some(source), Some(target), weight].contains(&Some(*at))).collect();
        Ok(Some(Self { source, target, weight, direction: None, unused }))
    }
}

/// The column of that name, or number from 1.
fn place<T: AsRef<str>>(given: &str, names: Option<&[T]>, columns: usize) -> Result<usize, String> {
    let number = || given.parse::<usize>().ok().filter(|at| (1..=columns).contains(at)).map(|at| at - 1);
    let Some(names) = names else {
        return number().ok_or_else(|| {
            format!(
                "has {columns} columns and no header, so that none is called `{}`: give its number",
                shorten(given)
            )
        });
    };
    let exact = names.iter().position(|name| name.as_ref() == given);
    let alike = || names.iter().position(|name| plain(name.as_ref()) == plain(given));
    exact.or_else(alike).or_else(number).ok_or_else(|| {
        format!("has no column called `{}`: there are {}", shorten(given), listed(names, 0..columns))
    })
}

/// Both ends of the edges, where names say one of them or none.
fn ends<T: AsRef<str>>(
    names: &[impl AsRef<str>],
    rows: &[Vec<T>],
    known: (Option<usize>, Option<usize>),
    candidates: &[usize],
) -> Result<(usize, usize), String> {
    let ambiguous = |at: &[usize]| {
        let which = listed(names, at.iter().copied());
        Err(format!(
            "has several columns that could be ends of edges, {which}: name two of them `source` and `target`, or give them as source and target"
        ))
    };
    let kind = |at: usize| Kind::of(rows, at);
    match known {
        (Some(source), Some(target)) => Ok((source, target)),
        (None, None) => {
            let pair = |words: bool| {
                let mut pairs = candidates.windows(2);
                pairs.find(|two| is_pair(names[two[0]].as_ref(), names[two[1]].as_ref(), words))
            };
            if let Some(two) = pair(true).or_else(|| pair(false)) {
                return Ok((two[0], two[1]));
            }
            match candidates {
                [] | [_] => {
                    Err("has no two columns for the ends of an edge, such as `source` and `target`".into())
                }
                [one, two] => Ok((*one, *two)),
                [one, two, rest @ ..] => {
                    let alike = |at: usize| kind(at) == kind(*one) && kind(at) != Kind::Numbers;
                    let values =
                        |at: usize| rows.iter().filter_map(move |row| row.get(at)).map(AsRef::as_ref);
                    let share =
                        |a: usize, b: usize| values(a).any(|value| values(b).any(|other| other == value));
                    let others = || rest.iter().copied().filter(|&at| alike(at));
                    let apart =
                        || share(*one, *two) && others().all(|at| !share(at, *one) && !share(at, *two));
                    if alike(*two) && (others().next().is_none() || apart()) {
                        Ok((*one, *two))
                    } else {
                        ambiguous(candidates)
                    }
                }
            }
        }
        (one, other) => {
            let at = one.or(other).unwrap_or_default();
            let alike: Vec<usize> =
                candidates.iter().copied().filter(|&candidate| kind(candidate) == kind(at)).collect();
            let found = match (candidates, &alike[..]) {
                ([only], _) | (_, [only]) => *only,
                ([], _) => {
                    return Err(format!(
                        "has one column for an end of the edges, {}, and none for the other: expected two, such as `source` and `target`",
                        listed(names, [at])
                    ));
                }
                _ => return ambiguous(candidates),
            };
            Ok(if one.is_some() { (at, found) } else { (found, at) })
        }
    }
}

/// What the first row of a table is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FirstRow {
    Names,
    Edge,
    /// An edge whose nodes occur in none of the other rows that were looked at, so that it could be names as well.
    Unsure,
}

/// Whether the first row of a file names its columns. `plain_text` is where blanks separate, and few people write headers.
pub(super) fn first_row<T: AsRef<str>>(
    head: &[impl AsRef<str>],
    rest: &[Vec<T>],
    options: &TableOptions,
    plain_text: bool,
) -> FirstRow {
    match options.header {
        Header::Yes => return FirstRow::Names,
        Header::No => return FirstRow::Edge,
        Header::Auto => {}
    }
    let number = |field: &str| field.parse::<f64>().is_ok();
    let named = |given: &Option<String>| {
        given.as_deref().is_some_and(|given| head.iter().any(|name| plain(name.as_ref()) == plain(given)))
    };
    let given = [&options.source, &options.target, &options.weight];
    if given.iter().any(|given| named(given) && given.as_deref().is_some_and(|given| !number(given))) {
        return FirstRow::Names;
    }
    if head.len() < 2 || head.iter().any(|field| number(field.as_ref())) {
        return FirstRow::Edge;
    }
    let called = |of: Role| head.iter().position(|name| role(name.as_ref()) == Some(of));
    let (source, target) = (called(Role::Source), called(Role::Target));
    let ends = [source.unwrap_or(0), target.unwrap_or(1)];
    let found_again = |name: &str| {
        rest.iter()
            .any(|row| ends.iter().any(|&at| row.get(at).is_some_and(|id| is_alike(name, id.as_ref()))))
    };
    if ends.iter().any(|&at| head.get(at).is_some_and(|name| found_again(name.as_ref()))) {
        return FirstRow::Edge;
    }
    let pair = head.windows(2).any(|two| is_pair(two[0].as_ref(), two[1].as_ref(), true));
    if source.is_some() && target.is_some() || pair {
        return FirstRow::Names;
    }
    let Some(next) = rest.first() else { return FirstRow::Edge };
    let weight = head
        .iter()
        .position(|name| role(name.as_ref()) == Some(Role::Weight))
        .or_else(|| head.iter().skip(2).position(|name| is_weak_weight(name.as_ref())).map(|at| at + 2));
    if weight.is_some_and(|at| next.get(at).is_some_and(|field| number(field.as_ref()))) {
        return FirstRow::Names;
    }
    let integers =
        |row: &Vec<T>| row.len() >= 2 && row.iter().take(2).all(|id| integer_of(id.as_ref()).is_some());
    if rest.iter().all(integers) {
        return FirstRow::Names;
    }
    if plain_text {
        return FirstRow::Edge;
    }
    let numbers_below =
        |at: usize| rest.iter().all(|row| row.get(at).is_some_and(|field| number(field.as_ref())));
    // A word over numbers is a name, and an edge has no fourth field.
    let over_numbers = |at: usize| numbers_below(at) && !is_missing(head[at].as_ref());
    if head.len() > 3 || (0..head.len()).any(over_numbers) {
        return FirstRow::Names;
    }
    let row_ids =
        |row: &Vec<T>| -> Vec<String> { row.iter().take(2).map(|id| id.as_ref().to_owned()).collect() };
    let rows: Vec<Vec<String>> = rest.iter().map(row_ids).collect();
    let connected = |at: usize| {
        rows.iter().enumerate().any(|(other, row)| other != at && row.iter().any(|id| rows[at].contains(id)))
    };
    // One pair of nodes apart among edges that all hang together is no edge.
    if rows.len() >= 3 && (0..rows.len()).all(connected) { FirstRow::Names } else { FirstRow::Unsure }
}

/// Whether a field is how programs write a value that is not there.
pub(super) fn is_missing(field: &str) -> bool {
    matches!(plain(field).as_str(), "" | "na" | "n/a" | "null" | "none" | "?")
}

/// Whether a name of the first line is an id of another, or `node1` one next to `node7`.
fn is_alike(name: &str, id: &str) -> bool {
    let digit = |c: char| c.is_ascii_digit();
    let numbered = |text: &str| text.ends_with(digit);
    let stem = |text: &str| text.trim_end_matches(digit).to_owned();
    name == id || (numbered(name) && numbered(id) && stem(name) == stem(id))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(
        names: &[&str],
        rows: &[&[&str]],
    ) -> Result<(usize, usize, Option<usize>, Option<usize>), String> {
        let rows: Vec<Vec<&str>> = rows.iter().map(|row| row.to_vec()).collect();
        TableColumns::find(names, &rows, &TableOptions::default())
            .map(|found| (found.source, found.target, found.weight, found.direction))
    }

    #[test]
    fn columns_of_every_tool_are_found() {
        let words: &[&[&str]] = &[&["a", "b"], &["b", "c"]];
        for (names, rows, expected) in [
            (&["Source", "Target"][..], words, (0, 1, None, None)),
            (&[":START_ID(Person)", ":END_ID(Person)"], words, (0, 1, None, None)),
            (&["FromNodeId", "ToNodeId"], words, (0, 1, None, None)),
            (
                &[":START_ID", "since:int", ":END_ID", "Weight:double"],
                &[&["a", "2001", "b", "2"]],
                (0, 2, Some(3), None),
            ),
            (&["person", "friend"], words, (0, 1, None, None)),
            (&["whatever", "else"], words, (0, 1, None, None)),
            (
                &["Source", "Target", "Type", "Id", "Label", "timeset", "Weight"],
                &[&["a", "b", "Directed", "0", "", "", "2"]],
                (0, 1, Some(6), Some(2)),
            ),
            (&["id", "person", "friend"], &[&["0", "a", "b"], &["1", "b", "c"]], (1, 2, None, None)),
            (&["", "from", "to", "strength"], &[&["1", "a", "b", "2"]], (1, 2, Some(3), None)),
            (&["Unnamed: 0", "u", "v", "count"], &[&["1", "a", "b", "2"]], (1, 2, Some(3), None)),
            (&["edge", "protein_A", "protein_B", "city"], &[&["1", "a", "b", "x"]], (1, 2, None, None)),
            (&["source", "target", "type"], &[&["a", "b", "friend"]], (0, 1, None, None)),
            (&["source", "target", "directed"], &[&["a", "b", "true"]], (0, 1, None, Some(2))),
            (&["target", "source", "Weight"], &[&["a", "b", "1"]], (1, 0, Some(2), None)),
            (&["Source", "friend", "age"], &[&["a", "b", "12"]], (0, 1, None, None)),
            (&["p", "q", "age"], &[&["a", "b", "12"], &["b", "c", "14"]], (0, 1, None, None)),
            (&["p", "q", "town"], &[&["a", "b", "Ulm"], &["b", "c", "Ulm"]], (0, 1, None, None)),
        ] {
            assert_eq!(find(names, rows), Ok(expected), "{names:?}");
        }
    }

    #[test]
    fn ambiguous_tables_are_refused_with_their_columns() {
        let numbered: &[&[&str]] = &[&["0", "a", "b"], &["1", "b", "c"]];
        for (names, rows, words) in [
            (&["nr", "p", "q"][..], numbered, "`nr`, `p`, `q`"),
            (&["p", "q", "r"], &[&["1", "2", "3"]], "`p`, `q`, `r`"),
            (&["source", "p", "q"], &[&["a", "b", "c"]], "`p`, `q`"),
            (&["id", "year"], &[&["1", "2"]], "no two columns"),
            (&["source", "weight"], &[&["1", "2"]], "`source`, and none"),
        ] {
            let message = find(names, rows).unwrap_err();
            assert!(message.contains(words), "{names:?}: {message}");
        }
        let options = TableOptions {
            source: Some("Q".into()),
            target: Some("r".into()),
            weight: Some("1".into()),
            ..TableOptions::default()
        };
        let found = TableColumns::find(&["p", "q", "r"], &[vec!["1", "2", "3"]], &options).unwrap();
        assert_eq!((found.source, found.target, found.weight), (1, 2, Some(0)));
        let missing = TableOptions { source: Some("z".into()), ..TableOptions::default() };
        let message = TableColumns::find(&["p", "q"], &[vec!["1", "2"]], &missing).unwrap_err();
        assert_eq!(message, "has no column called `z`: there are `p`, `q`");
        let twice =
            TableOptions { source: Some("p".into()), target: Some("p".into()), ..TableOptions::default() };
        assert!(
            TableColumns::find(&["p", "q"], &[vec!["1", "2"]], &twice).unwrap_err().contains("two things")
        );
    }

    #[test]
    fn first_rows_are_told_apart() {
        let look = |head: &[&str], rest: &[&[&str]], plain_text: bool| {
            let rest: Vec<Vec<&str>> = rest.iter().map(|row| row.to_vec()).collect();
            first_row(head, &rest, &TableOptions::default(), plain_text)
        };
        let ring: &[&[&str]] = &[&["a", "b"], &["b", "c"], &["c", "a"]];
        let loose: &[&[&str]] = &[&["a", "b"], &["c", "d"], &["e", "f"]];
        for (head, rest, plain_text, expected) in [
            (&["person", "friend"][..], loose, true, FirstRow::Names),
            (&["foo", "bar"], ring, false, FirstRow::Names),
            (&["foo", "bar"], ring, true, FirstRow::Edge),
            (&["foo", "bar"], loose, false, FirstRow::Unsure),
            (&["foo", "a"], ring, false, FirstRow::Edge),
            (&["foo", "bar"], &[&["1", "2"]], true, FirstRow::Names),
            (&["nr", "one", "two"], &[&["1", "x", "y"], &["2", "y", "z"]], false, FirstRow::Names),
            (&["x", "y", "NA"], &[&["a", "b", "1"]], false, FirstRow::Unsure),
            (&["1", "2"], loose, false, FirstRow::Edge),
            (&["a1", "a2"], &[&["a3", "a4"]], false, FirstRow::Edge),
        ] {
            assert_eq!(look(head, rest, plain_text), expected, "{head:?} {rest:?}");
        }
        for (header, expected) in [(Header::Yes, FirstRow::Names), (Header::No, FirstRow::Edge)] {
            let options = TableOptions { header, ..TableOptions::default() };
            assert_eq!(first_row(&["1", "2"], &[vec!["1", "2"]], &options, true), expected);
        }
    }
}
