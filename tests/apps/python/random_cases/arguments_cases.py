"""Wrong arguments for every function in C++ that Python reaches."""

import math
import re
import tempfile

import numpy

import regard
from drawn import array, leaf, refused, shape_of
from regard import _core

LEFT_OUT = {"_train", "toy", "set_threads", "save_tensors"}  # they write, or change the whole process
FUNCTIONS = {f"{module.__name__}.{name}": value for module in (_core, _core._float32, _core._float64)
             for name, value in vars(module).items()
             if callable(value) and not isinstance(value, type) and name not in LEFT_OUT}
METHODS = [f"Tensor.{name}" for name, value in vars(_core.Tensor).items()
           if callable(value) and name not in ("__init__", "__new__", "__getattr__", "__class__")]
NUMBERS = [-2**63, -2**31 - 1, -7, -1, 0, 1, 2, 3, 4, 5, 2**62, 2**63 - 1]


def argument(random, kind):
    """Something of this type; now and then of another."""
    kind = kind if random.random() < 0.93 else random.choice(["Tensor", "int", "float", "str", "None", "ids"])
    if "tuple[int, int]" in kind:
        return random.choice([[(5, 1)], [(1, 5)], [(274177, 67280421310721)] * 5, [(-1, -5)], [(2**32, 2**32)], []])
    if "ndarray" in kind:
        return array(random, *shape_of(random)).astype(random.choice(["float32", "float64"]))
    if "Sequence[str]" in kind:
        return random.choice([["a b", ""], ["c"], []])
    if "Sequence[tuple" in kind:
        return random.choice([[0, 2, 5], [0, 5], [(0, 5, 0, 5)], [(0, 2, 0, 2), (2, 5, 2, 5)], [(0, 5, -9**9, 3)],
                              [tuple(random.choice(NUMBERS) for _ in range(4)) for _ in range(random.randint(0, 4))],
                              [(i, i + 1, 0, 2**62) for i in range(4)], [0, 2**62]])
    if "Tensor" in kind and "Sequence" in kind:
        return [argument(random, "Tensor") for _ in range(random.randint(0, 3))]
    if "Tensor" in kind:
        shape = random.choice([(5, 4), (5, 4), (5, 4), (5, 12), (12, 4), (4,), (5,), (), (0, 4), (1, 1), (2, 5, 4),
                               (5, 1)])
        x = regard.tensor(array(random, *shape), random.choice(["float32", "float32", "float64"]))
        return x.requires_grad_(random.random() < 0.3)
    if "KeyRanges" in kind:
        try:
            return random.choice([regard.all_keys, regard.keys_up_to_query])(argument(random, "Sequence[tuple"))
        except (regard.Error, TypeError):
            return regard.all_keys([0, 2, 5])
    if "TimeSteps" in kind:
        return regard.TimeSteps(random.choice([[0, 2, 5], [0, 5], [0, 1, 2, 3, 4, 5], [0]]), random.random() < 0.5)
    if "Random" in kind:
        return regard.Random(1)
    if "Callable" in kind or "callable" in kind:
        return random.choice([lambda *x: list(x), lambda x: [], lambda x: [None] * 5, lambda x: x, lambda x: [x, x],
                              lambda x: [regard.ones(99, dtype=x.dtype)], lambda x: [x.float(), x.double()]])
    if "Iterable" in kind or kind == "ids":
        return random.choice([[0, 1, 2, 3, 4], [0] * 5, [-1] * 5, [2**31 - 1] * 5, [[0]] * 5, [], [99],
                              numpy.arange(5)])
    if "Sequence" in kind and "float" in kind:
        return [random.choice([0.0, 1.5, -3.0, math.nan, math.inf, 1e300]) for _ in range(random.choice([0, 1, 5, 5]))]
    if "Sequence" in kind:
        return [random.choice(NUMBERS) for _ in range(random.randint(0, 3))]
    if "bool" in kind:
        return random.random() < 0.5
    if "float" in kind:
        return random.choice([0.0, 0.5, 1.0, -1.0, math.nan, math.inf, 1e300])
    if "int" in kind:
        return random.choice(NUMBERS)
    if "args" in kind:
        return random.choice(NUMBERS)
    return random.choice(["x", "sum", None, 3])


def arguments_of(function, random):
    """Some for one of its signatures."""
    lines = [line for line in (function.__doc__ or "").split("\n")
             if re.match(rf"(\d+\. )?`*{function.__name__}\(", line)]
    line = re.sub(r"^\d+\. |`| -> .*", "", random.choice(lines or ["f()"]))
    depth, parts = 0, [""]
    for letter in line[line.index("(") + 1:line.rindex(")")]:
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    positional, named, only_named = [], {}, False
    for part in map(str.strip, parts):
        name, _, kind = part.partition(":")
        if not part or part in ("/", "self"):
            continue
        if part == "*":
            only_named = True
        elif part[0] == "*":
            positional += [random.choice(NUMBERS) for _ in range(random.randint(0, 3))] if part[1] != "*" else []
        elif "=" in kind and random.random() < 0.4:
            only_named = True
        elif only_named:
            named[name] = argument(random, kind)
        else:
            positional.append(argument(random, kind))
    return positional, named


def wrong_arguments(random):
    """Each function in C++ answers, or refuses. It reads and writes nothing outside (then this process would die), and
    what was there before is as it was."""
    witness, numbers = regard.tensor(numpy.arange(256.0)), numpy.arange(256.0)
    for _ in range(12):
        name = random.choice([*FUNCTIONS, *FUNCTIONS, *METHODS])
        function = FUNCTIONS.get(name) or getattr(_core.Tensor, name.split(".")[1])
        positional, named = arguments_of(function, random)
        if name not in FUNCTIONS:
            positional.insert(0, argument(random, "Tensor"))
        try:
            with numpy.errstate(all="ignore"):
                found = function(*positional, **named)
                for y in found if isinstance(found, (list, tuple)) else [found]:
                    if isinstance(y, regard.Tensor) and y.requires_grad:
                        y.backward(regard.ones(*y.shape, dtype=y.dtype))
        except (regard.Error, TypeError, ValueError, IndexError, AttributeError, BufferError, OverflowError):
            pass
    assert numpy.array_equal(witness.numpy(), numbers)


def dangerous_arguments(random):
    """Functions that trusted what they got: what is wrong is refused each time."""
    one, other = random.sample([(3,), (64, 96), (64, 64), (2, 2), (), (0,), (1, 3)], 2)
    x, g, m, v = (regard.ones(*s, dtype="float64") for s in ((one, one, one, one)))
    wrong = random.choice([{"g": other}, {"m": other}, {"v": other}, {"x": other}, {"step": 0}, {"step": -2**63}])
    tensors = {name: regard.ones(*wrong.get(name, one), dtype="float64") for name in "xgmv"}
    update = [*tensors.values(), wrong.get("step", 1), 0.1, 0.9, 0.99, 1e-8, 0.0]
    assert refused(lambda: _core._adam_update(*update))
    assert refused(lambda: _core._adam_update(x, g.float(), m, v, 1, 0.1, 0.9, 0.99, 1e-8, 0.0))
    found = random.choice([[], [None], [regard.ones(9, dtype="float64")] * 2, [regard.ones(3)] * 2])
    a, b = leaf(random, 3), leaf(random, 3)
    y = _core._record("mine", regard.ones(3, dtype="float64"), [a, b], lambda gradient: found)
    assert refused(lambda: y.sum().backward())
    segments = random.choice([[(0, 2, -10**6, -10**6 + 2)], [(0, 1, 0, 2**62), (1, 2, 0, 2**62), (2, 3, 0, 2**62)],
                              [(0, 2**62, 0, 1)], [(0, 1, 0, 2**62)]])
    assert refused(lambda: regard.all_keys(segments))
    shared = regard.all_keys([(0, 1, 0, 2), (1, 2, 1, 3)])
    assert refused(lambda: regard.dot_scores(leaf(random, 2, 4), leaf(random, 3, 4), shared))
    assert regard.keys_near([0, 4], [0.0, 1.0, 2.0, 3.0], 2**63 - 1).pairs == 16
    with tempfile.TemporaryDirectory() as folder:
        numbers = numpy.ones(3, random.choice(["int32", "int64", "float16", "uint8", "bool", "complex64"]))
        assert refused(lambda: _core._float32.save_tensors(f"{folder}/x", [("x", numbers)]))
    assert refused(lambda: regard.TimeSteps([0, 2**62])) and refused(
        lambda: regard.max_pool2d(regard.ones(1, 2), [(274177, 67280421310721)], 1))
    assert refused(lambda: regard.cross_entropy(regard.ones(2, 3), [0, 1], 0.0, random.choice([-1, -2**63])))


PROPERTIES = {
    "wrong arguments of functions in C++": (80, wrong_arguments),
    "arguments that were trusted": (30, dangerous_arguments)}
