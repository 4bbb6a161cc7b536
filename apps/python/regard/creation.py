"""Tensors from arrays, and from random numbers."""

from __future__ import annotations

import contextlib
import math
import operator
from collections.abc import Iterator, Sequence
from typing import Any

import numpy

from . import _core
from ._core import Error, Random, Tensor

float32, float64 = numpy.dtype("float32"), numpy.dtype("float64")
_generator = [Random(1)]


def manual_seed(seed: int) -> None:
    """Starts the random numbers again, of which rand, randn, initial weights and dropouts are made. The seed is 1
    when regard is imported."""
    _generator[0] = Random(seed)


def default_random() -> Random:
    """The random numbers that manual_seed starts."""
    return _generator[0]


def number(name: str, value: Any, least: float = 0, below: float = math.inf) -> Any:
    """The value, if it is a number of this range. NaN never is."""
    try:
        fits = bool(least <= value < below)
    except (TypeError, ValueError):
        fits = False
    if not fits:
        bound = f" and below {below:g}" if below < math.inf else ""
        raise Error(f"{name} is {value}; it must be a number of at least {least:g}{bound}")
    return value


def _module(dtype: Any) -> Any:
    if dtype not in (float32, float64):
        raise Error(f"a tensor cannot have the dtype {dtype}; give dtype=regard.float32 or regard.float64")
    return _core._float64 if dtype == float64 else _core._float32


def tensor(data: Any, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """A tensor with a copy of `data`: an array of any layout, a tensor of PyTorch, a list, a number.

    Without dtype, an array keeps its own, float32 or float64, and Python's numbers become float32."""
    for x in data if isinstance(data, (list, tuple)) else [data]:
        if isinstance(x, Tensor) and x.requires_grad and not (requires_grad and x.is_leaf):
            raise Error("tensor: a copy has no history, so no gradient would reach what the tensor was made of; "
                        "x.double() and x.float() convert a tensor with its history, regard.stack joins several, and "
                        "x.detach() says that you want none")
    array = numpy.from_dlpack(data) if hasattr(data, "__dlpack__") and not hasattr(data, "__array__") \
        else numpy.asarray(data.detach() if isinstance(data, Tensor) else data)
    if array.dtype.kind not in "biufV":  # V: bfloat16 of other packages
        raise Error(f"a {type(data).__name__} with something that is not a real number cannot be a tensor")
    if dtype is None:
        dtype = array.dtype.newbyteorder("=") if hasattr(data, "dtype") else float32
        if dtype not in (float32, float64):
            raise Error(f"an array of {dtype} cannot be a tensor; give dtype=regard.float32 or regard.float64")
    dtype = numpy.dtype(dtype)
    result = _module(dtype).tensor(numpy.require(array, dtype, "C"))
    result.requires_grad = requires_grad
    return result


from_dlpack = tensor


def whole_numbers(ids: Any) -> Any:
    """An array of int32 of whole numbers, from a list, an array or a tensor of any shape."""
    array = numpy.asarray(ids)
    whole = array.astype(numpy.int32) if array.dtype.kind in "biuf" else array
    if array.size > 0 and not numpy.array_equal(whole, array):
        raise TypeError(f"ids and indices are whole numbers, not {array.ravel()[numpy.ravel(whole != array)][0]}")
    if array.size > 0 and array.dtype.kind not in "iu" and not isinstance(ids, Tensor):
        raise TypeError(f"ids and indices are whole numbers, not {array.dtype}; x.astype(int) makes them of an array")
    return numpy.require(whole, numpy.int32, "C")


def extents(shape: Sequence[Any]) -> Any:
    """The shape that f(2, 3) and f((2, 3)) say."""
    return tuple(shape[0]) if len(shape) == 1 and hasattr(shape[0], "__len__") else shape


def full(shape: Sequence[int], value: float, dtype: Any = float32, requires_grad: bool = False) -> Tensor:
    """A tensor of one value."""
    return tensor(numpy.full(shape, value, dtype), requires_grad=requires_grad)


def zeros(*shape: Any, dtype: Any = float32, requires_grad: bool = False) -> Tensor:
    """A tensor of zeros: zeros(2, 3) or zeros((2, 3))."""
    return full(extents(shape), 0, dtype, requires_grad)


def ones(*shape: Any, dtype: Any = float32, requires_grad: bool = False) -> Tensor:
    """A tensor of ones: ones(2, 3) or ones((2, 3))."""
    return full(extents(shape), 1, dtype, requires_grad)


def zeros_like(x: Tensor, requires_grad: bool = False) -> Tensor:
    """Zeros of the shape and dtype of x."""
    return full(x.shape, 0, x.dtype, requires_grad)


def ones_like(x: Tensor, requires_grad: bool = False) -> Tensor:
    """Ones of the shape and dtype of x."""
    return full(x.shape, 1, x.dtype, requires_grad)


def randn_like(x: Tensor, requires_grad: bool = False) -> Tensor:
    """Random numbers of the standard normal distribution, of the shape and dtype of x."""
    return normal(x.shape, 0, 1, None, x.dtype, requires_grad)


def arange(*range: float, dtype: Any = float32, requires_grad: bool = False) -> Tensor:
    """arange(end), arange(begin, end) or arange(begin, end, step), without the end. Unlike PyTorch's, the numbers are
    float32; they serve as ids too."""
    return tensor(numpy.arange(*range), dtype, requires_grad)


def linspace(begin: float, end: float, steps: int, dtype: Any = float32, requires_grad: bool = False) -> Tensor:
    """This many numbers at equal distances, the end included."""
    return tensor(numpy.linspace(begin, end, steps), dtype, requires_grad)


def eye(rows: int, columns: int | None = None, dtype: Any = float32, requires_grad: bool = False) -> Tensor:
    """The identity matrix."""
    return tensor(numpy.eye(rows, columns), dtype, requires_grad)


def uniform(shape: Sequence[int], low: float, high: float, random: Random | None = None, dtype: Any = float32,
            requires_grad: bool = False) -> Tensor:
    """Random numbers from `low` to `high`, drawn from `random`; without one, from those of manual_seed."""
    if not 0 <= high - low < math.inf:
        raise Error(f"uniform: there are no random numbers from {low} to {high}; give two finite numbers in order")
    result = _module(numpy.dtype(dtype)).uniform(shape, low, high, random or default_random())
    result.requires_grad = requires_grad
    return result


def normal(shape: Sequence[int], mean: float, deviation: float, random: Random | None = None, dtype: Any = float32,
           requires_grad: bool = False) -> Tensor:
    """Normally distributed random numbers, drawn from `random`; without one, from those of manual_seed."""
    number("normal: the size of the mean", abs(mean)), number("normal: the deviation", deviation)
    result = _module(numpy.dtype(dtype)).normal(shape, mean, deviation, random or default_random())
    result.requires_grad = requires_grad
    return result


def rand(*shape: Any, dtype: Any = float32, requires_grad: bool = False) -> Tensor:
    """Random numbers from 0 to 1: rand(2, 3) or rand((2, 3))."""
    return uniform(extents(shape), 0, 1, None, dtype, requires_grad)


def randn(*shape: Any, dtype: Any = float32, requires_grad: bool = False) -> Tensor:
    """Random numbers of the standard normal distribution: randn(2, 3) or randn((2, 3))."""
    return normal(extents(shape), 0, 1, None, dtype, requires_grad)


def randint(low: int, high: int, size: Sequence[int]) -> Any:
    """Random whole numbers from `low` to `high`, without `high`: an array of int32."""
    if not -2**31 <= operator.index(low) < operator.index(high) <= 2**31:
        raise Error(f"randint: there is no whole number from {low} up to {high}, without {high}, in int32")
    return (numpy.floor(rand(size, dtype=float64).numpy() * (high - low)) + low).astype(numpy.int32)


@contextlib.contextmanager
def no_grad() -> Iterator[None]:
    """`with regard.no_grad():` operations of this thread record nothing."""
    depth = _core._float32.no_grad(), _core._float64.no_grad()
    try:
        yield
    finally:
        del depth
