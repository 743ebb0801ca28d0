//! What the names of columns say: ends of edges, weights, directions and attributes.

/// What the name of a column says of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) enum Role {
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
pub(in super::super) fn plain(name: &str) -> String {
    let name = name.split('(').next().unwrap_or(name).to_lowercase();
    let typed = name.rsplit_once(':').filter(|(name, kind)| !name.is_empty() && TYPES.contains(kind));
    let name = typed.map_or(&*name, |(name, _)| name);
    name.chars().filter(|c| !c.is_whitespace() && !matches!(c, '_' | '-' | '.' | ':' | '"')).collect()
}

/// The group of nodes that Neo4j has in brackets, as in `:START_ID(Person)`.
pub(super) fn group(name: &str) -> Option<&str> {
    name.split_once('(')?.1.split_once(')').map(|(group, _)| group.trim())
}

/// What a name says of its column, whatever stands below it.
pub(in super::super) fn role(name: &str) -> Option<Role> {
    let name = plain(name);
    exact_role(&name).or_else(|| directed_end(&name).map(|(end, _)| end))
}

/// The node in a name such as `src_ip`, none in names such as `source` that are those of ends themselves.
pub(super) fn stem(name: &str) -> Option<&'static str> {
    let name = plain(name);
    exact_role(&name).is_none().then(|| directed_end(&name))?.map(|(_, node)| node)
}

fn exact_role(name: &str) -> Option<Role> {
    Some(match without_suffix(name) {
        "source" | "src" | "from" | "sender" | "follower" | "citing" | "caller" | "ego" => Role::Source,
        "target" | "tgt" | "dst" | "dest" | "destination" | "to" | "receiver" | "recipient" | "followee"
        | "following" | "cited" | "callee" | "alter" => Role::Target,
        _ => return other_role(name),
    })
}

/// How well two names of ends, with or without `id` and `name`, go with each other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Match {
    /// `source`, `target`.
    Usual,
    /// Such as `sender`, `receiver`.
    Family,
    /// `from`, `to`, which may be a span of time.
    Span,
    /// Such as `sender`, `target`.
    None,
}

impl Match {
    pub(super) fn new(source: &str, target: &str) -> Self {
        const FAMILIES: &[(&str, &[&str])] = &[
            ("source", &["destination", "dest", "dst"]),
            ("src", &["target", "tgt", "dst", "dest", "destination"]),
            ("origin", &["destination", "dest"]),
            ("sender", &["receiver", "recipient"]),
            ("follower", &["followee", "following"]),
            ("citing", &["cited"]),
            ("caller", &["callee"]),
            ("ego", &["alter"]),
            ("start", &["end"]),
            ("node1", &["node2"]),
            ("id1", &["id2"]),
            ("vertex1", &["vertex2"]),
            ("fromnode", &["tonode"]),
            ("sourcenode", &["targetnode"]),
            ("startnode", &["endnode"]),
        ];
        let (source, target) = (bare(source), bare(target));
        match (&*source, &*target) {
            ("source", "target") => Self::Usual,
            ("from", "to") => Self::Span,
            (one, two) if FAMILIES.iter().any(|(first, others)| *first == one && others.contains(&two)) => {
                Self::Family
            }
            _ => Self::None,
        }
    }
}

/// A name without what says that its values are ids or names, as in `sender_id`.
pub(super) fn bare(name: &str) -> String {
    let name = plain(name);
    without_suffix(&name).to_owned()
}

fn without_suffix(name: &str) -> &str {
    name.strip_suffix(suffix(name)).unwrap_or(name)
}

/// What says that the values of a column are ids or names, if anything does.
fn suffix(name: &str) -> &'static str {
    ["id", "name"].into_iter().find(|suffix| name.ends_with(suffix)).unwrap_or("")
}

/// What the name of an end says of its values: `id`, `name`, or nothing.
pub(super) fn values_of_end(name: &str) -> &'static str {
    suffix(&plain(name))
}

fn other_role(name: &str) -> Option<Role> {
    Some(match name {
        "fromnode" | "fromnodeid" | "sourcenode" | "startid" | "startnode" | "originid" | "node1" | "id1"
        | "vertex1" => Role::Source,
        "tonode" | "tonodeid" | "targetnode" | "endid" | "endnode" | "node2" | "id2" | "vertex2" => {
            Role::Target
        }
        "weight" | "weights" | "edgeweight" | "coupling" => Role::Weight,
        "type" | "directed" | "isdirected" | "edgetype" => Role::Direction,
        "" | "id" | "edgeid" | "edge" | "key" | "index" | "rowid" | "rownames" | "rowname" | "unnamed0"
        | "suid" | "sharedname" | "degree" | "age" | "population" | "lat" | "lon" | "latitude"
        | "longitude" | "label" | "edgelabel" | "kind" | "timeset" | "interaction" | "sharedinteraction"
        | "relationship" | "relation" | "relationid" | "relationtype" | "rel" | "reltype" | "predicate"
        | "predicateid" | "selected" | "time" | "timestamp" | "timestamps" | "datetime" | "date" | "year"
        | "day" | "month" | "sign" | "color" | "category" | "since" | "epoch" | "unixtime" => Role::Attribute,
        _ => return None,
    })
}

/// The end that a name such as `src_ip` or `destination_airport` is of, and what is there.
fn directed_end(name: &str) -> Option<(Role, &'static str)> {
    const NODES: &[&str] = &[
        "ip",
        "addr",
        "address",
        "node",
        "vertex",
        "key",
        "code",
        "airport",
        "airportid",
        "station",
        "stationid",
        "user",
        "userid",
        "account",
        "accountid",
        "country",
        "city",
        "page",
        "gene",
        "protein",
        "person",
        "personid",
        "agent",
        "host",
        "zone",
        "region",
    ];
    const SOURCES: [&str; 4] = ["source", "src", "from", "origin"];
    const TARGETS: [&str; 6] = ["target", "tgt", "destination", "dest", "dst", "to"];
    let among = |prefixes: &[&str]| {
        let mut nodes = prefixes.iter().filter_map(|prefix| name.strip_prefix(prefix));
        nodes.find_map(|found| NODES.iter().copied().find(|node| *node == found))
    };
    let source = among(&SOURCES).map(|node| (Role::Source, node));
    source.or_else(|| among(&TARGETS).map(|node| (Role::Target, node)))
}

/// Whether a name is one of weights where ends of edges do not stand: `v w` are two ends.
pub(super) fn is_weak_weight(name: &str) -> bool {
    matches!(plain(name).as_str(), "w" | "wt" | "strength" | "value" | "count" | "counts" | "frequency")
}

/// Whether a name is that of something measured or counted, which is no end of edges behind two columns that can be.
pub(super) fn is_measure(name: &str) -> bool {
    const MEASURES: &[&str] = &[
        "minutes",
        "mins",
        "seconds",
        "secs",
        "hours",
        "days",
        "weeks",
        "months",
        "years",
        "duration",
        "length",
        "distance",
        "dist",
        "km",
        "miles",
        "meters",
        "metres",
        "amount",
        "price",
        "cost",
        "volume",
        "value",
        "n",
        "num",
        "number",
        "count",
        "counts",
        "freq",
        "frequency",
        "total",
        "sum",
        "mean",
        "average",
        "percent",
        "percentage",
        "share",
        "rate",
        "ratio",
        "score",
        "rating",
        "stars",
        "rank",
        "probability",
        "prob",
        "pvalue",
        "correlation",
        "corr",
        "similarity",
        "confidence",
        "calls",
        "messages",
        "emails",
        "visits",
        "trips",
        "passengers",
        "flights",
        "trade",
        "capacity",
        "speed",
        "size",
        "times",
    ];
    MEASURES.contains(&&*plain(name))
}

/// Whether a name says that its values are ids, as `message_id` and `paperID` do.
pub(super) fn is_identifier(name: &str) -> bool {
    let name = name.trim();
    let before = |suffix: &str| name.strip_suffix(suffix).and_then(|rest| rest.chars().next_back());
    before("id").or_else(|| before("ID")).is_some_and(|c| !c.is_alphanumeric())
        || before("Id").or_else(|| before("ID")).is_some_and(char::is_lowercase)
}

/// The column of times among these names.
pub(in super::super) fn time_column(names: &[impl AsRef<str>]) -> Option<usize> {
    const TIMES: &[&str] =
        &["time", "timestamp", "timestamps", "datetime", "date", "unixts", "unixtime", "epoch"];
    const OTHERS: &[&str] = &["t", "ts", "when", "createdat", "created", "year", "day"];
    let called = |words: &[&str]| names.iter().position(|name| words.contains(&&*plain(name.as_ref())));
    called(TIMES).or_else(|| called(OTHERS))
}

/// The same for a column of a table, of which `w` next to `v` is the second end unless there is a `u`.
pub(super) fn is_weak_weight_at(names: &[impl AsRef<str>], at: usize) -> bool {
    let called = |at: usize, name: &str| plain(names[at].as_ref()) == name;
    let end = at > 0 && called(at, "w") && called(at - 1, "v") && !(0..names.len()).any(|at| called(at, "u"));
    is_weak_weight(names[at].as_ref()) && !end
}

/// Whether a column is the coupling `J` of a spin system, and not the second end of `i`, `j`.
pub(super) fn is_coupling(names: &[impl AsRef<str>], at: usize) -> bool {
    let before = |name: &str| names[..at].iter().any(|other| plain(other.as_ref()) == name);
    plain(names[at].as_ref()) == "j" && (before("j") || !before("i"))
}

/// Whether two names are those of the two ends, as in `person_1`, `person_2` and `who`, `whom`; `words` leaves out letters,
/// which are names of nodes just as well.
pub(in super::super) fn is_pair(one: &str, two: &str, words: bool) -> bool {
    const PAIRS: &[(&str, &str)] = &[
        ("person", "friend"),
        ("user", "friend"),
        ("name", "friend"),
        ("who", "whom"),
        ("parent", "child"),
        ("buyer", "seller"),
        ("payer", "payee"),
        ("paper", "reference"),
        ("head", "tail"),
        ("tail", "head"),
        ("author", "coauthor"),
        ("origin", "destination"),
        ("origin", "dest"),
        ("orig", "dest"),
        ("start", "end"),
        ("left", "right"),
        ("node", "neighbor"),
        ("node", "neighbour"),
        ("subject", "object"),
        ("manager", "employee"),
        ("boss", "subordinate"),
        ("supervisor", "subordinate"),
        ("predator", "prey"),
        ("bait", "prey"),
        ("lender", "borrower"),
        ("creditor", "debtor"),
        ("donor", "recipient"),
        ("giver", "receiver"),
        ("exporter", "importer"),
        ("reporter", "partner"),
        ("pre", "post"),
        ("presynaptic", "postsynaptic"),
        ("prerootid", "postrootid"),
        ("winner", "loser"),
        ("home", "away"),
        ("hometeam", "awayteam"),
        ("husband", "wife"),
        ("nominator", "nominee"),
        ("rater", "ratee"),
        ("truster", "trustee"),
        ("trustor", "trustee"),
        ("mentor", "mentee"),
        ("mother", "child"),
        ("father", "child"),
        ("ancestor", "descendant"),
        ("leader", "follower"),
        ("infector", "infectee"),
        ("upstream", "downstream"),
        ("input", "output"),
        ("query", "subject"),
        ("cue", "response"),
        ("package", "dependency"),
        ("kinase", "substrate"),
        ("ligand", "receptor"),
        ("quelle", "ziel"),
        ("origen", "destino"),
        ("origine", "destination"),
    ];
    const LETTERS: &[(&str, &str)] = &[("u", "v"), ("i", "j"), ("a", "b"), ("v", "w")];
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
        "officialsymbolinteractor",
        "region",
        "agent",
        "level",
    ];
    let (one, two) = (plain(one), plain(two));
    if PAIRS.contains(&(&one, &two))
        || suffix(&one) == suffix(&two) && PAIRS.contains(&(without_suffix(&one), without_suffix(&two)))
        || !words && LETTERS.contains(&(&one, &two))
    {
        return true;
    }
    numbered_stem(&one, &two).is_some_and(|stem| !words || STEMS.contains(&stem))
}

/// The word of two plain names that are the same but for the first two numbers or letters, as `person` of `person1` and `person2`.
fn numbered_stem<'a>(one: &'a str, two: &str) -> Option<&'a str> {
    [("1", "2"), ("a", "b"), ("0", "1"), ("x", "y"), ("i", "j")].iter().find_map(|(first, second)| {
        one.strip_suffix(first).filter(|stem| !stem.is_empty() && two.strip_suffix(second) == Some(*stem))
    })
}

/// Whether two names are one word with the first two numbers or letters, as `person_1` and `person_2` are.
pub(super) fn are_numbered(one: &str, two: &str) -> bool {
    numbered_stem(&plain(one), &plain(two)).is_some()
}

/// Whether two names are those of two nodes that a third is tied to: its friends, neighbors or parents.
pub(super) fn are_relatives(one: &str, two: &str) -> bool {
    const PARENTS: [(&str, &str); 3] = [("sire", "dam"), ("father", "mother"), ("mother", "father")];
    const RELATIVES: [&str; 12] = [
        "friend",
        "freund",
        "ami",
        "amigo",
        "neighbor",
        "neighbour",
        "nominee",
        "alter",
        "contact",
        "parent",
        "sibling",
        "coauthor",
    ];
    let (first, second) = (plain(one), plain(two));
    let stem = first.trim_end_matches(|c: char| c.is_ascii_digit());
    PARENTS.iter().any(|pair| (without_suffix(&first), without_suffix(&second)) == *pair)
        || are_numbered(one, two) && RELATIVES.contains(&stem)
}

/// Whether two names are those of the two ends, by words or the letters of [`are_indices`], and not those of a span of time: a contact between
/// `u` and `v` has a start and an end, too.
pub(super) fn is_known_pair(one: &str, two: &str) -> bool {
    is_pair(one, two, true) && !is_span(one, two) || are_indices(one, two)
}

/// Whether two names are those of a span of time as well as of ends.
pub(super) fn is_span(one: &str, two: &str) -> bool {
    [("from", "to"), ("start", "end")].contains(&(&*plain(one), &*plain(two)))
}

/// Whether names are those that programs give to columns without one: `V1`, `V2` of R, `X1`, `X2`, `column_1`, `column_2`.
pub(super) fn are_default_names(names: &[impl AsRef<str>]) -> bool {
    let stem = |name: &str, at: usize| {
        let name = plain(name);
        let stem = name.strip_suffix(&at.to_string());
        stem.filter(|stem| ["v", "x", "var", "column", "col", "field"].contains(stem)).map(str::to_owned)
    };
    let first = names.first().and_then(|name| stem(name.as_ref(), 1));
    first.is_some() && names.iter().zip(1..).all(|(name, at)| stem(name.as_ref(), at) == first)
}

/// Whether names are those of columns of edges.
pub(in super::super) fn are_edge_names(names: &[impl AsRef<str>]) -> bool {
    let called = |of: Role| names.iter().any(|name| role(name.as_ref()) == Some(of));
    called(Role::Source) && called(Role::Target) || has_pair(names)
}

/// Whether two names are those of the two ends, with nothing but attributes between them, as in `head`, `relation`, `tail`.
pub(super) fn has_pair(names: &[impl AsRef<str>]) -> bool {
    let open = names.iter().map(AsRef::as_ref).filter(|name| role(name) != Some(Role::Attribute));
    open.collect::<Vec<_>>().windows(2).any(|two| is_pair(two[0], two[1], true))
}

/// Whether names are the letters of the triples of a knowledge graph: head, relation, tail, or subject, predicate, object.
pub(super) fn are_triple(names: [&str; 3]) -> bool {
    let [one, two, three] = names.map(plain);
    [("h", "r", "t"), ("s", "p", "o")].contains(&(&*one, &*two, &*three))
}

/// Whether a name is that of the nodes of a table of nodes.
pub(super) fn is_node_name(name: &str) -> bool {
    matches!(&*plain(name), "id" | "label" | "name" | "node" | "nodeid" | "vertex" | "vertexid")
}

/// Whether a name, next to that of a node, is one of its attributes: where it is drawn, or a group that it is in.
pub(super) fn is_node_attribute(name: &str) -> bool {
    matches!(
        &*plain(name),
        "x" | "y"
            | "z"
            | "community"
            | "cluster"
            | "module"
            | "partition"
            | "membership"
            | "group"
            | "gender"
            | "sex"
            | "size"
            | "club"
            | "party"
    )
}

/// Whether names are the letters by which every text on networks names the ends of an edge.
pub(super) fn are_indices(one: &str, two: &str) -> bool {
    matches!((&*plain(one), &*plain(two)), ("u", "v") | ("i", "j"))
}

/// Whether a name continues a pair to a series such as `e1`, `e2`, `e3` or `a`, `b`, `c`, of which no two are the ends of edges.
pub(super) fn continues_series((one, two): (&str, &str), other: &str) -> bool {
    let (one, two, other) = (plain(one), plain(two), plain(other));
    let numbered = |name: &str| {
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
        (stem.len() < name.len()).then(|| stem.to_owned())
    };
    if let (Some(stem), Some(of_other)) = (numbered(&two), numbered(&other)) {
        return stem == of_other;
    }
    let lettered = |name: &str| {
        let last = name.chars().last()?;
        Some((name[..name.len() - last.len_utf8()].to_owned(), u32::from(last)))
    };
    let (Some((stem, first)), Some((_, second)), Some((of_other, letter))) =
        (lettered(&one), lettered(&two), lettered(&other))
    else {
        return false;
    };
    stem == of_other && (letter + 1 == first || letter == second + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_ids_are_those_of_ends() {
        for (name, expected) in [
            ("sender_id", Some(Role::Source)),
            ("ReceiverID", Some(Role::Target)),
            ("caller name", Some(Role::Source)),
            ("to_id", Some(Role::Target)),
            ("predicate", Some(Role::Attribute)),
            ("message_id", None),
            ("covid", None),
        ] {
            assert_eq!(role(name), expected, "{name}");
        }
        assert!(are_edge_names(&["buyer_id", "seller_id"]) && are_edge_names(&["head", "relation", "tail"]));
        for (name, expected) in [
            ("message_id", true),
            ("paperID", true),
            ("MESSAGE_ID", true),
            ("PAID", false),
            ("covid", false),
            ("id", false),
        ] {
            assert_eq!(is_identifier(name), expected, "{name}");
        }
        assert_eq!(time_column(&["year", "i", "time"]), Some(2));
    }

    #[test]
    fn series_go_on() {
        for (pair, other) in
            [(("e1", "e2"), "e3"), (("e13", "e14"), "e1"), (("a", "b"), "c"), (("day_b", "day_c"), "day_a")]
        {
            assert!(continues_series(pair, other), "{pair:?} {other}");
        }
        for (pair, other) in
            [(("person_1", "person_2"), "place_1"), (("i", "j"), "t"), (("e1", "e2"), "weight")]
        {
            assert!(!continues_series(pair, other), "{pair:?} {other}");
        }
    }
}
