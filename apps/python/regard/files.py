"""Files of tensors in the format safetensors, which PyTorch's package safetensors reads and writes too."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

import numpy

from . import _core
from ._core import Error, Tensor
from .creation import float64, tensor


def _flat(value: Any, *path: str) -> Iterator[tuple[str, Any]]:
    """The arrays in a dict, with the path to each. Numbers are arrays of float64, so none is rounded."""
    name = "/".join(path)
    if isinstance(value, (list, tuple)) and any(isinstance(each, Mapping) for each in value):
        value = dict(enumerate(value))
    if isinstance(value, Mapping):
        named = {str(key): each for key, each in value.items()}
        wrong = [key for key in named if "/" in key or key.encode(errors="ignore").decode() != key]
        if wrong or len(named) < len(value):
            raise Error(f"save: the keys {wrong or [*value]!r:.80} cannot be names in a file; as texts, they must be "
                        "different, Unicode and without /: write {'a': {'b': x}} for a/b")
        for key, each in named.items():
            yield from _flat(each, *path, key)
    elif not path or not (hasattr(value, "dtype") or isinstance(value, (int, float, list, tuple))):
        raise TypeError(f"save takes tensors, arrays and numbers by name, such as model.state_dict(), not a "
                        f"{type(value).__name__}{name and f' ({name})'}")
    else:
        large = [] if hasattr(value, "dtype") else [x for x in numpy.ravel(numpy.asarray(value, object))
                                                    if isinstance(x, int) and abs(x) > 2**53]
        if large:
            raise Error(f"save: {name} is {large[0]}; float64 has whole numbers up to 2**53 without rounding")
        value = value if hasattr(value, "dtype") else tensor(value, float64)
        yield name, (value if isinstance(value, Tensor) else tensor(value)).numpy()


def save(tensors: Mapping[str, Any], path: str | os.PathLike[str]) -> None:
    """Writes tensors, arrays and numbers by name, such as model.state_dict(). A dict may hold others:

        regard.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 3}, path)

    The names of those inside have the path, as in model/layers.0.weight, so a key has no /. Keys become texts. An older
    file of this name is replaced when the new one is complete.

    Throws Error if a key cannot be a name, or a number would be rounded; TypeError for other values. PyTorch:
    torch.save, in the format of safetensors.

    >>> regard.save({"weights": {"a": regard.ones(2)}, "epoch": 3}, "saved.safetensors")
    >>> regard.load_tensors("saved.safetensors")["weights"]["a"]
    Tensor[2] [1., 1.]"""
    _core._float32.save_tensors(os.fsdecode(path), list(_flat(tensors)))


def load_tensors(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The tensors of a safetensors file by name, in dicts as they were saved: load_tensors(path)["model"]. Numbers are
    tensors of float64 then: int(saved["epoch"]). Those of half precision become float32.

    Throws Error if the file is missing, or no file of safetensors. PyTorch: torch.load.

    >>> regard.save(nn.Linear(2, 1).state_dict(), "linear.safetensors")
    >>> nn.Linear(2, 1).load_state_dict(regard.load_tensors("linear.safetensors"))"""
    result: dict[str, Any] = {}
    path = os.fsdecode(path)
    for name, x in sorted(_core._float32.load_tensors(path) + _core._float64.load_tensors(path)):
        inside, (*outer, last) = result, name.split("/")
        for each in outer:
            inside = inside.setdefault(each, {})
            if isinstance(inside, Tensor):
                raise Error(f"load_tensors: {path} has {name} and, as another tensor, the beginning of this name")
        inside[last] = x
    return result
