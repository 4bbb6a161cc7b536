"""How values of Python become settings."""

import json
import os
from typing import Any


def _plain(value: Any) -> Any:
    """For json.dumps: a path, a number or an array of NumPy."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"a setting cannot be a {type(value).__name__}; give a number, a string, a path, a list or None")


def json_of(value: Any) -> str:
    """The JSON of a dict of settings, or of one value."""
    return json.dumps(value, default=_plain)


def text_of(value: Any) -> str:
    """A value as `regard train --set` takes it: JSON, but strings and paths without quotation marks."""
    return str(os.fspath(value)) if isinstance(value, (str, os.PathLike)) else json_of(value)
