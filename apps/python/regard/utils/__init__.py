"""regard.utils.data has PyTorch's DataLoader."""

from ..missing import absent as _absent
from . import data as data

globals()["__getattr__"] = _absent("regard.utils")
