"""Functions that are called when a module computes, or when the gradient of a tensor is known."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from ._core import Error, Tensor
from .creation import no_grad

_numbers = itertools.count()


class Handle:
    """What a register_..._hook() returns: remove() takes the hook away, and so does the end of a `with` block."""

    def __init__(self, hooks: dict[int, Callable[..., Any]], hook: Callable[..., Any]) -> None:
        if not callable(hook):
            raise TypeError(f"a hook is a function, not a {type(hook).__name__}")
        self._hooks, self._number = hooks, next(_numbers)
        hooks[self._number] = hook

    def remove(self) -> None:
        """The hook is called no more."""
        self._hooks.pop(self._number, None)

    def __enter__(self) -> Handle:
        return self

    def __exit__(self, *_: Any) -> None:
        self.remove()


_of_leaves: dict[int, tuple[Tensor, dict[int, Callable[..., Any]]]] = {}


def _called(hooks: dict[int, Callable[..., Any]], gradient: Tensor) -> Tensor:
    """The gradient after all hooks: what one returns takes its place."""
    for hook in list(hooks.values()):
        with no_grad():
            found = hook(gradient)
        if found is not None and (not isinstance(found, Tensor) or found.shape != gradient.shape):
            raise Error(f"a hook of a tensor returned {getattr(found, 'shape', type(found).__name__)}; it returns "
                        f"None, or a gradient of the shape {gradient.shape}")
        gradient = gradient if found is None else found
    return gradient


def register_hook(x: Tensor, hook: Callable[[Tensor], Any]) -> Handle:
    """Calls hook(gradient) in backward(), when the gradient of x is complete. A tensor that the hook returns takes its
    place. Returns a handle with remove(); until then, a leaf stays in memory.

    >>> x, seen = regard.ones(2, requires_grad=True), []
    >>> handle = x.register_hook(lambda gradient: seen.append(gradient.tolist()))
    >>> (3 * x).sum().backward(); handle.remove(); seen
    [[3.0, 3.0]]"""
    if not x.requires_grad:
        raise Error("register_hook: the tensor requires no gradient, so the hook would never be called")
    if x.is_leaf:
        return Handle(_of_leaves.setdefault(x._identity(), (x, {}))[1], hook)
    hooks: dict[int, Callable[..., Any]] = {}
    x._hook_backward(lambda gradient: _called(hooks, gradient))
    return Handle(hooks, hook)


def run_backward(x: Tensor, gradient: Tensor | None, retain_graph: bool) -> None:
    """backward() of C++, and then the hooks of leaves, each with the gradient of this call alone."""
    for key in [key for key, (_, hooks) in _of_leaves.items() if not hooks]:
        del _of_leaves[key]
    watched = [(leaf, hooks, None if leaf.grad is None else leaf.grad.clone()) for leaf, hooks in _of_leaves.values()]
    for leaf, _, _ in watched:
        leaf.zero_grad()
    try:
        x._backward(gradient, retain_graph)
    finally:
        for leaf, hooks, before in watched:
            found = None if leaf.grad is None else _called(hooks, leaf.grad.clone())
            if found is not None or before is not None:
                leaf.grad = found if before is None else before if found is None else found + before
