"""Operations on packed sentences: attention and recurrences. And on images, which are packed alike.

A batch is packed: the rows of all sentences stand one after another, without padding. `offsets` say where each
sentence begins and where the last one ends, so two sentences of three and two words have the offsets [0, 3, 5].
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy

from ._core import KeyRanges, Tensor, TimeSteps, call as _call, places as _places, segments as _segments
from .function import masked_fill
from .operations import Ids, _named, _whole_numbers, matmul, softmax, transpose

__all__ = ["additive_scores", "attention", "attention_weights", "avg_pool2d", "conv2d", "dot_scores",
    "gaussian_weights", "gru", "lstm", "max_pool2d", "places", "range_relu", "range_sigmoid", "range_softmax",
    "range_sparsemax", "rotary", "scaled_dot_product_attention", "segments", "weighted_sum"]

Segments = Sequence[tuple[int, int, int, int]]
Columns = Tensor | tuple[Tensor, int, int]
Planes = Sequence[tuple[int, int]]

# Attention. Instead of a matrix, (matrix, first, columns) reads some of its columns in place, so that one product can
# compute queries, keys and values side by side.


def _columns(x: Columns) -> tuple[Tensor, int, int]:
    return x if isinstance(x, tuple) else (x, 0, -1)


def _rows(x: Columns) -> int:
    return len(x[0] if isinstance(x, tuple) else x)


def segments(query_offsets: Sequence[int], key_offsets: Sequence[int] | None = None) -> Segments:
    """A tuple (query_begin, query_end, key_begin, key_end) for each sentence of a packed batch: its queries look at
    these keys. Without key_offsets, each sentence looks at itself."""
    return _segments(query_offsets, query_offsets if key_offsets is None else key_offsets)


def _given(segments: Segments | None, query: Columns, key: Columns) -> Segments:
    return [(0, _rows(query), 0, _rows(key))] if segments is None else segments


def attention(query: Columns, key: Columns, value: Columns, segments: Segments | None = None, *, heads: int = 1,
              causal: bool = False, dropout: float = 0.0, dropout_key: int = 0, scale: float = 0.0,
              slopes: Sequence[float] = (), relative: Tensor | None = None) -> Tensor:
    """Scaled dot-product attention, softmax(scale Q K^T) V (Vaswani et al. 2017, eq. 1), of all sentences and heads.

    query[query rows, width], key[key rows, width], value[key rows, width] -> [query rows, width]
    segments  which queries look at which keys (regard.segments); None: one sentence
    heads     head h reads the columns h d_k .. (h+1) d_k, with d_k = width / heads
    causal    of n queries and m keys, query i sees the keys 0 .. m-n+i
    dropout   on the weights, at random by dropout_key
    scale     the factor of Q K^T; 0: 1 / sqrt(d_k)
    slopes    ALiBi: the score of a key is lowered by slopes[head] |distance| (Press et al. 2022)
    relative  [query rows heads, 2 radius + 1]: number radius + distance of row t heads + h is added to q . k (Shaw et
              al. 2018)

    A query without a key to look at gives zeros. regard.reference.attention is the same in plain loops."""
    return _call("attention", _columns(query), _columns(key), _columns(value), _given(segments, query, key),
                 (heads, causal, (dropout, dropout_key), scale, slopes, relative))


def attention_weights(query: Columns, key: Columns, segments: Segments | None = None, *, heads: int = 1,
                      causal: bool = False, scale: float = 0.0, slopes: Sequence[float] = (),
                      relative: Tensor | None = None) -> list[Tensor]:
    """The weights of attention(): for each sentence a tensor [heads, queries, keys], without a gradient."""
    return _call("attention_weights", _columns(query), _columns(key), _given(segments, query, key),
                 (heads, causal, (0.0, 0), scale, slopes, relative))


def rotary(x: Tensor, turned: int, table: Tensor, positions: Ids) -> Tensor:
    """Rotary positions (Su et al. 2021) for the first `turned` columns of x[rows, width]. table[positions, d_k] has
    sin a_i in column 2i and cos a_i in column 2i + 1; positions has the position of each row."""
    return _call("rotary", x, turned, table, _whole_numbers(positions).ravel())


def scaled_dot_product_attention(query: Tensor, key: Tensor, value: Tensor, attn_mask: Any = None, *,
                                 is_causal: bool = False, scale: float | None = None) -> Tensor:
    """softmax(scale Q K^T + mask) V with any mask, as in PyTorch: query[..., n, d_k], key[..., m, d_k],
    value[..., m, d] -> [..., n, d]. attn_mask is an array of bool, true where a query looks at a key, or a tensor that
    is added to the scores; either is broadcast to [..., n, m]. A query without a key to look at gives zeros.

    This is made of a product, a softmax and a product. attention() is much faster, for the masks that it has."""
    scores = matmul(query, transpose(key)) * (1 / query.shape[-1] ** 0.5 if scale is None else scale)
    looks = numpy.ones(scores.shape[-2:], bool)
    if is_causal:
        looks = numpy.tril(looks)
    if isinstance(attn_mask, Tensor):
        scores = scores + attn_mask
    elif attn_mask is not None:
        looks = looks & numpy.asarray(attn_mask, bool)
    hidden = numpy.broadcast_to(~looks, scores.shape)
    return matmul(masked_fill(softmax(masked_fill(scores, hidden, -1e30)), hidden, 0), value)


# Attention pair by pair: scores, then weights, then the weighted sum. Scores and weights have a number for each pair
# of a query and one of its keys, in the order of the KeyRanges.


def dot_scores(query: Tensor, key: Tensor, ranges: KeyRanges, scale: float = 1.0) -> Tensor:
    """scale * query_i . key_j: query[queries, d], key[rows, d] -> [pairs]."""
    return _call("dot_scores", query, key, ranges, scale)


def additive_scores(query: Tensor, key: Tensor, v: Tensor, ranges: KeyRanges) -> Tensor:
    """v . tanh(query_i + key_j) (Bahdanau et al. 2015): query[queries, d], key[rows, d], v[d] -> [pairs]."""
    return _call("additive_scores", query, key, v, ranges)


def _normaliser(name: str, documentation: str) -> Callable[[Tensor, KeyRanges], Tensor]:
    def function(scores: Tensor, ranges: KeyRanges) -> Tensor:
        return _call(name, scores, ranges)

    return _named(function, name, f"Weights of the keys of each query: scores[pairs] -> [pairs]. {documentation}")


range_softmax = _normaliser("range_softmax", "The softmax.")
range_sparsemax = _normaliser("range_sparsemax", "The nearest point of the simplex: low scores get the weight 0 "
                              "(Martins and Astudillo 2016).")
range_relu = _normaliser("range_relu", "max(0, score) / sum of max(0, score).")
range_sigmoid = _normaliser("range_sigmoid", "1 / (1 + e^-(score - log n)) for a query with n keys (Ramapuram et al. "
                            "2024).")


def gaussian_weights(weights: Tensor, centre: Tensor, deviation: float, ranges: KeyRanges) -> Tensor:
    """weights_ij exp(-(position_j - centre_i)^2 / (2 deviation^2)) (Luong et al. 2015); centre[queries, 1]."""
    return _call("gaussian_weights", weights, centre, deviation, ranges)


def weighted_sum(weights: Tensor, value: Tensor, ranges: KeyRanges) -> Tensor:
    """sum_j weights_ij value_j: weights[pairs], value[rows, d] -> [queries, d]."""
    return _call("weighted_sum", weights, value, ranges)


# Recurrences over packed sentences: gates = linear(x, weight_ih, bias_ih), steps = regard.TimeSteps(offsets).


def gru(gates: Tensor, weight_hh: Tensor, bias_hh: Tensor, initial_state: Tensor | None, steps: TimeSteps) -> Tensor:
    """The state of a GRU after each row: gates[rows, 3d], weight_hh[3d, d], bias_hh[3d], initial_state[sentences, d]
    or None -> [rows, d]. The gates have PyTorch's order."""
    return _call("gru", gates, weight_hh, bias_hh, initial_state, steps)


def lstm(gates: Tensor, weight_hh: Tensor, bias_hh: Tensor, initial_state: Tensor | None, initial_cell: Tensor | None,
         steps: TimeSteps) -> tuple[Tensor, Tensor]:
    """As gru, with gates[rows, 4d]: the states [rows, d], and the last cell of each sentence [sentences, d]."""
    return _call("lstm", gates, weight_hh, bias_hh, initial_state, initial_cell, steps)


# Images: x[pixels, channels], with (height, width) of each image in `planes`; their pixels stand one after another.


def places(planes: Planes, size: int, stride: int = 1, padding: int = 0) -> list[tuple[int, int]]:
    """The planes of the places of a window: (extent + 2 padding - size) / stride + 1, rounded down, on both axes."""
    return _places(planes, (size, stride, padding))


def conv2d(x: Tensor, planes: Planes, weight: Tensor, bias: Tensor | None = None, stride: int = 1,
           padding: int = 0) -> Tensor:
    """The convolution of torch.nn.Conv2d: x[pixels, in], weight[out, in, size, size], bias[out] -> [places, out] with
    the planes places(planes, size, stride, padding)."""
    size = weight.shape[-1] if isinstance(weight, Tensor) and weight.ndim else 0
    return _call("conv2d", x, planes, weight, bias, (size, stride, padding))


def max_pool2d(x: Tensor, planes: Planes, size: int, stride: int = 1, padding: int = 0) -> Tensor:
    """The greatest value under each place of a window: [pixels, channels] -> [places, channels]."""
    return _call("max_pool2d", x, planes, (size, stride, padding))


def avg_pool2d(x: Tensor, planes: Planes, size: int, stride: int = 1, padding: int = 0) -> Tensor:
    """The sum under each place of a window, divided by size^2: [pixels, channels] -> [places, channels]."""
    return _call("avg_pool2d", x, planes, (size, stride, padding))
