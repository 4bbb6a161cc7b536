"""Operations from Python: values, gradients, derivatives written in Python."""

import re
from pathlib import Path

import numpy
import pytest

import cases
import regard

ROOT = Path(__file__).parents[3]


def leaves(arrays):
    return [regard.tensor(x, requires_grad=True) for x in arrays]


@pytest.mark.parametrize("name, function, arrays", [(name, f, rest) for name, f, *rest in cases.CASES],
                         ids=[case[0] for case in cases.CASES])
def test_gradient_of_each_operation(name, function, arrays):
    result = regard.gradcheck(function, leaves(arrays))
    assert result, result
    assert result.checked > 0


def test_each_operation_of_the_library_is_bound_and_checked():
    headers = ("autograd/ops.h", "autograd/ops/attention.h", "autograd/ops/ranges.h", "nn/convolution/convolution.h",
               "nn/general_attention/pairs.h", "nn/recurrent/recurrence.h")
    text = "\n".join((ROOT / header).read_text() for header in headers)
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
        assert (regard.argmax(x, -1) == a.argmax(-1)).all()
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


def test_gradcheck_takes_one_tensor_and_leaves_the_inputs_as_they_were():
    x, y = regard.tensor(cases.numbers(2, 3)), regard.tensor(cases.numbers(2, 3), requires_grad=True)
    before = x.numpy().copy()
    assert regard.gradcheck(regard.exp, x) and regard.gradcheck(lambda x, y: x * y, [x, y])
    assert regard.gradcheck(regard.exp, y.reshape(3, 2))  # a result
    assert not x.requires_grad and y.requires_grad and (x.numpy() == before).all()


@pytest.mark.parametrize("norm", [regard.layer_norm, lambda x, w, b: regard.residual_layer_norm(x, x, w, b)])
def test_layer_norm_without_a_bias(norm):
    x, w = leaves([cases.numbers(3, 4), cases.numbers(4)])
    assert (norm(x, w, None) == norm(x, w, regard.zeros(4, dtype="float64"))).all()
    assert regard.gradcheck(lambda x, w: norm(x, w, None), [x, w])
    assert (regard.layer_norm(x) == regard.layer_norm(x, regard.ones(4, dtype="float64"))).all()


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
        assert numpy.abs(got.detach().numpy() - expected.numpy()).max() < 1e-12
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
