//! Whether two columns, by their names, have nodes of one kind or of two.

use super::names::{Role, is_pair, plain, role};

/// Whether two names of columns are those of nodes of one kind, whose numbers mean the same: two ends, letters, numbered names, or names with a
/// word in common that is more than `id`; or one is a relation, such as `friend`.
pub(super) fn are_one_kind(one: &str, two: &str) -> bool {
    const RELATIONS: &[&str] = &[
        "friend",
        "neighbor",
        "neighbour",
        "contact",
        "alter",
        "partner",
        "peer",
        "colleague",
        "coauthor",
        "collaborator",
        "spouse",
        "sibling",
        "follower",
        "followee",
        "following",
        "acquaintance",
        "enemy",
        "ally",
        "parent",
        "child",
        "nominee",
    ];
    const ORDINALS: &[&str] =
        &["one", "two", "first", "second", "left", "right", "self", "other", "column", "columnname"];
    let related = |name: &str| {
        let name = plain(name);
        let name = name.strip_suffix("id").unwrap_or(&name);
        let name = name.strip_suffix('s').unwrap_or(name);
        RELATIONS.contains(&name) || ORDINALS.contains(&name)
    };
    let end = |name: &str| matches!(role(name), Some(Role::Source | Role::Target));
    // `sender_id`, `receiver_id`.
    let bare = |name: &str| {
        let name = plain(name);
        let bare = ["id", "name", "key", "code"].iter().find_map(|suffix| name.strip_suffix(suffix));
        bare.unwrap_or(&name).to_owned()
    };
    let (bare_one, bare_two) = (bare(one), bare(two));
    let letter = |name: &str| {
        let name = plain(name);
        name.chars().count() <= 2 || !name.chars().any(char::is_alphabetic)
    };
    // `zip_a`, `zip_z`.
    let numbered = || {
        let [one, two] = [one, two].map(|name| plain(name).chars().collect::<Vec<_>>());
        one.len() > 2 && one.len() == two.len() && one[..one.len() - 1] == two[..two.len() - 1]
    };
    let words = |name: &str| -> Vec<String> {
        let mut words = vec![String::new()];
        let mut lower = false;
        for c in name.chars() {
            let begins = lower && c.is_uppercase() || !c.is_alphabetic();
            if begins {
                words.push(String::new());
            }
            lower = c.is_lowercase();
            if let (Some(word), true) = (words.last_mut(), c.is_alphabetic()) {
                word.extend(c.to_lowercase());
            }
        }
        words.retain(|word| {
            word.chars().count() > 1
                && !["id", "ids", "name", "no", "nr", "number", "index", "key", "code"].contains(&&**word)
        });
        words
    };
    let shared = || {
        let of_two = words(two);
        let of_one = words(one);
        of_one.is_empty() && of_two.is_empty() || of_one.iter().any(|word| of_two.contains(word))
    };
    is_pair(one, two, false)
        || is_pair(two, one, false)
        || is_pair(&bare_one, &bare_two, false)
        || is_pair(&bare_two, &bare_one, false)
        || end(&bare_one)
        || end(&bare_two)
        || are_prefixed(&bare_one, &bare_two)
        || related(one)
        || related(two)
        || end(one)
        || end(two)
        || letter(one) && letter(two)
        || numbered()
        || shared()
}

/// Whether names are one word behind short prefixes, as in `PULocation`, `DOLocation`.
fn are_prefixed(one: &str, two: &str) -> bool {
    const FEWEST: usize = 5;
    const PREFIX: usize = 3;
    let common = one.chars().rev().zip(two.chars().rev()).take_while(|(a, b)| a == b).count();
    let (one, two) = (one.chars().count(), two.chars().count());
    one == two && common >= FEWEST && one - common <= PREFIX
}

/// Whether names are those of two kinds of nodes, as `user` and `item` are, which often have the same numbers.
pub(super) fn are_two_kinds(one: &str, two: &str) -> bool {
    const KINDS: &[&str] = &[
        "user",
        "customer",
        "client",
        "reviewer",
        "rater",
        "reader",
        "listener",
        "viewer",
        "visitor",
        "person",
        "people",
        "author",
        "actor",
        "member",
        "player",
        "student",
        "employee",
        "director",
        "individual",
        "item",
        "product",
        "movie",
        "film",
        "book",
        "song",
        "track",
        "artist",
        "album",
        "event",
        "paper",
        "publication",
        "article",
        "page",
        "tag",
        "hashtag",
        "group",
        "club",
        "team",
        "company",
        "organization",
        "board",
        "bill",
        "course",
        "class",
        "project",
        "repo",
        "repository",
        "subreddit",
        "place",
        "venue",
        "location",
        "business",
        "document",
        "doc",
        "word",
        "term",
        "plant",
        "pollinator",
        "host",
        "parasite",
        "drug",
        "disease",
        "gene",
        "site",
        "species",
    ];
    let kind = |name: &str| {
        let name = plain(name);
        let name = name.strip_suffix("id").or_else(|| name.strip_suffix("name")).unwrap_or(&name);
        let name = name.strip_suffix('s').filter(|name| KINDS.contains(name)).unwrap_or(name);
        KINDS.iter().position(|kind| *kind == name)
    };
    matches!((kind(one), kind(two)), (Some(one), Some(two)) if one != two)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_nodes_are_known_by_their_names() {
        for (one, two) in
            [("user", "item"), ("userId", "movieId"), ("customer_id", "Product ID"), ("Person", "events")]
        {
            assert!(are_two_kinds(one, two), "{one} {two}");
        }
        for (one, two) in [("user", "friend"), ("user_id", "users"), ("person", "person"), ("a", "b")] {
            assert!(!are_two_kinds(one, two), "{one} {two}");
        }
    }

    #[test]
    fn names_of_one_kind_need_not_be_known() {
        for (one, two) in [
            ("person", "friend"),
            ("id", "contact_id"),
            ("a", "b"),
            ("p", "q"),
            ("x", "y"),
            ("node_1", "node_2"),
            ("numeric_id_1", "numeric_id_2"),
            ("NodeA", "NodeB"),
            ("ORIGIN_AIRPORT_ID", "DEST_AIRPORT_ID"),
            ("citing", "cited"),
            ("child", "parent"),
            ("pre_root_id", "post_root_id"),
            ("Country of origin", "country_of_destination"),
            ("id", "id.1"),
            ("2000", "2001"),
            ("zipa", "zipz"),
            ("sender_id", "receiver_id"),
            ("caller_id", "callee_id"),
            ("citing_id", "cited_id"),
            ("buyer_id", "seller_id"),
            ("employee_id", "manager_id"),
            ("payer", "payee"),
            ("paper", "reference"),
            ("PULocationID", "DOLocationID"),
        ] {
            assert!(are_one_kind(one, two), "{one} {two}");
        }
        for (one, two) in [
            ("student", "school"),
            ("sailor_id", "ship_id"),
            ("patientID", "wardID"),
            ("location", "station"),
        ] {
            assert!(!are_one_kind(one, two), "{one} {two}");
        }
    }
}
