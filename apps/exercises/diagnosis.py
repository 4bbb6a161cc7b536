"""Says in one sentence what is wrong with a student's function. The function runs on each case of its exercise. A
wrong result is compared with what typical mistakes give; if none fits, the sentence names a property or an entry."""

import linecache
import re
import traceback
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass
class Case:
    arguments: tuple
    right: tuple                      # values from the library, gradients by central differences
    mistakes: list                    # (name of a result, what a typical mistake gives for it, a sentence)
    hidden: np.ndarray | None = None  # which entries of the first result must be exactly 0,
    why: str = ""                     # and why


@dataclass
class Exercise:
    make_cases: Callable  # a generator of cases, the ordinary ones first
    next: str             # what to look at after a right answer
    sums: dict            # what the rows of a result must sum to, and why
    overflow: str         # why a result is NaN or infinite
    function: str = ""    # the names of the student's function, its arguments and its results, from the exercise;
    arguments: tuple = ()
    results: tuple = ()   # "dx" is the gradient of the loss with respect to the argument x

    def cases(self):
        with np.errstate(all="ignore"):
            return list(self.make_cases(np.random.default_rng(1)))


class Fault(Exception):
    """A sentence about a student's function."""


def exercise(next, sums={}, overflow="e^1000 is infinite, 0/0 is NaN; from each row, subtract its largest number."):
    return lambda make_cases: Exercise(make_cases, next, sums, overflow)


def slopes(loss, x, step=1e-5):
    """dloss/dx by central differences: how fast loss(x) changes if one entry of x moves."""
    result = np.empty(np.shape(x))
    for i in np.ndindex(result.shape):
        move = np.zeros(result.shape)
        move[i] = step
        result[i] = (loss(x + move) - loss(x - move)) / (2 * step)
    return result


def differing(got, right):
    """The indices at which arrays of one shape differ by more than rounding. NaN equals NaN."""
    got, right = np.asarray(got, float), np.asarray(right, float)
    with np.errstate(invalid="ignore"):
        near = np.abs(got - right) <= 1e-8 + 1e-6 * np.abs(right[np.isfinite(right)]).max(initial=0)
    return np.argwhere(~(near | (got == right) | (np.isnan(got) & np.isnan(right))))


def close(got, right):
    return np.shape(got) == np.shape(right) and len(differing(got, right)) == 0


def entry(name, index):
    return f"{name}[{', '.join(map(str, index))}]" if len(index) else name


def line_of(error, file):
    """" in line 7 of FILE: `the line`": the last line of the student's file that an error went through."""
    if isinstance(error, SyntaxError) and error.filename == file:
        return f" in line {error.lineno} of {file}: `{(error.text or '').strip()}`"
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if frame.filename == file:
            line = linecache.getline(file, frame.lineno).strip()
            return f" in line {frame.lineno} of {file.split('/')[-1]}: `{line}`"
    return ""


CLEARER = [  # what is hard to read in the sentences of Python and NumPy, and what stands in its place
    (r".*size (\d+) is different from (\d+).*", r"in a @ b, a has \2 columns, but b has \1 rows; is a .T missing, or one too many?"),
    (r"(could not be broadcast .*,\d+\) \(\d+,\)) *$", r"\1; keepdims=True keeps the axis of a sum or a maximum."),
    (r"(could not be broadcast .*\d\) \(\d+,\d+\)) *$", r"\1; they go number by number, the matrix product is a @ b."),
    (r".*bitwise_xor.*|.*for \^.*", "a power is x**2, not x^2.")]


def call(exercise, function, arguments):
    """The results of the student's function, None for those that are not filled in."""
    copies = [np.array(x) if isinstance(x, np.ndarray) else x for x in arguments]
    try:
        with np.errstate(all="ignore"):
            found = function(*copies)
    except (Exception, SystemExit) as error:
        line = line_of(error, getattr(getattr(function, "__code__", None), "co_filename", ""))
        called = "" if line else f", called as {exercise.function}({', '.join(exercise.arguments)})"
        text = str(error)
        for hard, clear in CLEARER:
            text = re.sub(hard, clear, text)
        raise Fault(f"your function stopped with {type(error).__name__}{line}{called}: {text}") from error
    for name, before, after in zip(exercise.arguments, arguments, copies):
        if not np.array_equal(before, after):
            raise Fault(f"your function changes its argument {name}; work with a copy, {name}.copy().")
    count = len(exercise.results)
    several = isinstance(found, tuple) or isinstance(found, list) and count > 1
    if found is not None and (len(found) if several else 1) != count:
        raise Fault(f"your function must return exactly `{', '.join(exercise.results)}`.")
    return found if several else [found] * count


def check_properties(exercise, case, name, got):
    if case.hidden is not None and name == exercise.results[0]:
        for i in np.argwhere(case.hidden & (got != 0)):
            found = f"{got[tuple(i)]:.4g}"
            raise Fault(f"query {i[0]} sees key {i[1]}, {case.why}: {entry(name, i)} is {found}, but must be 0.")
    total, reason = exercise.sums.get(name, (None, ""))
    for row, found in enumerate(np.atleast_2d(got).sum(-1) if total is not None else ()):
        if not abs(found - total) < 1e-6 * (1 + np.abs(got).max()):
            raise Fault(f"row {row} of {name} sums to {found:.6g}, but must sum to {total}: {reason}.")


def explain(exercise, case, name, results, rights):
    """Raises the sentence about results[name], which is not rights[name]."""
    got, right = results[name], rights[name]
    for other in exercise.results:
        if other != name and close(got, rights[other]) and close(results[other], right):
            raise Fault(f"{name} and {other} are exchanged; end with `return {', '.join(exercise.results)}`.")
    mistake = next((text for of, value, text in case.mistakes if of == name and close(value, got)), None)
    if got.shape != right.shape:
        reason = f": {mistake}" if mistake else ": it is transposed." if close(got.T, right) else "."
        raise Fault(f"{name} must have the shape {list(right.shape)}, but has the shape {list(got.shape)}{reason}")
    infinite = np.argwhere(~np.isfinite(got) & np.isfinite(right))
    if len(infinite):
        raise Fault(f"{entry(name, infinite[0])} is {got[tuple(infinite[0])]}: {mistake or exercise.overflow}")
    if not mistake:
        check_properties(exercise, case, name, got)
    index = tuple(differing(got, right)[0])
    digits = next((d for d in range(4, 17) if f"{got[index]:.{d}g}" != f"{right[index]:.{d}g}"), 17)
    should = f"{right[index]:.{digits}g}"
    factor = float((got * right).sum() / (right * right).sum()) if right.size > 2 and right.any() else 0
    if not mistake and abs(factor) > 1e-3 and close(got, factor * right):
        mistake = "the sign is wrong." if close(got, -right) else f"all numbers are {factor:.4g} times the right ones."
    elif not mistake and name[0] == "d" and name[1:] in exercise.arguments:
        mistake = f"if {entry(name[1:], index)} grows by a tiny h, L grows by {should} h (central differences)."
    reason = f": {mistake}" if mistake else "."
    raise Fault(f"{entry(name, index)} is {got[index]:.{digits}g}, but should be {should}{reason}")


def check_case(exercise, function, case):
    """Raises the sentence about the first thing that is wrong."""
    found = call(exercise, function, case.arguments)
    results = {}
    for name, result in zip(exercise.results, found):
        try:
            results[name] = np.asarray(np.nan if result is None else result).astype(float, casting="same_kind")
        except (TypeError, ValueError) as error:
            raise Fault(f"{name} is no array of numbers: {error}.") from error
    rights = {name: np.asarray(x, float) for name, x in zip(exercise.results, case.right)}
    for name, result in zip(exercise.results, found):
        if result is None:
            before = "" if name == exercise.results[0] else "; what stands before it is right so far"
            raise Fault(f"{name} is not filled in, it is None{before}.")
        if not close(results[name], rights[name]):
            explain(exercise, case, name, results, rights)
        check_properties(exercise, case, name, results[name])
