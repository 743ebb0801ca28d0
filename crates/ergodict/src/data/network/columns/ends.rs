//! Which two columns are the ends of the edges.

use super::check::{incidence, is_incidence};
use super::kinds::are_two_kinds;
use super::listed;
use super::names::{
    Match, Role, are_indices, are_numbered, are_relatives, are_triple, bare, continues_series, is_known_pair,
    is_pair, is_span, plain, role, stem, values_of_end,
};
use super::values::{Kind, are_ids};

/// A source and a target, where they are known.
type Known = (Option<usize>, Option<usize>);

/// The message of a table with these columns for two ends.
fn ambiguous(names: &[impl AsRef<str>], mut at: Vec<usize>) -> String {
    at.sort_unstable();
    format!(
        "has several columns that could be ends of edges, {}: name two of them `source` and `target`, or give them as source and target",
        listed(names, at)
    )
}

/// The ends that names such as `source`, and otherwise such as `src_ip`, say of columns; those that are known stay what they are.
pub(super) fn named_ends(names: &[impl AsRef<str>], known: Known, open: &[usize]) -> Result<Known, String> {
    let name = |at: usize| names[at].as_ref();
    let called = |given: Option<usize>, of: Role, stemmed: bool| -> Vec<usize> {
        let holds = |at: &usize| role(name(*at)) == Some(of) && stem(name(*at)).is_some() == stemmed;
        given.map_or_else(|| open.iter().copied().filter(holds).collect(), |at| vec![at])
    };
    let ends = |stemmed| (called(known.0, Role::Source, stemmed), called(known.1, Role::Target, stemmed));
    let (sources, targets) = ends(false);
    if let Some((source, target)) = matching_ends(names, &sources, &targets)? {
        if known == (None, None) && is_span(name(source), name(target)) {
            let others = ends_next_to_span(names, (source, target), open);
            if !others.is_empty() {
                return Err(ambiguous(names, [others, vec![source, target]].concat()));
            }
        }
        return Ok((Some(source), Some(target)));
    }
    // Of `target_id` and `target_name`, the ids.
    let first = |ends: Vec<usize>| {
        ends.into_iter().min_by_key(|&at| VALUES.iter().position(|values| *values == values_of_end(name(at))))
    };
    let (source, target) = (first(sources), first(targets));
    let (sources, targets) = ends(true);
    let alike = |one: usize, two: usize| stem(name(one)).is_some() && stem(name(one)) == stem(name(two));
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for &one in &sources {
        pairs.extend(targets.iter().filter(|&&two| alike(one, two)).map(|&two| (one, two)));
    }
    if let [(source, target)] = pairs[..] {
        return Ok((Some(source), Some(target)));
    }
    let several = source.is_none() && sources.len() > 1 || target.is_none() && targets.len() > 1;
    if pairs.len() > 1 || several {
        return Err(ambiguous(names, [sources, targets].concat()));
    }
    Ok((source.or_else(|| sources.first().copied()), target.or_else(|| targets.first().copied())))
}

/// What names of ends say of their values, in the order in which they are taken.
const VALUES: [&str; 3] = ["", "id", "name"];

/// Of sources and targets those that go with each other best, if there are any of both: `sender_id` goes with `receiver_id`, not with `receiver_name`.
fn matching_ends(
    names: &[impl AsRef<str>],
    sources: &[usize],
    targets: &[usize],
) -> Result<Option<(usize, usize)>, String> {
    let name = |at: usize| names[at].as_ref();
    let matching = |&(one, two): &(usize, usize)| {
        (values_of_end(name(one)) != values_of_end(name(two)), Match::new(name(one), name(two)))
    };
    let mut pairs: Vec<(usize, usize)> =
        sources.iter().flat_map(|&one| targets.iter().map(move |&two| (one, two))).collect();
    let Some(best) = pairs.iter().map(matching).min() else { return Ok(None) };
    pairs.retain(|pair| matching(pair) == best);
    let words = |&(one, two): &(usize, usize)| [one, two].map(|at| bare(name(at)));
    if pairs.iter().any(|pair| words(pair) != words(&pairs[0])) {
        return Err(ambiguous(names, [sources, targets].concat()));
    }
    // Ids are ends also where `from` and `to` are years.
    let order = if best.1 == Match::Span { ["id", "", "name"] } else { VALUES };
    let place = |at: usize| order.iter().position(|values| *values == values_of_end(name(at)));
    Ok(pairs.into_iter().min_by_key(|&(one, two)| (place(two), place(one))))
}

/// Two columns that may be the ends where `from` and `to` are a span of time: both ends by their names, but for such as `from_city`, or a known pair.
fn ends_next_to_span(names: &[impl AsRef<str>], (from, to): (usize, usize), open: &[usize]) -> Vec<usize> {
    let name = |at: usize| names[at].as_ref();
    let rest: Vec<usize> = open.iter().copied().filter(|at| ![from, to].contains(at)).collect();
    let called = |of: Role, prefix: &str| {
        let stemmed = |at: usize| stem(name(at)).is_some() && plain(name(at)).starts_with(prefix);
        rest.iter().copied().find(|&at| role(name(at)) == Some(of) && !stemmed(at))
    };
    match (called(Role::Source, "from"), called(Role::Target, "to")) {
        (Some(source), Some(target)) => vec![source, target],
        _ => known_pair(names, &rest).map_or_else(Vec::new, |(one, two)| vec![one, two]),
    }
}

/// Two columns next to each other whose names are a known pair.
fn known_pair(names: &[impl AsRef<str>], columns: &[usize]) -> Option<(usize, usize)> {
    let mut pairs = columns.windows(2).map(|two| (two[0], two[1]));
    pairs.find(|&(one, two)| is_known_pair(names[one].as_ref(), names[two].as_ref()))
}

/// Two columns next to each other whose names are those of two ends.
fn named_pair<T: AsRef<str>>(
    names: &[impl AsRef<str>],
    rows: &[Vec<T>],
    candidates: &[usize],
) -> Option<(usize, usize)> {
    let name = |at: usize| names[at].as_ref();
    let find = |holds: &dyn Fn(usize, usize) -> bool| {
        candidates.windows(2).map(|two| (two[0], two[1])).find(|&(one, two)| holds(one, two))
    };
    // Of `e1`, `e2`, `e3` no two are a pair, nor are two columns of numbers next to one of words.
    let stands_out = |one: usize, two: usize| {
        candidates.iter().filter(|at| ![one, two].contains(at)).all(|&at| {
            !continues_series((name(one), name(two)), name(at))
                && (Kind::from_column(rows, at) != Kind::Words || Kind::from_column(rows, one) == Kind::Words)
        })
    };
    let span = |one: usize, two: usize| is_span(name(one), name(two));
    let pair = |one: usize, two: usize| is_pair(name(one), name(two), true) && !span(one, two);
    let kinds = |one: usize, two: usize| are_two_kinds(name(one), name(two));
    let triple = candidates.windows(3).find(|at| are_triple([name(at[0]), name(at[1]), name(at[2])]));
    triple
        .map(|at| (at[0], at[2]))
        .or_else(|| find(&pair))
        .or_else(|| find(&kinds))
        .or_else(|| find(&|one, two| are_indices(name(one), name(two))))
        .or_else(|| {
            find(&|one, two| is_pair(name(one), name(two), false) && !span(one, two) && stands_out(one, two))
        })
        .or_else(|| find(&span))
}

/// The column before a pair whose nodes both of it are tied to, as `student` is before `friend1`, `friend2`, or `id` before `sire`, `dam`.
fn ego<T: AsRef<str>>(
    names: &[impl AsRef<str>],
    rows: &[Vec<T>],
    (one, two): (usize, usize),
) -> Option<usize> {
    let name = |at: usize| names[at].as_ref();
    let kind = |at: usize| Kind::from_column(rows, at);
    if are_relatives(name(one), name(two)) {
        return (one > 0 && kind(0) == kind(one)).then_some(0);
    }
    let values = |at: usize| rows.iter().filter_map(move |row| row.get(at)).map(AsRef::as_ref);
    let shared =
        |at: usize| values(at).any(|value| values(one).chain(values(two)).any(|other| other == value));
    let words = kind(one) == Kind::Words && are_numbered(name(one), name(two));
    (0..one).find(|&at| words && kind(at) == Kind::Words && shared(at))
}

/// Both ends of the edges, where one of them or none is known; `given` is whether the caller says one.
pub(super) fn both_ends<T: AsRef<str>>(
    names: &[impl AsRef<str>],
    rows: &[Vec<T>],
    (known, given): (Known, bool),
    candidates: &[usize],
) -> Result<(usize, usize), String> {
    let ambiguous = |at: &[usize]| Err(ambiguous(names, at.to_vec()));
    let kind = |at: usize| Kind::from_column(rows, at);
    match known {
        (Some(source), Some(target)) => Ok((source, target)),
        (None, None) => {
            let numeric: Vec<usize> = candidates
                .iter()
                .copied()
                .filter(|&at| matches!(kind(at), Kind::Integers | Kind::Numbers))
                .collect();
            let ambiguous = |at: &[usize]| {
                if numeric.len() > 1 && is_incidence(rows, &numeric) {
                    return Err(incidence(&listed(names, numeric.iter().copied())));
                }
                ambiguous(at)
            };
            let without_ego = |(one, two): (usize, usize)| match ego(names, rows, (one, two)) {
                Some(ego) => ambiguous(&[ego, one, two]),
                None => Ok((one, two)),
            };
            if let Some(pair) = named_pair(names, rows, candidates) {
                return without_ego(pair);
            }
            match candidates {
                [] | [_] => {
                    let all = listed(names, 0..names.len());
                    Err(format!(
                        "has no two columns for the ends of an edge, such as `source` and `target`: there are {all}"
                    ))
                }
                // Names next to ages, or numbers with decimals, are attributes of nodes and no edges.
                [one, two] if !are_ids(kind(*one), kind(*two)) => ambiguous(candidates),
                [one, two] => without_ego((*one, *two)),
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
            let is_partner = |candidate: usize| {
                let (one, two) = (names[at].as_ref(), names[candidate].as_ref());
                is_pair(one, two, true) || is_pair(two, one, true)
            };
            let mut partners = candidates.iter().copied().filter(|&candidate| is_partner(candidate));
            let partner = partners.next().filter(|_| partners.next().is_none());
            // `source` next to a known pair says where its edges are from.
            if let Some(pair) = known_pair(names, candidates).filter(|_| !given && partner.is_none()) {
                return Ok(pair);
            }
            let found = match (candidates, &alike[..]) {
                _ if partner.is_some() => partner.unwrap_or(at),
                ([only], _) => *only,
                // Next to a name alone, a number that a user has is as likely as the other end.
                (_, [only]) if given || kind(at) == Kind::Words => *only,
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
