"""Einstein's sum."""

from __future__ import annotations

from typing import Any

import numpy

from ._core import Error, Tensor
from .function import Function


class _Einsum(Function):
    @staticmethod
    def forward(ctx: Any, inputs: list[str], out: str, *tensors: Tensor) -> Any:
        ctx.inputs, ctx.out, ctx.arrays = inputs, out, [x.numpy() for x in tensors]
        return numpy.einsum(f"{','.join(inputs)}->{out}", *ctx.arrays, optimize=True)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Any:
        found = []
        for i, (letters, array) in enumerate(zip(ctx.inputs, ctx.arrays)):
            parts = [(ctx.out, gradient.numpy())]
            parts += [each for j, each in enumerate(zip(ctx.inputs, ctx.arrays)) if j != i]
            seen = "".join(names for names, _ in parts)
            parts += [(c, numpy.ones(n, array.dtype)) for c, n in zip(letters, array.shape) if c not in seen]
            names, arrays = zip(*parts)
            found.append(numpy.einsum(f"{','.join(names)}->{letters}", *arrays, optimize=True))
        return None, None, *found


def einsum(equation: str, *tensors: Tensor) -> Tensor:
    """Einstein's sum: letters name the axes of each tensor, and those that are missing after -> are summed.
    "ij,jk->ik" is a matrix product, "bhid,bhjd->bhij" the scores of attention, "ij->" the sum of all.

    Throws Error for ..., for a letter twice in one tensor, and if the shapes do not fit. PyTorch: torch.einsum.

    >>> regard.einsum("ij,jk->ik", regard.ones(2, 3), regard.ones(3, 4)).shape
    (2, 4)"""
    left, arrow, out = equation.replace(" ", "").partition("->")
    inputs = left.split(",")
    if "." in left or any(len({*letters}) < len(letters) for letters in inputs):
        raise Error(f"einsum: {equation!r} has ... or a letter twice in one tensor; name each axis by its own letter")
    out = out if arrow else "".join(sorted(c for c in {*left} - {","} if left.count(c) == 1))
    if not len(inputs) == len(tensors) or any(len(a) != x.ndim for a, x in zip(inputs, tensors)):
        raise Error(f"einsum: {equation!r} does not fit the shapes {', '.join(str(x.shape) for x in tensors)}; give a "
                    "letter for each axis")
    return _Einsum.apply(inputs, out, *tensors)
