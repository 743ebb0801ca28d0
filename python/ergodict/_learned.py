"""The attributes of an estimator of the online scheme, once it has learned."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from ._ergodict import Factoriser


class Learned:
    """What was learned, read from the extension when it is asked for: steps cost nothing for it."""

    @property
    def components_(self) -> NDArray[Any]:
        """The dictionary, of shape (n_components, n_features): a copy, an atom a row."""
        return self._learned().dictionary

    @property
    def n_steps_(self) -> int:
        """Steps taken."""
        return self._learned().steps

    @property
    def n_iter_(self) -> int:
        """Epochs that the last `fit` completed."""
        return self._learned().epochs

    @property
    def surrogate_(self) -> float:
        """The surrogate loss per sample, which the dictionary minimises."""
        return self._learned().surrogate

    @property
    def seed_(self) -> int:
        """The seed that was used; as `random_state` it gives the same dictionary again."""
        return self._learned().seed

    @property
    def dominance_(self) -> NDArray[np.float64]:
        """The share of each atom in the reconstructions, which add up to one."""
        return self._learned().dominance

    @property
    def history_(self) -> dict[str, NDArray[Any]]:
        """Arrays `step`, `samples`, `loss`, `surrogate` along the way, and `gap_step`, `gap`, `change` at some steps."""
        return self._learned().history

    @property
    def piece_(self) -> int:
        """The piece of a union of sets that the dictionary lies in; 0 for one set."""
        return self._learned().piece

    @property
    def held_out_loss_(self) -> Optional[float]:
        """The mean loss of the samples that `fit` held out; None if there were none."""
        return self._learned().held_out_loss

    @property
    def _n_features_out(self) -> int:
        return self._learned().atoms

    def _learned(self) -> Factoriser:
        core: Optional[Factoriser] = self.__dict__.get("_core")
        if core is None:
            raise AttributeError(f"this {type(self).__name__} is not fitted yet")
        return core
