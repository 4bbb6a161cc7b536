"""Initial weights, as torch.nn.init: each function changes a parameter and returns it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._core import Error, Tensor
from ..creation import normal, uniform
from ..missing import absent

__all__ = ["constant_", "normal_", "ones_", "uniform_", "xavier_normal_", "xavier_uniform_", "zeros_"]
globals()["__getattr__"] = absent("regard.nn.init")


def _set(x: Tensor, values: Any) -> Tensor:
    x.copy_(values)
    return x


def constant_(x: Tensor, value: float) -> Tensor:
    """All numbers become this one. PyTorch: torch.nn.init.constant_.

    >>> nn.init.constant_(nn.Parameter(regard.zeros(2)), 3).tolist()
    [3.0, 3.0]"""
    return _set(x, value)


def zeros_(x: Tensor) -> Tensor:
    """All numbers become 0. PyTorch: torch.nn.init.zeros_.

    >>> nn.init.zeros_(nn.Linear(2, 1).weight).tolist()
    [[0.0, 0.0]]"""
    return _set(x, 0)


def ones_(x: Tensor) -> Tensor:
    """All numbers become 1. PyTorch: torch.nn.init.ones_.

    >>> nn.init.ones_(nn.Linear(2, 1).weight).tolist()
    [[1.0, 1.0]]"""
    return _set(x, 1)


def uniform_(x: Tensor, a: float = 0.0, b: float = 1.0) -> Tensor:
    """Random numbers from a to b. Throws Error unless a <= b. PyTorch: torch.nn.init.uniform_.

    >>> bool((nn.init.uniform_(nn.Linear(4, 3).weight, 2, 3) >= 2).all())
    True"""
    return _set(x, uniform(x.shape, a, b, None, x.dtype))


def normal_(x: Tensor, mean: float = 0.0, std: float = 1.0) -> Tensor:
    """Normally distributed random numbers. Throws Error if std is below 0. PyTorch: torch.nn.init.normal_.

    >>> nn.init.normal_(nn.Linear(2, 1).weight, mean=5, std=0).tolist()
    [[5.0, 5.0]]"""
    return _set(x, normal(x.shape, mean, std, None, x.dtype))


def _sizes(shape: Sequence[int]) -> int:
    if len(shape) != 2:
        raise Error(f"a weight of the shape {tuple(shape)} has no inputs and outputs; give a matrix [out, in]")
    return shape[0] + shape[1]


def xavier_uniform_(x: Tensor, gain: float = 1.0) -> Tensor:
    """Uniform in ±gain sqrt(6 / (in + out)) for x[out, in] (Glorot and Bengio 2010, eq. 16), as the layers begin.
    Throws Error if x is no matrix. PyTorch: torch.nn.init.xavier_uniform_.

    >>> float(nn.init.xavier_uniform_(nn.Linear(3, 3).weight).abs().max()) <= 1
    True"""
    bound = gain * (6 / _sizes(x.shape)) ** 0.5
    return uniform_(x, -bound, bound)


def xavier_normal_(x: Tensor, gain: float = 1.0) -> Tensor:
    """Normal with the deviation gain sqrt(2 / (in + out)) for x[out, in] (Glorot and Bengio 2010). Throws Error if x is
    no matrix. PyTorch: torch.nn.init.xavier_normal_.

    >>> nn.init.xavier_normal_(nn.Linear(3, 2).weight).shape
    (2, 3)"""
    return normal_(x, 0, gain * (2 / _sizes(x.shape)) ** 0.5)
