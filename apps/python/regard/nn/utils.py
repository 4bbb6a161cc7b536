"""Gradients of many parameters."""

from __future__ import annotations

from collections.abc import Iterable

import numpy

from .._core import Error, NotFinite, Tensor
from ..creation import tensor
from .module import distinct

__all__ = ["clip_grad_norm_"]


def clip_grad_norm_(parameters: Tensor | Iterable[Tensor], max_norm: float) -> Tensor:
    """Scales all gradients by one factor, so that the norm of all together is at most max_norm. Returns the norm
    before. Throws NotFinite, and changes none, if it is not finite.

    Source: Pascanu et al. 2013. PyTorch: torch.nn.utils.clip_grad_norm_.

    >>> w = regard.ones(2, requires_grad=True); (3 * w).sum().backward()
    >>> nn.utils.clip_grad_norm_([w], 1.0); w.grad
    Tensor[] 4.2426
    Tensor[2] [0.7071, 0.7071]"""
    if not max_norm > 0:
        raise Error(f"clip_grad_norm_: the greatest norm is {max_norm}; it must be above 0")
    gradients = [x.grad for x in distinct(parameters, "clip_grad_norm_") if x.grad is not None]
    norm = float(numpy.sqrt(sum(numpy.square(g.numpy(), dtype=numpy.float64).sum() for g in gradients)))
    if not numpy.isfinite(norm):
        raise NotFinite(f"clip_grad_norm_: the norm of the gradients is {norm}, so none was changed; look for what "
                        "made the loss of this batch so")
    if norm > max_norm:
        for gradient in gradients:
            gradient *= max_norm / (norm + 1e-6)
    return tensor(norm)
