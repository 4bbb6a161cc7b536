"""Recurrent layers over sentences, of one length in a batch or packed."""

from __future__ import annotations

from typing import Any

from .. import _core as ops
from .._core import Error, Tensor, TimeSteps
from ..creation import uniform
from .layers import check_dropout, check_sizes, draw
from .module import Module, Parameter
from .sequences import Offsets, only_batch_first, packed


class _Recurrent(Module):
    """Layers one above another, names and initial weights as in PyTorch: uniform in ±1/sqrt(hidden_size)."""

    gates: int

    def __init__(self, input_size: int, hidden_size: int, num_layers: int = 1, dropout: float = 0.0,
                 bidirectional: bool = False, *, batch_first: bool = True) -> None:
        super().__init__()
        only_batch_first(batch_first)
        check_sizes(type(self).__name__, input_size=input_size, hidden_size=hidden_size, num_layers=num_layers)
        self.input_size, self.hidden_size, self.num_layers = input_size, hidden_size, num_layers
        self.bidirectional, self.dropout = bidirectional, check_dropout(dropout)
        self.sides = ("", "_reverse") if bidirectional else ("",)
        bound, rows = hidden_size ** -0.5, self.gates * hidden_size
        for layer in range(num_layers):
            columns = input_size if layer == 0 else len(self.sides) * hidden_size
            for side in self.sides:
                for name, shape in {"weight_ih": (rows, columns), "weight_hh": (rows, hidden_size), "bias_ih": (rows,),
                                    "bias_hh": (rows,)}.items():
                    setattr(self, f"{name}_l{layer}{side}", Parameter(uniform(shape, -bound, bound)))

    def step(self, gates: Tensor, weight: Tensor, bias: Tensor, initial: Any, steps: TimeSteps) -> tuple[Tensor, Any]:
        raise NotImplementedError

    def run(self, x: Tensor, offsets: Offsets | None, initial: list[Tensor] | None) -> tuple[Tensor, list[Tensor]]:
        """The rows of the last layer, and for each kind of state [layers * directions, sentences, hidden_size]."""
        shape, (x, ends) = x.shape if isinstance(x, Tensor) else (), packed(x, offsets)
        for state in initial or []:
            if len(state) != self.num_layers * len(self.sides):
                raise Error(f"a recurrent layer got {len(state)} initial states; it needs "
                            f"{self.num_layers * len(self.sides)}, one for each layer and direction")
        steps = [TimeSteps(ends, bool(side)) for side in self.sides]
        last: list[tuple[Tensor, ...]] = []
        for layer in range(self.num_layers):
            if layer > 0 and self.training and self.dropout > 0:
                x = ops.dropout(x, *draw(self.dropout, True))
            outputs = []
            for side, direction in zip(self.sides, steps):
                of = {name: getattr(self, f"{name}_l{layer}{side}")
                      for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")}
                start = [None] * 2 if initial is None else [state[len(last)] for state in initial]
                rows, *cells = self.step(ops.linear(x, of["weight_ih"], of["bias_ih"]), of["weight_hh"], of["bias_hh"],
                                         start, direction)
                last.append((ops.gather(rows, 0, direction.last_rows), *cells))
                outputs.append(rows)
            x = outputs[0] if len(outputs) == 1 else ops.concat(outputs, 1)
        return ops.reshape(x, *shape[:-1], x.shape[-1]), [ops.stack(state) for state in zip(*last)]

    def extra_repr(self) -> str:
        more = [f"{name}={getattr(self, name)}" for name in ("num_layers", "dropout", "bidirectional")
                if getattr(self, name) != (name == "num_layers")]
        return ", ".join([str(self.input_size), str(self.hidden_size), *more])


class GRU(_Recurrent):
    """Gated recurrent units (Cho et al. 2014).

    Throws Error if the shapes or the offsets do not fit. PyTorch: torch.nn.GRU with batch_first=True.

    >>> states, last = nn.GRU(4, 3, bidirectional=True)(regard.randn(2, 5, 4))
    >>> states.shape, last.shape
    ((2, 5, 6), (2, 2, 3))"""

    gates = 3

    def step(self, gates: Tensor, weight: Tensor, bias: Tensor, initial: Any, steps: TimeSteps) -> Any:
        return (ops.gru(gates, weight, bias, initial[0], steps),)

    def forward(self, x: Tensor, initial: Tensor | None = None,
                offsets: Offsets | None = None) -> tuple[Tensor, Tensor]:
        """x[batch, length, input_size] or [rows, input_size] -> the states, directions * hidden_size columns, and the
        last ones [layers * directions, sentences, hidden_size]. initial has the shape of the last ones."""
        rows, (last,) = self.run(x, offsets, None if initial is None else [initial])
        return rows, last


class LSTM(_Recurrent):
    """Long short-term memory (Hochreiter and Schmidhuber 1997).

    Throws Error if the shapes or the offsets do not fit. PyTorch: torch.nn.LSTM with batch_first=True.

    >>> states, (last, cells) = nn.LSTM(4, 3)(regard.randn(2, 5, 4))
    >>> states.shape, last.shape, cells.shape
    ((2, 5, 3), (1, 2, 3), (1, 2, 3))"""

    gates = 4

    def step(self, gates: Tensor, weight: Tensor, bias: Tensor, initial: Any, steps: TimeSteps) -> Any:
        return ops.lstm(gates, weight, bias, *initial, steps)

    def forward(self, x: Tensor, initial: tuple[Tensor, Tensor] | None = None,
                offsets: Offsets | None = None) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """As GRU, but states and cells: initial and the last ones are pairs."""
        if isinstance(initial, Tensor):
            raise TypeError("an LSTM begins with a pair (states, cells), not with one tensor")
        rows, (last, cells) = self.run(x, offsets, None if initial is None else list(initial))
        return rows, (last, cells)
