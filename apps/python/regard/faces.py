"""The functions of C++ as functions of Python: with a signature, and with advice about arguments of PyTorch."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable
from typing import Any, TypeVar

from . import _core
from .missing import advised, on_cpu


_F = TypeVar("_F", bound=Callable[..., Any])


def _signature(function: Any) -> inspect.Signature:
    """That of the first of a function's forms."""
    text, *_ = function.__nb_signature__[0]
    scope: dict[str, Any] = {"_": function.__nb_signature__[0][-1]}
    exec("from __future__ import annotations\n" + re.sub(r"\\(\d+)", r"_[\1]", text) + ": ...", scope)
    return inspect.signature(scope[function.__name__])


def face(function: _F, name: str = "") -> _F:
    """The function, which may be given device="cpu", and whose TypeError says what to write instead."""

    def call(*arguments: Any, **options: Any) -> Any:
        try:
            if not options:  # the usual call, which shall cost no more than it has to
                return function(*arguments)
            return function(*arguments, **on_cpu(options))
        except TypeError as error:
            raise advised(error, options) from None

    if hasattr(function, "__nb_signature__"):
        call.__name__ = call.__qualname__ = name or function.__name__
        call.__doc__, call.__module__ = function.__doc__, "regard"
        call.__signature__ = _signature(function)  # type: ignore[attr-defined]
        return call  # type: ignore[return-value]
    return functools.wraps(function)(call)  # type: ignore[return-value]


@functools.cache
def of_core() -> dict[str, Callable[..., Any]]:
    """The functions of C++ by name."""
    return {name: face(getattr(_core, name)) for name in _core.__all__
            if type(getattr(_core, name)).__name__ == "nb_func"}
