#!/usr/bin/env python3
"""Runs the tests of the Python package, and those of the exercises, with pytest.
    tests/apps/python/run.py PACKAGE REGARD [ARGUMENT_OF_PYTEST ...]
PACKAGE is the directory with the package regard, such as build/apps/python, and REGARD is the program. Ends with 77 if
pytest or numpy is not installed; ctest then says "Skipped". Tests that need PyTorch or Jupyter are skipped without."""

import os
import sys
from pathlib import Path

sys.dont_write_bytecode = True


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    package, program, *arguments = sys.argv[1:]
    try:
        import numpy  # noqa: F401
        import pytest
    except ModuleNotFoundError as error:
        print(f"skipped: {error}; pip install './apps/python[tests]' installs what the tests need")
        sys.exit(77)
    package = str(Path(package).resolve())
    sys.path.insert(0, package)
    # For this process and those that tests start. Threads that wait do not spin, because other tests run beside these.
    os.environ.update(PYTHONPATH=package, PYTHONDONTWRITEBYTECODE="1", GOMP_SPINCOUNT="0",
                      REGARD_PROGRAM=str(Path(program).resolve()))
    sys.exit(pytest.main(["-q", "-rs", "-p", "no:cacheprovider", str(Path(__file__).parent),
                          str(Path(__file__).parents[1] / "exercises"), *arguments]))


if __name__ == "__main__":
    main()
