"""Layers over sentences, of one length in a batch or packed: attention, and the layers of the Transformer."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

from .. import _core as ops
from .._core import Error, Tensor
from ..creation import zeros
from ..hooks import Handle
from .containers import ModuleList
from .layers import Dropout, FeedForward, LayerNorm, Linear, check_dropout, check_sizes, draw, xavier
from .module import Module, Parameter

Offsets = Sequence[int]


def packed(x: Tensor, offsets: Offsets | None, name: str = "offsets") -> tuple[Tensor, list[int]]:
    """The rows of all sentences, and where they begin and end: a batch [batch, length, d], [rows, d] with offsets, or
    [rows, d], which is one sentence."""
    shape = x.shape if isinstance(x, Tensor) else f"of a {type(x).__name__}"
    if len(shape) == 3 and offsets is None:
        batch, length, d = shape
        return ops.reshape(x, batch * length, d), [i * length for i in range(batch + 1)]
    if not isinstance(x, Tensor) or x.ndim != 2:
        raise Error(f"a layer over sentences takes a tensor [batch, length, d] without {name}, or [rows, d], not one "
                    f"of the shape {shape}{'' if offsets is None else f' with {name}'}")
    ends = [0, len(x)] if offsets is None else list(offsets)
    if not ends or ends[0] != 0 or ends[-1] != len(x):
        found = f"begin with {ends[0]} and end with {ends[-1]}" if ends else "are empty"
        raise Error(f"the {name} {found}; they begin with 0 and end with the number of rows, {len(x)}: give those of "
                    "all sentences, and key_offsets (a decoder's memory_offsets) if those of the keys differ")
    return x, ends


def only_batch_first(batch_first: bool) -> None:
    if not batch_first:
        raise Error("a batch is [batch, length, d], as with PyTorch's batch_first=True; x.transpose(0, 1) makes it")


class MultiHeadAttention(Module):
    """Concat(head_0, ..., head_(h-1)) W^O with head_i = attention(Q W_i^Q, K W_i^K, V W_i^V) (Vaswani et al. 2017,
    section 3.2.2). in_proj_weight[3 d_model, d_model] holds W^Q, W^K and W^V one below the other, as in PyTorch.

    Throws Error unless heads divide d_model, and if the shapes or the offsets do not fit. PyTorch:
    torch.nn.MultiheadAttention.

    >>> nn.MultiHeadAttention(8, heads=2)(regard.randn(5, 8), [0, 3, 5], causal=True).shape
    (5, 8)"""

    def __init__(self, d_model: int, heads: int, dropout: float = 0.0, *, batch_first: bool = True) -> None:
        super().__init__()
        only_batch_first(batch_first)
        check_sizes("MultiHeadAttention", d_model=d_model, heads=heads)
        if d_model % heads:
            raise Error(f"heads ({heads}) must divide d_model ({d_model})")
        self.in_proj_weight, self.in_proj_bias = xavier(3 * d_model, d_model), Parameter(zeros(3 * d_model))
        self.out_proj = Linear(d_model, d_model)
        self.d_model, self.heads, self.dropout = d_model, heads, check_dropout(dropout)

    def register_weights_hook(self, hook: Callable[..., Any]) -> Handle:
        """Calls hook(module, weights) in each forward(), with what need_weights=True would return, also inside a layer
        of the Transformer. Returns a handle with remove().

        >>> layer, seen = nn.TransformerEncoderLayer(8, 2, 16), []
        >>> with layer.self_attn.register_weights_hook(lambda module, weights: seen.append(weights.shape)):
        ...     result = layer(regard.randn(1, 3, 8))
        >>> seen    # [batch, heads, queries, keys]
        [(1, 2, 3, 3)]"""
        return self._hook("weights", hook)

    def forward(self, query: Tensor, key: Tensor | Offsets | None = None, value: Tensor | None = None,
                offsets: Offsets | None = None, key_offsets: Offsets | None = None, causal: bool = False,
                need_weights: bool = False) -> Any:
        """query[batch, length, d_model], or the rows of packed sentences [rows, d_model] -> the same shape. Unlike
        PyTorch's, it returns the result alone.

        key, value    None: key is the query (self-attention), value is the key. A list in the place of the key: offsets
        offsets       of the sentences of the query; key_offsets of those of the key, None: the same
        causal        of n queries and m keys, query i sees the keys 0 .. m-n+i
        need_weights  returns a pair: the result, and the weights of each head before dropout, without a gradient:
                      [batch, heads, queries, keys]; of packed sentences a list, [heads, queries, keys] for each; of one
                      sentence without offsets [heads, queries, keys]"""
        d, weight, bias = self.d_model, self.in_proj_weight, self.in_proj_bias
        if offsets is None and key is not None and not isinstance(key, Tensor):
            key, offsets = None, key  # attention(x, [0, 3, 5])
        key = query if key is None else key
        value = key if value is None else value
        rows, ends = packed(query, offsets)
        key_rows, key_ends = (rows, ends) if key is query and key_offsets is None else \
            packed(key, offsets if key_offsets is None else key_offsets, "key_offsets")
        if value is key is query:
            projected = ops.linear(rows, weight, bias)
            parts = [(projected, first, d) for first in (0, d, 2 * d)]
        else:
            value_rows = key_rows if value is key else ops.reshape(value, -1, d)
            parts = [(ops.linear(x, weight[i * d:(i + 1) * d], bias[i * d:(i + 1) * d]), 0, d)
                     for i, x in enumerate((rows, key_rows, value_rows))]
        segments = ops.segments(ends, key_ends)
        dropout, dropout_key = draw(self.dropout, self.training)
        result = self.out_proj(ops.attention(*parts, segments, heads=self.heads, causal=causal, dropout=dropout,
                                             dropout_key=dropout_key))
        result = ops.reshape(result, query.shape)
        if not need_weights and not self._hooks.get("weights"):
            return result
        weights: Any = ops.attention_weights(*parts[:2], segments, heads=self.heads, causal=causal)
        weights = ops.stack(weights) if query.ndim == 3 else weights[0] if offsets is None else weights
        list(self._called("weights", weights))
        return (result, weights) if need_weights else result

    def extra_repr(self) -> str:
        return f"d_model={self.d_model}, heads={self.heads}" + (f", dropout={self.dropout}" if self.dropout else "")


class _TransformerLayer(FeedForward):
    """The frame around each sublayer f: LayerNorm(x + Dropout(f(x))), or x + Dropout(f(LayerNorm(x))) if norm_first."""

    attentions: tuple[str, ...]
    self_attn: MultiHeadAttention

    def __init__(self, d_model: int, nhead: int, dim_feedforward: int = 2048, dropout: float = 0.1,
                 activation: str = "relu", norm_first: bool = False, *, batch_first: bool = True) -> None:
        only_batch_first(batch_first)
        self.norm_first = norm_first
        for name in self.attentions:
            setattr(self, name, MultiHeadAttention(d_model, nhead, dropout))
        super().__init__(d_model, dim_feedforward, dropout, activation)
        numbers = range(1, len(self.attentions) + 2)
        for number in numbers:
            setattr(self, f"norm{number}", LayerNorm(d_model))
        for number in numbers:
            setattr(self, f"dropout{number}", Dropout(dropout))

    def sublayer(self, number: int, x: Tensor, function: Callable[[Tensor], Tensor]) -> Tensor:
        norm, dropout = getattr(self, f"norm{number}"), getattr(self, f"dropout{number}").draw()
        if self.norm_first:
            return ops.residual_dropout(x, function(norm(x)), *dropout)
        if norm._hooks:  # they want its result, so it is not computed in one pass with the sum
            return norm(ops.residual_dropout(x, function(x), *dropout))
        return ops.residual_layer_norm(x, function(x), norm.weight, norm.bias, *dropout, norm.eps)


class TransformerEncoderLayer(_TransformerLayer):
    """Self-attention, then the feed-forward network.

    Throws Error if heads do not divide d_model, or the shapes do not fit. Source: Vaswani et al. 2017, section 3.1.
    PyTorch: torch.nn.TransformerEncoderLayer.

    >>> nn.TransformerEncoderLayer(8, 2, 16)(regard.randn(2, 3, 8)).shape
    (2, 3, 8)"""

    attentions = ("self_attn",)

    def forward(self, x: Tensor, offsets: Offsets | None = None, causal: bool = False) -> Tensor:
        """x[batch, length, d_model] or [rows, d_model] -> the same shape. offsets, causal: as in MultiHeadAttention."""
        x = self.sublayer(1, x, lambda y: self.self_attn(y, offsets=offsets, causal=causal))
        return self.sublayer(2, x, self.feed_forward)


class TransformerDecoderLayer(_TransformerLayer):
    """Self-attention, attention to the memory, then the feed-forward network. Unlike PyTorch's, its self-attention is
    causal unless causal=False.

    Throws Error if heads do not divide d_model, or the shapes do not fit. Source: Vaswani et al. 2017, section 3.1.
    PyTorch: torch.nn.TransformerDecoderLayer.

    >>> nn.TransformerDecoderLayer(8, 2, 16)(regard.randn(2, 3, 8), regard.randn(2, 5, 8)).shape
    (2, 3, 8)"""

    attentions = "self_attn", "multihead_attn"
    multihead_attn: MultiHeadAttention

    def forward(self, x: Tensor, memory: Tensor, offsets: Offsets | None = None, memory_offsets: Offsets | None = None,
                causal: bool = True) -> Tensor:
        """x and memory, each [batch, length, d_model] or [rows, d_model] -> the shape of x."""
        x = self.sublayer(1, x, lambda y: self.self_attn(y, offsets=offsets, causal=causal))
        x = self.sublayer(2, x, lambda y: self.multihead_attn(y, memory, offsets=offsets, key_offsets=memory_offsets))
        return self.sublayer(3, x, self.feed_forward)


class _Stack(Module):
    """Copies of a layer one after another, each with weights of its own, and a last norm."""

    def __init__(self, layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        check_sizes(type(self).__name__, num_layers=num_layers)
        self.layers, self.norm = ModuleList([copy.deepcopy(layer) for _ in range(num_layers)]), norm

    def forward(self, x: Tensor, *arguments: Any, **options: Any) -> Any:
        for layer in self.layers:
            x = layer(x, *arguments, **options)
        return x if self.norm is None else self.norm(x)


class TransformerEncoder(_Stack):
    """num_layers copies of a TransformerEncoderLayer, all with the same weights at the start, and a norm after them.

    Arguments of a call, shapes and errors as in TransformerEncoderLayer. PyTorch: torch.nn.TransformerEncoder.

    >>> nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16), 3)(regard.randn(2, 5, 8), causal=True).shape
    (2, 5, 8)"""


class TransformerDecoder(_Stack):
    """num_layers copies of a TransformerDecoderLayer, all with the same weights at the start, and a norm after them.

    Arguments of a call, shapes and errors as in TransformerDecoderLayer. PyTorch: torch.nn.TransformerDecoder.

    >>> decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2, 16), 3)
    >>> decoder(regard.randn(2, 3, 8), regard.randn(2, 5, 8)).shape
    (2, 3, 8)"""
