"""The exercises: regard.exercise(3) prints the third, regard.exercise(3, my_function) checks a function.

In a shell: python -m regard.exercise"""

import re
import sys
import types
from pathlib import Path

import numpy

import regard

NUMBERS = range(1, 14)


def path_of(number):
    if number not in NUMBERS:
        raise regard.Error(f"there is no exercise {number!r}; the exercises have the numbers 1 to {NUMBERS[-1]}")
    return Path(__file__).parent / f"exercise_{number:02}.py"


def titles():
    """A line for each exercise: its number and its title."""
    return "\n".join(f"{n:3}  " + re.search(r"Exercise \d+: (.*)", path_of(n).read_text())[1] for n in NUMBERS)


def of(number):
    """The check of an exercise, a diagnosis.Exercise. The exercise's file says the names in its function."""
    from . import checks_01_to_07, checks_08_to_13
    text = path_of(number).read_text()
    exercise = getattr(checks_01_to_07 if number < 8 else checks_08_to_13, f"exercise_{number}")
    exercise.function, arguments = re.findall(r"^def (\w+)\((.*)\)", text, re.M)[-1]
    exercise.arguments = arguments.split(", ")
    exercise.results = re.findall(r"^    return (.+)", text, re.M)[-1].split(", ")
    return exercise


def case(number, place):
    """The arguments in a case of an exercise. The check says in which case a result is wrong."""
    cases = of(number).cases()
    if place not in range(1, len(cases) + 1):
        raise regard.Error(f"exercise {number} has the cases 1 to {len(cases)}, but no case {place!r}")
    arguments = cases[place - 1].arguments
    return arguments[0] if len(arguments) == 1 else arguments


def check(number, function, cases=()):
    """Checks a function. Returns a pair: if it is right, and what the check says."""
    from .diagnosis import Fault, check_case
    exercise = of(number)
    if not callable(function):
        return False, f"Give the function itself, regard.exercise({number}, {exercise.function}), not its result."
    for place, each in enumerate(cases or exercise.cases(), 1):
        try:
            check_case(exercise, function, each)
        except Fault as fault:
            shapes = ", ".join(f"{name} {list(numpy.shape(x)) if numpy.ndim(x) else f'{x:.6g}'}"
                               for name, x in zip(exercise.arguments, each.arguments))
            return False, (f"Not yet: {fault}\n(Case {place}: {shapes}. To try it yourself: "
                           f"{', '.join(exercise.arguments)} = regard.exercise.case({number}, {place}))")
    return True, f"Right. Now look, in the sources of regard, at {exercise.next}"


def check_file(number, path):
    """Checks the function in a student's file; returns the same as check."""
    from .diagnosis import line_of
    exercise, path, module = of(number), str(path), {"__name__": "exercise"}
    cases = exercise.cases()  # before the student's code, which may change a function of NumPy or of regard
    try:
        exec(compile(Path(path).read_text(), path, "exec"), module)
    except (OSError, UnicodeDecodeError) as error:
        return False, f"{path} cannot be read: {getattr(error, 'strerror', error)}."
    except (Exception, SystemExit) as error:
        return False, f"{path} cannot be run: {type(error).__name__}{line_of(error, path)}: {error}"
    if exercise.function not in module:
        return False, f"{path} has no function {exercise.function}, which the check calls."
    return check(number, module[exercise.function], cases)


class _Callable(types.ModuleType):
    def __call__(self, number=None, *function):
        """Without a function, prints the exercise (without a number, all titles). Otherwise checks the function."""
        if number is None:
            print(titles())
        elif function:
            print(check(number, *function)[1])
        else:
            here = f"regard.exercise({number}, {of(number).function})"
            print(path_of(number).read_text().replace(f"python -m regard.exercise {number}", here))


sys.modules[__name__].__class__ = _Callable
