"""regard: the Transformer, from the autograd up.

    x = regard.tensor(array, requires_grad=True)       the engine: tensors, operations, gradients
    regard.gradcheck(f, [x])                           gradients against central differences
    regard.nn, regard.optim                            layers and optimisers for models of one's own
    regard.train(config, "model")                      a training, as the program does it
    regard.load("model").translate(["a sentence"])     a trained model

Tensors that threads do not share may be used from different threads at the same time. The interpreter's lock is
released while regard computes.
"""

from __future__ import annotations

import contextlib
import inspect
import os
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

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
from ._core import *  # noqa: E402, F403
import numpy  # noqa: E402
from .faces import of_core as _of_core  # noqa: E402
from . import composed, cuda, methods, nn, optim, reference, utils  # noqa: E402, F401
from .composed import *  # noqa: E402, F403
from .creation import (  # noqa: E402
    arange, empty, eye, float32, float64, from_dlpack, full, linspace, manual_seed, no_grad, normal, ones, ones_like,
    rand, randint, randn, randn_like, tensor, uniform, zeros, zeros_like)
from .einsum import einsum  # noqa: E402
from .files import load_tensors, save  # noqa: E402
from .function import (  # noqa: E402
    Function, clamp, cos, masked_fill, sin, topk, tril, triu, where)
from .masked_attention import scaled_dot_product_attention  # noqa: E402
from .missing import absent as _absent, device  # noqa: E402
from .results import (  # noqa: E402
    Attention, Bleu, Chosen, GradcheckInput, GradcheckResult, LargestLogits, Score, StepReport, Trained, Translation,
    ValidationReport)
from .training import train  # noqa: E402
from .translator import Translator  # noqa: E402
with contextlib.suppress(ImportError):  # the exercises are a room that may be taken away
    from . import exercise

# The commit follows the version, as in PEP 440: 0.1.0+3fd5b08.
__version__: str = _core.__version__.replace("-", "+", 1).replace("-", ".")
__all__ = ["cuda", "device", "einsum", "empty", "gradient_difference", "utils",
    "Attention", "Bleu", "Chosen", "Function", "GradcheckInput", "GradcheckResult", "LargestLogits",
    "Score", "StepReport", "Trained", "Translation", "Translator", "ValidationReport", "arange", "clamp", "cos",
    "eye", "float32", "float64", "from_dlpack", "full", "gradcheck", "linspace", "load", "load_tensors",
    "manual_seed", "masked_fill", "nn", "no_grad", "normal", "ones", "ones_like", "optim", "rand", "randint", "randn",
    "randn_like", "reference", "save", "scaled_dot_product_attention", "sin", "tensor", "topk", "train", "tril",
    "triu", "uniform", "where", "zeros", "zeros_like"]
__all__ += composed.__all__
__all__ += ["exercise"] if "exercise" in globals() else []
__all__ += [name for name in _core.__all__ if not name.startswith("reference_")]  # regard.reference has these
globals().update(_of_core())
del reference_attention, reference_attention_backward  # noqa: F821
for _type in (Error, NotFinite, OutOfMemory, Tensor):
    _type.__module__ = "regard"


globals()["__getattr__"] = _absent("regard", numpy, "numpy.{}(x.detach().numpy())")


def __dir__() -> list[str]:
    return __all__


def gradcheck(function: Callable[..., Tensor], inputs: Tensor | Iterable[Tensor], *, names: Sequence[str] | None = None,
              step: float = 1e-5, tolerance: float = 1e-7, every_entry_up_to: int = 400, directions: int = 20,
              seed: int = 1) -> GradcheckResult:
    """Compares the gradients that backward() computes for `function` with central differences.

    function  called with the inputs, many times; must return the same float64 tensor, of any shape, each time
    inputs    float64 tensors to check, one or a list; their entries are moved and put back
    names     of the inputs, for the table; default: the names of the function's parameters

    Returns a result that is true if the check passed, and prints as a table. An input with more entries than
    every_entry_up_to is checked along random directions.

    Throws Error for float32, or if the function is random; TypeError unless it returns a float64 tensor. PyTorch:
    torch.autograd.gradcheck.

    >>> x = regard.tensor(np.array([1.0, 2.0]))
    >>> regard.gradcheck(lambda x: (x * x).sum(), x).passed
    True"""
    inputs = [inputs] if isinstance(inputs, Tensor) else list(inputs)
    for x in inputs:
        if not isinstance(x, Tensor) or x.dtype != float64:
            raise Error("gradcheck: central differences need double precision; make the inputs with "
                        "regard.tensor(x, dtype=regard.float64)")
    if names is None:
        with contextlib.suppress(TypeError, ValueError):
            names = list(inspect.signature(function).parameters)
    inputs = [x if x.is_leaf else x.detach() for x in inputs]
    wanted = [x.requires_grad for x in inputs]
    with no_grad():
        first, second = function(*inputs), function(*inputs)
    if isinstance(first, Tensor) and not numpy.array_equal(first.detach(), second.detach(), equal_nan=True):
        raise Error("gradcheck: the function gives another result for the same inputs; if it draws random numbers, as "
                    "a dropout does, switch them off, for instance with model.eval()")
    try:
        return _core._float64.gradcheck(function, inputs, step, tolerance, every_entry_up_to, directions, seed,
                                        names or [])
    finally:
        for x, before in zip(inputs, wanted):
            x.requires_grad = before


def gradient_difference(function: Callable[[Tensor], Tensor], x: Tensor, direction: Any, step: float = 1e-4) -> Tensor:
    """(g(x + step d) - g(x - step d)) / (2 step), where g is the gradient of function(x), a scalar: the second
    derivative in the direction d, H d with the Hessian H, up to an error of about step^2. For checks.

    function   called with a tensor of the shape of x; its result is a scalar
    x          float64; where the second derivative is wanted
    direction  an array or a tensor of the shape of x

    Returns a tensor of the shape of x. Throws Error if x is float32. PyTorch: torch.autograd.functional.hvp.

    >>> x = regard.tensor(np.array([1.0, 2.0]))
    >>> regard.gradient_difference(lambda x: (x ** 3).sum(), x, [1, 0]).numpy().round(6)    # 6 x
    array([6., 0.])"""
    if x.dtype != float64:
        raise Error("gradient_difference: differences need double precision; give x.double()")
    direction = direction.detach() if isinstance(direction, Tensor) else tensor(direction, float64)
    gradients = []
    for sign in (1, -1):
        moved = (x.detach() + sign * step * direction).requires_grad_()
        function(moved).backward()
        gradients.append(moved.grad if moved.grad is not None else zeros_like(moved))
    return (gradients[0] - gradients[1]) / (2 * step)


def load(directory: str | os.PathLike[str], weights: str | os.PathLike[str] = "", *,
         shortlist: bool = False) -> Translator:
    """Reads the model in a directory; `weights` is a file that replaces its weights, such as a checkpoint. With
    `shortlist`, translations have only the tokens of the list that regard shortlist made, and scores are over these.
    Of a file that regard.save wrote, load returns what load_tensors does: a dict.

    Throws Error if the directory has no model. Source: regard's own; PyTorch: torch.load is regard.load_tensors.

    >>> len(regard.load("model").translate(["a b", "c d"]))
    2"""
    if os.path.isfile(directory):
        return load_tensors(directory)  # type: ignore[return-value]
    return Translator(directory, weights, shortlist)
