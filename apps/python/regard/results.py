"""What trained models and trainings answer."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy
from numpy.typing import NDArray

from ._core import Tensor


class Array(NDArray[Any] if TYPE_CHECKING else numpy.ndarray):
    """What a comparison, argmax or multinomial returns: an array of NumPy that converts as a tensor of PyTorch does.

    >>> ((regard.tensor([[0.1, 0.9], [0.8, 0.2]]).argmax(1) == [1, 1]).float().mean()).item()
    0.5"""

    def float(self) -> Tensor:
        """A tensor of float32 of the same numbers; of bool, 0 and 1."""
        return sys.modules["regard"].tensor(numpy.asarray(self), "float32")

    def double(self) -> Tensor:
        """A tensor of float64 of the same numbers."""
        return sys.modules["regard"].tensor(numpy.asarray(self), "float64")

    def long(self) -> Array:
        """The numbers as int64."""
        return self.astype(numpy.int64)

    def numpy(self) -> NDArray[Any]:
        """The plain array over the same memory."""
        return numpy.asarray(self)

    def cpu(self) -> Array:
        """This array."""
        return self

    int = long

    def bool(self) -> Array:
        """True where a number is not 0."""
        return self != 0

    def __repr__(self) -> str:
        return repr(numpy.asarray(self))


class LargestLogits(NamedTuple):
    """What regard.largest_logits returns.

    Source: regard's own.

    >>> regard.largest_logits(regard.tensor([[1.0, 5.0]]), 1).positions
    array([[1]], dtype=int32)"""

    logits: NDArray[Any]
    positions: NDArray[numpy.int32]
    log_sum_exp: NDArray[Any]


class Chosen(NamedTuple):
    """The values that max(x, dim), min or topk choose, and their positions along the axis.

    PyTorch: torch.return_types.max.

    >>> values, indices = regard.tensor([1.0, 5.0, 3.0]).topk(2); indices
    array([1, 2])"""

    values: Tensor
    indices: NDArray[Any]


@dataclass(frozen=True, repr=False)
class Translation:
    """A translation, or a caption of an image: its tokens are without </s>, and its score is the log-probability / the
    length penalty; None for an empty source.

    Source: regard's own. The score: Wu et al. 2016, eq. 14.

    >>> type(regard.load("model").translate("a b c")).__name__
    'Translation'"""

    text: str
    score: float | None
    tokens: list[str]

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Translation({self.text!r}, score={None if self.score is None else round(self.score, 4)})"


@dataclass(frozen=True, repr=False)
class Score:
    """The probability that a model gives to a translation: log_probability / length penalty, by which a search ranks;
    the log-probability, and that of each token after all before it; the tokens with </s>.

    Source: regard's own.

    >>> regard.load("model").score([("a b", "b a")])[0].tokens
    ['b', 'a', '</s>']"""

    score: float
    log_probability: float
    token_log_probabilities: list[float]
    tokens: list[str]

    def __repr__(self) -> str:
        return (f"Score(score={self.score:.4f}, log_probability={self.log_probability:.4f}, "
                f"tokens={len(self.tokens)})")


@dataclass(frozen=True, repr=False)
class Attention:
    """All attention weights of one sentence and its translation.

    source_tokens, target_tokens  with </s>; an image has no source tokens
    weights  the name of each attention, such as decoder.layers.0.multihead_attn, and its weights: an array [heads,
             queries, keys] whose rows sum to 1. In the decoder, query i predicts target token i.
    plane    height and width of the positions of an image, row by row; or None

    Source: Vaswani et al. 2017, eq. 1.

    >>> regard.load("model").attention("a b c").weights["encoder.layers.0.self_attn"].shape
    (2, 4, 4)"""

    source_tokens: list[str]
    target_tokens: list[str]
    translation: str
    weights: dict[str, NDArray[Any]]
    plane: tuple[int, int] | None

    def plot(self, name: str | None = None, head: int | None = None, ax: Any = None) -> Any:
        """Draws an attention with matplotlib: one head, or the mean over the heads. Without a name, that of the last
        attention to the source. Returns matplotlib's axes."""
        from matplotlib import pyplot
        if name is None:
            name = [each for each in self.weights if not each.startswith("encoder") and "self_attn" not in each][-1]
        weights, ax = self.weights[name], ax or pyplot.gca()
        ax.imshow(weights.mean(axis=0) if head is None else weights[head], vmin=0, vmax=1, cmap="Blues")
        queries = keys = self.source_tokens
        if not name.startswith("encoder"):
            queries = self.target_tokens
            keys = ["<s>", *queries[:-1]] if "self_attn" in name else self.source_tokens
        for axis, tokens, turned in (("x", keys, 60), ("y", queries, 0)):
            getattr(ax, f"set_{axis}ticks")(range(len(tokens)), tokens, rotation=turned)
        ax.set_title(name if head is None else f"{name}, head {head}")
        return ax


@dataclass(frozen=True)
class Bleu:
    """BLEU of a corpus: from 0 to 100; the precisions of 1-grams to 4-grams in percent; lengths in words.

    Source: Papineni et al. 2002.

    >>> float(regard.bleu(["a b c d"], ["a b c d"]))
    100.0"""

    score: float
    precisions: list[float]
    brevity_penalty: float
    hypothesis_length: int
    reference_length: int

    def __float__(self) -> float:
        return self.score


@dataclass(frozen=True)
class GradcheckInput:
    """The result of regard.gradcheck for one input; kinks are entries at which the function has no derivative.

    Source: regard's own.

    >>> regard.gradcheck(regard.exp, regard.ones(2, dtype=regard.float64)).inputs[0].checked
    2"""

    name: str
    error: float
    checked: int
    kinks: int


@dataclass(frozen=True, repr=False)
class GradcheckResult:
    """The result of regard.gradcheck: true if the error is at most the tolerance. Printed, it is a table.

    error    the largest error of an input: max |got - expected| / max |expected|
    checked  the number of entries that were compared; kinks: left out, because the function has no derivative there
    worst    the worst entry: an operation, the input, the index, got and expected

    PyTorch: torch.autograd.gradcheck, which is true or raises.

    >>> bool(regard.gradcheck(regard.exp, regard.ones(2, dtype=regard.float64)))
    True"""

    error: float
    passed: bool
    checked: int
    kinks: int
    worst: str
    inputs: list[GradcheckInput]
    table: str

    def __bool__(self) -> bool:
        return self.passed

    def __repr__(self) -> str:
        return self.table


@dataclass(frozen=True)
class StepReport:
    """One update of the weights, for on_step. The loss is the mean since the last line of the log (training.log_every),
    gradient_norm is before clipping, seconds are those of the training so far; planned_steps are 0 if unknown.

    Source: regard's own.

    >>> steps = []
    >>> done = regard.train("config.json", "reported", on_step=steps.append, log=None, progress=False)
    >>> len(steps) == done.step == steps[-1].planned_steps
    True"""

    step: int
    epoch: int
    planned_steps: int
    loss: float
    learning_rate: float
    gradient_norm: float
    seconds: float


@dataclass(frozen=True)
class ValidationReport:
    """A validation, for on_validation. The loss is the mean of -log p per target token, exact_match the share of the
    translations that are equal to their reference; best is true if its weights are the best so far and were saved.

    Source: regard's own.

    >>> seen = []
    >>> done = regard.train("config.json", "validated", on_validation=seen.append, log=None, progress=False)
    >>> seen[-1].step == done.step
    True"""

    step: int
    epoch: int
    loss: float
    bleu: float
    exact_match: float
    translations: list[str]
    best: bool

    def __repr__(self) -> str:
        return f"ValidationReport(step={self.step}, loss={self.loss:.4f}, bleu={self.bleu:.2f})"


@dataclass(frozen=True)
class Trained:
    """The state of a training when regard.train returns; finished is true if no step is left to do.

    Source: regard's own.

    >>> regard.train("config.json", "trained", log=None, progress=False).finished
    True"""

    finished: bool
    step: int
    epoch: int
    seconds: float
    directory: str
