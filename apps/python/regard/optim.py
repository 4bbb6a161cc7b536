"""Optimisers, as in torch.optim, and the learning rate as a function of the step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy

from ._core import Error, NotFinite, Tensor, _adam_update, _is_finite, _learning_rate
from .creation import number, zeros
from .missing import Advising, absent
from .nn.module import distinct

__all__ = ["SGD", "Adam", "AdamW", "Optimizer", "constant", "cosine", "inverse_sqrt", "noam"]
globals()["__getattr__"] = absent("regard.optim")


def __dir__() -> list[str]:
    return __all__


def _copied(state: Mapping[str, Any]) -> dict[str, Any]:
    return {name: int(value) if name == "step" else value.clone() if isinstance(value, Tensor) else value
            for name, value in state.items()}


def _by_number(given: Any) -> dict[int, Any]:
    """The elements of a list, or of the dict that a file has in its place."""
    found = given if isinstance(given, Mapping) else dict(enumerate(given if isinstance(given, (list, tuple)) else [0]))
    if not all(str(i).isdecimal() and isinstance(each, Mapping) for i, each in found.items()):
        raise Error("load_state_dict: this is not the state of an optimiser; give what its state_dict() returned")
    return {int(i): each for i, each in found.items()}


def _check_settings(group: Mapping[str, Any]) -> None:
    for name in ("lr", "momentum", "eps", "weight_decay"):
        number(f"an optimiser's {name}", group.get(name, 0))
    betas = group.get("betas", (0, 0))
    for beta in betas if isinstance(betas, (tuple, list)) and len(betas) == 2 else [f"not in {betas}"]:
        number("each of the two betas of an optimiser", beta, 0, 1)


class Optimizer(metaclass=Advising):
    """Changes parameters from their gradients. param_groups holds the settings: a list of dicts, each with "params",
    "lr" and so on, which may be changed at any time. A parameter without a gradient stays as it is. One that a list has
    twice is changed once.

    Throws Error if there are no parameters, or one is no leaf or stands in two groups. PyTorch: torch.optim.Optimizer.

    >>> class Signs(optim.Optimizer):
    ...     def update(self, x, gradient, state, group):
    ...         x.numpy()[...] -= group["lr"] * np.sign(gradient.numpy())
    >>> w = regard.ones(1, requires_grad=True); (5 * w).sum().backward()
    >>> Signs([w], lr=0.25).step(); w.detach()
    Tensor[1] [0.75]"""

    kept: tuple[str, ...] = ()  # what update() keeps in each state: tensors of the parameter's shape, and "step"

    def __init__(self, params: Iterable[Any], **settings: Any) -> None:
        if not hasattr(params, "__iter__"):
            raise TypeError(f"an optimiser cannot change a {type(params).__name__}; give it model.parameters()")
        given = [params] if isinstance(params, Tensor) else list(params)
        groups = given if given and isinstance(given[0], dict) else [{"params": given}]
        for group in groups:
            if not isinstance(group, dict) or "params" not in group:
                raise Error('a group of parameters is a dict with "params", such as {"params": model.parameters()}')
        self.param_groups = [{**settings, **group, "params": distinct(group["params"], "an optimiser")}
                             for group in groups]
        self.state: dict[Tensor, dict[str, Any]] = {}
        if not any(group["params"] for group in self.param_groups):
            raise Error("an optimiser has no parameters; give it those of a module: model.parameters()")
        for x in self.parameters():
            if not x.is_leaf:
                raise Error("an optimiser cannot change a Tensor that is no parameter; give it model.parameters(), or "
                            "tensors that no operation made")
        self._check()

    def _check(self) -> None:
        seen: set[int] = set()
        for group in self.param_groups:
            _check_settings(group)
            for x in group["params"]:
                if x._identity() in seen:
                    raise Error(f"an optimiser has a parameter of the shape {x.shape} twice; leave it out of one group")
                seen.add(x._identity())
                self._check_state(len(seen) - 1, x, self.state.get(x, {}))

    def _check_state(self, i: int, x: Tensor, state: Mapping[str, Any]) -> None:
        """update() trusts what it has kept. Before the first step, that is nothing."""
        for name in self.kept if state else ():
            value = state.get(name)
            if name == "step" and value is not None:
                fits = float(number(f"the step of parameter {i}", value, 0, 2**53)) % 1 == 0
            else:
                fits = isinstance(value, Tensor) and (value.shape, value.dtype) == (x.shape, x.dtype)
            if not fits:
                found = f"{value.dtype} of the shape {value.shape}" if hasattr(value, "shape") else value or "missing"
                raise Error(f"{name} of parameter {i}, {x.dtype} of the shape {x.shape}, is {found}; give the state "
                            f"that {type(self).__name__} kept for the same parameters in the same order")

    def parameters(self) -> list[Tensor]:
        return [x for group in self.param_groups for x in group["params"]]

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Discards all gradients, or sets them to 0: the next backward() does not add to them."""
        for x in self.parameters():
            if set_to_none or x.grad is None:
                x.zero_grad()
            else:
                x.grad.zero_()

    def step(self) -> None:
        """Changes each parameter once. Throws NotFinite, and changes none, if a gradient is not finite."""
        self._check()
        found = [(x, x.grad, group) for group in self.param_groups for x in group["params"]]
        for x, gradient, _ in found:
            if gradient is not None and not _is_finite(gradient):
                raise NotFinite(f"step: the gradient of a parameter of the shape {x.shape} has NaN or infinity, so no "
                                "parameter was changed; look for what made the loss of this batch so (log of 0, a "
                                "division by 0, a learning rate that is too high)")
        for x, gradient, group in found:
            if gradient is not None:
                self.update(x, gradient, self.state.setdefault(x, {}), group)

    def update(self, x: Tensor, gradient: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        """Changes one parameter. `state` keeps what the next step needs of this one."""
        raise NotImplementedError("an optimiser needs update(self, x, gradient, state, group)")

    def state_dict(self) -> dict[str, Any]:
        """The state of each parameter, by its number, and the settings: to go on later from the same weights.
        regard.save writes it into a file."""
        number = {x: i for i, x in enumerate(self.parameters())}
        return {"state": {i: _copied(self.state[x]) for x, i in number.items() if x in self.state},
                "param_groups": [{**group, "params": [number[x] for x in group["params"]]}
                                 for group in self.param_groups]}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Takes what state_dict() of an optimiser of the same parameters returned, or what load_tensors reads."""
        groups, states = _by_number(state.get("param_groups")), _by_number(state.get("state", {}))
        sizes, own = {i: numpy.size(group.get("params", ())) for i, group in groups.items()}, self.parameters()
        if sizes != {i: len(group["params"]) for i, group in enumerate(self.param_groups)} or \
                max(states, default=0) >= len(own):
            raise Error(f"load_state_dict: the state is of {sum(sizes.values())} parameters, and the optimiser has "
                        f"{len(own)}, or other groups of them")
        settings = [{name: value.tolist() if isinstance(value, Tensor) else value
                     for name, value in groups[i].items() if name != "params"} for i in range(len(groups))]
        for each in settings:
            _check_settings(each)
        for i, kept in states.items():
            self._check_state(i, own[i], kept)
            if not all(_is_finite(value) for value in kept.values() if isinstance(value, Tensor)):
                raise NotFinite(f"load_state_dict: the state of parameter {i} has NaN or infinity")
        for group, each in zip(self.param_groups, settings):
            group.update(each)
        self.state = {own[i]: _copied(kept) for i, kept in states.items()}


class SGD(Optimizer):
    """v = momentum v + g, x -= lr v with the gradient g, to which weight_decay x is added.

    Throws Error unless the settings are numbers of at least 0. Source: Polyak 1964. PyTorch: torch.optim.SGD.

    >>> w = regard.ones(1, requires_grad=True); (5 * w).sum().backward()
    >>> optim.SGD([w], lr=0.1).step(); w.detach()
    Tensor[1] [0.5]"""

    kept = ("momentum_buffer",)

    def __init__(self, params: Iterable[Any], lr: float = 1e-3, momentum: float = 0.0, *,
                 weight_decay: float = 0.0) -> None:
        super().__init__(params, lr=lr, momentum=momentum, weight_decay=weight_decay)

    def update(self, x: Tensor, gradient: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        values, change = x.numpy(), gradient.numpy()
        if group["weight_decay"] != 0:
            change = change + group["weight_decay"] * values
        if group["momentum"] != 0:
            buffer = state.setdefault("momentum_buffer", zeros(x.shape, dtype=x.dtype)).numpy()
            buffer *= group["momentum"]
            buffer += change
            change = buffer
        values -= group["lr"] * change


class Adam(Optimizer):
    """Adam (Kingma and Ba 2015), with PyTorch's constants. Vaswani et al. 2017 have betas=(0.9, 0.98), eps=1e-9.
    weight_decay x is added to the gradient.

    Throws Error unless the settings are numbers of at least 0, and the betas below 1. PyTorch: torch.optim.Adam.

    >>> w = regard.ones(1, requires_grad=True); (5 * w).sum().backward()
    >>> optim.Adam([w], lr=0.1).step(); w.detach()
    Tensor[1] [0.9]"""

    kept = ("step", "exp_avg", "exp_avg_sq")
    decoupled = False

    def __init__(self, params: Iterable[Any], lr: float = 1e-3, betas: tuple[float, float] = (0.9, 0.999),
                 eps: float = 1e-8, weight_decay: float = 0.0) -> None:
        super().__init__(params, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay)

    def update(self, x: Tensor, gradient: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        decay = group["weight_decay"]
        if decay != 0 and not self.decoupled:
            gradient, decay = gradient + decay * x.detach(), 0.0
        if not state:
            state.update(step=0, exp_avg=zeros(x.shape, dtype=x.dtype), exp_avg_sq=zeros(x.shape, dtype=x.dtype))
        state["step"] += 1
        _adam_update(x, gradient, state["exp_avg"], state["exp_avg_sq"], state["step"], group["lr"], *group["betas"],
                     group["eps"], decay)


class AdamW(Adam):
    """Adam with decoupled weight decay (Loshchilov and Hutter 2019): first x is multiplied by 1 - lr weight_decay.

    Throws Error unless the settings are numbers of at least 0, and the betas below 1. PyTorch: torch.optim.AdamW.

    >>> w = regard.ones(1, requires_grad=True); (5 * w).sum().backward()
    >>> optim.AdamW([w], lr=0.1, weight_decay=0.5).step(); w.detach()
    Tensor[1] [0.85]"""

    decoupled = True

    def __init__(self, params: Iterable[Any], lr: float = 1e-3, betas: tuple[float, float] = (0.9, 0.999),
                 eps: float = 1e-8, weight_decay: float = 0.01) -> None:
        super().__init__(params, lr, betas, eps, weight_decay)


# Schedules: the learning rate of a step, which counts from 1. Before each step,
#     optimizer.param_groups[0]["lr"] = optim.inverse_sqrt(step, 1e-3, warmup=100)


def _check(**numbers: float) -> None:
    for name, value in numbers.items():
        number(name, value, 1 if name in ("step", "d_model", "warmup") else 0)


def noam(step: int, d_model: int, warmup: int = 4000, factor: float = 1.0) -> float:
    """factor / sqrt(d_model) min(1/sqrt(step), step / warmup^1.5) (Vaswani et al. 2017, eq. 3).

    Throws Error unless step, d_model and warmup are at least 1.

    >>> optim.noam(4000, d_model=512) == max(optim.noam(step, 512) for step in range(1, 9000))
    True"""
    _check(step=step, d_model=d_model, warmup=warmup, factor=factor)
    return _learning_rate(0, int(step), factor, int(warmup), int(d_model), 0, 0.0)


def inverse_sqrt(step: int, peak: float, warmup: int) -> float:
    """Rises linearly to the peak over the warm-up, then falls as 1/sqrt(step).

    Throws Error unless step and warmup are at least 1. Source: Vaswani et al. 2017, eq. 3, with a peak of one's own.

    >>> [optim.inverse_sqrt(step, 1.0, warmup=4) for step in (2, 4, 16)]
    [0.5, 1.0, 0.5]"""
    _check(step=step, peak=peak, warmup=warmup)
    return _learning_rate(1, int(step), peak, int(warmup), 0, 0, 0.0)


def cosine(step: int, peak: float, warmup: int, steps: int, minimum: float = 0.0) -> float:
    """Rises as inverse_sqrt, then falls along half a cosine to the minimum at the last of `steps` (Loshchilov and
    Hutter 2017, eq. 5).

    Throws Error unless there are more steps than warm-up.

    >>> [round(optim.cosine(step, 1.0, warmup=2, steps=10), 2) for step in (1, 2, 6, 10)]
    [0.5, 1.0, 0.5, 0.0]"""
    _check(step=step, peak=peak, minimum=minimum, steps=steps)
    if not 0 <= warmup < steps:
        raise Error(f"cosine: warmup is {warmup} and steps {steps}; there must be more steps than warm-up")
    return _learning_rate(2, int(step), peak, int(warmup), 0, int(steps), minimum)


def constant(step: int, peak: float) -> float:
    """The same at every step.

    Throws Error unless step is at least 1. PyTorch: torch.optim.lr_scheduler.ConstantLR.

    >>> optim.constant(7, 0.1)
    0.1"""
    _check(step=step, peak=peak)
    return peak
