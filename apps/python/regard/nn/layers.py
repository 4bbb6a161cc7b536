"""Layers that change each row alone, and activations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy

from .. import _core as ops
from .._core import Error, Tensor
from ..creation import default_random, normal, number, ones, uniform, zeros
from .module import Module, Parameter


def check_sizes(layer: str, **sizes: Any) -> None:
    for name, size in sizes.items():
        if not isinstance(size, (int, numpy.integer)) or size < 1:
            raise Error(f"{layer}: {name} is {size}; it must be a whole number of at least 1")


def xavier(out: int, size: int) -> Tensor:
    """Uniform in ±sqrt(6 / (in + out)) (Glorot and Bengio 2010, eq. 16)."""
    bound = (6 / (size + out)) ** 0.5
    return Parameter(uniform((out, size), -bound, bound))


def by_rows(function: Callable[..., Tensor], x: Tensor, *arguments: Any) -> Tensor:
    """A function of the rows of a matrix, for x[..., columns]."""
    if getattr(x, "ndim", 2) == 2:  # the operation says what is wrong with something else than a tensor
        return function(x, *arguments)
    y = function(ops.reshape(x, -1, x.shape[-1]), *arguments)
    return ops.reshape(y, *x.shape[:-1], y.shape[-1])


class Linear(Module):
    """x weight^T + bias: x[..., in_features] -> [..., out_features].

    Throws Error unless both sizes are at least 1, and x fits. PyTorch: torch.nn.Linear.

    >>> nn.Linear(4, 2)(regard.ones(3, 4)).shape
    (3, 2)"""

    def __init__(self, in_features: int, out_features: int, bias: bool = True) -> None:
        super().__init__()
        check_sizes("Linear", in_features=in_features, out_features=out_features)
        self.weight = xavier(out_features, in_features)
        self.bias = Parameter(zeros(out_features)) if bias else None

    def forward(self, x: Tensor) -> Tensor:
        return by_rows(ops.linear, x, self.weight, self.bias)

    def extra_repr(self) -> str:
        out, size = self.weight.shape
        return f"in_features={size}, out_features={out}, bias={self.bias is not None}"


class Embedding(Module):
    """The rows of weight[num_embeddings, embedding_dim] with these ids, times `scale`: ids of any shape -> [...,
    embedding_dim]. The initial weights are normal with deviation 1 / scale. Vaswani et al. 2017, section 3.4, scale by
    the square root of embedding_dim.

    Throws Error if an id lies outside; TypeError if it is no whole number. PyTorch: torch.nn.Embedding.

    >>> nn.Embedding(10, 4)([[1, 2, 3], [4, 5, 6]]).shape
    (2, 3, 4)"""

    def __init__(self, num_embeddings: int, embedding_dim: int, *, scale: float = 1.0) -> None:
        super().__init__()
        check_sizes("Embedding", num_embeddings=num_embeddings, embedding_dim=embedding_dim)
        if not 0 < scale < numpy.inf:
            raise Error(f"Embedding: the scale is {scale}; it must be a number above 0")
        self.weight, self.scale = Parameter(normal((num_embeddings, embedding_dim), 0, 1 / scale)), scale

    def forward(self, ids: Any) -> Tensor:
        return ops.embedding(self.weight, ids, self.scale)

    def extra_repr(self) -> str:
        return ", ".join(map(str, self.weight.shape))


class LayerNorm(Module):
    """(x - mean) / sqrt(variance + eps) * weight + bias over the last axis (Ba et al. 2016).

    x[..., normalized_shape] -> the same shape. Throws Error for more than the last axis. PyTorch: torch.nn.LayerNorm.

    >>> nn.LayerNorm(3)(regard.tensor([[1.0, 2.0, 3.0]])).detach()
    Tensor[1, 3] [[-1.2247,  0.    ,  1.2247]]"""

    def __init__(self, normalized_shape: int | Sequence[int], eps: float = 1e-5) -> None:
        super().__init__()
        self.normalized_shape = tuple(numpy.atleast_1d(normalized_shape).tolist())
        if len(self.normalized_shape) != 1:
            raise Error(f"LayerNorm of the shape {self.normalized_shape}: only the last axis can be normalised")
        check_sizes("LayerNorm", normalized_shape=self.normalized_shape[0])
        number("LayerNorm: eps", eps)
        self.weight, self.bias, self.eps = Parameter(ones(normalized_shape)), Parameter(zeros(normalized_shape)), eps

    def forward(self, x: Tensor) -> Tensor:
        return ops.layer_norm(x, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}"


def check_dropout(p: float) -> float:
    return number("dropout: the probability", p, 0, 1)


def draw(p: float, training: bool) -> tuple[float, int]:
    """Probability and key of a dropout in this call."""
    return (p, int(default_random().uniform() * 2**53)) if training and p > 0 else (0.0, 0)


class Dropout(Module):
    """In training, sets each value to 0 with probability p and scales the others by 1 / (1 - p).

    x of any shape -> the same shape. Throws Error unless 0 <= p < 1. Source: Srivastava et al. 2014. PyTorch:
    torch.nn.Dropout.

    >>> nn.Dropout(0.5).eval()(regard.ones(2))
    Tensor[2] [1., 1.]"""

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        self.p = check_dropout(p)

    def draw(self) -> tuple[float, int]:
        """Probability and key of this call, for operations that have a dropout of their own."""
        return draw(self.p, self.training)

    def forward(self, x: Tensor) -> Tensor:
        return ops.dropout(x, *self.draw()) if self.training and self.p > 0 else x

    def extra_repr(self) -> str:
        return f"p={self.p}"


class _Elementwise(Module):
    function: Any

    def forward(self, x: Tensor) -> Tensor:
        return type(self).function(x)


class ReLU(_Elementwise):
    """max(0, x) of each element: x of any shape -> the same shape.

    PyTorch: torch.nn.ReLU.

    >>> nn.ReLU()(regard.tensor([-1.0, 2.0]))
    Tensor[2] [0., 2.]"""

    function = staticmethod(ops.relu)


class Tanh(_Elementwise):
    """The hyperbolic tangent of each element: x of any shape -> the same shape.

    PyTorch: torch.nn.Tanh.

    >>> nn.Tanh()(regard.tensor([0.0, 1.0]))
    Tensor[2] [0.    , 0.7616]"""

    function = staticmethod(ops.tanh)


class Sigmoid(_Elementwise):
    """1 / (1 + e^-x) of each element: x of any shape -> the same shape.

    PyTorch: torch.nn.Sigmoid.

    >>> nn.Sigmoid()(regard.tensor([0.0, 1.0]))
    Tensor[2] [0.5   , 0.7311]"""

    function = staticmethod(ops.sigmoid)


class GELU(_Elementwise):
    """x Phi(x) of each element (Hendrycks and Gimpel 2016): x of any shape -> the same shape.

    PyTorch: torch.nn.GELU.

    >>> nn.GELU()(regard.tensor([-1.0, 1.0]))
    Tensor[2] [-0.1587,  0.8413]"""

    function = staticmethod(ops.gelu)


class SiLU(_Elementwise):
    """x / (1 + e^-x) of each element (Ramachandran et al. 2017): x of any shape -> the same shape.

    PyTorch: torch.nn.SiLU.

    >>> nn.SiLU()(regard.tensor([-1.0, 1.0]))
    Tensor[2] [-0.2689,  0.7311]"""

    function = staticmethod(ops.silu)


class LeakyReLU(Module):
    """x where x is above 0, negative_slope x elsewhere.

    PyTorch: torch.nn.LeakyReLU.

    >>> nn.LeakyReLU(0.1)(regard.tensor([-1.0, 2.0]))
    Tensor[2] [-0.1,  2. ]"""

    def __init__(self, negative_slope: float = 0.01) -> None:
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x: Tensor) -> Tensor:
        return ops.relu(x) - self.negative_slope * ops.relu(-x)


class Softmax(Module):
    """softmax(x) along an axis: x of any shape -> the same shape.

    Throws Error if there is no such axis. PyTorch: torch.nn.Softmax.

    >>> nn.Softmax(dim=-1)(regard.zeros(1, 4))
    Tensor[1, 4] [[0.25, 0.25, 0.25, 0.25]]"""

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, x: Tensor) -> Tensor:
        return ops.softmax(x, self.dim)


class Flatten(Module):
    """One axis in the place of those from start_dim to end_dim: x[batch, a, b] -> [batch, a b].

    Throws Error if start_dim stands after end_dim. PyTorch: torch.nn.Flatten.

    >>> nn.Flatten()(regard.zeros(2, 3, 4)).shape
    (2, 12)"""

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, x: Tensor) -> Tensor:
        return ops.flatten(x, self.start_dim, self.end_dim)


class Identity(Module):
    """x as it is, where a model may have a layer or not.

    PyTorch: torch.nn.Identity, which takes and ignores any arguments, too.

    >>> nn.Identity()(3)
    3"""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__()

    def forward(self, x: Any) -> Any:
        return x


class FeedForward(Module):
    """f(x W1^T + b1) W2^T + b2, with the activation f "relu", "gelu" or "silu", whose result is under dropout.

    x[..., d_model] -> the same shape. Throws Error for another activation. Source: Vaswani et al. 2017, eq. 2.

    >>> nn.FeedForward(4, 16)(regard.ones(3, 4)).shape
    (3, 4)"""

    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0, activation: str = "relu") -> None:
        super().__init__()
        if activation not in ("relu", "gelu", "silu"):
            raise Error(f'there is no activation {activation!r}; give "relu", "gelu" or "silu"')
        self.linear1, self.dropout, self.linear2 = Linear(d_model, d_ff), Dropout(dropout), Linear(d_ff, d_model)
        self.activation = activation

    def feed_forward(self, x: Tensor) -> Tensor:
        if self.linear1._hooks or self.dropout._hooks:  # they want results that one pass never makes
            return self.linear2(self.dropout(getattr(ops, self.activation)(self.linear1(x))))
        first = getattr(ops, f"linear_{self.activation}")
        return self.linear2(by_rows(first, x, self.linear1.weight, self.linear1.bias, *self.dropout.draw()))

    def forward(self, x: Tensor) -> Tensor:
        return self.feed_forward(x)
