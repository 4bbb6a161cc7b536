"""The methods of a Tensor that are written in Python."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

import numpy

from . import _core as ops
from ._core import Error, Tensor
from .creation import float32, float64, tensor, whole_numbers
from .function import Index, clamp, converted, masked_fill, topk, tril, triu
from .missing import absent


def _item(x: Tensor, index: Any) -> Tensor:
    """x[2], x[1:3], x[:, 0], x[[0, 2]], x[mask]: as in NumPy."""
    parts = index if isinstance(index, tuple) else (index,)
    plain = all(isinstance(part, slice) and part.step in (None, 1) or
                isinstance(part, (int, numpy.integer)) and not isinstance(part, bool) for part in parts)
    if not plain or len(parts) > x.ndim:
        parts = tuple(whole_numbers(part) if isinstance(part, Tensor) else part for part in parts)
        return Index.apply(x, parts if isinstance(index, tuple) else parts[0])
    axis = 0
    for part in parts:
        extent = x.shape[axis]
        if isinstance(part, slice):
            begin, end, _ = part.indices(extent)
            x = ops.slice(x, axis, begin, max(begin, end))
            axis += 1
            continue
        if not -extent <= part < extent:
            raise IndexError(f"index {part} at axis {axis} lies outside the shape {x.shape}")
        x = ops.slice(x, axis, part % extent, part % extent + 1)
        x = ops.reshape(x, x.shape[:axis] + x.shape[axis + 1:])
    return x


def _write(x: Any, index: Any, value: Any) -> None:
    x._memory()[index] = value
    x._values_changed()  # x may share memory with a result that backward() needs


def _compare(name: str) -> Any:
    function = getattr(numpy, name)

    def compare(x: Any, other: Any) -> Any:
        return function(x._memory(), other._memory() if isinstance(other, Tensor) else numpy.asarray(other))

    return compare


def _in_place(name: str) -> Any:
    """w -= 0.1 * w.grad, under no_grad(), changes the numbers of w. What is recorded gives a new tensor."""
    function = getattr(operator, name)

    def change(x: Any, other: Any) -> Any:
        result = function(x, other)
        if result is NotImplemented or not x.is_leaf or result.requires_grad and not x.requires_grad:
            return result
        if result.requires_grad:
            raise Error("a leaf that requires a gradient was changed in place; do it in `with regard.no_grad():`")
        _write(x, ..., result.numpy())
        return x

    return change


class Size(int):
    """x.size is the number of elements, as in NumPy; x.size() is the shape and x.size(0) an extent, as in PyTorch."""

    shape: tuple[int, ...]

    def __call__(self, dim: int | None = None) -> Any:
        return self.shape if dim is None else self.shape[dim]


class Methods:
    """Tensor has these methods too."""

    masked_fill, clamp, topk, tril, triu = masked_fill, clamp, topk, tril, triu
    __abs__, __hash__ = ops.Tensor.abs, object.__hash__
    __eq__, __ne__ = _compare("equal"), _compare("not_equal")
    __lt__, __le__, __gt__, __ge__ = map(_compare, ("less", "less_equal", "greater", "greater_equal"))
    __iadd__, __isub__, __imul__, __itruediv__ = map(_in_place, ("add", "sub", "mul", "truediv"))

    def __getitem__(self: Any, index: Any) -> Tensor:
        return _item(self, index)

    def __setitem__(self: Any, index: Any, value: Any) -> None:
        if self.requires_grad:
            raise Error("numbers of a tensor that requires a gradient were set; write to x.detach()")
        _write(self, index, value.clone() if isinstance(value, Tensor) else value)  # without history in no_grad()

    def __iter__(self: Any) -> Iterator[Tensor]:
        return (self[i] for i in range(len(self)))

    def __array__(self: Any, dtype: Any = None, copy: bool | None = None) -> Any:
        if self.requires_grad:
            raise Error("no gradient passes through NumPy to a tensor that requires one; use a function of regard, or "
                        "x.detach() if you want none")
        array = self.numpy()
        if dtype is not None and array.dtype != dtype:
            return array.astype(dtype)
        return array.copy() if copy else array

    def __format__(self: Any, specification: str) -> str:
        plain = self.ndim > 0 and not specification
        return str(self) if plain else format(self.item() if self.ndim == 0 else self._memory(), specification)

    def __round__(self: Any, digits: int | None = None) -> Any:
        return round(self.item(), digits)

    def __reduce__(self: Any) -> Any:
        return tensor, (self.numpy().copy(), None, self.requires_grad)  # for copy and pickle

    @property
    def size(self: Any) -> Size:
        """The number of elements. Called, as in PyTorch, it is the shape, or the extent of one axis: x.size(0)."""
        size = Size(self.numel())
        size.shape = self.shape
        return size

    def zero_(self: Any) -> Tensor:
        """Sets all numbers to 0, for instance of a gradient."""
        _write(self, ..., 0)
        return self

    def requires_grad_(self: Any, wanted: bool = True) -> Tensor:
        """Asks for the gradient of this tensor."""
        self.requires_grad = wanted
        return self

    def to(self: Any, dtype: Any) -> Tensor:
        """With this dtype, or that of another tensor; gradients pass. "cpu" is where all tensors are."""
        dtype = dtype.dtype if isinstance(dtype, Tensor) else dtype
        if str(dtype) != "cpu" and dtype not in (float32, float64):
            raise Error(f"a tensor cannot become {dtype}: regard computes on the CPU, in float32 and float64")
        return self if str(dtype) == "cpu" else converted(self, dtype)

    def float(self: Any) -> Tensor:
        """As float32: this tensor, or a copy through which gradients pass."""
        return converted(self, "float32")

    def double(self: Any) -> Tensor:
        """As float64: this tensor, or a copy through which gradients pass."""
        return converted(self, "float64")

    def cpu(self: Any) -> Tensor:
        """This tensor: there is no other device."""
        return self

    contiguous = cpu

    def tolist(self: Any) -> Any:
        """The numbers as Python's lists."""
        return self._memory().tolist()


for _name, _value in list(vars(Methods).items()):
    if _name not in ("__module__", "__doc__", "__dict__", "__weakref__"):
        setattr(Tensor, _name, _value)
setattr(Tensor, "__getattr__", absent("a Tensor", numpy.ndarray, "x.detach().numpy().{}(...)"))
