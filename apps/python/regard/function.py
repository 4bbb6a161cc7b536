"""Operations whose derivative is written in Python, and operations made of them."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy

from ._core import Error, Tensor, _record
from .creation import no_grad, tensor, zeros
from .results import Chosen


class Context:
    """What forward() leaves for backward(): tensors with save_for_backward, anything else as an attribute."""

    saved_tensors: tuple[Any, ...] = ()
    needs_input_grad: tuple[bool, ...] = ()

    def save_for_backward(self, *tensors: Any) -> None:
        self.saved_tensors = tensors


class Function:
    """An operation of one's own, as torch.autograd.Function: derive a class, and call its apply().

        class Square(regard.Function):
            @staticmethod
            def forward(ctx, x):               # tensors, and other arguments as they are
                ctx.save_for_backward(x)
                return x * x                   # a tensor or an array
            @staticmethod
            def backward(ctx, gradient):       # dL/dresult
                x, = ctx.saved_tensors
                return 2 * x * gradient        # dL/dx; of several arguments a tuple, with None for no gradient

        y = Square.apply(x)

    regard.gradcheck(Square.apply, [x]) compares it with central differences.

    Throws TypeError unless an argument is a tensor and the result one tensor; Error if a gradient has another shape.
    PyTorch: torch.autograd.Function.

    >>> class Square(regard.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x * x
    ...     @staticmethod
    ...     def backward(ctx, gradient):
    ...         return 2 * ctx.saved_tensors[0] * gradient
    >>> x = regard.tensor([3.0], requires_grad=True)
    >>> Square.apply(x).sum().backward(); x.grad
    Tensor[1] [6.]"""

    @staticmethod
    def forward(ctx: Any, *arguments: Any) -> Any:
        raise NotImplementedError("a Function needs a static method forward(ctx, ...)")

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Any:
        raise NotImplementedError("a Function needs a static method backward(ctx, gradient)")

    @classmethod
    def apply(cls, *arguments: Any) -> Tensor:
        """forward() of the arguments, recorded if one of them requires a gradient."""
        name, inputs = cls.__name__, [x for x in arguments if isinstance(x, Tensor)]
        if not inputs:
            raise TypeError(f"{name}.apply: none of the arguments is a tensor; regard.tensor(array) makes one")
        dtype, context = inputs[0].dtype, Context()
        for x in inputs:
            if x.dtype != dtype:
                raise Error(f"{name}: one tensor is {dtype} and the other {x.dtype}; make both of one dtype: x.float() "
                            "or x.double() converts a tensor")
        context.needs_input_grad = tuple(isinstance(x, Tensor) and x.requires_grad for x in arguments)

        def to_tensor(value: Any) -> Tensor:
            return value if isinstance(value, Tensor) and value.dtype == dtype else tensor(value, dtype)

        def backward(gradient: Tensor) -> list[Tensor | None]:
            with no_grad():
                found = cls.backward(context, gradient)
            found = found if isinstance(found, tuple) else (found,)
            if len(found) != len(arguments):
                raise Error(f"{name}.backward returned {len(found)} gradients; forward has {len(arguments)} arguments")
            gradients = [to_tensor(g) if g is not None else None
                         for x, g in zip(arguments, found) if isinstance(x, Tensor)]
            for x, g in zip(inputs, gradients):
                if g is not None and g.shape != x.shape:
                    raise Error(f"{name}.backward returned a gradient of the shape {g.shape} for an argument of the "
                                f"shape {x.shape}; they must be equal")
            return gradients

        with no_grad():
            value = cls.forward(context, *(x.detach() if isinstance(x, Tensor) else x for x in arguments))
        if isinstance(value, tuple) or value is None:
            raise TypeError(f"{name}.forward must return one tensor, not a {type(value).__name__}")
        return _record(name, to_tensor(value), inputs, backward)


_passing: list[Tensor] = []  # backward() runs in one thread at a time


def converted(x: Tensor, dtype: Any) -> Tensor:
    """x, or its numbers in the other dtype. Each dtype has a graph of its own: backward() through the one runs another
    through that of x, which is kept for the next conversion of what x was made of."""
    if x.dtype == dtype:
        return x

    def backward(gradient: Tensor) -> list[None]:
        if _passing:  # the graph of this dtype has gradients that another backward() would discard
            raise Error(f"backward: a tensor became {dtype}, {x.dtype}, and {dtype} again; convert it once, or "
                        "detach() it")
        _passing.append(x)
        try:
            x.backward(tensor(gradient, x.dtype), retain_graph=True)
        finally:
            _passing.pop()
        return [None]

    value = tensor(x.detach(), dtype)
    return _record(f"to {dtype}", value, [zeros(1, dtype=dtype, requires_grad=True)], backward) if x.requires_grad \
        else value


def _unbroadcast(gradient: Any, shape: tuple[int, ...]) -> Any:
    """The sum over the axes along which an operand of this shape was repeated."""
    gradient = gradient.sum(tuple(range(gradient.ndim - len(shape))))
    return gradient.sum(tuple(i for i, n in enumerate(shape) if n == 1), keepdims=True)


class Where(Function):
    @staticmethod
    def forward(ctx: Any, condition: Any, a: Any, b: Any) -> Any:
        ctx.condition, ctx.shapes = condition, [numpy.shape(x) for x in (a, b)]
        return numpy.where(condition, a, b)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Any:
        sides = numpy.where(ctx.condition, gradient.numpy(), 0), numpy.where(ctx.condition, 0, gradient.numpy())
        return None, *(_unbroadcast(side, shape) for side, shape in zip(sides, ctx.shapes))


def where(condition: Any, a: Tensor | float, b: Tensor | float) -> Tensor:
    """a where the condition is true, b elsewhere; all three are broadcast. condition is an array of bool, such as
    x > 0. A value that is not chosen has the gradient 0, even if it is infinite.

    Throws ValueError if the shapes cannot be broadcast. PyTorch: torch.where.

    >>> x = regard.tensor([-1.0, 2.0])
    >>> regard.where(x > 0, x, 0)
    Tensor[2] [0., 2.]"""
    return Where.apply(numpy.array(condition, bool), a, b)  # a copy: backward() needs it as it is now


def masked_fill(x: Tensor, mask: Any, value: float) -> Tensor:
    """x with `value` where the mask, an array of bool that is broadcast to x, is true.

    Throws ValueError if the mask cannot be broadcast to x. PyTorch: torch.masked_fill.

    >>> regard.masked_fill(regard.ones(3), [True, False, True], 0)
    Tensor[3] [0., 1., 0.]"""
    return Where.apply(numpy.broadcast_to(numpy.array(mask, bool), x.shape), value, x)


class Index(Function):
    """x[index] for any index that NumPy knows."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, index: Any) -> Any:
        ctx.shape, ctx.index = x.shape, copy.deepcopy(index)  # backward() needs it as it is now
        return x.numpy()[index]

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Any:
        dx = numpy.zeros(ctx.shape, gradient.dtype)
        numpy.add.at(dx, ctx.index, gradient.numpy())
        return dx, None


def _element(name: str, value: Any, slope: Any) -> Callable[[Tensor], Tensor]:
    """A function of each element, from functions of NumPy for its value and its derivative."""

    class Element(Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor) -> Any:
            ctx.x = x.numpy()
            return value(ctx.x)

        @staticmethod
        def backward(ctx: Any, gradient: Tensor) -> Any:
            return gradient.numpy() * slope(ctx.x)

    Element.__name__ = name
    return Element.apply


_sin = _element("sin", numpy.sin, numpy.cos)
_cos = _element("cos", numpy.cos, lambda x: -numpy.sin(x))


def sin(x: Tensor) -> Tensor:
    """The sine of each element, in the shape of x.

    TypeError if x is no tensor. PyTorch: torch.sin.

    >>> regard.sin(regard.tensor([0.0, np.pi / 2]))
    Tensor[2] [0., 1.]"""
    return _sin(x)


def cos(x: Tensor) -> Tensor:
    """The cosine of each element, in the shape of x.

    TypeError if x is no tensor. PyTorch: torch.cos.

    >>> regard.cos(regard.tensor([0.0, np.pi]))
    Tensor[2] [ 1., -1.]"""
    return _cos(x)


def clamp(x: Tensor, min: float | None = None, max: float | None = None) -> Tensor:
    """x between `min` and `max`. A value outside has the gradient 0. NaN stays NaN.

    Throws Error if a bound is NaN. PyTorch: torch.clamp.

    >>> regard.clamp(regard.tensor([-2.0, 0.5, 2.0]), min=-1, max=1)
    Tensor[3] [-1. ,  0.5,  1. ]"""
    for bound, outside in ((min, numpy.less), (max, numpy.greater)):
        if bound is not None and bound != bound:
            raise Error("clamp: a bound is NaN, and nothing is below or above it")
        x = x if bound is None else masked_fill(x, outside(x.detach().numpy(), bound), bound)
    return x


def _triangle(x: Tensor, diagonal: int) -> Any:
    if x.ndim < 2:
        raise Error(f"tril and triu take matrices, not the shape {x.shape}")
    return numpy.tri(*x.shape[-2:], diagonal, bool)


def tril(x: Tensor, diagonal: int = 0) -> Tensor:
    """The lower triangle of matrices, x[..., rows, columns]; the other elements are 0.

    Throws Error if x has fewer than two axes. PyTorch: torch.tril.

    >>> regard.tril(regard.ones(2, 2))
    Tensor[2, 2] [[1., 0.],
                  [1., 1.]]"""
    return masked_fill(x, ~_triangle(x, diagonal), 0)


def triu(x: Tensor, diagonal: int = 0) -> Tensor:
    """The upper triangle of matrices, x[..., rows, columns]; the other elements are 0.

    Throws Error if x has fewer than two axes. PyTorch: torch.triu.

    >>> regard.triu(regard.ones(2, 2), diagonal=1)
    Tensor[2, 2] [[0., 1.],
                  [0., 0.]]"""
    return masked_fill(x, _triangle(x, diagonal - 1), 0)


def topk(x: Tensor, k: int, dim: int = -1) -> Chosen:
    """The k largest values along an axis, largest first, and their positions. Of equal values, the first comes first;
    NaN counts as the largest.

    Throws Error if there are fewer values. PyTorch: torch.topk.

    >>> regard.topk(regard.tensor([1.0, 5.0, 3.0]), 2).values
    Tensor[2] [5., 3.]"""
    if not 0 <= k <= x.shape[dim]:
        raise Error(f"topk: {k} of the {x.shape[dim]} values along axis {dim} of the shape {x.shape}")
    backwards = numpy.argsort(numpy.flip(x.detach().numpy(), dim), dim, kind="stable")  # smallest first, NaN last
    positions = (x.shape[dim] - 1 - numpy.flip(backwards, dim)).take(range(k), dim)
    places = list(numpy.indices(positions.shape))
    places[dim] = positions
    return Chosen(Index.apply(x, tuple(places)), positions)
