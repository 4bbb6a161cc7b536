"""What a user sees: errors, help, types."""

import inspect
import pydoc
import sys
import types
from pathlib import Path

import numpy
import pytest

import regard


@pytest.mark.parametrize("function, error, text", [
    (lambda x, d: x + d, regard.Error, "add: one tensor is float32 and the other float64; make both of one dtype"),
    (lambda x, d: regard.concat([x, d], 0), regard.Error, "concat: one tensor is float32 and the other float64"),
    (lambda x, d: x.sum().backward(), regard.Error, "backward: no tensor in this computation requires a gradient"),
    (lambda x, d: x @ x, regard.Error, r"matmul: .*\[2, 3\].*\[2, 3\]"),
    (lambda x, d: x + regard.zeros((4,)), regard.Error, r"add: .*\[2, 3\].*\[4\]"),
    (lambda x, d: regard.tensor(numpy.arange(3)), regard.Error, "an array of int64 cannot be a tensor; give dtype="),
    (lambda x, d: regard.tensor([1.0], dtype="float16"), regard.Error, "cannot have the dtype float16"),
    (lambda x, d: x * numpy.ones(3), TypeError, "multiply: a ndarray in the place of a tensor; regard.tensor"),
    (lambda x, d: numpy.ones(3) * x, TypeError, "multiply: a ndarray in the place"),
    (lambda x, d: regard.exp(numpy.ones(3)), TypeError, "exp: a ndarray in the place of a tensor; regard.tensor"),
    (lambda x, d: regard.softmax(x, "a"), TypeError, r"(?s)incompatible.*softmax\(x: Tensor, axis: int = -1\)"),
    (lambda x, d: regard.attention((x, 0), x, x), TypeError, "attention: a tuple in the place of a tensor"),
    (lambda x, d: x ** x, TypeError, "pow: the exponent is a tensor; give a number"),
    (lambda x, d: x.reshape("a"), TypeError, "reshape: give whole numbers"),
    (lambda x, d: x.permute(0, 0), regard.Error, r"permute: the shape \[2, 3\] has 2 axes; name each of them once"),
    (lambda x, d: x.split(0), regard.Error, "split: a part has 0 elements"),
    (lambda x, d: x.split([2, 3], -1), regard.Error, r"split: the parts of 2, 3 elements do not add up .*axis -1"),
    (lambda x, d: x.chunk(0), regard.Error, "chunk: 0 parts; give at least 1"),
    (lambda x, d: x.topk(4), regard.Error, r"topk: 4 of the 3 values along axis -1 of the shape \(2, 3\)"),
    (lambda x, d: x.gather(1, [[0, 1]]), regard.Error, r"gather: indices of the shape \[1, 2\] for x \[2, 3\]"),
    (lambda x, d: x.gather(1, [[0], [3]]), regard.Error, "gather: there is no index 3 on axis 1"),
    (lambda x, d: x[0].tril(), regard.Error, r"tril and triu take matrices, not the shape \(3,\)"),
    (lambda x, d: regard.randint(3, 3, (2,)), regard.Error, "randint: there is no whole number from 3 up to 3"),
    (lambda x, d: x.unsqueeze(4), regard.Error, "axis 4"),
    (lambda x, d: x.flatten(1, 0), regard.Error, "flatten: axis 1 stands after axis 0"),
    (lambda x, d: regard.ones(1, requires_grad=True).double(), regard.Error, "cannot become float64: the gradient"),
    (lambda x, d: setattr(x, "data", d.float()[0]), regard.Error, r"data: numbers of the shape \[3\] cannot replace"),
    (lambda x, d: setattr(x, "grad", x), regard.Error, "grad: there is no gradient yet"),
    (lambda x, d: regard.nn.utils.clip_grad_norm_([x], 0), regard.Error, "clip_grad_norm_: the greatest norm is 0"),
    (lambda x, d: regard.linear(x, None), TypeError, r"linear\(x: Tensor, weight: Tensor, bias: Tensor \| None = None"),
    (lambda x, d: regard.embedding(x, [0, 2]), regard.Error, "embedding: .*2"),
    (lambda x, d: regard.attention(x, x, x, [(0, 9, 0, 9)]), regard.Error, "attention: "),
    (lambda x, d: regard.attention(x, x, x, heads=2), regard.Error, "attention: "),
    (lambda x, d: regard.reference.attention(x, x, regard.zeros((1, 3))), regard.Error, r"value \[1, 3\] do not fit"),
    (lambda x, d: regard.gradcheck(regard.exp, [x]), regard.Error, "central differences need double precision"),
    (lambda x, d: regard.gradcheck(lambda y: 3, [d]), TypeError, "must return a float64 tensor, got int"),
    (lambda x, d: regard.set_threads(0), regard.Error, "0 threads: give a number from 1"),
    (lambda x, d: regard.conv2d(x, [(1, 2)], x), regard.Error, "conv2d: "),
    (lambda x, d: regard.gru(x, x, x, None, regard.TimeSteps([0, 2])), regard.Error, "gru: "),
    (lambda x, d: bool(x), TypeError, "a tensor is neither true nor false"),
    (lambda x, d: not regard.tensor(0.0), TypeError, "a tensor is neither true nor false"),
    (lambda x, d: regard.tensor(None), regard.Error, "a NoneType with something that is not a real number"),
    (lambda x, d: regard.tensor([1.0, None]), regard.Error, "a list with something that is not a real number"),
    (lambda x, d: regard.tensor("3", dtype="float64"), regard.Error, "a str with something that is not a real number"),
    (lambda x, d: regard.tensor([1j]), regard.Error, "a list with something that is not a real number"),
    (lambda x, d: regard.layer_norm(x, None), TypeError, "Invoked with types: regard.Tensor, NoneType"),
    (lambda x, d: x[2], IndexError, r"index 2 at axis 0 lies outside the shape \(2, 3\)"),
    (lambda x, d: x.item(), regard.Error, "item: a tensor of shape"),
])
def test_errors_are_sentences_and_break_nothing(function, error, text):
    x, d = regard.tensor(numpy.ones((2, 3), "float32")), regard.tensor(numpy.ones((2, 3)))
    with pytest.raises(error, match=text):
        function(x, d)
    assert (x + x).numpy().sum() == 12 and (d * d).numpy().sum() == 6


def public():
    return {name: value for name, value in vars(regard).items()
            if not name.startswith("_") and not isinstance(value, types.ModuleType)
            and getattr(value, "__module__", "").startswith("regard")}


def test_help_shows_arguments_and_shapes():
    text = pydoc.plain(pydoc.render_doc(regard.attention))
    assert "heads: int = 1" in text and "[query rows, width]" in text
    assert "e^x of each element" in pydoc.plain(pydoc.render_doc(regard.exp))
    assert "numpy" in pydoc.plain(pydoc.render_doc(regard.Tensor))
    assert [name for name, value in public().items() if not value.__doc__] == []
    assert public().keys() <= {*regard.__all__} and len({*regard.__all__}) == len(regard.__all__)


def functions():
    """All functions and methods of the package that are written in Python, but for the exercises and their checks,
    which are written as a student writes."""
    modules = [value for name, value in sys.modules.items()
               if name.startswith("regard.") and not name.startswith(("regard._core", "regard.exercise"))]
    for module in modules:
        for value in vars(module).values():
            if getattr(value, "__module__", "") == module.__name__:
                members = vars(value).values() if inspect.isclass(value) else [value]
                yield from (member for member in members if inspect.isfunction(member)
                            and member.__code__.co_filename == module.__file__)


def test_everything_has_types():
    """Functions of Python where they are written; classes of C++ in the stub, which the build makes."""
    assert len(list(functions())) > 150
    for function in functions():
        signature = inspect.signature(function)
        arguments = [name for name, argument in signature.parameters.items()
                     if argument.annotation is inspect.Parameter.empty and name not in ("self", "cls")]
        generated = "<locals>" in function.__qualname__ or function.__qualname__.startswith("<lambda>")
        assert generated or not arguments and signature.return_annotation is not inspect.Parameter.empty, function
    stub = (Path(regard.__file__).parent / "_core.pyi").read_text()
    assert "class Tensor(regard.methods.Methods):" in stub and "-> object" not in stub.split("class KeyRanges")[0]


USE = """
import numpy as np
import regard
from regard import nn, optim
x = regard.tensor(np.ones((2, 3)), requires_grad=True)
y: regard.Tensor = x.exp().sum(dim=1).reshape(-1)[0] + 2.0
z: regard.Tensor = regard.attention(x, x, x, heads=1) @ x.T - regard.exp(x)
model = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
optim.Adam(model.parameters(), lr=1e-3).step()
score: regard.Score | None = regard.load("model").score([("a", "b")])[0]
shape: tuple[int, ...] = x.shape
text: str = regard.load("model").translate("a").text
wrong: str = regard.linear(x, x)
"""


def test_a_type_checker_knows_the_package(tmp_path):
    api = pytest.importorskip("mypy.api")
    (tmp_path / "use.py").write_text(USE)
    (tmp_path / "regard").symlink_to(Path(regard.__file__).parent)
    said, _, _ = api.run(["--strict", "--follow-imports=silent", "--cache-dir", str(tmp_path / "cache"),
                          str(tmp_path / "use.py")])
    errors = [line for line in said.splitlines() if "use.py" in line]
    assert len(errors) == 1 and "use.py:13: error: Incompatible types" in errors[0]
