"""The functions of regard under the name that PyTorch has for them: from regard.nn import functional as F. Those
that have arguments of their own in regard have PyTorch's here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import _core
from .._core import *  # noqa: F403
from .._core import Error, Tensor
from ..masked_attention import scaled_dot_product_attention as scaled_dot_product_attention
from ..missing import absent as _absent
from ..composed import norm
from ..creation import eye, full, whole_numbers
from ..faces import of_core as _of_core
from .layers import check_dropout, draw
from .losses import (  # noqa: F811
    binary_cross_entropy_with_logits as binary_cross_entropy_with_logits, cross_entropy as cross_entropy,
    nll_loss as nll_loss)

_own = ("cross_entropy", "dropout", "embedding", "layer_norm")  # with PyTorch's arguments
_shared = {name: call for name, call in _of_core().items() if name not in _own and not name.startswith("reference_")}
globals().update(_shared)
__all__ = [*_shared, *_own, "binary_cross_entropy_with_logits", "nll_loss", "normalize", "one_hot", "pad",
           "scaled_dot_product_attention"]


def dropout(input: Tensor, p: float = 0.5, training: bool = True) -> Tensor:
    """In training, sets each value to 0 with probability p and scales the others by 1 / (1 - p).

    Throws Error unless 0 <= p < 1. Source: Srivastava et al. 2014. PyTorch: torch.nn.functional.dropout.

    >>> F.dropout(regard.ones(2), 0.5, training=False)
    Tensor[2] [1., 1.]"""
    return _core.dropout(input, *draw(check_dropout(p), training))


def embedding(input: Any, weight: Tensor) -> Tensor:
    """The rows of weight[vocabulary, d_model] with these ids of any shape.

    Throws Error if an id lies outside. PyTorch: torch.nn.functional.embedding.

    >>> F.embedding([2], regard.eye(3))
    Tensor[1, 3] [[0., 0., 1.]]"""
    return _core.embedding(weight, input)


def layer_norm(input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None = None, bias: Tensor | None = None,
               eps: float = 1e-5) -> Tensor:
    """(input - mean) / sqrt(variance + eps) * weight + bias over the last axis, whose extent is normalized_shape.

    Throws Error for other axes than the last one. Source: Ba et al. 2016. PyTorch: torch.nn.functional.layer_norm.

    >>> F.layer_norm(regard.tensor([[1.0, 2.0, 3.0]]), (3,))
    Tensor[1, 3] [[-1.2247,  0.    ,  1.2247]]"""
    if tuple(normalized_shape) != input.shape[-1:]:
        raise Error(f"layer_norm: the last axis of {input.shape} is normalised, not {tuple(normalized_shape)}")
    return _core.layer_norm(input, weight, bias, eps)


def pad(input: Tensor, pad: Sequence[int], mode: str = "constant", value: float = 0.0) -> Tensor:
    """The tensor with `value` around it: pad has the numbers before and after along the last axis, then those along the
    axis before it, and so on.

    Throws Error for another mode, or a number below 0. PyTorch: torch.nn.functional.pad.

    >>> F.pad(regard.ones(1, 2), (1, 0))
    Tensor[1, 3] [[0., 1., 1.]]"""
    if mode != "constant" or len(pad) % 2:
        raise Error(f'pad: the mode is {mode!r}, with {len(pad)} numbers; give "constant", and two numbers an axis')
    for i, extents in enumerate(zip(pad[::2], pad[1::2])):
        axis = input.ndim - 1 - i
        before, after = (full([*input.shape[:axis], n, *input.shape[axis + 1:]], value, input.dtype) for n in extents)
        input = _core.concat([before, input, after], axis)
    return input


def normalize(x: Tensor, dim: int = 1, eps: float = 1e-12) -> Tensor:
    """x / max(norm of x along an axis, eps).

    Throws Error if there is no such axis. PyTorch: torch.nn.functional.normalize.

    >>> F.normalize(regard.tensor([[3.0, 4.0]]))
    Tensor[1, 2] [[0.6, 0.8]]"""
    return x / norm(x, dim, True).clamp(min=eps)


def one_hot(ids: Any, num_classes: int) -> Tensor:
    """Rows of zeros with a one at the place of each id: ids of any shape -> [..., num_classes].

    Throws IndexError if an id lies outside. PyTorch: torch.nn.functional.one_hot.

    >>> F.one_hot([2, 0], 3)
    Tensor[2, 3] [[0., 0., 1.],
                  [1., 0., 0.]]"""
    return eye(num_classes)[whole_numbers(ids)]


globals()["__getattr__"] = _absent("regard.nn.functional")
