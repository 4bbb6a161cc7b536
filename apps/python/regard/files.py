"""Files of tensors in the format safetensors, which PyTorch's package safetensors reads and writes too."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from . import _core
from .creation import tensor
from ._core import Tensor


def save(tensors: Mapping[str, Any], path: str | os.PathLike[str]) -> None:
    """Writes tensors or arrays by name, such as model.state_dict(). An older file of this name is replaced when the
    new one is complete."""
    _core._float32.save_tensors(os.fspath(path), [(name, (x if isinstance(x, Tensor) else tensor(x)).numpy())
                                                 for name, x in tensors.items()])


def load_tensors(path: str | os.PathLike[str]) -> dict[str, Tensor]:
    """The tensors of a safetensors file by name. Those of half precision become float32."""
    found = _core._float32.load_tensors(os.fspath(path)) + _core._float64.load_tensors(os.fspath(path))
    return dict(sorted(found))
