"""All operations on tensors, with the shapes that they take and return.

A batch is packed: the rows of all sentences stand one after another, without padding. `offsets` say where each
sentence begins and where the last one ends, so two sentences of three and two words have the offsets [0, 3, 5].
Negative axes count from the end. The tensors of one call must have the same dtype, float32 or float64.
"""

from builtins import slice as _slice
from collections import namedtuple as _namedtuple

from ._core import Tensor, call as _call, places as _places, segments as _segments

LargestLogits = _namedtuple("LargestLogits", "logits positions log_sum_exp")

# Functions of each element. Two operands are broadcast: trailing axes are matched, an extent of 1 is repeated.


def add(a, b):
    """a + b"""
    return a + b


def subtract(a, b):
    """a - b"""
    return a - b


def multiply(a, b):
    """a * b, element by element"""
    return a * b


def divide(a, b):
    """a / b"""
    return a / b


def exp(x):
    """e^x of each element."""
    return _call("exp", x)


def log(x):
    """The natural logarithm of each element."""
    return _call("log", x)


def sqrt(x):
    """The square root of each element."""
    return _call("sqrt", x)


def pow(x, exponent):
    """x ** exponent for a number `exponent`."""
    return _call("pow", x, exponent)


def relu(x):
    """max(0, x) of each element."""
    return _call("relu", x)


def tanh(x):
    """The hyperbolic tangent of each element."""
    return _call("tanh", x)


def sigmoid(x):
    """1 / (1 + e^-x) of each element."""
    return _call("sigmoid", x)


def gelu(x):
    """x Phi(x) with the normal distribution function Phi (Hendrycks and Gimpel 2016)."""
    return _call("gelu", x)


def silu(x):
    """x / (1 + e^-x) of each element, also called swish (Ramachandran et al. 2017)."""
    return _call("silu", x)


# Reductions.


def _axes(axis):
    return [] if axis is None else [axis] if hasattr(axis, "__index__") else list(axis)


def sum(x, axis=None, keepdims=False):
    """The sum over an axis, over a tuple of axes, or over all. keepdims leaves them in the shape as 1."""
    return _call("sum", x, (_axes(axis), keepdims))


def mean(x, axis=None, keepdims=False):
    """The mean; arguments as in sum."""
    return _call("mean", x, (_axes(axis), keepdims))


def max(x, axis=None, keepdims=False):
    """The largest value; arguments as in sum. Equal largest values share the gradient."""
    return _call("max", x, (_axes(axis), keepdims))


# Shapes.


def reshape(x, shape):
    """The same elements in another shape of the same size; shares memory."""
    return _call("reshape", x, shape)


def transpose(x, axis_a=-2, axis_b=-1):
    """Exchanges two axes."""
    return _call("transpose", x, axis_a, axis_b)


def slice(x, axis, begin, end):
    """The elements begin .. end (exclusive) along an axis."""
    return _call("slice", x, axis, begin, end)


def concat(tensors, axis):
    """Joins a list of tensors along an axis; all other extents must be equal."""
    return _call("concat", list(tensors), axis)


def gather(x, axis, indices):
    """The slices indices[0], indices[1], ... along an axis; an index may occur many times."""
    return _call("gather", x, axis, indices)


# Choices of one position of each row. They return arrays of int32 and have no gradient.


def argmax(x):
    """The position of the largest value along the last axis; of equal values, the first."""
    return _call("argmax", x)


def multinomial(x, random):
    """Draws a position of each row with a probability proportional to its value; random is a regard.Random."""
    return _call("multinomial", x, random)


def largest_logits(x, count):
    """The `count` largest values of each row of x[rows, columns]: arrays logits[rows, count], largest first, their
    positions[rows, count], and log_sum_exp[rows]. A logit minus log_sum_exp is log(softmax)."""
    return LargestLogits(*_call("largest_logits", x, count))


# Products and layers.


def matmul(a, b):
    """The matrix product [m, k] x [k, n] -> [m, n], also for a batch: [batch, m, k] x [batch, k, n], or x [k, n]."""
    return _call("matmul", a, b)


def linear(x, weight, bias=None):
    """x weight^T + bias: x[rows, in], weight[out, in], bias[out] -> [rows, out], as torch.nn.Linear."""
    return _call("linear", x, weight, bias)


def linear_relu(x, weight, bias=None, dropout=0.0, dropout_key=0):
    """dropout(max(0, x weight^T + bias)): the first half of the feed-forward network (Vaswani et al. 2017, eq. 2)."""
    return _call("linear_relu", x, weight, bias, (dropout, dropout_key))


def linear_gelu(x, weight, bias=None, dropout=0.0, dropout_key=0):
    """dropout(gelu(x weight^T + bias)): the first half of a feed-forward network with GELU."""
    return _call("linear_gelu", x, weight, bias, (dropout, dropout_key))


def linear_silu(x, weight, bias=None, dropout=0.0, dropout_key=0):
    """dropout(silu(x weight^T + bias)): the first half of a feed-forward network with SiLU (swish)."""
    return _call("linear_silu", x, weight, bias, (dropout, dropout_key))


def embedding(weight, ids, scale=1.0):
    """The rows of weight[vocabulary, d_model] with these ids, times `scale`: [ids, d_model]."""
    return _call("embedding", weight, ids, scale)


def softmax(x):
    """e^(x_i) / sum_j e^(x_j) over the last axis."""
    return _call("softmax", x)


def log_softmax(x):
    """log(softmax(x)) over the last axis, without overflow."""
    return _call("log_softmax", x)


def layer_norm(x, weight, bias=None, epsilon=1e-5):
    """(x - mean) / sqrt(variance + epsilon) * weight + bias over the last axis; weight[columns], bias[columns]."""
    return _call("layer_norm", x, weight, bias, epsilon)


def residual_layer_norm(x, sublayer, weight, bias=None, dropout=0.0, dropout_key=0, epsilon=1e-5):
    """layer_norm(x + dropout(sublayer)): the end of a post-norm sublayer. x and sublayer have the same shape."""
    return _call("residual_layer_norm", x, sublayer, (dropout, dropout_key), weight, bias, epsilon)


def dropout(x, probability, key):
    """Sets each value to 0 with this probability and scales the others by 1 / (1 - probability). The values that are
    dropped are a function of `key`, an int, and of the position."""
    return _call("dropout", x, (probability, key))


def residual_dropout(x, sublayer, probability, key):
    """x + dropout(sublayer, probability, key): the end of a pre-norm sublayer."""
    return _call("residual_dropout", x, sublayer, (probability, key))


def cross_entropy(logits, targets, label_smoothing=0.0, divide_by=0, log_probabilities=False):
    """The mean of -log softmax(logits)[target] over the rows of logits[targets, vocabulary]: a scalar.

    label_smoothing is PyTorch's. divide_by divides the sum instead of the number of targets. With log_probabilities,
    returns a pair: the loss, and log softmax(logits)[target] of each row, without a gradient."""
    both = _call("cross_entropy", logits, targets, (label_smoothing, divide_by))
    return both if log_probabilities else both[0]


def linear_cross_entropy(x, weight, targets, label_smoothing=0.0, divide_by=0, log_probabilities=False):
    """cross_entropy(x weight^T, targets) for x[targets, d_model] and weight[vocabulary, d_model], some rows at a time:
    the matrix of all logits never exists."""
    both = _call("linear_cross_entropy", x, weight, targets, (label_smoothing, divide_by))
    return both if log_probabilities else both[0]


# Attention. Instead of a matrix, (matrix, first, columns) reads some of its columns in place, so that one product can
# compute queries, keys and values side by side.


def _columns(x):
    return x if isinstance(x, tuple) else (x, 0, -1)


def _rows(x):
    return len(x[0] if isinstance(x, tuple) else x)


def segments(query_offsets, key_offsets=None):
    """A tuple (query_begin, query_end, key_begin, key_end) for each sentence of a packed batch: its queries look at
    these keys. Without key_offsets, each sentence looks at itself."""
    return _segments(query_offsets, query_offsets if key_offsets is None else key_offsets)


def _given(segments, query, key):
    return [(0, _rows(query), 0, _rows(key))] if segments is None else segments


def attention(query, key, value, segments=None, *, heads=1, causal=False, dropout=0.0, dropout_key=0, scale=0.0,
              slopes=(), relative=None):
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


def attention_weights(query, key, segments=None, *, heads=1, causal=False, scale=0.0, slopes=(), relative=None):
    """The weights of attention(): for each sentence a tensor [heads, queries, keys], without a gradient."""
    return _call("attention_weights", _columns(query), _columns(key), _given(segments, query, key),
                 (heads, causal, (0.0, 0), scale, slopes, relative))


def rotary(x, turned, table, positions):
    """Rotary positions (Su et al. 2021) for the first `turned` columns of x[rows, width]. table[positions, d_k] has
    sin a_i in column 2i and cos a_i in column 2i + 1; positions has the position of each row."""
    return _call("rotary", x, turned, table, positions)


# Attention pair by pair: scores, then weights, then the weighted sum. Scores and weights have a number for each pair
# of a query and one of its keys, in the order of the KeyRanges.


def dot_scores(query, key, ranges, scale=1.0):
    """scale * query_i . key_j: query[queries, d], key[rows, d] -> [pairs]."""
    return _call("dot_scores", query, key, ranges, scale)


def additive_scores(query, key, v, ranges):
    """v . tanh(query_i + key_j) (Bahdanau et al. 2015): query[queries, d], key[rows, d], v[d] -> [pairs]."""
    return _call("additive_scores", query, key, v, ranges)


def range_softmax(scores, ranges):
    """The softmax over the keys of each query, [pairs]."""
    return _call("range_softmax", scores, ranges)


def range_sparsemax(scores, ranges):
    """The nearest point of the simplex: low scores get the weight 0 (Martins and Astudillo 2016)."""
    return _call("range_sparsemax", scores, ranges)


def range_relu(scores, ranges):
    """max(0, score) / sum of max(0, score)."""
    return _call("range_relu", scores, ranges)


def range_sigmoid(scores, ranges):
    """1 / (1 + e^-(score - log n)) for a query with n keys (Ramapuram et al. 2024)."""
    return _call("range_sigmoid", scores, ranges)


def gaussian_weights(weights, centre, deviation, ranges):
    """weights_ij exp(-(position_j - centre_i)^2 / (2 deviation^2)) (Luong et al. 2015); centre[queries, 1]."""
    return _call("gaussian_weights", weights, centre, deviation, ranges)


def weighted_sum(weights, value, ranges):
    """sum_j weights_ij value_j: weights[pairs], value[rows, d] -> [queries, d]."""
    return _call("weighted_sum", weights, value, ranges)


# Recurrences over packed sentences: gates = linear(x, weight_ih, bias_ih), steps = regard.TimeSteps(offsets).


def gru(gates, weight_hh, bias_hh, initial_state, steps):
    """The state of a GRU after each row: gates[rows, 3d], weight_hh[3d, d], bias_hh[3d], initial_state[sentences, d]
    or None -> [rows, d]. The gates have PyTorch's order."""
    return _call("gru", gates, weight_hh, bias_hh, initial_state, steps)


def lstm(gates, weight_hh, bias_hh, initial_state, initial_cell, steps):
    """As gru, with gates[rows, 4d]: the states [rows, d], and the last cell of each sentence [sentences, d]."""
    return _call("lstm", gates, weight_hh, bias_hh, initial_state, initial_cell, steps)


# Images: x[pixels, channels], with (height, width) of each image in `planes`; their pixels stand one after another.


def places(planes, size, stride=1, padding=0):
    """The planes of the places of a window: (extent + 2 padding - size) / stride + 1, rounded down, on both axes."""
    return _places(planes, (size, stride, padding))


def conv2d(x, planes, weight, bias=None, stride=1, padding=0):
    """The convolution of torch.nn.Conv2d: x[pixels, in], weight[out, in, size, size], bias[out] -> [places, out] with
    the planes places(planes, size, stride, padding)."""
    size = weight.shape[-1] if isinstance(weight, Tensor) and weight.ndim else 0
    return _call("conv2d", x, planes, weight, bias, (size, stride, padding))


def max_pool2d(x, planes, size, stride=1, padding=0):
    """The greatest value under each place of a window: [pixels, channels] -> [places, channels]."""
    return _call("max_pool2d", x, planes, (size, stride, padding))


def avg_pool2d(x, planes, size, stride=1, padding=0):
    """The sum under each place of a window, divided by size^2: [pixels, channels] -> [places, channels]."""
    return _call("avg_pool2d", x, planes, (size, stride, padding))


def _item(x, index):
    """x[2], x[1:3], x[:, 0]: integers and slices of step 1, axis by axis."""
    axis = 0
    for part in index if isinstance(index, tuple) else (index,):
        if axis >= x.ndim:
            raise IndexError(f"{index!r} has more axes than the shape {x.shape}")
        extent = x.shape[axis]
        if isinstance(part, _slice):
            begin, end, step = part.indices(extent)
            if step != 1:
                raise IndexError("a tensor has only slices of step 1; use regard.gather")
            x = slice(x, axis, begin, end if end > begin else begin)
            axis += 1
            continue
        place = part.__index__()
        if not -extent <= place < extent:
            raise IndexError(f"index {place} at axis {axis} lies outside the shape {x.shape}")
        x = slice(x, axis, place % extent, place % extent + 1)
        x = reshape(x, x.shape[:axis] + x.shape[axis + 1:])
    return x


def _array(x, dtype=None, copy=None):
    """What numpy.asarray(x) calls."""
    array = x.numpy()
    if dtype is not None and array.dtype != dtype:
        return array.astype(dtype)
    return array.copy() if copy else array


Tensor.__getitem__ = _item
Tensor.__array__ = _array
Tensor.T = property(transpose, doc="transpose(self): the last two axes exchanged.")
for _function in (exp, log, sqrt, relu, tanh, sigmoid, gelu, silu, sum, mean, max, reshape, transpose, softmax,
                  log_softmax, argmax):
    setattr(Tensor, _function.__name__, _function)
