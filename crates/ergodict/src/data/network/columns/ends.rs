//! Which two columns are the ends of the edges.

use super::check::{incidence, is_incidence};
use super::kinds::are_two_kinds;
use super::listed;
use super::names::{
    Role, are_family, are_indices, are_triple, continues_series, is_pair, plain, role, stem, values_of_end,
};
use super::values::{Kind, are_ids};

/// The message of a table with these columns for two ends.
fn ambiguous(names: &[impl AsRef<str>], at: &[usize]) -> String {
    let which = listed(names, at.iter().copied());
    format!(
        "has several columns that could be ends of edges, {which}: name two of them `source` and `target`, or give them as source and target"
    )
}

/// The ends that names such as `source`, and otherwise such as `src_ip`, say of columns; those that are known stay what they are.
pub(super) fn named_ends(
    names: &[impl AsRef<str>],
    known: (Option<usize>, Option<usize>),
    open: &[usize],
) -> Result<(Option<usize>, Option<usize>), String> {
    let name = |at: usize| names[at].as_ref();
    let called = |of: Role, stemmed: bool| {
        let holds = move |at: &usize| role(name(*at)) == Some(of) && stem(name(*at)).is_some() == stemmed;
        open.iter().copied().filter(holds)
    };
    let all_of = |given: Option<usize>, of: Role, values: &str| -> Vec<usize> {
        let holds = |at: &usize| values_of_end(name(*at)) == values;
        given.map_or_else(|| called(of, false).filter(holds).collect(), |at| vec![at])
    };
    // `sender_id` goes with `receiver_id`, not with `receiver_name`.
    let of_given = known.0.or(known.1).map(|at| values_of_end(name(at)));
    for values in of_given.into_iter().chain(["", "id", "name"]) {
        let (sources, targets) =
            (all_of(known.0, Role::Source, values), all_of(known.1, Role::Target, values));
        if let (&[source], &[target]) = (&sources[..], &targets[..]) {
            let years = known == (None, None) && is_span(name(source), name(target));
            let people = open.windows(2).find(|two| is_pair(name(two[0]), name(two[1]), true));
            if let Some(people) = people.filter(|_| years) {
                return Err(ambiguous(names, &[people, &[source, target]].concat()));
            }
            return Ok((Some(source), Some(target)));
        }
        if !sources.is_empty() && !targets.is_empty() {
            return one_family(names, &sources, &targets);
        }
    }
    let (exact_sources, exact_targets): (Vec<usize>, Vec<usize>) =
        (called(Role::Source, false).collect(), called(Role::Target, false).collect());
    // Of `target_id` and `target_name`, the ids.
    let best = |all: &[usize]| {
        ["", "id", "name"].into_iter().find_map(|values| {
            let mut of_values = all.iter().copied().filter(|&at| values_of_end(name(at)) == values);
            of_values.next().map(|at| (at, of_values.next().is_none()))
        })
    };
    let source = known.0.map(|at| (at, true)).or_else(|| best(&exact_sources));
    let target = known.1.map(|at| (at, true)).or_else(|| best(&exact_targets));
    if let (Some((source, one)), Some((target, other))) = (source, target) {
        if !one || !other {
            let mut which = [exact_sources, exact_targets].concat();
            which.sort_unstable();
            return Err(ambiguous(names, &which));
        }
        return Ok((Some(source), Some(target)));
    }
    let (source, target) = (source.map(|(at, _)| at), target.map(|(at, _)| at));
    let all = |given: Option<usize>, of: Role| -> Vec<usize> {
        given.map_or_else(|| called(of, true).collect(), |at| vec![at])
    };
    let (sources, targets) = (all(known.0, Role::Source), all(known.1, Role::Target));
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
        let mut which = [sources, targets].concat();
        which.sort_unstable();
        return Err(ambiguous(names, &which));
    }
    Ok((source.or_else(|| sources.first().copied()), target.or_else(|| targets.first().copied())))
}

/// Whether names are those of a span of time as well as of ends.
fn is_span(one: &str, two: &str) -> bool {
    (plain(one), plain(two)) == ("from".into(), "to".into())
}

/// Of several sources or targets, those that go with each other, as `from` and `to` do; `source` and `target` before any other.
fn one_family(
    names: &[impl AsRef<str>],
    sources: &[usize],
    targets: &[usize],
) -> Result<(Option<usize>, Option<usize>), String> {
    let name = |at: usize| names[at].as_ref();
    let pairs = || sources.iter().flat_map(|&one| targets.iter().map(move |&two| (one, two)));
    let families: Vec<(usize, usize)> =
        pairs().filter(|&(one, two)| are_family(name(one), name(two))).collect();
    let usual = pairs().find(|&(one, two)| (&*plain(name(one)), &*plain(name(two))) == ("source", "target"));
    match (usual, &families[..]) {
        (Some((source, target)), _) | (None, &[(source, target)]) => Ok((Some(source), Some(target))),
        _ => {
            let mut which = [sources, targets].concat();
            which.sort_unstable();
            Err(ambiguous(names, &which))
        }
    }
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
    // A contact between `u` and `v` has a start and an end, too.
    let span = |one: usize, two: usize| plain(name(one)) == "start" && plain(name(two)) == "end";
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

/// Both ends of the edges, where one of them or none is known; `given` is whether the caller says one.
pub(super) fn both_ends<T: AsRef<str>>(
    names: &[impl AsRef<str>],
    rows: &[Vec<T>],
    (known, given): ((Option<usize>, Option<usize>), bool),
    candidates: &[usize],
) -> Result<(usize, usize), String> {
    let ambiguous = |at: &[usize]| Err(ambiguous(names, at));
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
            if let Some(pair) = named_pair(names, rows, candidates) {
                return Ok(pair);
            }
            match candidates {
                [] | [_] => {
                    let all = listed(names, 0..names.len());
                    Err(format!(
                        "has no two columns for the ends of an edge, such as `source` and `target`: there are {all}"
                    ))
                }
                // Names beside ages, or numbers with decimals, are attributes of nodes and no edges.
                [one, two] if !are_ids(kind(*one), kind(*two)) => ambiguous(candidates),
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
            let pairs = |candidate: usize| {
                let (from, to) = if one.is_some() { (at, candidate) } else { (candidate, at) };
                is_pair(names[from].as_ref(), names[to].as_ref(), true)
            };
            let mut partners = candidates.iter().copied().filter(|&candidate| pairs(candidate));
            let partner = partners.next().filter(|_| partners.next().is_none());
            let found = match (candidates, &alike[..]) {
                _ if partner.is_some() => partner.unwrap_or(at),
                ([only], _) => *only,
                // Next to a name alone, a number that a user has is as likely as the other end.
                (_, [only]) if given => *only,
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
