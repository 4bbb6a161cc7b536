"""Tensors and operations from Python: the right ones, errors, memory, threads."""

import ast
import gc
import inspect
import os
import pydoc
import re
import resource
import subprocess
import sys
import threading
import types
from pathlib import Path

import numpy
import pytest

import cases
import regard

ROOT = Path(__file__).parents[2]


def leaves(arrays):
    return [regard.tensor(x, requires_grad=True) for x in arrays]


@pytest.mark.parametrize("name, function, arrays", [(name, f, rest) for name, f, *rest in cases.CASES],
                         ids=[case[0] for case in cases.CASES])
def test_gradient_of_each_operation(name, function, arrays):
    result = regard.gradcheck(function, leaves(arrays))
    assert result, result
    assert result.checked > 0


def test_each_operation_of_the_library_is_bound_and_checked():
    headers = [ROOT / "autograd/ops.h", *(ROOT / f"autograd/ops/{name}.h" for name in
                                          ("attention", "convolution", "ranges", "recurrence"))]
    text = "\n".join(header.read_text() for header in headers)
    declared = set(re.findall(r"^(?:Tensor|LstmResult|LargestLogits|std::vector<[^>]+>) ([a-z]\w+)\(", text, re.M))
    assert len(declared) > 40
    declared.remove("normalise")  # Python has a function for each normaliser, with cases of its own
    assert declared - {name for name, *_ in cases.CASES} == cases.WITHOUT_GRADIENT
    assert all(callable(getattr(regard, name)) and getattr(regard, name).__doc__ for name in declared)


def test_operations_compute_what_numpy_computes():
    random = numpy.random.default_rng(2)
    for dtype, tolerance in (("float32", 1e-5), ("float64", 1e-12)):
        a, b = random.normal(size=(2, 4, 3)).astype(dtype), random.normal(size=(3, 5)).astype(dtype)
        x, y = regard.tensor(a), regard.tensor(b)
        e = numpy.exp(a - a.max(-1, keepdims=True))
        for got, expected in [(x @ y, a @ b), (2 * x - 1, 2 * a - 1), (1 - x, 1 - a), (1 / y, 1 / b), (-x, -a),
                              (x**2, a**2), (x + x[0], a + a[0]), (x.sum(axis=(0, 2)), a.sum((0, 2))),
                              (x.max(axis=1, keepdims=True), a.max(1, keepdims=True)), (x.T, a.swapaxes(-1, -2)),
                              (x.softmax(), e / e.sum(-1, keepdims=True)), (x[1, :, 1:], a[1, :, 1:]),
                              (x[-1][2], a[-1][2]), (x * numpy.float32(3), a * 3)]:
            assert got.dtype == dtype and got.shape == expected.shape
            assert numpy.abs(got.numpy() - expected).max() < tolerance
        assert (regard.argmax(x) == a.argmax(-1)).all()
        logits, positions, log_sum_exp = regard.largest_logits(y, 2)
        assert (positions == numpy.argsort(-b, axis=-1)[:, :2]).all() and (logits == -numpy.sort(-b, axis=-1)[:, :2]).all()
        assert numpy.allclose(log_sum_exp, numpy.log(numpy.exp(b).sum(-1)))
        loss, each = regard.cross_entropy(x[0], [2, 0, 1, 1], log_probabilities=True)
        assert numpy.isclose(loss.item(), -each.numpy().mean())


def test_numbers_of_numpy_are_numbers():
    x, two = regard.tensor(cases.numbers(4, 6)), numpy.int64(2)
    for got, expected in [(x.sum(axis=numpy.int64(1)), x.sum(axis=1)), (x ** numpy.float32(2), x ** 2),
                          (x[two], x[2]), (regard.slice(x, numpy.int8(0), numpy.uint8(1), two), x[1:2]),
                          (regard.reshape(x, numpy.array([6, 4])), x.reshape((6, 4))),
                          (regard.dropout(x, numpy.float32(0.5), two), regard.dropout(x, 0.5, 2)),
                          (regard.attention(x, x, x, heads=two), regard.attention(x, x, x, heads=2)),
                          (regard.zeros((two, 3)), regard.zeros((2, 3)))]:
        assert got.shape == expected.shape and (got.numpy() == expected.numpy()).all()


def test_tensors_are_keys_by_identity():
    x, y = regard.tensor([1.0]), regard.tensor([1.0])
    assert {x: 1, y: 2}[y] == 2 and x in [x] and x is not None


@pytest.mark.parametrize("norm", [regard.layer_norm, lambda x, w, b: regard.residual_layer_norm(x, x, w, b)])
def test_layer_norm_without_a_bias(norm):
    x, w = leaves([cases.numbers(3, 4), cases.numbers(4)])
    assert (norm(x, w, None).numpy() == norm(x, w, regard.zeros((4,), "float64")).numpy()).all()
    assert regard.gradcheck(lambda x, w: norm(x, w, None), [x, w])


@pytest.mark.parametrize("before, variables, said", [
    ("", {}, ""),
    ("import ctypes; ctypes.CDLL('libgomp.so.1')", {}, "import regard first, or set GOMP_SPINCOUNT=10000"),
    ("import ctypes; ctypes.CDLL('libgomp.so.1')", {"GOMP_SPINCOUNT": "7"}, "")])
def test_threads_that_wait_spin_briefly_or_python_warns(before, variables, said):
    environment = {key: value for key, value in os.environ.items() if key != "GOMP_SPINCOUNT"}
    environment |= {"OMP_DISPLAY_ENV": "verbose", **variables}
    done = subprocess.run([sys.executable, "-c", f"{before}\nimport regard, os; print('GOMP_SPINCOUNT' in os.environ)"],
                          env=environment, capture_output=True, text=True)
    count = re.search("GOMP_SPINCOUNT = '([0-9]+)'", done.stderr)
    if count is None:
        pytest.skip("the package is built with another OpenMP than GCC's")
    assert (count[1] == variables.get("GOMP_SPINCOUNT", "10000")) != bool(said)
    assert ("RuntimeWarning" in done.stderr) == bool(said) and said in done.stderr
    assert done.stdout.strip() == str(bool(variables))


def test_micrograd_example():
    a, b = regard.tensor(-4.0, requires_grad=True), regard.tensor(2.0, requires_grad=True)
    c = a + b
    d = a * b + b**3
    c = c + c + 1
    d = d + d * 2 + (b + a).relu()
    (d * d + c / b).backward()
    # By hand: d = 3 (ab + b^3) = 0, c / b = (2a + 2b + 1) / 2 = -1.5
    assert (a.grad.item(), b.grad.item()) == (1.0, -(-3.0) / 4 + 1.0)


def test_reference_agrees_with_the_operation():
    q, k, v = (regard.tensor(cases.numbers(5, 4), requires_grad=True) for _ in range(3))
    y = regard.attention(q, k, v, cases.SEGMENTS, heads=2, causal=True)
    plain, weights = regard.reference.attention(q, k, v, cases.SEGMENTS, heads=2, causal=True)
    cotangent = regard.tensor(cases.numbers(5, 4))
    y.backward(cotangent)
    gradients = regard.reference.attention_backward(cotangent, q, k, v, cases.SEGMENTS, heads=2, causal=True)
    for got, expected in [(y, plain), (q.grad, gradients[0]), (k.grad, gradients[1]), (v.grad, gradients[2])]:
        assert numpy.abs(got.numpy() - expected.numpy()).max() < 1e-12
    for found, expected in zip(regard.attention_weights(q, k, cases.SEGMENTS, heads=2, causal=True), weights):
        assert numpy.abs(found.numpy() - expected.numpy()).max() < 1e-12
        assert (found.numpy()[:, 0, 1:] == 0).all()


def test_gradcheck_finds_a_wrong_gradient():
    x = regard.tensor(cases.numbers(3), requires_grad=True)
    before = x.numpy().copy()
    result = regard.gradcheck(lambda weight: weight * weight.detach(), [x])
    assert not result and not result.passed and abs(result.error - 0.5) < 1e-6
    assert "weight " in repr(result) and "FAILED" in repr(result) and "multiply" in result.worst
    calls = []

    def fails(x):
        calls.append(1)
        if len(calls) == 3:
            raise ZeroDivisionError("mine")
        return x * x

    with pytest.raises(ZeroDivisionError, match="mine"):
        regard.gradcheck(fails, [x])
    assert (x.numpy() == before).all() and x.grad is None
    assert regard.gradcheck(lambda x: x * x, [x])


def test_arrays_of_any_layout():
    a = numpy.arange(24, dtype="float32").reshape(4, 6)
    for view in (a.T, a[::2, ::-1], a[:, 1], numpy.asfortranarray(a), a[:0]):
        assert (regard.tensor(view).numpy() == view).all() and regard.tensor(view).shape == view.shape
    assert regard.tensor([1, 2]).dtype == regard.tensor(3).dtype == regard.float32
    assert regard.tensor(a.astype(int), dtype="float64").dtype == regard.float64
    assert (regard.tensor(a.astype(">f4")).numpy() == a).all()


def test_views_share_memory_and_keep_it():
    x = regard.tensor(numpy.zeros((1000, 1000), "float32"), requires_grad=True)
    view = x.numpy()
    view[0, 0] = 5
    assert x[0, 0].item() == 5 and numpy.asarray(x) is not view and numpy.shares_memory(numpy.asarray(x), view)
    (x * x).sum().backward()
    gradient = x.grad.numpy()
    del x
    gc.collect()
    others = [regard.tensor(numpy.ones((1000, 1000), "float32")) for _ in range(4)]
    assert view[0, 0] == 5 and view.sum() == 5 and gradient[0, 0] == 10 and gradient.sum() == 10
    assert not (others[0] * regard.tensor(1.0, requires_grad=True)).numpy().flags.writeable


@pytest.mark.parametrize("function, error, text", [
    (lambda x, d: x + d, regard.Error, "add: one tensor is float32 and the other float64; make both of one dtype"),
    (lambda x, d: regard.concat([x, d], 0), regard.Error, "concat: one tensor is float32 and the other float64"),
    (lambda x, d: x.sum().backward(), regard.Error, "backward: no tensor in this computation requires a gradient"),
    (lambda x, d: x @ x, regard.Error, r"matmul: .*\[2, 3\].*\[2, 3\]"),
    (lambda x, d: x + regard.zeros((4,)), regard.Error, r"add: .*\[2, 3\].*\[4\]"),
    (lambda x, d: regard.tensor(numpy.arange(3)), regard.Error, "an array of int64 cannot be a tensor; give dtype="),
    (lambda x, d: regard.tensor([1.0], dtype="float16"), regard.Error, "cannot have the dtype float16"),
    (lambda x, d: x * numpy.ones(3), TypeError, r"multiply: a tensor and a ndarray; make a tensor of it"),
    (lambda x, d: numpy.ones(3) * x, TypeError, "multiply: a tensor and a ndarray"),
    (lambda x, d: regard.exp(numpy.ones(3)), TypeError, r"exp: arguments of the types \(ndarray\) do not fit"),
    (lambda x, d: regard.linear(x, None), regard.Error, "an empty Tensor was used"),
    (lambda x, d: regard.embedding(x, [0, 2]), regard.Error, "embedding: .*2"),
    (lambda x, d: regard.attention(x, x, x, [(0, 9, 0, 9)]), regard.Error, "attention: "),
    (lambda x, d: regard.attention(x, x, x, heads=2), regard.Error, "attention: "),
    (lambda x, d: regard.reference.attention(x, x, regard.zeros((1, 3))), regard.Error, r"value \[1, 3\] do not fit"),
    (lambda x, d: regard.gradcheck(regard.exp, [x]), regard.Error, "central differences need double precision"),
    (lambda x, d: regard.gradcheck(lambda y: 3, [d]), TypeError, "must return a float64 tensor, got int"),
    (lambda x, d: regard.set_threads(0), regard.Error, "0 threads: give a number from 1"),
    (lambda x, d: regard.conv2d(x, [(1, 2)], x), regard.Error, "conv2d: "),
    (lambda x, d: regard.gru(x, x, x, None, regard.TimeSteps([0, 2])), regard.Error, "gru: "),
    (lambda x, d: x == x.clone(), TypeError, "tensors have no == and !="),
    (lambda x, d: numpy.ones((2, 3)) != x, TypeError, "tensors have no == and !="),
    (lambda x, d: bool(x), TypeError, "a tensor is neither true nor false"),
    (lambda x, d: not regard.tensor(0.0), TypeError, "a tensor is neither true nor false"),
    (lambda x, d: regard.tensor(None), regard.Error, "a NoneType with something that is not a real number"),
    (lambda x, d: regard.tensor([1.0, None]), regard.Error, "a list with something that is not a real number"),
    (lambda x, d: regard.tensor("3", dtype="float64"), regard.Error, "a str with something that is not a real number"),
    (lambda x, d: regard.tensor([1j]), regard.Error, "a list with something that is not a real number"),
    (lambda x, d: regard.layer_norm(x, None), regard.Error, "an empty Tensor was used"),
    (lambda x, d: x[2], IndexError, r"index 2 at axis 0 lies outside the shape \(2, 3\)"),
    (lambda x, d: x[::2], IndexError, "slices of step 1"),
    (lambda x, d: x.item(), regard.Error, "item: a tensor of shape"),
])
def test_errors_are_sentences_and_break_nothing(function, error, text):
    x, d = regard.tensor(numpy.ones((2, 3), "float32")), regard.tensor(numpy.ones((2, 3)))
    with pytest.raises(error, match=text):
        function(x, d)
    assert (x + x).numpy().sum() == 12 and (d * d).numpy().sum() == 6


def test_values_that_change_after_the_forward():
    x, w = regard.tensor([1.0, 2.0]), regard.tensor([3.0, 4.0], requires_grad=True)
    for written in (x, w, x.clone(), None):
        w.zero_grad()
        y = regard.sum(x * w)
        w.numpy(), numpy.asarray(x)  # reading changes nothing
        if written is not None:
            written.numpy()[:] *= 2
        if written is x or written is w:
            with pytest.raises(regard.Error, match="an input of 'multiply' was changed after the forward"):
                y.backward()
        else:
            y.backward()
            assert (w.grad.numpy() == x.numpy()).all()


def test_a_released_graph():
    x = regard.tensor([1.0, 2.0], requires_grad=True)
    y = (x * x).sum()
    y.backward(retain_graph=True)
    y.backward()
    assert list(x.grad.numpy()) == [4, 8]
    with pytest.raises(regard.Error, match="released by an earlier backward"):
        y.backward()
    assert list(x.grad.numpy()) == [4, 8]
    x.zero_grad()
    assert x.grad is None
    with regard.no_grad():
        assert not (x * x).requires_grad
    assert (x * x).requires_grad


def test_no_leak_in_ten_thousand_backward_passes():
    w = regard.tensor(cases.numbers(16, 16), requires_grad=True)
    x = regard.tensor(cases.numbers(4, 16))

    def passes(count):
        for _ in range(count):
            regard.softmax((x @ w).tanh()).max(axis=1).sum().backward()
            w.grad.numpy()
            w.zero_grad()
            try:
                x @ x
            except regard.Error:
                pass
        gc.collect()
        return regard.memory_in_use(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    engine, process = passes(1000)
    after, process_after = passes(10000)
    assert after == engine
    assert process_after - process < 2000  # kB; a leak of one array a pass would be 20 times as much


def test_backward_in_threads_that_share_a_tensor_loses_no_gradient():
    shared = regard.tensor(numpy.ones((128, 128)), requires_grad=True)

    def work():
        for _ in range(20):
            y = shared
            for _ in range(30):
                y = y + shared
            y.sum().backward()  # adds to shared.grad 31 times
            assert shared.grad[0, 0].item() % 1 == 0

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (shared.grad.numpy() == 4 * 20 * 31).all()


def test_results_do_not_depend_on_the_number_of_threads():
    x = regard.normal((300, 64), 0, 1, regard.Random(3))
    before, results = regard.threads(), []
    for threads in (1, 2, 3):
        regard.set_threads(threads)
        results.append(regard.attention(x, x, x, heads=4).numpy().tobytes())
    regard.set_threads(before)
    assert len(set(results)) == 1


def test_help_shows_arguments_and_shapes():
    text = pydoc.plain(pydoc.render_doc(regard.attention))
    assert "attention(query, key, value, segments=None, *, heads=1" in text and "[query rows, width]" in text
    assert "numpy" in pydoc.plain(pydoc.render_doc(regard.Tensor))


def test_stubs_name_everything():
    tree = ast.parse((Path(regard.__file__).parent / "__init__.pyi").read_text())
    stubs = {node.name: node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    public = {name: value for name, value in vars(regard).items()
              if not name.startswith("_") and not isinstance(value, types.ModuleType)}
    assert public.keys() - {"float32", "float64"} == stubs.keys()
    for name, value in public.items():
        if inspect.isfunction(value):
            arguments = stubs[name].args
            assert [a.arg for a in arguments.args + arguments.kwonlyargs] == list(inspect.signature(value).parameters)
        elif inspect.isclass(value) and value.__module__.startswith("regard") and hasattr(value, "__doc__"):
            members = {node.name if isinstance(node, ast.FunctionDef) else node.target.id for node in stubs[name].body
                       if isinstance(node, (ast.FunctionDef, ast.AnnAssign))}
            assert {member for member in vars(value) if not member.startswith("_")} <= members, name


def test_dlpack_with_pytorch():
    torch = pytest.importorskip("torch")
    x = regard.tensor(cases.numbers(3, 4), requires_grad=True)
    seen = torch.from_dlpack(x)
    seen[0, 0] = 7
    assert x[0, 0].item() == 7
    assert (regard.from_dlpack(torch.arange(6.0).reshape(2, 3).T).numpy() == [[0, 3], [1, 4], [2, 5]]).all()
    q, k, v = (cases.numbers(5, 4) for _ in range(3))
    expected = torch.nn.functional.scaled_dot_product_attention(*map(torch.from_numpy, (q, k, v))).numpy()
    got = regard.attention(*map(regard.tensor, (q, k, v))).numpy()
    assert numpy.abs(got - expected).max() < 1e-12
