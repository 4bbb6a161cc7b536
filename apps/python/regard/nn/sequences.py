"""Layers over sentences, of one length in a batch or packed: attention, the layers of the Transformer, recurrences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .. import _core as ops
from .._core import Error, Tensor, TimeSteps
from ..creation import uniform, zeros
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
    section 3.2.2). in_proj_weight[3 d_model, d_model] holds W^Q, W^K and W^V one below the other, as in PyTorch."""

    def __init__(self, d_model: int, heads: int, dropout: float = 0.0, *, batch_first: bool = True) -> None:
        super().__init__()
        only_batch_first(batch_first)
        check_sizes("MultiHeadAttention", d_model=d_model, heads=heads)
        if d_model % heads:
            raise Error(f"heads ({heads}) must divide d_model ({d_model})")
        self.in_proj_weight, self.in_proj_bias = xavier(3 * d_model, d_model), Parameter(zeros(3 * d_model))
        self.out_proj = Linear(d_model, d_model)
        self.d_model, self.heads, self.dropout = d_model, heads, check_dropout(dropout)

    def forward(self, query: Tensor, key: Tensor | None = None, value: Tensor | None = None,
                offsets: Offsets | None = None, key_offsets: Offsets | None = None, causal: bool = False,
                need_weights: bool = False) -> Any:
        """query[batch, length, d_model], or the rows of packed sentences [rows, d_model] -> the same shape. Unlike
        PyTorch's, it returns the result alone.

        key, value    None: key is the query (self-attention), value is the key
        offsets       of the sentences of the query; key_offsets of those of the key, None: the same
        causal        of n queries and m keys, query i sees the keys 0 .. m-n+i
        need_weights  returns a pair: the result, and the weights of each head before dropout, without a gradient:
                      [batch, heads, queries, keys]; of packed sentences a list, [heads, queries, keys] for each; of one
                      sentence without offsets [heads, queries, keys]"""
        d, weight, bias = self.d_model, self.in_proj_weight, self.in_proj_bias
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
        if not need_weights:
            return result
        weights = ops.attention_weights(*parts[:2], segments, heads=self.heads, causal=causal)
        return result, ops.stack(weights) if query.ndim == 3 else weights[0] if offsets is None else weights


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
        return ops.residual_layer_norm(x, function(x), norm.weight, norm.bias, *dropout, norm.eps)


class TransformerEncoderLayer(_TransformerLayer):
    """Self-attention, then the feed-forward network."""

    attentions = ("self_attn",)

    def forward(self, x: Tensor, offsets: Offsets | None = None, causal: bool = False) -> Tensor:
        """x[batch, length, d_model] or [rows, d_model] -> the same shape. offsets, causal: as in MultiHeadAttention."""
        x = self.sublayer(1, x, lambda y: self.self_attn(y, offsets=offsets, causal=causal))
        return self.sublayer(2, x, self.feed_forward)


class TransformerDecoderLayer(_TransformerLayer):
    """Self-attention, attention to the memory, then the feed-forward network. Unlike PyTorch's, its self-attention is
    causal unless causal=False."""

    attentions = "self_attn", "multihead_attn"
    multihead_attn: MultiHeadAttention

    def forward(self, x: Tensor, memory: Tensor, offsets: Offsets | None = None, memory_offsets: Offsets | None = None,
                causal: bool = True) -> Tensor:
        """x and memory, each [batch, length, d_model] or [rows, d_model] -> the shape of x."""
        x = self.sublayer(1, x, lambda y: self.self_attn(y, offsets=offsets, causal=causal))
        x = self.sublayer(2, x, lambda y: self.multihead_attn(y, memory, offsets=offsets, key_offsets=memory_offsets))
        return self.sublayer(3, x, self.feed_forward)


class _Recurrent(Module):
    """Layers one above another, names and initial weights as in PyTorch: uniform in ±1/sqrt(hidden_size)."""

    gates: int

    def __init__(self, input_size: int, hidden_size: int, num_layers: int = 1, dropout: float = 0.0,
                 bidirectional: bool = False, *, batch_first: bool = True) -> None:
        super().__init__()
        only_batch_first(batch_first)
        check_sizes(type(self).__name__, input_size=input_size, hidden_size=hidden_size, num_layers=num_layers)
        self.input_size, self.hidden_size, self.num_layers = input_size, hidden_size, num_layers
        self.bidirectional, self.dropout = bidirectional, check_dropout(dropout)
        self.sides = ("", "_reverse") if bidirectional else ("",)
        bound, rows = hidden_size ** -0.5, self.gates * hidden_size
        for layer in range(num_layers):
            columns = input_size if layer == 0 else len(self.sides) * hidden_size
            for side in self.sides:
                for name, shape in {"weight_ih": (rows, columns), "weight_hh": (rows, hidden_size), "bias_ih": (rows,),
                                    "bias_hh": (rows,)}.items():
                    setattr(self, f"{name}_l{layer}{side}", Parameter(uniform(shape, -bound, bound)))

    def step(self, gates: Tensor, weight: Tensor, bias: Tensor, initial: Any, steps: TimeSteps) -> tuple[Tensor, Any]:
        raise NotImplementedError

    def run(self, x: Tensor, offsets: Offsets | None, initial: list[Tensor] | None) -> tuple[Tensor, list[Tensor]]:
        """The rows of the last layer, and for each kind of state [layers * directions, sentences, hidden_size]."""
        shape, (x, ends) = x.shape if isinstance(x, Tensor) else (), packed(x, offsets)
        for state in initial or []:
            if len(state) != self.num_layers * len(self.sides):
                raise Error(f"a recurrent layer got {len(state)} initial states; it needs "
                            f"{self.num_layers * len(self.sides)}, one for each layer and direction")
        steps = [TimeSteps(ends, bool(side)) for side in self.sides]
        last: list[tuple[Tensor, ...]] = []
        for layer in range(self.num_layers):
            if layer > 0 and self.training and self.dropout > 0:
                x = ops.dropout(x, *draw(self.dropout, True))
            outputs = []
            for side, direction in zip(self.sides, steps):
                of = {name: getattr(self, f"{name}_l{layer}{side}")
                      for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")}
                start = [None] * 2 if initial is None else [state[len(last)] for state in initial]
                rows, *cells = self.step(ops.linear(x, of["weight_ih"], of["bias_ih"]), of["weight_hh"], of["bias_hh"],
                                         start, direction)
                last.append((ops.gather(rows, 0, direction.last_rows), *cells))
                outputs.append(rows)
            x = outputs[0] if len(outputs) == 1 else ops.concat(outputs, 1)
        return ops.reshape(x, *shape[:-1], x.shape[-1]), [ops.stack(state) for state in zip(*last)]

    def extra_repr(self) -> str:
        more = [f"{name}={getattr(self, name)}" for name in ("num_layers", "dropout", "bidirectional")
                if getattr(self, name) != (name == "num_layers")]
        return ", ".join([str(self.input_size), str(self.hidden_size), *more])


class GRU(_Recurrent):
    """Gated recurrent units (Cho et al. 2014)."""

    gates = 3

    def step(self, gates: Tensor, weight: Tensor, bias: Tensor, initial: Any, steps: TimeSteps) -> Any:
        return (ops.gru(gates, weight, bias, initial[0], steps),)

    def forward(self, x: Tensor, initial: Tensor | None = None,
                offsets: Offsets | None = None) -> tuple[Tensor, Tensor]:
        """x[batch, length, input_size] or [rows, input_size] -> the states, directions * hidden_size columns, and the
        last ones [layers * directions, sentences, hidden_size]. initial has the shape of the last ones."""
        rows, (last,) = self.run(x, offsets, None if initial is None else [initial])
        return rows, last


class LSTM(_Recurrent):
    """Long short-term memory (Hochreiter and Schmidhuber 1997)."""

    gates = 4

    def step(self, gates: Tensor, weight: Tensor, bias: Tensor, initial: Any, steps: TimeSteps) -> Any:
        return ops.lstm(gates, weight, bias, *initial, steps)

    def forward(self, x: Tensor, initial: tuple[Tensor, Tensor] | None = None,
                offsets: Offsets | None = None) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """As GRU, but states and cells: initial and the last ones are pairs."""
        if isinstance(initial, Tensor):
            raise TypeError("an LSTM begins with a pair (states, cells), not with one tensor")
        rows, (last, cells) = self.run(x, offsets, None if initial is None else list(initial))
        return rows, (last, cells)
