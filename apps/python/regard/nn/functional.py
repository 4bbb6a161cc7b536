"""The functions of regard under the name that PyTorch has for them: from regard.nn import functional as F. Those
that have arguments of their own in regard have PyTorch's here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import _core
from .._core import *  # noqa: F403
from .._core import Error, Tensor
from ..function import scaled_dot_product_attention as scaled_dot_product_attention
from ..missing import absent as _absent
from .layers import check_dropout, cross_entropy as cross_entropy, draw  # noqa: F811


def dropout(input: Tensor, p: float = 0.5, training: bool = True) -> Tensor:
    """In training, sets each value to 0 with probability p and scales the others by 1 / (1 - p)."""
    return _core.dropout(input, *draw(check_dropout(p), training))


def embedding(input: Any, weight: Tensor) -> Tensor:
    """The rows of weight[vocabulary, d_model] with these ids of any shape."""
    return _core.embedding(weight, input)


def layer_norm(input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None = None, bias: Tensor | None = None,
               eps: float = 1e-5) -> Tensor:
    """(input - mean) / sqrt(variance + eps) * weight + bias over the last axis, whose extent is normalized_shape."""
    if tuple(normalized_shape) != input.shape[-1:]:
        raise Error(f"layer_norm: the last axis of {input.shape} is normalised, not {tuple(normalized_shape)}")
    return _core.layer_norm(input, weight, bias, eps)


globals()["__getattr__"] = _absent("regard.nn.functional")
