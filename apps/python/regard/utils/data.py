"""Batches of a data set, as torch.utils.data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy

from ..creation import tensor
from ..missing import Advising, absent
from .. import _core
from .._core import Error, Tensor
from ..composed import randperm

__all__ = ["DataLoader", "TensorDataset", "default_collate"]
globals()["__getattr__"] = absent("regard.utils.data")


class TensorDataset:
    """Samples from tensors or arrays of equal length: sample i is the tuple of each one's row i.

    Throws Error if the lengths differ. PyTorch: torch.utils.data.TensorDataset.

    >>> regard.utils.data.TensorDataset(regard.zeros(3, 2), np.arange(3))[1]
    (Tensor[2] [0., 0.], np.int64(1))"""

    def __init__(self, *tensors: Any) -> None:
        if len({len(x) for x in tensors}) != 1:
            raise Error(f"TensorDataset: the lengths are {[len(x) for x in tensors]}; they must be equal")
        self.tensors = tensors

    def __len__(self) -> int:
        return len(self.tensors[0])

    def __getitem__(self, index: Any) -> tuple[Any, ...]:
        return tuple(x[index] for x in self.tensors)


def default_collate(samples: Sequence[Any]) -> Any:
    """A batch of samples: tensors and numbers are stacked, whole numbers into an array; tuples and dicts part by part;
    texts stay a list. PyTorch: torch.utils.data.default_collate.

    >>> regard.utils.data.default_collate([(0.5, 1), (1.5, 2)])
    (Tensor[2] [0.5, 1.5], array([1, 2]))"""
    first = samples[0]
    if isinstance(first, Tensor):
        return _core.stack(list(samples))
    if isinstance(first, dict):
        return {key: default_collate([sample[key] for sample in samples]) for key in first}
    if isinstance(first, tuple):
        return tuple(default_collate(part) for part in zip(*samples))
    if isinstance(first, str):
        return list(samples)
    array = numpy.asarray(samples)
    return array if array.dtype.kind in "biu" else tensor(array, "float32")


class DataLoader(metaclass=Advising):
    """The samples of a data set in batches: `for x, y in DataLoader(dataset, batch_size=32, shuffle=True)`.

    dataset     has a length, and dataset[i] is a sample
    shuffle     draws another order for each pass, by regard.manual_seed
    drop_last   leaves out a last batch that is shorter
    collate_fn  makes a batch of a list of samples; None: default_collate

    Batches are made when they are asked for, in this thread. Throws Error if batch_size is below 1. PyTorch:
    torch.utils.data.DataLoader.

    >>> [batch.tolist() for batch in regard.utils.data.DataLoader(range(5), batch_size=2)]
    [[0, 1], [2, 3], [4]]"""

    def __init__(self, dataset: Any, batch_size: int = 1, shuffle: bool = False, *, drop_last: bool = False,
                 collate_fn: Callable[[list[Any]], Any] | None = None) -> None:
        if batch_size < 1:
            raise Error(f"DataLoader: batch_size is {batch_size}; it must be at least 1")
        self.dataset, self.batch_size, self.shuffle = dataset, batch_size, shuffle
        self.drop_last, self.collate_fn = drop_last, collate_fn or default_collate

    def __len__(self) -> int:
        return (len(self.dataset) + (0 if self.drop_last else self.batch_size - 1)) // self.batch_size

    def __iter__(self) -> Iterator[Any]:
        order = randperm(len(self.dataset)).tolist() if self.shuffle else range(len(self.dataset))
        for first in range(0, len(self) * self.batch_size, self.batch_size):
            yield self.collate_fn([self.dataset[i] for i in order[first:first + self.batch_size]])
