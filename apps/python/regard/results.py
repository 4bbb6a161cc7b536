"""What trained models and trainings answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy
from numpy.typing import NDArray

from ._core import Tensor


class LargestLogits(NamedTuple):
    """What regard.largest_logits returns."""

    logits: NDArray[Any]
    positions: NDArray[numpy.int32]
    log_sum_exp: NDArray[Any]


class Chosen(NamedTuple):
    """The values that max(x, dim), min or topk choose, and their positions along the axis."""

    values: Tensor
    indices: NDArray[Any]


@dataclass(frozen=True, repr=False)
class Translation:
    """A translation, or a caption of an image: its tokens are without </s>, and its score is the log-probability / the
    length penalty; None for an empty source."""

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
    the log-probability, and that of each token after all before it; the tokens with </s>."""

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
    plane    height and width of the positions of an image, row by row; or None"""

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
    """BLEU of a corpus: from 0 to 100; the precisions of 1-grams to 4-grams in percent; lengths in words."""

    score: float
    precisions: list[float]
    brevity_penalty: float
    hypothesis_length: int
    reference_length: int

    def __float__(self) -> float:
        return self.score


@dataclass(frozen=True)
class GradcheckInput:
    """The result of regard.gradcheck for one input; kinks are entries at which the function has no derivative."""

    name: str
    error: float
    checked: int
    kinks: int


@dataclass(frozen=True, repr=False)
class GradcheckResult:
    """The result of regard.gradcheck: true if the error is at most the tolerance. Printed, it is a table.

    error    the largest error of an input: max |got - expected| / max |expected|
    checked  the number of entries that were compared; kinks: left out, because the function has no derivative there
    worst    the worst entry: an operation, the input, the index, got and expected"""

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
    gradient_norm is before clipping, seconds are those of the training so far; planned_steps are 0 if unknown."""

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
    translations that are equal to their reference; best is true if its weights are the best so far and were saved."""

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
    """The state of a training when regard.train returns; finished is true if no step is left to do."""

    finished: bool
    step: int
    epoch: int
    seconds: float
    directory: str
