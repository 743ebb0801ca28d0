//! How Python spells settings: the one table of names, types and words that are not those of the command line.

/// A setting in Python. What is empty is taken from the library: the name is the key with underscores, the type that of the default.
#[derive(Clone, Copy)]
pub(super) struct Spelling {
    /// The command it is for; all commands where it is empty.
    pub(super) command: &'static str,
    pub(super) key: &'static str,
    pub(super) name: &'static str,
    /// The type in annotations, and in numpydoc.
    pub(super) annotation: &'static str,
    pub(super) kind: &'static str,
    pub(super) default: &'static str,
    pub(super) help: &'static str,
}

const SAME: Spelling =
    Spelling { command: "", key: "", name: "", annotation: "", kind: "", default: "", help: "" };

/// Settings that Python spells in words of its own, mostly those of scikit-learn.
pub(super) const SPELLINGS: [Spelling; 34] = [
    Spelling {
        command: "network learn",
        key: "atoms",
        name: "n_components",
        annotation: "int",
        kind: "int",
        ..SAME
    },
    Spelling {
        key: "atoms",
        name: "n_components",
        annotation: "Optional[int]",
        kind: "int",
        default: "None",
        help: "Atoms of the dictionary; as many as features if None",
        ..SAME
    },
    Spelling {
        command: "network reconstruct",
        key: "lambda",
        name: "alpha",
        help: "Weight of the ℓ₁ norm of the code, as in scikit-learn: ``--lambda`` is twice that",
        ..SAME
    },
    Spelling {
        command: "factor",
        key: "lambda",
        name: "alpha",
        annotation: "Union[float, str]",
        kind: "float or \"auto\"",
        help: "Weight of the ℓ₁ norm of the code as in scikit-learn, where the loss of a sample is ‖x − hW‖²/2 + alpha ‖h‖₁: ``--lambda`` \
               is twice that. ``\"auto\"`` is 0 for nonnegative codes, otherwise a tenth of the mean norm of the samples in the first \
               minibatch; ``alpha_`` is what it became",
        ..SAME
    },
    Spelling {
        key: "lambda",
        name: "alpha",
        help: "Weight of the ℓ₁ norm of the code as in scikit-learn, where the loss of a sample is ‖x − hW‖²/2 + alpha ‖h‖₁: ``--lambda`` \
               is twice that",
        ..SAME
    },
    Spelling {
        key: "kappa2",
        help: "Weight of the squared ℓ₂ norm of the code: kappa2/2 in the loss ‖x − hW‖² + ..., so kappa2/4 in half of it",
        ..SAME
    },
    Spelling { key: "alpha", name: "shrinkage", ..SAME },
    Spelling { key: "tolerance", name: "code_tol", ..SAME },
    Spelling {
        command: "factor",
        key: "tol",
        help: "Stop when a stretch of epochs, of at least `max_no_improvement` minibatches, lowers the mean loss by less than this share, divided \
               by the square root of its number of epochs; 0 never stops before `max_iter`",
        ..SAME
    },
    Spelling {
        command: "factor",
        key: "max-no-improvement",
        annotation: "Optional[int]",
        kind: "int or None",
        help: "Minibatches without such an improvement before it stops, rounded up to whole epochs; None never stops before `max_iter`",
        ..SAME
    },
    Spelling { key: "dictionary-tolerance", name: "dict_tol", ..SAME },
    Spelling {
        key: "dictionary-sweeps",
        name: "dict_sweeps",
        annotation: "Optional[int]",
        kind: "int or None",
        help: "Most sweeps of a dictionary update; None is 5, or 1 for minibatches of fewer samples than atoms",
        ..SAME
    },
    Spelling {
        key: "schedule",
        annotation: "Schedule",
        kind: "str, array-like or callable",
        help: "Weights of the minibatches: ``\"balanced\"`` (1/t), ``\"linear\"`` (2/(t+1)), ``\"power:B\"`` (t^-B), ``\"constant:C\"`` \
               (max(1/t, C)), ``\"auto\"`` (t^-0.5, but no less than 2/B in a `fit` of several epochs of B minibatches), the weights themselves, of \
               which the last is repeated, or a function of t = 1, 2, ...",
        ..SAME
    },
    Spelling {
        key: "dictionary",
        annotation: "DictionarySet",
        kind: "str, Near, Projection or Union",
        default: "\"nonneg-ball\"",
        help: "Set of atoms: a name of ``ergodict.sets.NAMES``, also with a size (``\"box:2\"``), or an object of :mod:`ergodict.sets`",
        ..SAME
    },
    Spelling {
        key: "code",
        annotation: "str",
        kind: "str",
        default: "\"nonneg\"",
        help: "Set of codes: ``\"nonneg\"``, ``\"free\"``, ``\"box:U\"``, ``\"simplex:S\"``, or ``\"omp:K\"`` for at most K atoms by orthogonal matching pursuit",
        ..SAME
    },
    Spelling {
        command: "network learn",
        key: "init",
        name: "dict_init",
        annotation: "Any",
        kind: "{\"random\", \"data\"} or array-like of shape (n_components, k²) or (n_components, k, k)",
        help: "The first dictionary: random, samples of the first minibatch, or this one",
        ..SAME
    },
    Spelling {
        key: "init",
        name: "dict_init",
        annotation: "Union[str, ArrayLike]",
        kind: "{\"auto\", \"random\", \"data\"} or array-like of shape (n_components, n_features)",
        help: "The first dictionary: random, samples of the first minibatch, or this one; auto is samples for codes of both signs, else \
               random",
        ..SAME
    },
    Spelling {
        key: "f32",
        name: "dtype",
        annotation: "Any",
        kind: "{\"float64\", \"float32\"}",
        default: "\"float64\"",
        help: "The arithmetic",
        ..SAME
    },
    Spelling { key: "batch", name: "batch_size", ..SAME },
    Spelling { key: "shuffle", annotation: "bool", kind: "bool", default: "True", ..SAME },
    Spelling { key: "epochs", name: "max_iter", help: "How often all samples are seen at most", ..SAME },
    Spelling { key: "missing", help: "Whether NaN is a missing entry, which is left out", ..SAME },
    Spelling { key: "examples", name: "n_examples", ..SAME },
    Spelling {
        key: "seed",
        name: "random_state",
        annotation: "RandomState",
        kind: "int, Generator, RandomState or None",
        default: "None",
        help: "The seed, or where it comes from; recorded as ``seed_``. The same one gives the same bytes",
        ..SAME
    },
    Spelling {
        command: "network compare",
        key: "k",
        annotation: "Optional[int]",
        kind: "int",
        help: "Nodes of the motif: 21, or those of the motif's edges, if None",
        ..SAME
    },
    Spelling {
        key: "k",
        annotation: "Optional[int]",
        kind: "int",
        help: "Nodes of the motif: 10, or those of the motif's edges, if None",
        ..SAME
    },
    Spelling {
        key: "motif",
        annotation: "Any",
        kind: "{\"path\", \"star\", \"cycle\", \"complete\"}, file or list of pairs",
        default: "\"path\"",
        help: "The motif: a shape, a file that lists its edges, or the edges, of nodes that are numbered from 0",
        ..SAME
    },
    Spelling {
        key: "sampler",
        annotation: "Optional[str]",
        kind: "{\"walk\", \"exact\", \"pivot\", \"pivot-approx\", \"glauber\", \"rejection\"}",
        help: "How motifs are sampled: by default independent random walks from a uniform start, exact or glauber for motifs with cycles",
        ..SAME
    },
    Spelling {
        key: "chains",
        annotation: "Optional[int]",
        kind: "int",
        help: "Independent chains, which share the work: 1 by default, 8 to compare",
        ..SAME
    },
    Spelling {
        key: "lazy",
        annotation: "Optional[bool]",
        kind: "bool",
        default: "None",
        help: "Whether pivots rest in half of their steps; by default where the network is bipartite",
        ..SAME
    },
    Spelling { key: "weighted", help: "Use the weights of edges, which are taken for 1 otherwise", ..SAME },
    Spelling { key: "rewired-copies", annotation: "Optional[int]", kind: "int", ..SAME },
    Spelling { key: "threshold", default: "0.5", ..SAME },
    Spelling { key: "memory", default: "2048", ..SAME },
];

/// A class that sets parameters, which an estimator inherits its signature from.
pub(super) struct Class {
    pub(super) name: &'static str,
    pub(super) command: &'static str,
    /// Keys of settings that come first; the others follow in the order of the command line.
    pub(super) first: &'static [&'static str],
    /// Keys of settings that Python has elsewhere.
    pub(super) without: &'static [&'static str],
    /// Parameters that only Python has.
    pub(super) own: &'static [Spelling],
}

const THREADS: Spelling = Spelling {
    name: "n_jobs",
    annotation: "Optional[int]",
    kind: "int",
    default: "None",
    help: "Threads; None is 1, -1 all. The result is the same with any number",
    ..SAME
};
const VERBOSE: Spelling = Spelling {
    name: "verbose",
    annotation: "Union[bool, int]",
    kind: "bool",
    default: "False",
    help: "Whether to show progress",
    ..SAME
};

/// The classes.
pub(super) const CLASSES: [Class; 2] = [
    Class {
        name: "OnlineParameters",
        command: "factor",
        first: &["atoms"],
        // The data has a type of its own.
        without: &["f32"],
        own: &[
            Spelling {
                name: "callback",
                annotation: "Optional[Callable[[dict[str, object]], object]]",
                kind: "callable",
                default: "None",
                help: "Called after each step of `fit` with a dict of what the step did: `step`, `weight`, `samples`, `loss`, \
                       `surrogate`, ... An exception in it ends `fit` and leaves what was learned. `fit_stream` calls it with `step` alone",
                ..SAME
            },
            THREADS,
            VERBOSE,
        ],
    },
    Class {
        name: "NetworkParameters",
        command: "network learn",
        first: &["atoms", "k", "motif", "sampler", "steps", "batch"],
        // `Network` reads networks and has their weights, `TimedEdges.windows` cuts time, `fit` takes snapshots.
        without: &[
            "snapshots",
            "timestamps",
            "window",
            "stride",
            "windows",
            "cumulative",
            "memory",
            "directed",
            "undirected",
            "unweighted",
            "loops",
            "format",
            "header",
            "source",
            "target",
            "weight",
            "verify",
        ],
        own: &[THREADS, VERBOSE],
    },
];
