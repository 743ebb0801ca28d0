//! Flags that several verbs share, as each of them needs them: what they say there, and whether the short help shows them.

use clap::Command;

/// What the online scheme and the drawing of homomorphisms have for those who know more.
const SCHEME: &[&str] = &["kappa1", "kappa2", "schedule", "dictionary", "code", "init", "f32"];
const DRAWING: &[&str] = &["injective", "every", "burn_in", "component"];
const READING: &[&str] = &["undirected", "weighted", "loops"];
const OTHER_SYSTEMS: &[&str] = &[
    "coupling",
    "graph",
    "cells",
    "adhesion",
    "volume",
    "volume_strength",
    "perimeter",
    "perimeter_strength",
    "proposal",
    "weights",
    "hidden",
    "weight_scale",
];

/// The verb, and the flags that its short help leaves out.
const HIDDEN: &[(&str, &[&[&str]])] = &[
    ("network info", &[READING]),
    ("network convert", &[READING]),
    ("network corrupt", &[READING]),
    ("network denoise", &[READING]),
    ("network sample", &[READING, &["burn_in", "component"]]),
    ("network learn", &[READING, SCHEME, DRAWING, &["static"]]),
    ("network reconstruct", &[READING, DRAWING, &["k", "motif", "reversal", "alpha"]]),
    ("network compare", &[READING, SCHEME, DRAWING, &["mode", "threshold"]]),
    ("spins simulate", &[OTHER_SYSTEMS, &["states", "start", "observables"]]),
    ("spins learn", &[OTHER_SYSTEMS, SCHEME, &["states", "fixed", "burn_in"]]),
    ("image learn", &[SCHEME]),
];

/// The verb, a flag, and what it says there.
const SAYS: &[(&str, &str, &str)] = &[
    ("network sample", "k", "Nodes of the motif [default: 21, or those of the file]"),
    ("network learn", "k", "Nodes of the motif [default: 21, or those of the file]"),
    ("network compare", "k", "Nodes of the motif [default: 21, or those of the file]"),
    ("network reconstruct", "k", "Nodes of the motif [default: those of --model, which it must be]"),
    ("network sample", "motif", MOTIF),
    ("network learn", "motif", MOTIF),
    ("network compare", "motif", MOTIF),
    ("network reconstruct", "motif", "The motif [default: that of --model, which it must be]"),
    ("network sample", "sampler", EXACT),
    ("network learn", "sampler", EXACT),
    ("network reconstruct", "sampler", APPROXIMATE),
    ("network compare", "sampler", APPROXIMATE),
    ("network sample", "chains", "Independent chains, which share the work [default: 1]"),
    ("network learn", "chains", "Independent chains, which share the work [default: 1]"),
    ("network reconstruct", "chains", "Independent chains, which share the work [default: 8]"),
    ("network compare", "chains", "Independent chains, which share the work [default: 8]"),
];
const MOTIF: &str = "chain, star, cycle, complete, or a file of its edges [default: chain]";
const EXACT: &str =
    "exact, pivot, pivot-approx, glauber or rejection [default: exact; glauber for rare motifs with cycles]";
const APPROXIMATE: &str = "exact, pivot, pivot-approx, glauber or rejection [default: pivot-approx; exact or glauber for motifs with cycles]";

/// The verb, a flag, and what the short help says of it, where the long one says more.
const SHORT: &[(&str, &str, &str)] = &[
    ("network learn", "snapshots", "The networks are snapshots of one that changes, in their order"),
    ("spins simulate", "out", "The trajectory to write; - is standard output"),
    ("spins simulate", "every", "Updates of single sites between kept configurations"),
    ("spins simulate", "frames", "Draw the kept configurations: FILE.gif, or a folder of PNG files"),
    ("spins simulate", "size", SIZE),
    ("spins simulate", "boundary", "What lies beyond the edge [default: periodic]"),
    ("spins simulate", "field", FIELD),
    ("spins learn", "out", "The model file to write; - is standard output"),
    ("spins learn", "temperature", "Temperature, or several: T,T,… [default: 2.26]"),
    ("spins learn", "every", "Updates between kept configurations, or several: N,N,… [default: 10000]"),
    ("spins learn", "trajectory", "Learn from a trajectory that was written before"),
    ("spins learn", "patches", "Patches of a minibatch"),
    ("spins learn", "spins", "zero-one, signed, one-hot or borders [default: depends on the system]"),
    ("spins learn", "size", SIZE),
    ("spins learn", "boundary", "What lies beyond the edge [default: periodic]"),
    ("spins learn", "field", FIELD),
];
const SIZE: &str = "Rows and columns: N or NxM [default: 200; 28 for rbm]";
const FIELD: &str = "External field: a number, or a matrix in a file [default: 0]";

/// A verb with its flags as they are there.
pub(super) fn suited(mut verb: Command, name: &str) -> Command {
    let has = |verb: &Command, id: &str| verb.get_arguments().any(|arg| arg.get_id() == id);
    for id in
        HIDDEN.iter().filter(|(of, _)| *of == name).flat_map(|(_, groups)| groups.iter().copied().flatten())
    {
        if has(&verb, id) {
            verb = verb.mut_arg(id, |arg| arg.hide_short_help(true));
        }
    }
    for (_, id, says) in SAYS.iter().filter(|(of, ..)| *of == name) {
        if !has(&verb, id) {
            continue;
        }
        verb = verb.mut_arg(id, |arg| {
            let (short, long) =
                (arg.get_help().map(ToString::to_string), arg.get_long_help().map(ToString::to_string));
            // The long help begins with the short one.
            let long = long.map(|long| long.replacen(&short.unwrap_or_default(), says, 1));
            let arg = arg.help(*says);
            match long {
                Some(long) => arg.long_help(long),
                None => arg,
            }
        });
    }
    for (_, id, says) in SHORT.iter().filter(|(of, ..)| *of == name) {
        if has(&verb, id) {
            verb = verb.mut_arg(id, |arg| {
                let long = arg.get_long_help().or(arg.get_help()).cloned().unwrap_or_default();
                arg.help(*says).long_help(long)
            });
        }
    }
    verb
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_of_flags_is_of_flags_that_there_are() {
        let cli = crate::args::command();
        let find = |name: &str| name.split(' ').try_fold(&cli, |verb, word| verb.find_subcommand(word));
        let named =
            HIDDEN.iter().flat_map(|(of, groups)| groups.iter().copied().flatten().map(move |id| (*of, *id)));
        for (of, id) in named.chain(SAYS.iter().chain(SHORT).map(|(of, id, _)| (*of, *id))) {
            let verb = find(of).unwrap_or_else(|| panic!("{of}"));
            assert!(verb.get_arguments().any(|arg| arg.get_id() == id), "{of} has no {id}");
        }
    }
}
