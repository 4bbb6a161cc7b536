"""Files of tensors in the format safetensors, which PyTorch's package safetensors reads and writes too."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from . import _core
from ._core import Tensor
from .creation import float64, tensor


def _flat(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """The arrays in a dict, with the path to each. Numbers are arrays of float64, so none is rounded."""
    if isinstance(value, (list, tuple)) and any(isinstance(each, Mapping) for each in value):
        value = dict(enumerate(value))
    if isinstance(value, Mapping):
        for key, each in value.items():
            yield from _flat(each, f"{name}/{key}" if name else str(key))
    elif not name or not (hasattr(value, "dtype") or isinstance(value, (int, float, list, tuple))):
        raise TypeError(f"save takes tensors, arrays and numbers by name, such as model.state_dict(), not a "
                        f"{type(value).__name__}{name and f' ({name})'}")
    else:
        value = value if hasattr(value, "dtype") else tensor(value, float64)
        yield name, (value if isinstance(value, Tensor) else tensor(value)).numpy()


def save(tensors: Mapping[str, Any], path: str | os.PathLike[str]) -> None:
    """Writes tensors, arrays and numbers by name, such as model.state_dict(). A dict may hold others:

        regard.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 3}, path)

    The names of those inside have the path, as in model/layers.0.weight. An older file of this name is replaced when
    the new one is complete."""
    _core._float32.save_tensors(os.fspath(path), list(_flat(tensors)))


def load_tensors(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The tensors of a safetensors file by name, in dicts as they were saved: load_tensors(path)["model"]. Numbers are
    tensors of float64 then: int(saved["epoch"]). Those of half precision become float32."""
    result: dict[str, Any] = {}
    for name, x in sorted(_core._float32.load_tensors(os.fspath(path)) + _core._float64.load_tensors(os.fspath(path))):
        inside, (*outer, last) = result, name.split("/")
        for each in outer:
            inside = inside.setdefault(each, {})
        inside[last] = x
    return result
