"""Operations on tensors, with the shapes that they take and return. regard/sequences.py has those on sentences.

Negative axes count from the end. The tensors of one call must have the same dtype, float32 or float64. PyTorch's names
dim and keepdim are taken too.
"""

from __future__ import annotations

import functools
from builtins import slice as _slice
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import numpy
from numpy.typing import NDArray

from ._core import Error, Random, Tensor, call as _call
from .creation import extents as _extents, tensor as _tensor
from .results import LargestLogits

__all__ = ["abs", "add", "argmax", "cat", "concat", "divide", "dropout", "embedding", "exp", "gather", "gelu",
    "largest_logits", "layer_norm", "linear", "linear_gelu", "linear_relu", "linear_silu", "log", "log_softmax",
    "matmul", "max", "mean", "min", "multinomial", "multiply", "pow", "relu", "reshape", "residual_dropout",
    "residual_layer_norm", "sigmoid", "silu", "slice", "softmax", "sqrt", "stack", "std", "subtract", "sum", "tanh",
    "transpose", "var"]

Axis = int | tuple[int, ...] | None
Ids = Sequence[int] | NDArray[Any] | Tensor
_F = TypeVar("_F", bound=Callable[..., Any])
_R = TypeVar("_R")
_Elementwise = Callable[[Tensor], Tensor]


def _named(function: _F, name: str, documentation: str) -> _F:
    """One of several functions that differ only in the operation that they call."""
    function.__name__ = function.__qualname__ = name
    function.__doc__ = documentation
    return function


def _dim(function: Callable[..., _R]) -> Callable[..., _R]:
    """The function with PyTorch's names of its arguments as well."""
    names = {"dim": "axis", "keepdim": "keepdims"}

    @functools.wraps(function)
    def call(*arguments: Any, **options: Any) -> _R:
        return function(*arguments, **{names.get(name, name): value for name, value in options.items()})

    return call


def _whole_numbers(ids: Any) -> NDArray[Any]:
    """An array of whole numbers, from a list, an array or a tensor of any shape."""
    array = numpy.asarray(ids)
    whole = array.astype(numpy.int32) if array.dtype.kind in "biuf" else array
    if array.size > 0 and not numpy.array_equal(whole, array):
        raise TypeError(f"ids and indices are whole numbers, not {array.ravel()[numpy.ravel(whole != array)][0]}")
    return whole


def _ids(ids: Any) -> Any:
    return ids if type(ids) is list and ids and type(ids[0]) is int else _whole_numbers(ids).ravel()


# Functions of each element. Two operands are broadcast: trailing axes are matched, an extent of 1 is repeated.


def add(a: Tensor, b: Tensor) -> Tensor:
    """a + b"""
    return a + b


def subtract(a: Tensor, b: Tensor) -> Tensor:
    """a - b"""
    return a - b


def multiply(a: Tensor, b: Tensor) -> Tensor:
    """a * b, element by element"""
    return a * b


def divide(a: Tensor, b: Tensor) -> Tensor:
    """a / b"""
    return a / b


def _elementwise(name: str, documentation: str) -> _Elementwise:
    def function(x: Tensor) -> Tensor:
        return _call(name, x)

    return _named(function, name, documentation)


exp: _Elementwise = _elementwise("exp", "e^x of each element.")
log: _Elementwise = _elementwise("log", "The natural logarithm of each element.")
sqrt: _Elementwise = _elementwise("sqrt", "The square root of each element.")
relu: _Elementwise = _elementwise("relu", "max(0, x) of each element.")
tanh: _Elementwise = _elementwise("tanh", "The hyperbolic tangent of each element.")
sigmoid: _Elementwise = _elementwise("sigmoid", "1 / (1 + e^-x) of each element.")
gelu: _Elementwise = _elementwise("gelu", "x Phi(x), with the normal distribution function Phi (Hendrycks and Gimpel "
                                  "2016).")
silu: _Elementwise = _elementwise("silu", "x / (1 + e^-x), also called swish (Ramachandran et al. 2017).")


def pow(x: Tensor, exponent: float) -> Tensor:
    """x ** exponent for a number `exponent`."""
    return _call("pow", x, exponent)


def abs(x: Tensor) -> Tensor:
    """The absolute value of each element."""
    return x * _tensor(numpy.sign(x.numpy()))


# Reductions.


def _axes(axis: Any) -> list[int]:
    return [] if axis is None else [axis] if hasattr(axis, "__index__") else list(axis)


@_dim
def sum(x: Tensor, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """The sum over an axis, over a tuple of axes, or over all. keepdims leaves them in the shape as 1."""
    return _call("sum", x, (_axes(axis), keepdims))


@_dim
def mean(x: Tensor, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """The mean; arguments as in sum."""
    return _call("mean", x, (_axes(axis), keepdims))


def max(x: Tensor, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """The largest value; arguments as in sum. Equal largest values share the gradient."""
    return _call("max", x, (_axes(axis), keepdims))


def min(x: Tensor, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """The smallest value; arguments as in sum. Equal smallest values share the gradient."""
    return -max(-x, axis, keepdims)


@_dim
def var(x: Tensor, axis: Axis = None, keepdims: bool = False, correction: float = 1) -> Tensor:
    """The variance: the sum of (x - mean)^2 divided by n - correction for n values, as PyTorch has it. (NumPy's
    default is correction=0.)"""
    centre = mean(x, axis, True)
    return sum((x - centre) ** 2, axis, keepdims) / (x.size / centre.size - correction)


@_dim
def std(x: Tensor, axis: Axis = None, keepdims: bool = False, correction: float = 1) -> Tensor:
    """The square root of var()."""
    return sqrt(var(x, axis, keepdims, correction))


# Shapes.


def reshape(x: Tensor, *shape: Any) -> Tensor:
    """The same elements in another shape of the same size: reshape(x, 2, 3) or reshape(x, (2, 3)). One extent may be
    -1: the others decide it. Shares memory."""
    wanted = _extents(shape)
    if -1 in wanted:
        known = -numpy.prod(wanted, dtype=int)
        wanted = [x.size // known if n == -1 and known > 0 else n for n in wanted]
    return _call("reshape", x, wanted)


def transpose(x: Tensor, axis_a: int = -2, axis_b: int = -1) -> Tensor:
    """Exchanges two axes."""
    return _call("transpose", x, axis_a, axis_b)


def slice(x: Tensor, axis: int, begin: int, end: int) -> Tensor:
    """The elements begin .. end (exclusive) along an axis."""
    return _call("slice", x, axis, begin, end)


@_dim
def concat(tensors: Iterable[Tensor], axis: int = 0) -> Tensor:
    """Joins a list of tensors along an axis; all other extents must be equal."""
    return _call("concat", list(tensors), axis)


cat = concat  # PyTorch's name


@_dim
def stack(tensors: Iterable[Tensor], axis: int = 0) -> Tensor:
    """Joins tensors of one shape along a new axis."""
    each = list(tensors)
    if not each:
        raise Error("stack: there are no tensors; give at least one")
    at = axis % (each[0].ndim + 1)
    return concat([reshape(x, x.shape[:at] + (1,) + x.shape[at:]) for x in each], at)


def gather(x: Tensor, axis: int, indices: Ids) -> Tensor:
    """The slices indices[0], indices[1], ... along an axis; an index may occur many times."""
    return _call("gather", x, axis, _ids(indices))


# Choices of positions. They return arrays of int32 and have no gradient.


@_dim
def argmax(x: Tensor, axis: int | None = None) -> Any:
    """The position of the largest value along an axis, or among all values; of equal values, the first."""
    if axis is None:
        return int(_call("argmax", reshape(x, -1)))
    found = _call("argmax", x if axis == -1 else transpose(x, axis, -1))
    return found if axis == -1 else numpy.squeeze(numpy.swapaxes(found[..., None], axis, -1), axis)


def multinomial(x: Tensor, random: Random) -> NDArray[numpy.int32]:
    """Draws a position of each row with a probability proportional to its value; random is a regard.Random."""
    return _call("multinomial", x, random)


def largest_logits(x: Tensor, count: int) -> LargestLogits:
    """The `count` largest values of each row of x[rows, columns]: arrays logits[rows, count], largest first, their
    positions[rows, count], and log_sum_exp[rows]. A logit minus log_sum_exp is log(softmax)."""
    return LargestLogits(*_call("largest_logits", x, count))


# Products and layers.


def matmul(a: Tensor, b: Tensor) -> Tensor:
    """The matrix product [m, k] x [k, n] -> [m, n], also for a batch: [batch, m, k] x [batch, k, n], or x [k, n]."""
    return _call("matmul", a, b)


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """x weight^T + bias: x[rows, in], weight[out, in], bias[out] -> [rows, out], as torch.nn.Linear."""
    return _call("linear", x, weight, bias)


def _linear_then(name: str, equation: str) -> Callable[..., Tensor]:
    def function(x: Tensor, weight: Tensor, bias: Tensor | None = None, dropout: float = 0.0,
                 dropout_key: int = 0) -> Tensor:
        return _call(name, x, weight, bias, (dropout, dropout_key))

    return _named(function, name, f"dropout({equation}): the first half of a feed-forward network, in one pass.")


linear_relu = _linear_then("linear_relu", "max(0, x weight^T + bias)")  # Vaswani et al. 2017, eq. 2
linear_gelu = _linear_then("linear_gelu", "gelu(x weight^T + bias)")
linear_silu = _linear_then("linear_silu", "silu(x weight^T + bias)")


def embedding(weight: Tensor, ids: Ids, scale: float = 1.0) -> Tensor:
    """The rows of weight[vocabulary, d_model] with these ids, times `scale`: ids of any shape -> [..., d_model]."""
    rows, shape = _call("embedding", weight, _ids(ids), scale), numpy.shape(ids)
    return rows if len(shape) == 1 else reshape(rows, *shape, rows.shape[1])


def _along(name: str, x: Tensor, axis: int) -> Tensor:
    """An operation on the last axis, along any axis."""
    return _call(name, x) if axis == -1 else transpose(_call(name, transpose(x, axis, -1)), axis, -1)


@_dim
def softmax(x: Tensor, axis: int = -1) -> Tensor:
    """e^(x_i) / sum_j e^(x_j) along an axis."""
    return _along("softmax", x, axis)


@_dim
def log_softmax(x: Tensor, axis: int = -1) -> Tensor:
    """log(softmax(x)) along an axis, without overflow."""
    return _along("log_softmax", x, axis)


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor | None = None, epsilon: float = 1e-5) -> Tensor:
    """(x - mean) / sqrt(variance + epsilon) * weight + bias over the last axis; weight[columns], bias[columns]."""
    return _call("layer_norm", x, weight, bias, epsilon)


def residual_layer_norm(x: Tensor, sublayer: Tensor, weight: Tensor, bias: Tensor | None = None, dropout: float = 0.0,
                        dropout_key: int = 0, epsilon: float = 1e-5) -> Tensor:
    """layer_norm(x + dropout(sublayer)): the end of a post-norm sublayer. x and sublayer have the same shape."""
    return _call("residual_layer_norm", x, sublayer, (dropout, dropout_key), weight, bias, epsilon)


def dropout(x: Tensor, probability: float, key: int) -> Tensor:
    """Sets each value to 0 with this probability and scales the others by 1 / (1 - probability). The values that are
    dropped are a function of `key`, an int, and of the position."""
    return _call("dropout", x, (probability, key))


def residual_dropout(x: Tensor, sublayer: Tensor, probability: float, key: int) -> Tensor:
    """x + dropout(sublayer, probability, key): the end of a pre-norm sublayer."""
    return _call("residual_dropout", x, sublayer, (probability, key))
