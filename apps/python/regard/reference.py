"""Attention and its gradients in plain loops: the definition, to compare the fast operation with."""

from __future__ import annotations

from ._core import Tensor, call as _call
from .sequences import Segments, _given


def attention(query: Tensor, key: Tensor, value: Tensor, segments: Segments | None = None, *, heads: int = 1,
              causal: bool = False, scale: float = 0.0) -> tuple[Tensor, list[Tensor]]:
    """As regard.attention, but returns a pair: the result [query rows, width], and for each sentence the weights
    [heads, queries, keys]. Records no gradient."""
    return _call("reference_attention", query, key, value, _given(segments, query, key),
                 (heads, causal, (0.0, 0), scale, (), None))


def attention_backward(dout: Tensor, query: Tensor, key: Tensor, value: Tensor, segments: Segments | None = None, *,
                       heads: int = 1, causal: bool = False, scale: float = 0.0) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients (dquery, dkey, dvalue) of attention() for dout = dL/dout [query rows, width]."""
    return _call("reference_attention_backward", dout, query, key, value, _given(segments, query, key),
                 (heads, causal, (0.0, 0), scale, (), None))
