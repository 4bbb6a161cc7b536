"""What a user sees: errors, help, types."""

import copy
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
    (lambda x, d: regard.linear(x + x, d), regard.Error, r"x.float\(\) or x.double\(\) converts a tensor, model"),
    (lambda x, d: regard.exp(numpy.ones(3)), TypeError, r"exp: a ndarray in .* regard.tensor\(x, dtype=regard.float32"),
    (lambda x, d: d @ numpy.ones(3), TypeError, r"matmul: a ndarray in .* regard.tensor\(x, dtype=regard.float64\)"),
    (lambda x, d: d * numpy.array(["a"]), regard.Error, "a ndarray with something that is not a real number"),
    (lambda x, d: regard.dropout(x, 0.5), regard.Error, "dropout: give a key, an int .*; nn.functional.dropout"),
    (lambda x, d: x.to("cuda"), regard.Error, "a tensor cannot become cuda: regard computes on the CPU, in float32"),
    (lambda x, d: regard.tensor(x.requires_grad_() * 2), regard.Error, r"no gradient .*; x.double\(\) and .* x.detach"),
    (lambda x, d: regard.tensor([x.requires_grad_().sum()]), regard.Error, "regard.stack joins several"),
    (lambda x, d: numpy.dot(numpy.ones(2), x.requires_grad_()), regard.Error, "no gradient passes through NumPy"),
    (lambda x, d: copy.deepcopy(x.requires_grad_() * 2), regard.Error, "no history, .* this result of 'multiply'"),
    (lambda x, d: (x.requires_grad_() * 2).numpy(), regard.Error, r"write x.detach\(\) first if you want none"),
    (lambda x, d: setattr(regard.nn.Linear(2, 2), "weight", x), TypeError,
     r"a Tensor in the place of weight, one of the parameters, .* write nn.Parameter\(x\)"),
    (lambda x, d: regard.optim.Adam([x], betas=(1, 1)), regard.Error, "each of the two betas of an optimiser is 1; it"),
    (lambda x, d: regard.optim.SGD([x], lr=numpy.nan), regard.Error, "an optimiser's lr is nan; it must be a number"),
    (lambda x, d: regard.optim.SGD([{"lr": 1}]), regard.Error, 'a group of parameters is a dict with "params"'),
    (lambda x, d: regard.randint(0, 2**32, (2,)), regard.Error, "randint: .* 4294967296, in int32"),
    (lambda x, d: regard.uniform((2,), 3, 1), regard.Error, "uniform: there are no random numbers from 3 to 1"),
    (lambda x, d: regard.all_keys([(0, 2, -9, -7)]), regard.Error, "the keys -9 to -7; rows count from 0"),
    (lambda x, d: x.type(), AttributeError, r"a Tensor has no type; use x.dtype; x.float\(\) and x.double\(\) convert"),
    (lambda x, d: regard.autograd, AttributeError, r"use loss.backward\(\) and x.grad; there are no second derivatives"),
    (lambda x, d: x.cumprod(0), AttributeError, r"has no cumprod; NumPy has it, .*: x.detach\(\).numpy\(\).cumprod"),
    (lambda x, d: x.median(), AttributeError, r"has no median; NumPy has it, .*: numpy.median\(x.detach\(\).numpy\(\)\)"),
    (lambda x, d: x.sub_(1), AttributeError, "a Tensor has no sub_; operations make new tensors"),
    (lambda x, d: x.linear(x), AttributeError, "a Tensor has no linear; use regard.linear"),
    (lambda x, d: regard.tolist(x), AttributeError, r"regard has no tolist; use x.tolist\(...\) of a tensor x"),
    (lambda x, d: regard.Tensor([1.0]), TypeError, r"regard.Tensor is the type of tensors; regard.tensor\(data\)"),
    (lambda x, d: regard.multinomial(x, 2), regard.Error, "multinomial: draws 1 position of each row, not 2"),
    (lambda x, d: x.thing, AttributeError, r"a Tensor has no thing; dir\(regard.Tensor\) lists what there is"),
    (lambda x, d: regard.einsum("ii->i", x @ x.T), regard.Error, "einsum: 'ii->i' has ... or a letter twice"),
    (lambda x, d: regard.einsum("ij,jk", x), regard.Error, r"einsum: 'ij,jk' does not fit the shapes \(2, 3\); give a"),
    (lambda x, d: x.expand(3, 3), regard.Error, r"expand: the shape \(2, 3\) cannot become \(3, 3\); only an extent of 1"),
    (lambda x, d: x.repeat(2), regard.Error, r"repeat: 1 numbers for the 2 axes of \(2, 3\)"),
    (lambda x, d: (-2) ** x, regard.Error, r"-2 \*\* x: the base .* must be a number above 0"),
    (lambda x, d: regard.rad2deg(x), AttributeError, r"NumPy has it, .*: numpy.rad2deg\(x.detach\(\).numpy\(\)\)"),
    (lambda x, d: regard.nn.MultiheadAttention(4, 2), AttributeError, "regard.nn has no .*; use nn.MultiHeadAttention"),
    (lambda x, d: regard.nn.functional.einsum, AttributeError, "regard.nn.functional has no einsum; use regard.einsum"),
    (lambda x, d: regard.utils.data.DataLoader([1], 0), regard.Error, "DataLoader: batch_size is 0; it must be at least 1"),
    (lambda x, d: regard.utils.data.TensorDataset(x, x[:1]), regard.Error, r"lengths are \[2, 1\]; they must be equal"),
    (lambda x, d: regard.nn.ReLU(inplace=True), TypeError, "there is no argument inplace here; instead: leave it out"),
    (lambda x, d: regard.device("cuda:0"), regard.Error, 'there is no device "cuda:0": .*; write "cpu"'),
    (lambda x, d: setattr(regard.nn.Linear(2, 2), "weight", regard.nn.Parameter(x)), regard.Error,
     r"weight of Linear has the shape \(2, 2\), and the new one has \(2, 3\)"),
    (lambda x, d: regard.optim.lr_scheduler, AttributeError, r"regard.optim has no lr_scheduler; use .* optim.noam\("),
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
    (lambda x, d: setattr(x, "data", d.float()[0]), regard.Error, r"data: numbers of the shape \[3\] cannot replace"),
    (lambda x, d: setattr(x, "grad", x), regard.Error, "grad: a tensor that requires no gradient has none"),
    (lambda x, d: setattr(x.requires_grad_(), "grad", x[0]), regard.Error, r"grad: numbers of the shape \[3\] cannot repl"),
    (lambda x, d: regard.nn.utils.clip_grad_norm_([x], 0), regard.Error, "clip_grad_norm_: the greatest norm is 0"),
    (lambda x, d: regard.linear(x, None), TypeError, r"linear\(x: Tensor, weight: Tensor, bias: Tensor \| None = None"),
    (lambda x, d: regard.embedding(x, [0, 2]), regard.Error, "embedding: .*2"),
    (lambda x, d: regard.attention(x, x, x, [(0, 9, 0, 9)]), regard.Error, "attention: "),
    (lambda x, d: regard.attention(x, x, x, heads=2), regard.Error, "attention: "),
    (lambda x, d: regard.attention(x, x, x.unsqueeze(0)), regard.Error, r"attention: query, .* the shape \[1, 2, 3\]"),
    (lambda x, d: regard.attention(x, x, x, [0, 1]), regard.Error, "the offsets end at 1, and there are 2 rows of"),
    (lambda x, d: regard.attention(x, x, x, "all"), TypeError, "attention: the segments are a str; give the offsets"),
    (lambda x, d: regard.segments([3, 6]), regard.Error, "the offsets of sentences begin with 0, not with 3"),
    (lambda x, d: regard.segments([0, 6], [1, 6]), regard.Error, "the offsets of sentences begin with 0, not with 1"),
    (lambda x, d: regard.all_keys([2, 3]), regard.Error, "the offsets of sentences begin with 0, not with 2"),
    (lambda x, d: regard.TimeSteps([1, 3]), regard.Error, "the offsets of sentences begin with 0, not with 1"),
    (lambda x, d: regard.TimeSteps([]), regard.Error, "begin with 0, not with nothing"),
    (lambda x, d: regard.cross_entropy(x, [[0, 1]]), regard.Error, r"targets of the shape \[1, 2\]; give one for each"),
    (lambda x, d: regard.linear_cross_entropy(x, x, [[0], [1]]), regard.Error, r"targets of the shape \[2, 1\]"),
    (lambda x, d: regard.cross_entropy(x, numpy.ones(2)), TypeError, "ids and indices are whole numbers, not float64"),
    (lambda x, d: regard.embedding(x, numpy.ones(2, bool)), TypeError, "not bool"),
    (lambda x, d: regard.save(regard.nn.ReLU(), "x"), TypeError, r"such as model.state_dict\(\), not a ReLU"),
    (lambda x, d: regard.save({"a": {"b": "c"}}, "x"), TypeError, r"not a str \(a/b\)"),
    (lambda x, d: regard.save({"a/b": x}, "x"), regard.Error, r"the keys \['a/b'\] cannot be .*write {'a': {'b': x}}"),
    (lambda x, d: regard.save({"a": {1: x, "1": x}}, "x"), regard.Error, r"the keys \[1, '1'\] .* must be different"),
    (lambda x, d: regard.save({"a": {1: {"b": x}, "1": {"c": x}}}, "x"), regard.Error, r"the keys \[1, '1'\] cannot"),
    (lambda x, d: regard.save({"\ud800": x}, "x"), regard.Error, r"the keys \['\\ud800'\] .* Unicode"),
    (lambda x, d: regard.save({"__metadata__": x}, "x"), regard.Error, "a tensor with the name __metadata__"),
    (lambda x, d: regard.save({"a": 2**53 + 1}, "x"), regard.Error, "a is 9007199254740993; float64 has whole numbers"),
    (lambda x, d: regard.save({"a": [[1, -2**60]]}, "x"), regard.Error, "a is -1152921504606846976; float64"),
    (lambda x, d: regard.load(__file__), regard.Error, "interface_test.py cannot be read as safetensors"),
    (lambda x, d: regard.reference.attention(x, x, regard.zeros((1, 3))), regard.Error, r"value \[1, 3\] do not fit"),
    (lambda x, d: regard.gradcheck(regard.exp, [x]), regard.Error, "central differences need double precision"),
    (lambda x, d: regard.gradcheck(regard.exp, numpy.ones(2)), regard.Error, "make the inputs with regard.tensor"),
    (lambda x, d: regard.gradcheck(regard.nn.Dropout(0.5), d), regard.Error, r"another result .* model.eval\(\)"),
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
    (lambda x, d: regard.tanh(None, 1), TypeError, "Invoked with types: NoneType, int"),
    (lambda x, d: x[2], IndexError, r"index 2 at axis 0 lies outside the shape \(2, 3\)"),
    (lambda x, d: x.item(), regard.Error, "item: a tensor of shape"),
])
def test_errors_are_sentences_and_break_nothing(function, error, text):
    x, d = regard.tensor(numpy.ones((2, 3), "float32")), regard.tensor(numpy.ones((2, 3)))
    with pytest.raises(error, match=text):
        function(x, d)
    assert (x + x).sum().item() == 12 and (d * d).sum().item() == 6


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
