"""Says in one sentence what is wrong with a student's function.

The function runs on each case of its exercise, and each of its results is compared with the right one. If a result is
wrong, it is compared with what typical mistakes give; if none fits, the sentence names an entry."""

import linecache
import re
import traceback

import numpy as np


class Exercise:
    """What the check of an exercise has. right, mistakes and properties get the arguments of the student's function."""

    function = ""     # the name of the function,
    arguments = []    # of its arguments,
    results = []      # and of what it returns; "dx" is the gradient of the loss with respect to the argument x
    next = ""         # what to look at after a right answer
    sums = {}         # to what the rows of a result must sum, and why
    overflow = "e^1000 is infinite; subtract the largest number of the row first, which changes no quotient."

    def cases(self, random):
        """A list of tuples of arguments, the ordinary ones first."""

    def right(self, *arguments):
        """A tuple of the right results: values from the library, gradients by central differences."""

    def mistakes(self, *arguments):
        """Yields (the name of a result, what a typical mistake gives for it, a sentence about the mistake)."""

    def properties(self, results, *arguments):
        """Yields a sentence for each property that the results, a dictionary, do not have."""
        for name, (total, reason) in self.sums.items():
            for row, found in enumerate(np.atleast_2d(results.get(name, np.zeros((0, 1)))).sum(-1)):
                if not abs(found - total) < 1e-6 * (1 + np.abs(results[name]).max()):
                    yield f"row {row} of {name} sums to {found:.6g}, but must sum to {total}: {reason}."


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


def place(error, file):
    """" in line 7 of FILE: `the line`": the last line of the student's file that an error went through."""
    if isinstance(error, SyntaxError) and error.filename == file:
        return f" in line {error.lineno} of {file}: `{(error.text or '').strip()}`"
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if frame.filename == file:
            return f" in line {frame.lineno} of {file.split('/')[-1]}: `{linecache.getline(file, frame.lineno).strip()}`"
    return ""


def call(exercise, function, arguments):
    """Returns (a list of the function's results, None), or (None, a sentence)."""
    copies = [np.array(x) if isinstance(x, np.ndarray) else x for x in arguments]
    names, wanted = exercise.arguments, exercise.results
    try:
        with np.errstate(all="ignore"):
            results = function(*copies)
    except Exception as error:
        line = place(error, getattr(getattr(function, "__code__", None), "co_filename", ""))
        called = "" if line else f", called as {exercise.function}({', '.join(names)})"
        sizes = re.search(r"size (\d+) is different from (\d+)", str(error))
        text = f"a @ b needs as many columns in a as rows in b, not {sizes[2]} and {sizes[1]}." if sizes else error
        return None, f"your function stopped with {type(error).__name__}{line}{called}: {text}"
    for name, before, after in zip(names, arguments, copies):
        if not np.array_equal(before, after):
            return None, f"your function changes its argument {name}; work with a copy, {name}.copy()."
    if results is None or len(wanted) == 1:
        return [results] * len(wanted), None
    if not isinstance(results, (tuple, list)) or len(results) != len(wanted):
        count = len(results) if isinstance(results, (tuple, list)) else "only one"
        return None, f"your function must return {len(wanted)} results, `return {', '.join(wanted)}`, but it returns {count}."
    return list(results), None


def wrong(exercise, name, results, rights, arguments):
    """The sentence about results[name], which is not rights[name]."""
    got, right = results[name], rights[name]
    for other in exercise.results:
        if other != name and close(got, rights[other]) and close(results.get(other), right):
            return f"{name} and {other} are exchanged; end with `return {', '.join(exercise.results)}`."
    with np.errstate(all="ignore"):
        mistake = next((text for of, value, text in exercise.mistakes(*arguments) if of == name and close(value, got)), None)
    if got.shape != right.shape:
        reason = f": {mistake}" if mistake else ": it is transposed." if close(got.T, right) else "."
        return f"{name} must have the shape {list(right.shape)}, but has the shape {list(got.shape)}{reason}"
    infinite = np.argwhere(~np.isfinite(got) & np.isfinite(right))
    if len(infinite):
        return f"{entry(name, infinite[0])} is {got[tuple(infinite[0])]}: {mistake or exercise.overflow}"
    property = None if mistake else next(exercise.properties({name: got}, *arguments), None)
    if property:
        return property
    index = tuple(differing(got, right)[0])
    digits = next((d for d in range(4, 17) if f"{got[index]:.{d}g}" != f"{right[index]:.{d}g}"), 17)
    should = f"{right[index]:.{digits}g}"
    text = f"{entry(name, index)} is {got[index]:.{digits}g}, but should be {should}"
    if mistake:
        return f"{text}: {mistake}"
    factor = float((got * right).sum() / (right * right).sum()) if right.size > 2 and right.any() else 0
    if abs(factor) > 1e-3 and close(got, factor * right):
        return f"{text}: " + ("the sign is wrong." if close(got, -right) else f"every number is {factor:.4g} times the right one.")
    if name[0] == "d" and name[1:] in exercise.arguments:
        return f"{text}: if {entry(name[1:], index)} grows by a tiny h, the loss grows by {should} h (central differences)."
    return f"{text}."


def fault(exercise, function):
    """Returns (a sentence, the number of the case or None) for the first thing that is wrong, or None."""
    for number, arguments in enumerate(exercise.cases(np.random.default_rng(1)), 1):
        found, sentence = call(exercise, function, arguments)
        if sentence:
            return sentence, number
        if all(result is None for result in found):
            return "it is not filled in yet: your function returns None.", None
        rights = {name: np.asarray(x, float) for name, x in zip(exercise.results, exercise.right(*arguments))}
        results = {}
        for name, result in zip(exercise.results, found):
            try:
                if np.iscomplexobj(result):
                    raise TypeError("it has complex numbers")
                results[name] = np.asarray(result, float)  # None becomes NaN
            except (TypeError, ValueError) as error:
                return f"{name} is no array of numbers: {error}.", number
        for name, result in zip(exercise.results, found):
            if result is None:
                return f"{name} is not filled in yet, it is None; what stands before it is right so far.", None
            if not close(results[name], rights[name]):
                return wrong(exercise, name, results, rights, arguments), number
        property = next(exercise.properties(results, *arguments), None)
        if property:
            return property, number
    return None
