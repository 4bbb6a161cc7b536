#!/usr/bin/env python3
"""Draws random cases of kinds of faults that give no error: wrong shapes, shared memory, unseen characters, names that
collide. Each case must be right, or be refused with a regard.Error.

  tests/apps/python/random_cases/run.py PACKAGE REGARD [--seed N] [--times F] [NAME ...]

PACKAGE is the directory with the package regard, and REGARD is the program. --times 10 draws ten times as many cases.
NAME is a part of the name of a property. Each file beside this one has a table PROPERTIES: its name, the number of
draws, and a function. The function gets a random.Random and draws one case; it raises AssertionError if the case fails.
A function whose draw has many cases returns their number.
Ends with 77 if numpy is not installed; ctest then says "Skipped"."""

import argparse
import importlib
import os
import random
import sys
import time
import traceback
from pathlib import Path

sys.dont_write_bytecode = True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("package", type=Path)
    parser.add_argument("program", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--times", type=float, default=1.0)
    parser.add_argument("names", nargs="*")
    given = parser.parse_args()
    try:
        import numpy  # noqa: F401
    except ModuleNotFoundError as error:
        print(f"skipped: {error}")
        sys.exit(77)
    folder = Path(__file__).parent
    sys.path[:0] = [str(given.package.resolve()), str(folder)]
    os.environ["REGARD_PROGRAM"] = str(given.program.resolve())
    cases = failed = 0
    for file in sorted(folder.glob("*_cases.py")):
        for name, (count, function) in importlib.import_module(file.stem).PROPERTIES.items():
            if given.names and not any(part in name for part in given.names):
                continue
            begin, draws = time.monotonic(), max(1, round(count * given.times))
            checked = failures = 0
            for number in range(draws):
                try:
                    checked += function(random.Random(f"{given.seed} {name} {number}")) or 1
                except Exception:
                    checked += 1
                    failures += 1
                    if failures == 1:
                        print(f"{name}, case {number}:\n{traceback.format_exc()}")
            print(f"{checked:5} cases, {failures} failed, {time.monotonic() - begin:5.1f} s: {name}", flush=True)
            cases += checked
            failed += failures
    print(f"{cases} cases, {failed} failed")
    sys.exit(failed > 0 or cases == 0)


if __name__ == "__main__":
    main()
