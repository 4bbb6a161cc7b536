"""What a user of PyTorch types first. Each line of pytorch_lines.txt is

    CODE ==> VALUE          it works, and the value of its last expression (or of r) is PyTorch's, written down
    CODE ==> says: TEXT     it is an error whose message has this text: what to write here

The code begins with x[3, 4], y[4, 2], q[2, 3, 8] and q2[5, 8], each from -1 to 1 in equal steps, and with the module
m = nn.Linear(4, 2), whose weight and bias are such tensors, too."""

import ast
import copy
import math
import os
import pickle
from pathlib import Path

import numpy as np
import pytest

import regard
import regard.nn.functional as F
from regard import nn, optim

LINES = [line.split(" ==> ") for line in
         (Path(__file__).parent / "pytorch_lines.txt").read_text(encoding="utf-8").splitlines()]


def steps(*shape):
    return regard.linspace(-1, 1, math.prod(shape)).reshape(shape)


def names():
    m = nn.Linear(4, 2)
    m.load_state_dict({"weight": steps(2, 4), "bias": steps(2)})
    return {"copy": copy, "math": math, "os": os, "pickle": pickle, "np": np, "regard": regard, "torch": regard,
            "nn": nn, "optim": optim, "F": F, "x": steps(3, 4), "y": steps(4, 2), "q": steps(2, 3, 8),
            "q2": steps(5, 8), "m": m}


def value(code):
    """Of the last expression, or of r."""
    *body, last = ast.parse(code).body
    scope = names()
    if not isinstance(last, ast.Expr):
        exec(code, scope)
        return scope.get("r")
    exec(compile(ast.Module(body, []), code, "exec"), scope)
    return eval(compile(ast.Expression(last.value), code, "eval"), scope)


def plain(found):
    """Python's numbers, lists and tuples."""
    if hasattr(found, "tolist"):
        return plain(found.detach().tolist() if isinstance(found, regard.Tensor) else found.tolist())
    kind = list if isinstance(found, list) else tuple if isinstance(found, tuple) else None
    return kind(map(plain, found)) if kind else found


def same(found, wanted):
    if isinstance(wanted, (list, tuple)):
        return type(found) is type(wanted) and len(found) == len(wanted) and all(map(same, found, wanted))
    if isinstance(wanted, float):
        return found == wanted or abs(found - wanted) < 1e-4 or found != found and wanted != wanted
    return type(found) is type(wanted) and found == wanted


def test_there_are_as_many_as_said():
    assert len(LINES) == len({code for code, _ in LINES}) == 206
    assert sum(not wanted.startswith("says: ") for _, wanted in LINES) >= 160


@pytest.mark.parametrize("code, wanted", LINES, ids=[code for code, _ in LINES])
def test_a_line_of_pytorch(code, wanted, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    threads = regard.threads()
    if wanted.startswith("says: "):
        with pytest.raises((AttributeError, TypeError, regard.Error)) as raised:
            value(code)
        assert len(wanted) > 10 and wanted[6:] in str(raised.value)
    else:
        assert same(plain(value(code)), eval(wanted, {"inf": math.inf, "nan": math.nan, "array": np.array}))
    regard.set_threads(threads)
