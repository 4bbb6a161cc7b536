"""What training minimises."""

from __future__ import annotations

from typing import Any

from ._core import Error, Tensor, call as _call
from .operations import Ids, _ids, mean

__all__ = ["cross_entropy", "linear_cross_entropy", "mse_loss"]


def cross_entropy(logits: Tensor, targets: Ids, label_smoothing: float = 0.0, divide_by: int = 0,
                  log_probabilities: bool = False) -> Any:
    """The mean of -log softmax(logits)[target] over the rows of logits[targets, vocabulary]: a scalar.

    label_smoothing is PyTorch's. divide_by divides the sum instead of the number of targets. With log_probabilities,
    returns a pair: the loss, and log softmax(logits)[target] of each row, without a gradient."""
    both = _call("cross_entropy", logits, _ids(targets), (label_smoothing, divide_by))
    return both if log_probabilities else both[0]


def linear_cross_entropy(x: Tensor, weight: Tensor, targets: Ids, label_smoothing: float = 0.0, divide_by: int = 0,
                         log_probabilities: bool = False) -> Any:
    """cross_entropy(x weight^T, targets) for x[targets, d_model] and weight[vocabulary, d_model], some rows at a time:
    the matrix of all logits never exists."""
    both = _call("linear_cross_entropy", x, weight, _ids(targets), (label_smoothing, divide_by))
    return both if log_probabilities else both[0]


def mse_loss(x: Tensor, target: Tensor) -> Tensor:
    """The mean of (x - target)^2 over all elements. Both have the same shape."""
    if x.shape != target.shape:
        raise Error(f"mse_loss: the shapes {x.shape} and {target.shape} differ; reshape one of them")
    return mean((x - target) ** 2)
