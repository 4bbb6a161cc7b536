"""Layers that change each row alone, activations and losses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy

from .. import _core as ops
from .._core import Error, Tensor
from ..creation import default_random, normal, number, ones, uniform, whole_numbers, zeros
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
    """x weight^T + bias: x[..., in_features] -> [..., out_features]."""

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
    the square root of embedding_dim."""

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
    """(x - mean) / sqrt(variance + eps) * weight + bias over the last axis (Ba et al. 2016)."""

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
    """In training, sets each value to 0 with probability p and scales the others by 1 / (1 - p)."""

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
    function = staticmethod(ops.relu)


class Tanh(_Elementwise):
    function = staticmethod(ops.tanh)


class Sigmoid(_Elementwise):
    function = staticmethod(ops.sigmoid)


class GELU(_Elementwise):
    function = staticmethod(ops.gelu)


class SiLU(_Elementwise):
    function = staticmethod(ops.silu)


class MSELoss(Module):
    """The mean of (x - target)^2."""

    def forward(self, x: Tensor, target: Tensor) -> Tensor:
        return ops.mse_loss(x, target)


def cross_entropy(input: Tensor, target: Any, *, ignore_index: int = -100, reduction: str = "mean",
                  label_smoothing: float = 0.0) -> Tensor:
    """The mean or the sum of -log softmax(input)[target]: input[rows, classes], target[rows]. Rows whose target is
    ignore_index do not count."""
    if reduction not in ("mean", "sum"):
        raise Error(f'cross_entropy: reduction is {reduction!r}; give "mean" or "sum", or take '
                    "-x.log_softmax().gather(1, target[:, None]) for the loss of each row")
    target = whole_numbers(target)
    if (target == ignore_index).any():
        kept = numpy.flatnonzero(target != ignore_index)
        input, target = ops.gather(input, 0, kept), target.ravel()[kept]
    return ops.cross_entropy(input, target, label_smoothing, int(reduction == "sum"))


class CrossEntropyLoss(Module):
    """The function nn.functional.cross_entropy with these options."""

    def __init__(self, *, ignore_index: int = -100, reduction: str = "mean", label_smoothing: float = 0.0) -> None:
        super().__init__()
        self.options: Any = {"ignore_index": ignore_index, "reduction": reduction, "label_smoothing": label_smoothing}

    def forward(self, logits: Tensor, targets: Any) -> Tensor:
        return cross_entropy(logits, targets, **self.options)


class FeedForward(Module):
    """f(x W1^T + b1) W2^T + b2, with the activation f "relu", "gelu" or "silu", whose result is under dropout."""

    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0, activation: str = "relu") -> None:
        super().__init__()
        if activation not in ("relu", "gelu", "silu"):
            raise Error(f'there is no activation {activation!r}; give "relu", "gelu" or "silu"')
        self.linear1, self.dropout, self.linear2 = Linear(d_model, d_ff), Dropout(dropout), Linear(d_ff, d_model)
        self.activation = activation

    def feed_forward(self, x: Tensor) -> Tensor:
        first = getattr(ops, f"linear_{self.activation}")
        return self.linear2(by_rows(first, x, self.linear1.weight, self.linear1.bias, *self.dropout.draw()))

    def forward(self, x: Tensor) -> Tensor:
        return self.feed_forward(x)
