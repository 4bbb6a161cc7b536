"""Modules that hold others: by number, one after another, or by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

from .module import Module, text_of

_M = TypeVar("_M", bound=Module)


class ModuleList(Module):
    """Modules by number: a list whose modules, and their parameters, belong to the module that has it.

    Throws TypeError for what is no module. PyTorch: torch.nn.ModuleList.

    >>> layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))
    >>> len(layers), layers[0].weight.shape
    (3, (4, 4))"""

    def __init__(self, modules: Iterable[Module] = ()) -> None:
        super().__init__()
        self.extend(modules)

    def append(self: _M, module: Module) -> _M:
        if not isinstance(module, Module):
            kind = module.__name__ if callable(module) and hasattr(module, "__name__") else f"a {type(module).__name__}"
            raise TypeError(f"{kind} is not a module; a {type(self).__name__} holds modules, such as nn.ReLU()")
        setattr(self, str(len(self)), module)
        return self

    def extend(self: _M, modules: Iterable[Module]) -> _M:
        for module in modules:
            self.append(module)  # type: ignore[attr-defined]
        return self

    def __len__(self) -> int:
        return len(list(self.children()))

    def __iter__(self) -> Iterator[Module]:
        return self.children()

    def __getitem__(self, index: Any) -> Any:
        found = list(self.children())[index]
        return type(self)(found) if isinstance(index, slice) else found

    def __repr__(self) -> str:
        """Equal modules that follow one another are counted."""
        texts, lines, first = [repr(module) for module in self], [], 0
        for i, text in enumerate(texts):
            if i + 1 == len(texts) or texts[i + 1] != text:
                name, count = (f"({i})", "") if i == first else (f"({first}-{i})", f"{i + 1 - first} x ")
                lines.append(f"{name}: {count}{text}".replace("\n", "\n  "))
                first = i + 1
        return text_of(self, lines)


class Sequential(ModuleList):
    """Modules one after another: each computes from the result of the one before.

    Throws TypeError for what is no module. PyTorch: torch.nn.Sequential.

    >>> nn.Sequential(nn.Linear(4, 2), nn.ReLU())(regard.ones(3, 4)).shape
    (3, 2)"""

    def __init__(self, *modules: Module) -> None:
        super().__init__(modules)

    def forward(self, x: Any) -> Any:
        for module in self:
            x = module(x)
        return x

    def __getitem__(self, index: Any) -> Any:
        found = list(self.children())[index]
        return Sequential(*found) if isinstance(index, slice) else found

    __repr__ = Module.__repr__


class ModuleDict(Module):
    """Modules by name: a dict whose modules, and their parameters, belong to the module that has it.

    Throws TypeError for what is no module, KeyError for a name that it does not have. PyTorch: torch.nn.ModuleDict.

    >>> layers = nn.ModuleDict({"in": nn.Linear(4, 2), "out": nn.Linear(2, 1)})
    >>> list(layers), layers["out"](layers["in"](regard.ones(3, 4))).shape
    (['in', 'out'], (3, 1))"""

    def __init__(self, modules: Mapping[str, Module] | None = None) -> None:
        super().__init__()
        for name, module in (modules or {}).items():
            self[name] = module

    def __setitem__(self, name: str, module: Module) -> None:
        if not isinstance(module, Module) or name in dir(Module):
            raise TypeError(f"{name!r} is a {type(module).__name__}; a ModuleDict holds modules, by names that a "
                            "module does not use itself")
        setattr(self, name, module)

    def __getitem__(self, name: str) -> Any:
        return dict(self.named_children())[name]

    def __contains__(self, name: str) -> bool:
        return name in dict(self.named_children())

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __len__(self) -> int:
        return len(self.keys())

    def keys(self) -> list[str]:
        return [name for name, _ in self.named_children()]

    def values(self) -> Iterator[Module]:
        return self.children()

    def items(self) -> Iterator[tuple[str, Module]]:
        return self.named_children()
