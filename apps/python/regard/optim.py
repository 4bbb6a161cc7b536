"""Optimisers, as in torch.optim, and the learning rate as a function of the step."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from ._core import Error, NotFinite, Tensor, _adam_update, _is_finite
from .creation import zeros
from .missing import absent

globals()["__getattr__"] = absent("regard.optim")


def _copied(state: Mapping[str, Any]) -> dict[str, Any]:
    return {name: int(value) if name == "step" else value.clone() if isinstance(value, Tensor) else value
            for name, value in state.items()}


def _by_number(given: Any) -> dict[int, Any]:
    """The elements of a list, or of the dict that a file has in its place."""
    return {int(i): each for i, each in (given.items() if isinstance(given, Mapping) else enumerate(given))}


class Optimizer:
    """Changes parameters from their gradients. param_groups holds the settings: a list of dicts, each with "params",
    "lr" and so on, which may be changed at any time. A parameter without a gradient stays as it is."""

    def __init__(self, params: Iterable[Any], **settings: Any) -> None:
        given = list(params)
        groups = given if given and isinstance(given[0], dict) else [{"params": given}]
        self.param_groups = [{**settings, **group, "params": list(group["params"])} for group in groups]
        self.state: dict[Tensor, dict[str, Any]] = {}
        if not any(group["params"] for group in self.param_groups):
            raise Error("an optimiser has no parameters; give it those of a module: model.parameters()")
        for x in self.parameters():
            if not isinstance(x, Tensor) or not x.is_leaf:
                raise Error(f"an optimiser cannot change a {type(x).__name__} that is no parameter; give it "
                            "model.parameters(), or tensors that no operation made")

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
        groups, states = _by_number(state["param_groups"]), _by_number(state.get("state", {}))
        sizes = [len(groups[i]["params"]) for i in range(len(groups))]
        if sizes != [len(group["params"]) for group in self.param_groups]:
            raise Error(f"load_state_dict: the state is of {sum(sizes)} parameters, and the optimiser has "
                        f"{len(self.parameters())}, or other groups of them")
        for i, group in enumerate(self.param_groups):
            group.update({name: value.tolist() if isinstance(value, Tensor) else value
                          for name, value in groups[i].items() if name != "params"})
        self.state = {x: _copied(states[i]) for i, x in enumerate(self.parameters()) if i in states}


class SGD(Optimizer):
    """v = momentum v + g, x -= lr v with the gradient g, to which weight_decay x is added."""

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
    weight_decay x is added to the gradient."""

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
    """Adam with decoupled weight decay (Loshchilov and Hutter 2019): first x is multiplied by 1 - lr weight_decay."""

    decoupled = True

    def __init__(self, params: Iterable[Any], lr: float = 1e-3, betas: tuple[float, float] = (0.9, 0.999),
                 eps: float = 1e-8, weight_decay: float = 0.01) -> None:
        super().__init__(params, lr, betas, eps, weight_decay)


# Schedules: the learning rate of a step, which counts from 1. Before each step,
#     optimizer.param_groups[0]["lr"] = optim.inverse_sqrt(step, 1e-3, warmup=100)


def _counted(step: int) -> int:
    if step < 1:
        raise Error(f"the steps of a schedule count from 1; this one is {step}")
    return step


def noam(step: int, d_model: int, warmup: int = 4000, factor: float = 1.0) -> float:
    """factor / sqrt(d_model) min(1/sqrt(step), step / warmup^1.5) (Vaswani et al. 2017, eq. 3)."""
    return factor * d_model**-0.5 * min(_counted(step)**-0.5, step * warmup**-1.5)


def inverse_sqrt(step: int, peak: float, warmup: int) -> float:
    """Rises linearly to the peak over the warm-up, then falls as 1/sqrt(step)."""
    if warmup < 1:
        raise Error(f"inverse_sqrt: warmup is {warmup}; it must be at least 1")
    return peak * min(_counted(step) / warmup, (warmup / step) ** 0.5)


def cosine(step: int, peak: float, warmup: int, steps: int, minimum: float = 0.0) -> float:
    """Rises as inverse_sqrt, then falls along half a cosine to the minimum at the last of `steps` (Loshchilov and
    Hutter 2017, eq. 5)."""
    if steps <= warmup:
        raise Error(f"cosine: warmup is {warmup} and steps {steps}; there must be more steps than warm-up")
    if _counted(step) <= warmup:
        return peak * step / warmup
    done = min(1.0, (step - warmup) / (steps - warmup))
    return minimum + (peak - minimum) * (1 + math.cos(math.pi * done)) / 2


def constant(step: int, peak: float) -> float:
    """The same at every step."""
    return peak
