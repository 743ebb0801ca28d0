"""Dictionary learning and nonnegative factorization of matrices and streams, as scikit-learn estimators."""

from __future__ import annotations

from ._online import OnlineEstimator, variant

__all__ = ["OnlineDictionary", "OnlineNMF"]


@variant(dictionary="ball", code="free")
class OnlineDictionary(OnlineEstimator):
    """Online dictionary learning: atoms of norm at most one, codes of any sign.

    Examples
    --------
    >>> import numpy as np
    >>> from ergodict import OnlineDictionary
    >>> X = np.random.default_rng(0).normal(size=(500, 8))
    >>> model = OnlineDictionary(5, alpha=0.1, random_state=0).fit(X)
    >>> model.components_.shape, model.transform(X).shape
    ((5, 8), (500, 5))
    """


@variant(dictionary="nonneg-ball", code="nonneg")
class OnlineNMF(OnlineEstimator):
    """Online nonnegative matrix factorization: nonnegative atoms of norm at most one, nonnegative codes.

    Examples
    --------
    >>> import numpy as np
    >>> from ergodict import OnlineNMF
    >>> X = np.random.default_rng(0).random((500, 8))
    >>> model = OnlineNMF(3, random_state=0).fit(X)
    >>> bool((model.components_ >= 0).all()), model.n_steps_ == 8 * model.n_iter_
    (True, True)

    Any iterable of arrays is a stream, such as a Markov chain:

    >>> def chain():
    ...     rng, state = np.random.default_rng(0), np.ones(8)
    ...     while True:
    ...         state = np.abs(0.9 * state + rng.normal(size=8))
    ...         yield state
    >>> OnlineNMF(3, random_state=0).fit_stream(chain(), steps=100).n_steps_
    100
    """
