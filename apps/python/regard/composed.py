"""Operations made of others, or of NumPy, under the names that PyTorch has for them."""

from __future__ import annotations

import math
from typing import Any

import numpy

from . import _core as ops
from ._core import Error, Tensor
from .creation import default_random, full, tensor, whole_numbers
from .faces import face
from .function import Function, masked_fill, topk, where
from .results import Array, Chosen

__all__ = ["allclose", "argmin", "bmm", "cumsum", "dot", "equal", "expand", "get_num_threads", "index_select",
           "is_tensor", "isfinite", "isinf", "isnan", "logsumexp", "maximum", "minimum", "mm", "norm", "numel", "outer",
           "randperm", "repeat", "set_num_threads", "sign", "sort", "unbind"]
bmm, mm, dot = (face(ops.matmul, name) for name in ("bmm", "mm", "dot"))
set_num_threads, get_num_threads = face(ops.set_threads, "set_num_threads"), face(ops.threads, "get_num_threads")


def sign(x: Tensor) -> Tensor:
    """-1, 0 or 1 for each element. Its gradient is 0 everywhere, so the result has none.

    PyTorch: torch.sign.

    >>> regard.sign(regard.tensor([-3.0, 0.0, 2.0]))
    Tensor[3] [-1.,  0.,  1.]"""
    return tensor(numpy.sign(x.detach().numpy()))


def isnan(x: Tensor) -> Array:
    """True where an element is NaN: an array of bool of the shape of x.

    PyTorch: torch.isnan.

    >>> regard.isnan(regard.tensor([1.0, np.nan]))
    array([False,  True])"""
    return numpy.isnan(x._memory()).view(Array)


def isinf(x: Tensor) -> Array:
    """True where an element is infinite: an array of bool of the shape of x.

    PyTorch: torch.isinf.

    >>> regard.isinf(regard.tensor([1.0, np.inf]))
    array([False,  True])"""
    return numpy.isinf(x._memory()).view(Array)


def isfinite(x: Tensor) -> Array:
    """True where an element is neither NaN nor infinite: an array of bool of the shape of x.

    PyTorch: torch.isfinite.

    >>> regard.isfinite(regard.tensor([1.0, np.inf]))
    array([ True, False])"""
    return numpy.isfinite(x._memory()).view(Array)


def equal(a: Tensor, b: Any) -> bool:
    """True if both have the same shape and the same numbers.

    PyTorch: torch.equal.

    >>> regard.equal(regard.ones(2), [1, 1])
    True"""
    return bool(numpy.array_equal(a._memory(), b._memory() if isinstance(b, Tensor) else b))


def allclose(a: Tensor, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> bool:
    """True if |a - b| <= atol + rtol |b| everywhere; both are broadcast.

    Throws ValueError if the shapes do not fit. PyTorch: torch.allclose.

    >>> regard.allclose(regard.tensor([1.0]), [1.000001])
    True"""
    return bool(numpy.allclose(a._memory(), b._memory() if isinstance(b, Tensor) else b, rtol, atol, equal_nan))


def is_tensor(x: Any) -> bool:
    """True if x is a regard.Tensor.

    PyTorch: torch.is_tensor.

    >>> regard.is_tensor(np.ones(2))
    False"""
    return isinstance(x, Tensor)


def numel(x: Tensor) -> int:
    """The number of elements.

    PyTorch: torch.numel.

    >>> regard.numel(regard.ones(2, 3))
    6"""
    return x.numel()


def argmin(x: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """The position of the smallest value along an axis, or among all values: an array of int32.

    Throws Error if there is no such axis. PyTorch: torch.argmin.

    >>> regard.argmin(regard.tensor([[1.0, 5.0], [3.0, 2.0]]), dim=1)
    array([0, 1], dtype=int32)"""
    return (-x.detach()).argmax(dim, keepdim)


class _CumSum(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, dim: int) -> Any:
        ctx.dim = dim
        return numpy.cumsum(x.numpy(), dim)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Any:
        return numpy.flip(numpy.cumsum(numpy.flip(gradient.numpy(), ctx.dim), ctx.dim), ctx.dim), None


def cumsum(x: Tensor, dim: int) -> Tensor:
    """The sums of the elements up to each one, along an axis.

    The result has the shape of x. PyTorch: torch.cumsum.

    >>> regard.cumsum(regard.tensor([1.0, 2.0, 3.0]), 0)
    Tensor[3] [1., 3., 6.]"""
    return _CumSum.apply(x, dim)


def norm(x: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    """sqrt(sum of x^2) over an axis, over several or over all. Where it is 0, its gradient is 0.

    Throws Error if there is no such axis. PyTorch: torch.norm.

    >>> regard.norm(regard.tensor([3.0, 4.0])).item()
    5.0"""
    squares = (x * x).sum(dim=dim, keepdim=keepdim)
    none = squares == 0
    return masked_fill(masked_fill(squares, none, 1).sqrt(), none, 0)


def logsumexp(x: Tensor, dim: int, keepdim: bool = False) -> Tensor:
    """log(sum of e^x) along an axis, without overflow.

    Throws Error if there is no such axis. PyTorch: torch.logsumexp.

    >>> round(regard.logsumexp(regard.zeros(4), 0).item(), 4)    # log 4
    1.3863"""
    largest = x.detach().max(axis=dim, keepdims=True)
    result = (x - largest).exp().sum(dim=dim, keepdim=True).log() + largest
    return result if keepdim else result.squeeze(dim)


def unbind(x: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """The slices x[0], x[1], ... along an axis.

    Throws Error if there is no such axis. PyTorch: torch.unbind.

    >>> len(regard.unbind(regard.zeros(3, 4), 1))
    4"""
    return tuple(part.squeeze(dim) for part in x.split(1, dim))


def expand(x: Tensor, *shape: Any) -> Tensor:
    """x with axes of extent 1 repeated, and new axes before them: expand(x, 2, 3, 4). -1 keeps an extent. A copy.

    Throws Error if an extent is neither 1 nor the given one. PyTorch: torch.Tensor.expand.

    >>> regard.expand(regard.tensor([[1.0], [2.0]]), 2, 2)
    Tensor[2, 2] [[1., 1.],
                  [2., 2.]]"""
    wanted = tuple(shape[0]) if len(shape) == 1 and hasattr(shape[0], "__len__") else shape
    old = (1,) * (len(wanted) - x.ndim) + x.shape
    new = tuple(n if given == -1 else given for given, n in zip(wanted, old))
    if len(wanted) < x.ndim or any(n not in (1, given) for given, n in zip(new, old)):
        raise Error(f"expand: the shape {x.shape} cannot become {wanted}; only an extent of 1 is repeated")
    return x * full(new, 1, x.dtype)


def repeat(x: Tensor, *times: int) -> Tensor:
    """x, so many times along each axis: repeat(x, 2, 1). More numbers than axes make new axes before them.

    Throws Error if there are fewer numbers than axes. PyTorch: torch.Tensor.repeat.

    >>> regard.repeat(regard.tensor([1.0, 2.0]), 2)
    Tensor[4] [1., 2., 1., 2.]"""
    if len(times) < x.ndim:
        raise Error(f"repeat: {len(times)} numbers for the {x.ndim} axes of {x.shape}; give one for each axis")
    x = x.reshape((1,) * (len(times) - x.ndim) + x.shape)
    for axis, n in enumerate(times):
        x = ops.concat([x] * n, axis)
    return x


def index_select(x: Tensor, dim: int, index: Any) -> Tensor:
    """The slices of these numbers along an axis.

    Throws Error if an index lies outside. PyTorch: torch.index_select.

    >>> regard.index_select(regard.arange(4), 0, [3, 1])
    Tensor[2] [3., 1.]"""
    return ops.gather(x, dim, whole_numbers(index).ravel())


def sort(x: Tensor, dim: int = -1, descending: bool = False) -> Chosen:
    """The values in order along an axis, and the positions where they were. NaN counts as the largest.

    PyTorch: torch.sort.

    >>> regard.sort(regard.tensor([3.0, 1.0, 2.0])).indices
    array([1, 2, 0])"""
    largest = topk(x if descending else -x, x.shape[dim], dim)
    return largest if descending else Chosen(-largest.values, largest.indices)


def maximum(a: Tensor, b: Any) -> Tensor:
    """The larger one of two numbers, element by element; both are broadcast.

    Throws ValueError if the shapes cannot be broadcast. PyTorch: torch.maximum.

    >>> regard.maximum(regard.tensor([1.0, 4.0]), regard.tensor([3.0, 2.0]))
    Tensor[2] [3., 4.]"""
    return where(a >= b, a, b)


def minimum(a: Tensor, b: Any) -> Tensor:
    """The smaller one of two numbers, element by element; both are broadcast.

    Throws ValueError if the shapes cannot be broadcast. PyTorch: torch.minimum.

    >>> regard.minimum(regard.tensor([1.0, 4.0]), regard.tensor([3.0, 2.0]))
    Tensor[2] [1., 2.]"""
    return where(a <= b, a, b)


def outer(a: Tensor, b: Tensor) -> Tensor:
    """The products a_i b_j of two vectors: [n], [m] -> [n, m].

    PyTorch: torch.outer.

    >>> regard.outer(regard.tensor([1.0, 2.0]), regard.tensor([3.0, 4.0]))
    Tensor[2, 2] [[3., 4.],
                  [6., 8.]]"""
    return a.reshape(-1, 1) * b.reshape(1, -1)


def randperm(n: int) -> Array:
    """The numbers 0 .. n-1 in random order: an array of int32, by the random numbers of manual_seed.

    PyTorch: torch.randperm.

    >>> sorted(regard.randperm(4).tolist())
    [0, 1, 2, 3]"""
    return numpy.argsort([default_random().uniform() for _ in range(n)]).astype(numpy.int32).view(Array)


def _power(x: Tensor, base: Any) -> Tensor:
    """base ** x for a number above 0."""
    if not isinstance(base, (int, float)) or not base > 0:
        raise Error(f"{base} ** x: the base of a power of a tensor must be a number above 0")
    return (x * math.log(base)).exp()


def _floor(x: Tensor, other: Any) -> Tensor:
    """x // other, which has no gradient."""
    other = other.detach().numpy() if isinstance(other, Tensor) else other
    return tensor(numpy.floor_divide(x.detach().numpy(), other))


METHODS = {each.__name__: each for each in (
    sign, isnan, isinf, isfinite, equal, allclose, argmin, cumsum, norm, logsumexp, unbind, expand, repeat,
    index_select, sort, maximum, minimum, outer)}
METHODS |= {"bmm": ops.Tensor.matmul, "mm": ops.Tensor.matmul, "dot": ops.Tensor.matmul, "__rpow__": _power,
            "__floordiv__": _floor, "__mod__": lambda x, other: x - _floor(x, other) * other}
