"""Losses: one number that says how far a result is from what was wanted."""

from __future__ import annotations

from typing import Any

import numpy

from .. import _core as ops
from .._core import Error, Tensor
from ..creation import whole_numbers
from .module import Module


class MSELoss(Module):
    """The mean of (x - target)^2.

    Two tensors of one shape -> a scalar. Throws Error if the shapes differ. PyTorch: torch.nn.MSELoss.

    >>> nn.MSELoss()(regard.tensor([1.0, 2.0]), regard.tensor([1.0, 4.0])).item()
    2.0"""

    def forward(self, x: Tensor, target: Tensor) -> Tensor:
        return ops.mse_loss(x, target)


class L1Loss(Module):
    """The mean of |x - target|: two tensors of one shape -> a scalar.

    PyTorch: torch.nn.L1Loss.

    >>> nn.L1Loss()(regard.tensor([1.0, 2.0]), regard.tensor([2.0, 4.0])).item()
    1.5"""

    def forward(self, x: Tensor, target: Any) -> Tensor:
        return (x - target).abs().mean()


def binary_cross_entropy_with_logits(input: Tensor, target: Any) -> Tensor:
    """The mean of -(t log s + (1 - t) log(1 - s)) with s = sigmoid(input) and the targets t from 0 to 1, without
    overflow: two tensors of one shape -> a scalar.

    PyTorch: torch.nn.functional.binary_cross_entropy_with_logits.

    >>> round(F.binary_cross_entropy_with_logits(regard.tensor([0.0, 2.0]), regard.tensor([1.0, 0.0])).item(), 4)
    1.41"""
    return (ops.relu(input) - input * target + (1 + (-input.abs()).exp()).log()).mean()


class BCEWithLogitsLoss(Module):
    """The function nn.functional.binary_cross_entropy_with_logits.

    PyTorch: torch.nn.BCEWithLogitsLoss.

    >>> round(nn.BCEWithLogitsLoss()(regard.tensor([0.0]), regard.tensor([1.0])).item(), 4)
    0.6931"""

    def forward(self, logits: Tensor, targets: Any) -> Tensor:
        return binary_cross_entropy_with_logits(logits, targets)


def cross_entropy(input: Tensor, target: Any, *, ignore_index: int = -100, reduction: str = "mean",
                  label_smoothing: float = 0.0) -> Tensor:
    """The mean or the sum of -log softmax(input)[target]: input[rows, classes], target[rows]. Rows whose target is
    ignore_index do not count.

    Throws Error for another reduction, or if the shapes do not fit. PyTorch: torch.nn.functional.cross_entropy.

    >>> round(F.cross_entropy(regard.zeros(3, 4), [0, 1, -100]).item(), 4)    # log 4
    1.3863"""
    if reduction not in ("mean", "sum"):
        raise Error(f'cross_entropy: reduction is {reduction!r}; give "mean" or "sum", or take '
                    "-x.log_softmax().gather(1, target[:, None]) for the loss of each row")
    target = whole_numbers(target)
    if (target == ignore_index).any():
        kept = numpy.flatnonzero(target != ignore_index)
        input, target = ops.gather(input, 0, kept), target.ravel()[kept]
    return ops.cross_entropy(input, target, label_smoothing, int(reduction == "sum"))


def nll_loss(input: Tensor, target: Any) -> Tensor:
    """The mean of -input[row, target of the row]: log-probabilities[rows, classes], target[rows] -> a scalar.

    Throws Error if a target lies outside. PyTorch: torch.nn.functional.nll_loss.

    >>> round(F.nll_loss(F.log_softmax(regard.zeros(2, 4)), [0, 3]).item(), 4)    # log 4
    1.3863"""
    return -ops.gather(input, 1, whole_numbers(target).reshape(-1, 1)).mean()


class CrossEntropyLoss(Module):
    """The function nn.functional.cross_entropy with these options.

    PyTorch: torch.nn.CrossEntropyLoss.

    >>> round(nn.CrossEntropyLoss(ignore_index=0)(regard.zeros(3, 4), [0, 1, 2]).item(), 4)
    1.3863"""

    def __init__(self, *, ignore_index: int = -100, reduction: str = "mean", label_smoothing: float = 0.0) -> None:
        super().__init__()
        self.options: Any = {"ignore_index": ignore_index, "reduction": reduction, "label_smoothing": label_smoothing}

    def forward(self, logits: Tensor, targets: Any) -> Tensor:
        return cross_entropy(logits, targets, **self.options)
