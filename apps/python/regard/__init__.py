"""regard: the Transformer, from the autograd up.

    x = regard.tensor(array, requires_grad=True)       the engine: tensors, operations, gradients
    regard.gradcheck(f, [x])                           gradients against central differences
    regard.train(config, "model")                      a training, as the program does it
    regard.load("model").translate(["a sentence"])     a trained model

Tensors that threads do not share may be used from different threads at the same time. The interpreter's lock is
released while regard computes.
"""

import contextlib
import inspect
import os
import warnings

import numpy

# Threads that wait for the next parallel loop spin only briefly (100 microseconds), as in the program; otherwise
# another process that needs the processors slows each loop down. OpenMP reads the variable when it is loaded.
_brief = "GOMP_SPINCOUNT" not in os.environ and "OMP_WAIT_POLICY" not in os.environ
if _brief:
    with contextlib.suppress(OSError), open("/proc/self/maps") as _maps:
        if "/libgomp.so" in _maps.read():
            warnings.warn("OpenMP (libgomp) was loaded before regard, so its threads spin for milliseconds while they "
                          "wait, and a busy machine makes regard many times slower; import regard first, or set "
                          "GOMP_SPINCOUNT=10000 before Python starts", RuntimeWarning, stacklevel=2)
    os.environ["GOMP_SPINCOUNT"] = "10000"
from . import _core  # noqa: E402
if _brief:
    del os.environ["GOMP_SPINCOUNT"]
from ._core import (  # noqa: E402
    Attention, Error, KeyRanges, NotFinite, OutOfMemory, Random, Score, StepReport, Tensor, TimeSteps, Trained,
    Translation, Translator, ValidationReport, __version__, all_keys, keys_near, keys_up_to_query, memory_in_use,
    set_threads, threads, toy)
from . import reference  # noqa: E402
from .operations import *  # noqa: E402, F403
from .training import train  # noqa: E402
from . import exercise  # noqa: E402

GradcheckInput, GradcheckResult = _core.float64.GradcheckInput, _core.float64.GradcheckResult
float32, float64 = numpy.dtype("float32"), numpy.dtype("float64")


def _module(dtype):
    if dtype not in (float32, float64):
        raise Error(f"a tensor cannot have the dtype {dtype}; give dtype=regard.float32 or regard.float64")
    return _core.float64 if dtype == float64 else _core.float32


def tensor(data, dtype=None, requires_grad=False) -> Tensor:
    """A tensor with a copy of `data`: an array of any layout, a tensor of PyTorch, a list, a number.

    Without dtype, an array keeps its own, float32 or float64, and Python's numbers become float32."""
    array = numpy.from_dlpack(data) if hasattr(data, "__dlpack__") and not hasattr(data, "__array__") \
        else numpy.asarray(data)
    if array.dtype.kind not in "biufV":  # V: bfloat16 of other packages
        raise Error(f"a {type(data).__name__} with something that is not a real number cannot be a tensor")
    if dtype is None:
        dtype = array.dtype.newbyteorder("=") if hasattr(data, "dtype") else float32
        if dtype not in (float32, float64):
            raise Error(f"an array of {dtype} cannot be a tensor; give dtype=regard.float32 or regard.float64")
    dtype = numpy.dtype(dtype)
    result = _module(dtype).tensor(numpy.require(array, dtype, "C"))
    result.requires_grad = requires_grad
    return result


from_dlpack = tensor


def zeros(shape, dtype=float32, requires_grad=False) -> Tensor:
    """A tensor of zeros."""
    return tensor(numpy.zeros(shape, dtype), requires_grad=requires_grad)


def uniform(shape, low, high, random, dtype=float32, requires_grad=False) -> Tensor:
    """Random numbers from `low` to `high`, drawn from a regard.Random."""
    result = _module(numpy.dtype(dtype)).uniform(shape, low, high, random)
    result.requires_grad = requires_grad
    return result


def normal(shape, mean, deviation, random, dtype=float32, requires_grad=False) -> Tensor:
    """Normally distributed random numbers, drawn from a regard.Random."""
    result = _module(numpy.dtype(dtype)).normal(shape, mean, deviation, random)
    result.requires_grad = requires_grad
    return result


@contextlib.contextmanager
def no_grad():
    """`with regard.no_grad():` operations of this thread record nothing."""
    depth = _core.float32.no_grad(), _core.float64.no_grad()
    try:
        yield
    finally:
        del depth


def gradcheck(function, inputs, *, names=None, step=1e-5, tolerance=1e-7, every_entry_up_to=400, directions=20, seed=1):
    """Compares the gradients that backward() computes for `function` with central differences.

    function  called with the inputs, many times; must return the same float64 tensor, of any shape, each time
    inputs    float64 tensors to check; their entries are moved and put back
    names     of the inputs, for the table; default: the names of the function's parameters

    Returns a result that is true if the check passed, and prints as a table. An input with more entries than
    every_entry_up_to is checked along random directions."""
    inputs = list(inputs)
    for x in inputs:
        if getattr(x, "dtype", None) != float64:
            raise Error("gradcheck: central differences need double precision; make the inputs with "
                        "regard.tensor(x, dtype=regard.float64)")
    if names is None:
        with contextlib.suppress(TypeError, ValueError):
            names = list(inspect.signature(function).parameters)
    return _core.float64.gradcheck(function, inputs, step, tolerance, every_entry_up_to, directions, seed, names or [])


def load(directory, weights="") -> Translator:
    """Reads the model in a directory; `weights` is a file that replaces its weights, such as a checkpoint."""
    return Translator(os.fspath(directory), os.fspath(weights))
