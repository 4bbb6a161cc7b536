"""Trained models: what regard.load returns."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, overload

import numpy
from numpy.typing import NDArray

from . import _core
from ._core import Tensor
from .results import Attention, Score, Translation
from .settings import text_of

Input = str | os.PathLike[str] | NDArray[numpy.uint8]
# As many as `regard translate` reads at a time: batches are then the same, and so are all bits.
_INPUTS_AT_A_TIME = _core._sentences_at_a_time
_KINDS = {str: "a str", bool: "True or False", Integral: "a whole number", Real: "a number"}


def _is_one(inputs: Any) -> bool:
    return isinstance(inputs, (str, os.PathLike)) or hasattr(inputs, "shape")


def _checked(kind: Any, name: str, value: Any) -> Any:
    if not isinstance(value, kind):
        raise TypeError(f"{name} is {value!r:.60}; it must be {_KINDS[kind]}")
    return value


def _listed(inputs: Any, texts: str = "") -> list[Any]:
    """One input, or several, as a list. Where they must be texts, `texts` names one in an error."""
    listed = [inputs] if _is_one(inputs) else list(inputs)
    return [_checked(str, texts, each) for each in listed] if texts else listed


def _texts(settings: dict[str, Any]) -> dict[str, str]:
    return {name: text_of(value) for name, value in settings.items()}


class Translator:
    """A trained model. A model that reads images takes, in place of a sentence, the path of an image or an array of
    uint8 of shape (height, width, 3). Threads may share a Translator; they wait for each other.

    directory; config, all settings as in config.json; source_vocabulary, target_vocabulary: the tokens by id

    Throws Error if the directory has no model. Source: Vaswani et al. 2017. PyTorch has no equivalent; transformers has
    pipeline("translation").

    >>> model = regard.load("model")
    >>> model.tokens("a b c"), model.config["model"]["d_model"]
    (['a', 'b', 'c'], 32)"""

    def __init__(self, directory: str | os.PathLike[str], weights: str | os.PathLike[str] = "",
                 shortlist: bool = False) -> None:
        self.directory = os.fspath(directory)
        self._model = _core._Model(self.directory, os.fspath(weights), _checked(bool, "shortlist", shortlist))
        self.config: dict[str, Any] = self._model.config()
        self.source_vocabulary: list[str] = self._model.vocabulary(True)
        self.target_vocabulary: list[str] = self._model.vocabulary(False)

    if TYPE_CHECKING:
        @overload
        def translate(self, inputs: Input, *, prefix: str = "", **settings: Any) -> Translation: ...
        @overload
        def translate(self, inputs: Any, n_best: int | None = None, *, prefix: str = "",
                      **settings: Any) -> list[Any]: ...

    def translate(self, inputs: Any, n_best: int | None = None, *, prefix: str = "", **settings: Any) -> Any:
        """Translates a sentence or a list of sentences.

        Returns the best Translation of each, or with n_best a list of the n best ones. Any setting of decoding may be
        given: beam, alpha, length_penalty, patience, max_length, no_repeat_ngram, ... The others are the model's. Each
        translation begins with the text `prefix`, the same for all inputs."""
        n_best = None if n_best is None else _checked(Integral, "n_best", n_best)
        given, texts, found, before = _listed(inputs), _texts(settings), [], self._model.cut_off()
        for first in range(0, max(len(given), 1), _INPUTS_AT_A_TIME):
            found += self._model.translate(given[first:first + _INPUTS_AT_A_TIME], first, n_best,
                                           _checked(str, "prefix", prefix), texts)
        cut_off = self._model.cut_off() - before
        if cut_off > 0:
            warnings.warn(f"the translation of {cut_off} of {len(given)} inputs reached its greatest length, so its "
                          "end may be missing; max_length, max_length_ratio and max_length_constant set this limit",
                          stacklevel=2)
        results = found if n_best is not None else [translations[0] for translations in found]
        return results[0] if _is_one(inputs) else results

    def score(self, pairs: Sequence[tuple[str, str]], **settings: Any) -> list[Score | None]:
        """The Score of each pair (source, translation); None if the source is empty."""
        given, found = [_listed(pair, "a text of a pair") for pair in pairs], []
        if any(len(pair) != 2 for pair in given):
            raise TypeError("score takes a list of pairs (source, translation)")
        for first in range(0, len(given), _INPUTS_AT_A_TIME):
            sources, targets = map(list, zip(*given[first:first + _INPUTS_AT_A_TIME]))
            found += self._model.score(sources, targets, first, _texts(settings))
        return found

    def attention(self, input: Input, translation: str | None = None) -> Attention:
        """All attention weights for a translation of a sentence, or for the translation that the model finds."""
        return self._model.attention(input, None if translation is None else _checked(str, "translation", translation))

    def encode(self, inputs: Any) -> Any:
        """The encoder's output: an array [tokens, d_model] for a sentence, </s> counted, or a list of them."""
        rows = [each.numpy() for each in self._model.encode(_listed(inputs))]
        return rows[0] if _is_one(inputs) else rows

    def loss(self, sources: Any, targets: Any, label_smoothing: float = 0.0) -> Tensor:
        """What training minimises, without dropout: the mean of -log p per target token of sentences, or lists of them.
        Its backward() gives gradients to parameters()."""
        return self._model.loss(_listed(sources), _listed(targets, "a target"),
                                _checked(Real, "label_smoothing", label_smoothing))

    def logits(self, sources: Any, targets: Any) -> Any:
        """The logits of a given translation, [target tokens, vocabulary], </s> counted: row i predicts target token i.
        Of a list of sentences, a list."""
        each = self._model.logits(_listed(sources), _listed(targets, "a target"))
        return each[0] if _is_one(sources) else each

    def tokens(self, sentence: str) -> list[str]:
        """The tokens of a sentence, without </s>."""
        return self._model.tokens(_checked(str, "sentence", sentence))

    def parameters(self) -> dict[str, Tensor]:
        """The weights by name. They are those of the model: to write to one, or to give them to an optimiser, changes
        the model."""
        return self._model.parameters()

    def __repr__(self) -> str:
        return f"regard.load({self.directory!r})"
