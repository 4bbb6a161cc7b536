"""Gradients of many parameters."""

from __future__ import annotations

from collections.abc import Iterable

import numpy

from .._core import Error, Tensor
from ..creation import tensor


def clip_grad_norm_(parameters: Tensor | Iterable[Tensor], max_norm: float) -> Tensor:
    """Scales all gradients by one factor, so that the norm of all together is at most max_norm. Returns the norm
    before."""
    given = [parameters] if isinstance(parameters, Tensor) else parameters
    gradients = [x.grad for x in given if x.grad is not None]
    norm = float(numpy.sqrt(sum(numpy.square(g.numpy(), dtype=numpy.float64).sum() for g in gradients)))
    if max_norm <= 0:
        raise Error(f"clip_grad_norm_: the greatest norm is {max_norm}; it must be above 0")
    if not norm <= max_norm:
        for gradient in gradients:
            gradient *= max_norm / (norm + 1e-6)
    return tensor(norm)
