"""Modules: parts of a network that hold parameters and other modules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import numpy

from .._core import Error, Tensor
from ..creation import tensor
from ..hooks import Handle
from ..missing import Advising, absent, advised

_M = TypeVar("_M", bound="Module")


class _Parameters(type):
    def __instancecheck__(cls, x: Any) -> bool:
        return isinstance(x, Tensor) and x.requires_grad and x.is_leaf


_Tensor: Any = object


class Parameter(_Tensor, metaclass=_Parameters):  # type: ignore[misc]
    """Parameter(data) makes a tensor that training changes. It shares the memory of `data` if that is a tensor. A
    tensor that requires a gradient is an instance, unless an operation made it.

    Throws Error if data cannot be a tensor. PyTorch: torch.nn.Parameter.

    >>> nn.Parameter(regard.zeros(2)).requires_grad
    True"""

    def __new__(cls, data: Any, requires_grad: bool = True) -> Any:
        result = data.detach() if isinstance(data, Tensor) else tensor(data)
        result.requires_grad = requires_grad
        return result


def distinct(parameters: Any, user: str) -> list[Any]:
    """The tensors of a list or a generator, each once: two modules may share one."""
    found: dict[int, Any] = {}
    for x in [parameters] if isinstance(parameters, Tensor) else parameters:
        if not isinstance(x, Tensor):
            raise Error(f"{user} cannot change a {type(x).__name__}; give it parameters, such as model.parameters()")
        found.setdefault(x._identity(), x)
    if not found and hasattr(parameters, "__next__"):
        raise Error(f"{user} got a generator without parameters; model.parameters() gives them once, and "
                    "list(model.parameters()) keeps them")
    return list(found.values())


class Module(metaclass=Advising):
    """A part of a network. Derive a class, make its layers and parameters in __init__, compute in forward().

    Attributes that are modules are found. So are tensors that require a gradient when they are set, unless an operation
    made them: these are the parameters. register_buffer(name, x) names a tensor that is saved with them. The names of
    parameters are the paths to them, such as layers.0.weight.

    Throws NotImplementedError when it is called without a forward(), and TypeError or Error if something that is not of
    its kind or shape takes the place of a parameter. PyTorch: torch.nn.Module.

    >>> class Scaled(nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.scale = nn.Parameter(regard.ones(1))
    ...     def forward(self, x):
    ...         return x * self.scale
    >>> [name for name, _ in Scaled().named_parameters()]
    ['scale']"""

    training = True

    def __setattr__(self, name: str, value: Any) -> None:
        for kind, fitting in (("parameters", Parameter), ("buffers", Tensor)):
            if name in self._names(kind) and isinstance(getattr(self, name, None), fitting) and \
                    not isinstance(value, (fitting, type(None))):
                raise TypeError(f"a {type(value).__name__} in the place of {name}, one of the {kind}, would not be "
                                "trained or saved; write nn.Parameter(x), or regard.tensor(x) for a buffer, or change "
                                f"its numbers: module.{name}.numpy()[...] = x (the shapes: "
                                f"{getattr(self, name).shape}, and of the new one {getattr(value, 'shape', 'none')})")
        before = self.__dict__.get(name)
        if isinstance(before, Parameter) and isinstance(value, Tensor) and before.shape != value.shape:
            raise Error(f"{name} of {type(self).__name__} has the shape {before.shape}, and the new one has "
                        f"{value.shape}; a parameter of the same shape may take its place, and None before another one")
        if isinstance(value, Parameter):
            self._names("parameters")[name] = None
        object.__setattr__(self, name, value)

    def register_buffer(self, name: str, value: Tensor) -> None:
        """Sets an attribute that state_dict() has although it is no parameter."""
        if not isinstance(value, Tensor):
            raise TypeError(f"the buffer {name} is a {type(value).__name__}; regard.tensor(array) makes a tensor")
        if isinstance(self.__dict__.get(name), Parameter):
            raise Error(f"the buffer {name} would replace a parameter; give it another name")
        self._names("buffers")[name] = None
        object.__setattr__(self, name, value)

    def _names(self, kind: str) -> dict[str, None]:
        return self.__dict__.setdefault(f"_{kind}", {})

    def _tensors(self, kind: str) -> Iterator[tuple[str, Tensor]]:
        """The parameters or the buffers of this module itself."""
        return ((name, self.__dict__[name]) for name in self._names(kind)
                if isinstance(self.__dict__.get(name), Tensor))

    def forward(self, *arguments: Any, **options: Any) -> Any:
        raise NotImplementedError(f"the module {type(self).__name__} has no forward()")

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        try:
            return self._computed(arguments, options) if self._hooks else self.forward(*arguments, **options)
        except TypeError as error:
            raise advised(error, options) from None

    _hooks: dict[str, dict[int, Callable[..., Any]]] = {}

    def _hook(self, kind: str, hook: Callable[..., Any]) -> Handle:
        kinds: dict[str, dict[int, Callable[..., Any]]] = self.__dict__.setdefault("_hooks", {})
        return Handle(kinds.setdefault(kind, {}), hook)

    def _called(self, kind: str, *arguments: Any) -> Iterator[Any]:
        """What the hooks of a kind return."""
        return (hook(self, *arguments) for hook in list(self._hooks.get(kind, {}).values()))

    def _computed(self, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        for found in self._called("before", arguments):
            arguments = arguments if found is None else found if isinstance(found, tuple) else (found,)
        result = self.forward(*arguments, **options)
        for found in self._called("after", arguments, result):
            result = result if found is None else found
        return result

    def register_forward_pre_hook(self, hook: Callable[..., Any]) -> Handle:
        """Calls hook(module, arguments) before each forward(), with the tuple of its arguments without a name. What the
        hook returns, unless None, takes their place. Returns a handle with remove()."""
        return self._hook("before", hook)

    def register_forward_hook(self, hook: Callable[..., Any]) -> Handle:
        """Calls hook(module, arguments, result) after each forward(). What the hook returns, unless None, takes the
        place of the result. Returns a handle with remove().

        >>> layer, seen = nn.Linear(2, 3), []
        >>> with layer.register_forward_hook(lambda module, arguments, result: seen.append(result.shape)):
        ...     result = layer(regard.ones(4, 2))
        >>> seen
        [(4, 3)]"""
        return self._hook("after", hook)

    if not TYPE_CHECKING:
        def __getattr__(self, name: str) -> Any:
            return absent(f"the module {type(self).__name__}")(self, name)

    def named_children(self) -> Iterator[tuple[str, Module]]:
        return ((name, value) for name, value in list(self.__dict__.items()) if isinstance(value, Module))

    def children(self) -> Iterator[Module]:
        return (module for _, module in self.named_children())

    def named_modules(self, prefix: str = "") -> Iterator[tuple[str, Module]]:
        """This module and all inside it, each with the path to it."""
        yield prefix, self
        for name, module in self.named_children():
            yield from module.named_modules(f"{prefix}.{name}" if prefix else name)

    def modules(self) -> Iterator[Module]:
        return iter({id(module): module for _, module in self.named_modules()}.values())

    def named_parameters(self) -> Iterator[tuple[str, Tensor]]:
        """All parameters; one that is used in several places appears once, under its first name."""
        seen = set()
        for name, x in self._paths("parameters"):
            if id(x) not in seen:
                seen.add(id(x))
                yield name, x

    def parameters(self) -> Iterator[Tensor]:
        return (x for _, x in self.named_parameters())

    def _paths(self, *kinds: str) -> Iterator[tuple[str, Tensor]]:
        for path, module in self.named_modules():
            for kind in kinds:
                for name, x in module._tensors(kind):
                    yield (f"{path}.{name}" if path else name), x

    def state_dict(self) -> dict[str, Tensor]:
        """Parameters and buffers by name. They share memory with the module: later steps change them too."""
        return {name: x.detach() for name, x in self._paths("parameters", "buffers")}

    def load_state_dict(self, state: Mapping[str, Any], strict: bool = True) -> None:
        """Copies tensors or arrays into those of the same names. Names and shapes must be the same on both sides, or
        with strict=False the shapes of common names; otherwise nothing is changed."""
        own = dict(self._paths("parameters", "buffers"))
        common = [name for name in own if name in state]
        faults = [f"{name} has the shape {numpy.shape(state[name])}, and the module's is {own[name].shape}"
                  for name in common if numpy.shape(state[name]) != own[name].shape]
        if strict:
            faults += [f"{name} is missing" for name in own if name not in state]
            faults += [f"{name} is unexpected" for name in state if name not in own]
        if faults:
            raise Error(f"load_state_dict of {type(self).__name__}: {'; '.join(faults)}")
        for name in common:
            x = state[name]
            own[name].numpy()[...] = x.detach() if isinstance(x, Tensor) else x

    def train(self: _M, mode: bool = True) -> _M:
        """Switches the dropouts on."""
        for module in self.modules():
            module.training = mode
        return self

    def eval(self: _M) -> _M:
        """Switches the dropouts off."""
        return self.train(False)

    def zero_grad(self) -> None:
        for x in self.parameters():
            x.zero_grad()

    def requires_grad_(self: _M, wanted: bool = True) -> _M:
        """False freezes all parameters."""
        for x in self.parameters():
            x.requires_grad = wanted
        return self

    def apply(self: _M, function: Callable[[Module], Any]) -> _M:
        for module in self.modules():
            function(module)
        return self

    def double(self: _M) -> _M:
        """Makes all parameters and buffers float64. Call it before an optimiser is made."""
        return self._to("float64")

    def float(self: _M) -> _M:
        """Makes all parameters and buffers float32. Call it before an optimiser is made."""
        return self._to("float32")

    def to(self: _M, dtype: Any) -> _M:
        """As double() or float(); "cpu" is where all modules are."""
        return self._to(tensor(0).to(dtype).dtype) if str(dtype) != "cpu" else self

    def _to(self: _M, dtype: Any) -> _M:
        made: dict[int, tuple[Tensor, Tensor]] = {}  # the old ones are kept, so their ids stay theirs
        for module in self.modules():
            for name, x in [*module._tensors("parameters"), *module._tensors("buffers")]:
                made.setdefault(id(x), (x, tensor(x.detach(), dtype, x.requires_grad)))
                object.__setattr__(module, name, made[id(x)][1])
        return self

    def extra_repr(self) -> str:
        """The arguments that print(module) shows."""
        return ""

    def __repr__(self) -> str:
        lines = [f"({name}): {module!r}".replace("\n", "\n  ") for name, module in self.named_children()]
        return text_of(self, lines)


def text_of(module: Module, lines: list[str]) -> str:
    """What print(module) shows: the arguments, and a line for each module inside."""
    extra = module.extra_repr()
    inside = "".join(f"\n  {line}" for line in [extra, *lines] if line) + "\n" if lines else extra
    return f"{type(module).__name__}({inside})"
