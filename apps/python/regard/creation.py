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
from .faces import face

float32, float64 = numpy.dtype("float32"), numpy.dtype("float64")
_generator = [Random(1)]


def manual_seed(seed: int) -> None:
    """Starts the random numbers again, of which rand, randn, initial weights and dropouts are made. The seed is 1
    when regard is imported.

    Throws TypeError unless the seed is a whole number of at least 0. PyTorch: torch.manual_seed.

    >>> regard.manual_seed(3); first = regard.rand(2)
    >>> regard.manual_seed(3); regard.equal(regard.rand(2), first)
    True"""
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
        raise Error(f"a tensor cannot have the dtype {dtype}; give dtype=regard.float32 or regard.float64, or write "
                    "np.array(data) for whole numbers: arrays and float32 serve as ids")
    return _core._float64 if dtype == float64 else _core._float32


@face
def tensor(data: Any, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """A tensor with a copy of `data`: an array of any layout, a tensor of PyTorch, a list, a number.

    Without dtype, an array keeps its own, float32 or float64, and Python's numbers become float32.

    Throws Error if data is no array of real numbers, if its dtype is another one and none is given, or if a gradient
    would be lost. PyTorch: torch.tensor.

    >>> regard.tensor([[1, 2], [3, 4]])
    Tensor[2, 2] [[1., 2.],
                  [3., 4.]]"""
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


@face
def full(shape: Sequence[int], value: float, dtype: Any = float32, requires_grad: bool = False) -> Tensor:
    """A tensor of one value.

    Throws Error if an extent is below 0. PyTorch: torch.full.

    >>> regard.full((2,), 7)
    Tensor[2] [7., 7.]"""
    return tensor(numpy.full(shape, value, dtype), requires_grad=requires_grad)


@face
def zeros(*shape: Any, dtype: Any = float32, requires_grad: bool = False) -> Tensor:
    """A tensor of zeros: zeros(2, 3) or zeros((2, 3)).

    Throws Error if an extent is below 0. PyTorch: torch.zeros.

    >>> regard.zeros(2, 3).shape
    (2, 3)"""
    return full(extents(shape), 0, dtype, requires_grad)


empty = zeros


@face
def ones(*shape: Any, dtype: Any = float32, requires_grad: bool = False) -> Tensor:
    """A tensor of ones: ones(2, 3) or ones((2, 3)).

    Throws Error if an extent is below 0. PyTorch: torch.ones.

    >>> regard.ones(2)
    Tensor[2] [1., 1.]"""
    return full(extents(shape), 1, dtype, requires_grad)


@face
def zeros_like(x: Tensor, requires_grad: bool = False) -> Tensor:
    """Zeros of the shape and dtype of x.

    PyTorch: torch.zeros_like.

    >>> regard.zeros_like(regard.ones(2))
    Tensor[2] [0., 0.]"""
    return full(x.shape, 0, x.dtype, requires_grad)


@face
def ones_like(x: Tensor, requires_grad: bool = False) -> Tensor:
    """Ones of the shape and dtype of x.

    PyTorch: torch.ones_like.

    >>> regard.ones_like(regard.zeros(2))
    Tensor[2] [1., 1.]"""
    return full(x.shape, 1, x.dtype, requires_grad)


@face
def randn_like(x: Tensor, requires_grad: bool = False) -> Tensor:
    """Random numbers of the standard normal distribution, of the shape and dtype of x.

    PyTorch: torch.randn_like.

    >>> regard.randn_like(regard.zeros(2, 3)).shape
    (2, 3)"""
    return normal(x.shape, 0, 1, None, x.dtype, requires_grad)


@face
def arange(*range: float, dtype: Any = float32, requires_grad: bool = False) -> Tensor:
    """arange(end), arange(begin, end) or arange(begin, end, step), without the end. Unlike PyTorch's, the numbers are
    float32; they serve as ids too.

    PyTorch: torch.arange.

    >>> regard.arange(1, 6, 2)
    Tensor[3] [1., 3., 5.]"""
    return tensor(numpy.arange(*range), dtype, requires_grad)


@face
def linspace(begin: float, end: float, steps: int, dtype: Any = float32, requires_grad: bool = False) -> Tensor:
    """This many numbers at equal distances, the end included.

    Throws ValueError if steps is below 0. PyTorch: torch.linspace.

    >>> regard.linspace(0, 1, 3)
    Tensor[3] [0. , 0.5, 1. ]"""
    return tensor(numpy.linspace(begin, end, steps), dtype, requires_grad)


@face
def eye(rows: int, columns: int | None = None, dtype: Any = float32, requires_grad: bool = False) -> Tensor:
    """The identity matrix.

    PyTorch: torch.eye.

    >>> regard.eye(2)
    Tensor[2, 2] [[1., 0.],
                  [0., 1.]]"""
    return tensor(numpy.eye(rows, columns), dtype, requires_grad)


@face
def uniform(shape: Sequence[int], low: float, high: float, random: Random | None = None, dtype: Any = float32,
            requires_grad: bool = False) -> Tensor:
    """Random numbers from `low` to `high`, drawn from `random`; without one, from those of manual_seed.

    Throws Error unless low <= high, both finite. PyTorch: torch.Tensor.uniform_.

    >>> x = regard.uniform((2, 3), -1, 1)
    >>> x.shape, bool((abs(x) <= 1).all())
    ((2, 3), True)"""
    if not 0 <= high - low < math.inf:
        raise Error(f"uniform: there are no random numbers from {low} to {high}; give two finite numbers in order")
    result = _module(numpy.dtype(dtype)).uniform(shape, low, high, random or default_random())
    result.requires_grad = requires_grad
    return result


@face
def normal(shape: Sequence[int], mean: float, deviation: float, random: Random | None = None, dtype: Any = float32,
           requires_grad: bool = False) -> Tensor:
    """Normally distributed random numbers, drawn from `random`; without one, from those of manual_seed.

    Throws Error unless the deviation is at least 0. PyTorch: torch.normal.

    >>> regard.normal((2,), mean=5, deviation=0)
    Tensor[2] [5., 5.]"""
    number("normal: the size of the mean", abs(mean)), number("normal: the deviation", deviation)
    result = _module(numpy.dtype(dtype)).normal(shape, mean, deviation, random or default_random())
    result.requires_grad = requires_grad
    return result


@face
def rand(*shape: Any, dtype: Any = float32, requires_grad: bool = False) -> Tensor:
    """Random numbers from 0 to 1: rand(2, 3) or rand((2, 3)).

    PyTorch: torch.rand.

    >>> regard.rand(2, 3).shape
    (2, 3)"""
    return uniform(extents(shape), 0, 1, None, dtype, requires_grad)


@face
def randn(*shape: Any, dtype: Any = float32, requires_grad: bool = False) -> Tensor:
    """Random numbers of the standard normal distribution: randn(2, 3) or randn((2, 3)).

    PyTorch: torch.randn.

    >>> regard.randn(2, 3).shape
    (2, 3)"""
    return normal(extents(shape), 0, 1, None, dtype, requires_grad)


@face
def randint(low: int, high: int, size: Sequence[int]) -> Any:
    """Random whole numbers from `low` to `high`, without `high`: an array of int32.

    Throws Error if there is no such number in int32. PyTorch: torch.randint.

    >>> regard.randint(5, 6, (3,))
    array([5, 5, 5], dtype=int32)"""
    if not -2**31 <= operator.index(low) < operator.index(high) <= 2**31:
        raise Error(f"randint: there is no whole number from {low} up to {high}, without {high}, in int32")
    return (numpy.floor(rand(size, dtype=float64).numpy() * (high - low)) + low).astype(numpy.int32)


@contextlib.contextmanager
def no_grad() -> Iterator[None]:
    """`with regard.no_grad():` operations of this thread record nothing.

    Also a decorator: @regard.no_grad(). PyTorch: torch.no_grad.

    >>> w = regard.ones(2, requires_grad=True)
    >>> with regard.no_grad(): print((w * 2).requires_grad)
    False"""
    depth = _core._float32.no_grad(), _core._float64.no_grad()
    try:
        yield
    finally:
        del depth
