"""Restricted Boltzmann machines."""

from __future__ import annotations

import os
from typing import Any, Optional

import numpy as np
import numpy.typing as npt

from . import _check, _ergodict
from ._chain import Chain, Size, Start
from ._random import RandomState


class RBM(Chain):
    """A restricted Boltzmann machine, as a stream of its visible units: 0 and 1.

    With ``E(v, h) = -b.v - c.h - v' W h`` and ``s(z) = 1/(1 + exp(-z))``, each step draws all hidden units given the visible ones,
    ``P(h_j = 1) = s((c_j + (W' v)_j)/T)``, then all visible ones given the hidden ones, ``P(v_i = 1) = s((b_i + (W h)_i)/T)``. The chain is the one of
    ``ergodict spins simulate --model rbm``.

    Parameters
    ----------
    weights : array of shape (visible, hidden) or path, optional
        The weights W; a path is that of a ``.npz`` file with ``W``, ``b`` and ``c``. By default they are random, and follow from the seed.
    visible_bias, hidden_bias : array, optional
        The biases b and c; zero by default.
    size : int or (int, int), optional
        Rows and columns in which the visible units are drawn. By default 28, or for weights in an array a square, if they make one, and a row
        otherwise.
    hidden : int, optional
        Hidden units of a machine with random weights; 64 by default.
    weight_scale : float, optional
        Standard deviation of random weights; 0.5 by default.
    temperature : float, default=1.0
        The temperature T.
    every : int, default=10000
        Updates of single units from one state to the next, rounded up to whole steps.
    burn_in : int, default=0
        Updates before the first state.
    start : {"random", "ordered"}, array or path, default="random"
        The first configuration.
    chain : int, default=0
        Number of the chain.
    random_state : int, Generator, RandomState or None, default=None
        The seed; the one that was used is ``seed_``.

    Attributes
    ----------
    seed_ : int
        The seed.

    Examples
    --------
    >>> import numpy as np
    >>> from ergodict import RBM
    >>> weights = np.random.default_rng(0).normal(size=(16, 8))
    >>> rbm = RBM(weights, every=100, random_state=0)
    >>> next(rbm).shape
    (4, 4)
    """

    _model, _system = "rbm", ("weights", "hidden", "weight_scale")
    _unshown = ("visible_bias", "hidden_bias")

    def __init__(
        self,
        weights: Any = None,
        visible_bias: Optional[npt.ArrayLike] = None,
        hidden_bias: Optional[npt.ArrayLike] = None,
        *,
        size: Optional[Size] = None,
        hidden: Optional[int] = None,
        weight_scale: Optional[float] = None,
        temperature: float = 1.0,
        every: int = 10_000,
        burn_in: int = 0,
        start: Start = "random",
        chain: int = 0,
        random_state: RandomState = None,
    ) -> None:
        self.temperature = _check.number(temperature, "temperature")
        if weights is not None and (hidden is not None or weight_scale is not None):
            raise ValueError("weights come with their own hidden units: leave hidden and weight_scale out")
        self._from_file = isinstance(weights, (str, os.PathLike))
        given = weights is not None and not self._from_file
        if not given and (visible_bias is not None or hidden_bias is not None):
            raise ValueError("visible_bias and hidden_bias go with weights in an array: give those too")
        # Copies, so that a chain does not change with the caller's arrays.
        self.weights = _check.numbers(weights, "weights", 2).copy() if given else weights
        visible, hiddens = self.weights.shape if given else (0, 0)
        self.hidden = (
            None if weights is not None else 64 if hidden is None else _check.count(hidden, "hidden", 0)
        )
        self.weight_scale = (
            None
            if weights is not None
            else _check.number(0.5 if weight_scale is None else weight_scale, "weight_scale")
        )
        self.visible_bias = _bias(visible_bias, "visible_bias", visible)
        self.hidden_bias = _bias(hidden_bias, "hidden_bias", hiddens)
        if size is not None:
            self.size = _check.size(size, "size")
        elif given:
            side = int(np.sqrt(visible))
            self.size = (side, side) if side * side == visible else (1, visible)
        else:
            self.size = (28, 28)
        self._begin(every, burn_in, start, chain, random_state)

    @classmethod
    def from_sklearn(cls, estimator: Any, **parameters: Any) -> RBM:
        """The machine that scikit-learn trained, to be sampled here.

        Parameters
        ----------
        estimator : sklearn.neural_network.BernoulliRBM
            A machine that is fitted: its ``components_``, ``intercept_visible_`` and ``intercept_hidden_`` are W', b and c.
        **parameters
            The other parameters of this class, such as ``size``, ``every`` and ``random_state``.

        Returns
        -------
        RBM
            The chain; at temperature 1 it has the distribution of the estimator.

        Examples
        --------
        >>> import numpy as np
        >>> from ergodict import RBM
        >>> from sklearn.neural_network import BernoulliRBM
        >>> bits = np.random.default_rng(0).integers(2, size=(50, 16))
        >>> fitted = BernoulliRBM(n_components=4, n_iter=2, random_state=0).fit(bits)
        >>> next(RBM.from_sklearn(fitted, every=100, random_state=0)).shape
        (4, 4)
        """
        names = ("components_", "intercept_visible_", "intercept_hidden_")
        if not all(hasattr(estimator, name) for name in names):
            raise TypeError(f"the estimator is {type(estimator).__name__}, but it must be a BernoulliRBM that is fitted, with {', '.join(names)}")
        weights, visible, hidden = (np.asarray(getattr(estimator, name), dtype=np.float64) for name in names)
        return cls(weights.T, visible, hidden, **parameters)

    @classmethod
    def from_pytorch(cls, weight: Any, visible_bias: Any = None, hidden_bias: Any = None, **parameters: Any) -> RBM:
        """The machine with the parameters of a PyTorch module, whose weight is that of ``torch.nn.functional.linear(visible, weight, hidden_bias)``.

        Parameters
        ----------
        weight : tensor or array of shape (hidden, visible)
            The weights W'; a tensor may require gradients and be on any device. PyTorch itself is not needed.
        visible_bias, hidden_bias : tensor or array of shape (visible,) and (hidden,), optional
            The biases b and c; zero by default.
        **parameters
            The other parameters of this class, such as ``size``, ``every`` and ``random_state``.

        Returns
        -------
        RBM
            The chain.

        Examples
        --------
        >>> import numpy as np
        >>> from ergodict import RBM
        >>> weight = np.random.default_rng(0).normal(size=(8, 16))  # module.weight
        >>> next(RBM.from_pytorch(weight, np.zeros(16), np.zeros(8), every=100, random_state=0)).shape
        (4, 4)
        """
        matrix = _check.numbers(_from_tensor(weight), "weight", 2)
        biases = [None if bias is None else _from_tensor(bias) for bias in (visible_bias, hidden_bias)]
        for bias, name, units in zip(biases, ("visible_bias", "hidden_bias"), reversed(matrix.shape)):
            if bias is not None and np.shape(bias) != (units,):
                hidden, visible = matrix.shape
                raise ValueError(
                    f"{name} has the shape {np.shape(bias)}, but a weight of shape (hidden, visible) = ({hidden}, {visible}) needs ({units},)"
                )
        return cls(matrix.T, biases[0], biases[1], **parameters)

    def persistent(self, n_chains: int = 64) -> PersistentChains:
        """Several chains of this machine that are advanced together, as for persistent contrastive divergence.

        Parameters
        ----------
        n_chains : int, default=64
            How many.

        Returns
        -------
        PersistentChains
            Chains 0, 1, … of the seed at their start, each of which has the states of ``RBM(..., chain=number)``.

        Examples
        --------
        >>> from ergodict import RBM
        >>> chains = RBM(size=4, hidden=8, random_state=0).persistent(10)
        >>> chains.advance(100)
        >>> chains.states.shape
        (10, 4, 4)
        """
        return PersistentChains(self, _check.count(n_chains, "n_chains"))

    def _arrays(self, system: dict[str, Any]) -> dict[str, Any]:
        if self.hidden is not None:
            return {}
        weights = system.pop("weights")
        if self._from_file:
            system["weights"] = os.fspath(weights)
            return {}
        return {"weights": (weights.ravel(), self.visible_bias, self.hidden_bias, weights.shape[1])}


class PersistentChains:
    """Chains of a restricted Boltzmann machine that go through its weights together; :meth:`RBM.persistent` makes them."""

    def __init__(self, machine: RBM, n_chains: int) -> None:
        self.size, self.n_chains = machine.size, n_chains
        system = {"model": machine._model, **{name: getattr(machine, name) for name in machine._system}}
        arrays = machine._arrays(system)
        self._inner = _ergodict.PersistentChains(system, machine.size, machine.temperature, machine.seed_, n_chains, **arrays)

    def advance(self, steps: int) -> None:
        """Draw all hidden, then all visible units of every chain, repeatedly.

        Parameters
        ----------
        steps : int
            How many times.
        """
        self._inner.advance(_check.count(steps, "steps", 0))

    @property
    def states(self) -> npt.NDArray[np.int8]:
        """The visible units of each chain, a new int8 array (chains, rows, cols); assign to it to continue from others."""
        return self._inner.states().reshape(self.n_chains, *self.size)

    @states.setter
    def states(self, value: npt.ArrayLike) -> None:
        given = np.asarray(value)
        if given.shape != (self.n_chains, *self.size):
            raise ValueError(f"states have the shape {given.shape}, but it must be {(self.n_chains, *self.size)}")
        if not np.all((given == 0) | (given == 1)):
            raise ValueError("states have values that are not 0 or 1")
        self._inner.set_states(np.ascontiguousarray(given, dtype=np.int8).ravel())


def _from_tensor(given: Any) -> Any:
    """A tensor as an array: without its gradient, in the memory of the host."""
    for method in ("detach", "cpu", "numpy"):
        given = getattr(given, method)() if callable(getattr(given, method, None)) else given
    return given


def _bias(given: Optional[npt.ArrayLike], name: str, units: int) -> npt.NDArray[np.float64]:
    """The biases of a layer."""
    if given is None:
        return np.zeros(units)
    bias: npt.NDArray[np.float64] = _check.numbers(given, name, 1).copy()
    return bias
