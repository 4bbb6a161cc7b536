"""The methods of a Tensor that are written in Python."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

import numpy

from . import _core as ops
from ._core import Error, Tensor
from .creation import float32, float64, tensor, whole_numbers
from .composed import METHODS
from .function import Index, clamp, converted, cos, masked_fill, sin, topk, tril, triu
from .hooks import Handle, register_hook, run_backward
from .missing import absent, device
from .results import Array


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
        found = function(x._memory(), other._memory() if isinstance(other, Tensor) else numpy.asarray(other))
        return numpy.asarray(found).view(Array)

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


# What `array + tensor` calls of the tensor, for the function of NumPy that it would call.
_REFLECTED = {"add": "__radd__", "subtract": "__rsub__", "multiply": "__rmul__", "divide": "__rtruediv__",
              "power": "__rpow__", "equal": "__eq__", "not_equal": "__ne__", "less": "__gt__", "less_equal": "__ge__",
              "greater": "__lt__", "greater_equal": "__le__"}


def _without_tensors(value: Any) -> Any:
    """The arguments of a function of NumPy with arrays in the place of tensors."""
    if isinstance(value, dict):
        return {name: _without_tensors(each) for name, each in value.items()}
    if isinstance(value, (tuple, list)):
        return type(value)(map(_without_tensors, value))
    return numpy.asarray(value) if isinstance(value, Tensor) else value


class Methods:
    """Tensor has these methods too."""

    masked_fill, clamp, topk, tril, triu, sin, cos = masked_fill, clamp, topk, tril, triu, sin, cos
    register_hook = register_hook
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

    def __array_ufunc__(self: Any, function: Any, method: str, *inputs: Any, **options: Any) -> Any:
        name = function.__name__
        if method == "__call__" and name in _REFLECTED and not options and not isinstance(inputs[0], Tensor):
            return getattr(inputs[1], _REFLECTED[name])(inputs[0])
        instead = f"x.{name}() of the tensor" if hasattr(Tensor, name) else f"numpy.{name}(x.detach().numpy())"
        raise TypeError(f"numpy.{name} takes no regard.Tensor; use {instead}")

    def __array_function__(self: Any, function: Any, types: Any, arguments: Any, options: Any) -> Any:
        if function in (numpy.shape, numpy.ndim, numpy.size) and len(arguments) == 1:
            return getattr(self, function.__name__)  # which no gradient needs
        return function(*_without_tensors(arguments), **_without_tensors(options))

    def any(self: Any) -> bool:
        """True if an element is not 0."""
        return bool((self != 0).any())

    def all(self: Any) -> bool:
        """True if no element is 0."""
        return bool((self != 0).all())

    def __repr__(self: Any) -> str:
        before = f"Tensor{list(self.shape)} "
        numbers = numpy.array2string(self._memory(), precision=4, separator=", ", threshold=100, prefix=before)
        return before + numbers + (f" from '{self._op()}'" if self.requires_grad else "")

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

    def fill_(self: Any, value: Any) -> Tensor:
        """Sets all numbers to this one."""
        _write(self, ..., value)
        return self

    def copy_(self: Any, other: Any) -> Tensor:
        """Takes the numbers of another tensor or array, which are broadcast."""
        _write(self, ..., other.detach().numpy() if isinstance(other, Tensor) else other)
        return self

    def backward(self: Any, gradient: Tensor | None = None, retain_graph: bool = False,
                 create_graph: bool = False) -> None:
        """Adds the gradient of this tensor to each leaf that it depends on, as torch.Tensor.backward.

        gradient is dL/d(self), of this shape; a scalar needs none. The graph is released on the way, unless
        retain_graph says to keep it for another backward(). Gradients have no history, so there are no second
        derivatives, and create_graph=True is an error; regard.gradient_difference approximates them."""
        if create_graph:
            raise Error("backward: create_graph=True asks for second derivatives, which regard does not compute; "
                        "leave it out, or approximate them: regard.gradient_difference(f, x, direction)")
        run_backward(self, gradient, retain_graph)

    def requires_grad_(self: Any, wanted: bool = True) -> Tensor:
        """Asks for the gradient of this tensor."""
        self.requires_grad = wanted
        return self

    def to(self: Any, dtype: Any) -> Tensor:
        """With this dtype, or that of another tensor; gradients pass. "cpu" is where all tensors are."""
        dtype = dtype.dtype if isinstance(dtype, Tensor) else dtype
        if str(dtype) != "cpu" and dtype not in (float32, float64):
            raise Error(f"a tensor cannot become {dtype}: regard computes on the CPU, in float32 and float64; write "
                        '"cpu", regard.float32 or regard.float64')
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

    def is_contiguous(self: Any) -> bool:
        """True: the elements of each tensor stand one after another in memory."""
        return True

    def long(self: Any) -> Array:
        """The whole numbers as an array of int64, rounded to 0, for ids; it has no gradient."""
        return self._memory().astype(numpy.int64).view(Array)

    int = long

    def bool(self: Any) -> Array:
        """x != 0: an array of bool."""
        return self != 0

    @property
    def device(self: Any) -> device:
        """device(type='cpu')."""
        return device()

    @property
    def is_cuda(self: Any) -> bool:  # type: ignore[valid-type]
        """False."""
        return False

    @property
    def mT(self: Any) -> Tensor:
        """The last two axes exchanged, as T."""
        return self.T

    def tolist(self: Any) -> Any:
        """The numbers as Python's lists."""
        return self._memory().tolist()


for _name, _value in [*METHODS.items(), *vars(Methods).items()]:
    if _name not in ("__module__", "__doc__", "__dict__", "__weakref__"):
        setattr(Tensor, _name, _value)
setattr(Tensor, "__getattr__", absent("a Tensor", numpy.ndarray, "x.detach().numpy().{}(...)"))
