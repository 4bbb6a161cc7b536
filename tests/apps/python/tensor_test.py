"""Tensors behave as NumPy's arrays and PyTorch's tensors do: names, indices, comparisons, derivatives of one's own."""

import copy
import pickle

import numpy
import pytest

import cases
import regard

A = cases.numbers(3, 4)


def x(requires_grad=False):
    return regard.tensor(A, requires_grad=requires_grad)


def same(got, expected):
    got = got.detach().numpy() if isinstance(got, regard.Tensor) else got
    return numpy.shape(got) == numpy.shape(expected) and numpy.allclose(got, expected, rtol=1e-13, atol=1e-13)


def softmax(a, axis):
    e = numpy.exp(a - a.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


# What a user writes, and what NumPy computes. dim and keepdim are PyTorch's names; var has PyTorch's default.
AS_NUMPY = [
    (lambda x: x.reshape(-1), A.ravel()), (lambda x: x.reshape(2, -1), A.reshape(2, 6)),
    (lambda x: x.view((6, 2)), A.reshape(6, 2)), (lambda x: regard.reshape(x, 4, 3), A.reshape(4, 3)),
    (lambda x: x.sum(dim=1), A.sum(1)), (lambda x: x.mean(dim=(0, 1), keepdim=True), A.mean(keepdims=True)),
    (lambda x: x.softmax(0), softmax(A, 0)), (lambda x: regard.softmax(x, dim=-2), softmax(A, 0)),
    (lambda x: x.log_softmax(dim=1), numpy.log(softmax(A, 1))), (lambda x: x.min(), A.min()),
    (lambda x: x.min(axis=1), A.min(1)), (lambda x: abs(x), abs(A)), (lambda x: x.abs(), abs(A)),
    (lambda x: x.var(), A.var(ddof=1)), (lambda x: regard.var(x, dim=1, keepdim=True), A.var(1, ddof=1, keepdims=True)),
    (lambda x: x.var(axis=0, correction=0), A.var(0)), (lambda x: x.std(0), A.std(0, ddof=1)),
    (lambda x: x.var(-1, keepdim=True, unbiased=False), A.var(-1, keepdims=True)),
    (lambda x: x.std(unbiased=True), A.std(ddof=1)), (lambda x: x.var(unbiased=False), A.var()),
    (lambda x: x * (x.numpy() > 0), A * (A > 0)), (lambda x: A[0] - x, A[0] - A),
    (lambda x: x / A.astype("f4"), A / numpy.float32(A)),
    (lambda x: (x.size, x.size(-1)), (12, 4)), (lambda x: x.size(), (3, 4)), (lambda x: x.contiguous(), A),
    (lambda x: x.argmax(), A.argmax()), (lambda x: x.argmax(dim=0), A.argmax(0)), (lambda x: x.argmax(1), A.argmax(1)),
    (lambda x: x.argmax(-1, keepdim=True), A.argmax(1)[:, None]),
    (lambda x: x.argmax(axis=0, keepdims=True), [A.argmax(0)]),
    *((lambda x, axis=axis: regard.argmax(x.reshape(2, 2, 3), axis), A.reshape(2, 2, 3).argmax(axis))
      for axis in range(-3, 3)),
    (lambda x: regard.stack([x, 2 * x]), numpy.stack([A, 2 * A])),
    (lambda x: regard.stack([x, x], dim=-1), numpy.stack([A, A], -1)),
    (lambda x: regard.cat([x, x], dim=1), numpy.concatenate([A, A], 1)),
    (lambda x: regard.where(x > 0, x, 0.0), numpy.where(A > 0, A, 0)),
    (lambda x: regard.where(x[0] > 0, x, x[:, :1]), numpy.where(A[0] > 0, A, A[:, :1])),
    (lambda x: x.masked_fill(x > 0, -numpy.inf), numpy.where(A > 0, -numpy.inf, A)),
    (lambda x: x[[0, 2]], A[[0, 2]]), (lambda x: x[[0, 2], [1, 1]], A[[0, 2], [1, 1]]), (lambda x: x[x > 0], A[A > 0]),
    (lambda x: x[::-1, ::2], A[::-1, ::2]), (lambda x: x[..., None, 1], A[..., None, 1]),
    (lambda x: x[regard.tensor([1, 0])], A[[1, 0]]), (lambda x: x[numpy.array([True, False, True])], A[::2]),
    (lambda x: x[2:1], A[2:1]), (lambda x: regard.stack(list(x)), A),
    (lambda x: x == A, A == A), (lambda x: x != x[0], A != A[0]), (lambda x: 0 < x, A > 0),
    (lambda x: x <= A[0], A <= A[0]), (lambda x: A >= x, A >= A),
    (lambda x: x == None, numpy.zeros_like(A, bool)),  # noqa: E711
    *((lambda x, axis=axis: x.unsqueeze(axis), numpy.expand_dims(A, axis)) for axis in range(-3, 3)),
    (lambda x: x[:, :1].squeeze(), A[:, 0]), (lambda x: x[:1, :1].squeeze(-1), A[:1, 0]),
    (lambda x: x.squeeze(dim=0), A), (lambda x: x[:1, :1].squeeze((0, 1)), A[0, 0]),
    (lambda x: x.reshape(2, 3, 2).permute(2, -3, 1), A.reshape(2, 3, 2).transpose(2, 0, 1)),
    (lambda x: regard.permute(x, (1, 0)), A.T), (lambda x: x.t(), A.T), (lambda x: x.flatten(), A.ravel()),
    (lambda x: x.reshape(3, 2, 2).flatten(-2), A), (lambda x: x.reshape(2, 3, 2).flatten(0, 1), A.reshape(6, 2)),
    (lambda x: regard.stack([x.split(2, dim=-1)[1], x.chunk(2, -1)[0]]), numpy.stack([A[:, 2:], A[:, :2]])),
    (lambda x: x.split([1, 2])[1], A[1:]), (lambda x: x.chunk(2)[1], A[2:]), (lambda x: len(x.chunk(5)), 3),
    (lambda x: x.gather(1, [[3, 0], [1, 1], [2, 2]]), A[[[0, 0], [1, 1], [2, 2]], [[3, 0], [1, 1], [2, 2]]]),
    (lambda x: x.gather(-2, [[2, 0, 1, 0]]), numpy.take_along_axis(A, numpy.array([[2, 0, 1, 0]]), 0)),
    (lambda x: x.clamp(-0.5, 0.5), A.clip(-0.5, 0.5)), (lambda x: regard.clamp(x, min=0), A.clip(0)),
    (lambda x: x.tril(), numpy.tril(A)), (lambda x: regard.triu(x, 1), numpy.triu(A, 1)),
    (lambda x: regard.sin(x), numpy.sin(A)), (lambda x: regard.cos(x), numpy.cos(A)),
    (lambda x: x.topk(2)[0], -numpy.sort(-A)[:, :2]), (lambda x: x.topk(3, dim=0).indices, numpy.argsort(-A, 0)),
    (lambda x: x.max(dim=1).values, A.max(1)), (lambda x: x.max(dim=0, keepdim=True)[1], A.argmax(0)[None]),
    (lambda x: x.min(dim=-1)[1], A.argmin(1)), (lambda x: regard.max(x, 1)[0], A.max(1)),
    (lambda x: x @ x[1], A @ A[1]), (lambda x: x[:, 1] @ x, A[:, 1] @ A),
    (lambda x: x[0] @ x[1], A[0] @ A[1]), (lambda x: x.reshape(3, 2, 2) @ x[0, :2], A.reshape(3, 2, 2) @ A[0, :2]),
    (lambda x: x.clone(), A), (lambda x: x.add(2).sum(), (A + 2).sum()),
    (lambda x: x.tolist(), A), (lambda x: regard.mse_loss(x, x * 2), (A**2).mean())]


@pytest.mark.parametrize("function, expected", AS_NUMPY)
def test_as_numpy(function, expected):
    assert same(function(x()), expected)
    if isinstance(function(x(True)), regard.Tensor) and function(x()).size and numpy.isfinite(expected).all():
        assert regard.gradcheck(function, [x(True)])


def test_numbers_and_text():
    loss = regard.tensor(1 / 3)
    assert (f"{loss:.3f}", f"{loss:8.2e}", float(loss), int(loss * 9)) == ("0.333", "3.33e-01", loss.item(), 3)
    assert round(loss, 2) == 0.33 and round(loss * 9) == 3
    assert f"{x()}" == str(x()) and len(x()) == 3 and (loss < 0.5) and not (loss > 0.5)
    for function, error, text in [(lambda: f"{x():.2f}", TypeError, "unsupported format string"),
                                  (lambda: list(loss), TypeError, "a tensor without axes has no length"),
                                  (lambda: float(x()), regard.Error, "item: a tensor of shape")]:
        with pytest.raises(error, match=text):
            function()


def test_tensors_that_are_made():
    assert (regard.ones(2, 3) == numpy.ones((2, 3))).all() and regard.ones((2, 3)).dtype == regard.float32
    assert regard.zeros(2, dtype="float64").shape == (2,) and regard.zeros(()).item() == 0
    regard.manual_seed(5)
    first, uniform = regard.randn(1000, dtype="float64"), regard.rand(10, 100)
    assert abs(first.mean().item()) < 0.1 and abs(first.std().item() - 1) < 0.1
    assert uniform.shape == (10, 100) and 0 <= uniform.min() and uniform.max() < 1 and abs(uniform.mean() - 0.5) < 0.05
    regard.manual_seed(5)
    assert (regard.randn(1000, dtype="float64") == first).all() and regard.randn(2, requires_grad=True).requires_grad


def test_tensors_like_others():
    x = regard.tensor(A)
    assert (regard.zeros_like(x) == 0 * A).all() and (regard.ones_like(x, requires_grad=True) == 1 + 0 * A).all()
    assert regard.ones_like(x).dtype == regard.randn_like(x).dtype == "float64"
    assert regard.randn_like(x).shape == x.shape
    assert regard.arange(1, 3, 0.5).tolist() == [1, 1.5, 2, 2.5] and regard.linspace(0, 1, 3).tolist() == [0, 0.5, 1]
    assert regard.eye(2).tolist() == [[1, 0], [0, 1]] and regard.full((2, 1), 3).tolist() == [[3], [3]]
    assert regard.multinomial(regard.eye(3), num_samples=1).tolist() == [[0], [1], [2]]
    regard.manual_seed(1)
    first = regard.multinomial(regard.ones(2, 100), 1)
    regard.manual_seed(1)
    assert (regard.multinomial(regard.ones(2, 100), 1) == first).all() and first.shape == (2, 1)
    assert (regard.multinomial(regard.ones(2, 100), regard.Random(1)) == first[:, 0]).all()
    regard.manual_seed(1)
    drawn = regard.randint(-2, 3, (20, 50))
    assert drawn.dtype == "int32" and {*numpy.unique(drawn)} == {-2, -1, 0, 1, 2}
    y = regard.ones(2)
    assert y.float() is y.cpu() is y.requires_grad_(False) is y and y.double().dtype == "float64" and y.numel() == 2
    assert y.requires_grad_().requires_grad


def test_max_with_positions_gives_its_gradient_to_these_positions():
    """As PyTorch. The largest value alone shares it among equal ones, as torch.amax."""
    ties = regard.tensor([[1.0, 3.0, 3.0], [2.0, 2.0, 0.0]], requires_grad=True)
    for function, expected in [(lambda: ties.max(1)[0], [[0, 1, 0], [1, 0, 0]]),
                               (lambda: ties.max(dim=0, keepdim=True)[0], [[0, 1, 1], [1, 0, 0]]),
                               (lambda: ties.min(-1)[0], [[1, 0, 0], [0, 0, 1]]),
                               (lambda: ties.max(axis=1), [[0, 0.5, 0.5], [0.5, 0.5, 0]])]:
        ties.zero_grad()
        function().sum().backward()
        assert ties.grad.tolist() == expected


def test_no_grad_as_a_decorator():
    @regard.no_grad()
    def double(x):
        return x * 2

    assert not double(x(True)).requires_grad and (x(True) * 2).requires_grad


def test_copies():
    w = regard.tensor(A, requires_grad=True)
    for other in (copy.deepcopy({"w": w})["w"], pickle.loads(pickle.dumps(w)), copy.copy(w)):
        assert (other == w).all() and other.requires_grad and other.dtype == w.dtype and other is not w
    other.numpy()[:] = 0
    assert (w == A).all()


def test_changes_in_place():
    w = regard.tensor([1.0, 2.0], requires_grad=True)
    same_one, memory = w, w.numpy()
    (w * w).sum().backward()
    with pytest.raises(regard.Error, match="a leaf that requires a gradient was changed in place"):
        w -= 1
    with regard.no_grad():
        w -= 0.5 * w.grad
        w *= 2
    assert w is same_one and w.requires_grad and list(memory) == [0, 0]
    w.grad.zero_()
    assert list(w.grad.numpy()) == [0, 0]
    w.grad = None
    assert w.grad is None
    total = regard.zeros(())
    total += (w + 1).sum()  # it is recorded
    total.backward()
    assert list(w.grad.numpy()) == [1, 1]
    table = regard.zeros(2, 2)
    table[0], table[:, 1] = 3, regard.ones(2)
    assert table.tolist() == [[3, 1], [0, 1]]
    with pytest.raises(regard.Error, match="numbers of a tensor that requires a gradient were set"):
        w[0] = 1
    with pytest.raises(regard.Error, match=r"grad: numbers of the shape \[\] cannot replace those of the shape \[2\]"):
        w.grad = total
    w.grad *= 3
    w.data -= w.grad
    w.data = w.data * 2
    assert w.grad.tolist() == [3, 3] and w.tolist() == [-6, -6] and w.requires_grad and w is same_one


@pytest.mark.parametrize("change", [lambda d: d.__iadd__(1), lambda d: d.zero_(), lambda d: d.__setitem__(0, 5)])
def test_a_change_in_place_of_memory_that_a_derivative_needs(change):
    w = regard.tensor([1.0, 2.0], requires_grad=True)
    y = w * w
    z = (y * y).sum()
    change(y.detach())  # shares memory with y
    with pytest.raises(regard.Error, match="was changed after the forward"):
        z.backward()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_deviation_of_equal_numbers_has_the_gradient_0(dtype):
    values = numpy.array([[2, 2, 2], [1, 2, 4], [0, 0, 0]], dtype)
    expected = numpy.zeros((3, 3))
    expected[1] = (values[1] - values[1].mean()) / (2 * values[1].std(ddof=1))  # d std / dx, and PyTorch's 0
    for std in (lambda x: x.std(1), lambda x: x.std(dim=-1, keepdim=True), lambda x: x.std(dim=1, unbiased=True)):
        w = regard.tensor(values, requires_grad=True)
        found = std(w)
        assert numpy.allclose(found.detach().numpy().ravel(), values.std(1, ddof=1), rtol=1e-6)
        found.sum().backward()
        assert numpy.allclose(w.grad, expected, rtol=1e-6)
    w = regard.tensor(numpy.full(5, 3, dtype), requires_grad=True)
    w.std().backward()
    assert (w.grad == 0).all()
    one = regard.tensor(numpy.ones(1, dtype), requires_grad=True)
    one.std().backward()
    assert numpy.isnan(one.grad.numpy()).all()  # 0/0, as in PyTorch


def test_nan_is_the_largest_and_stays_visible():
    nan, inf = numpy.nan, numpy.inf
    values = numpy.array([1, nan, 2, nan, inf, -inf, 2])
    x = regard.tensor(values, requires_grad=True)
    for threads in (1, 2):
        regard.set_threads(threads)
        found = x.topk(6)
        assert found.indices.tolist() == [1, 3, 4, 2, 6, 0]  # as PyTorch has it; of equal ones, the first
        assert numpy.array_equal(found.values.detach(), [nan, nan, inf, 2, 2, 1], equal_nan=True)
        table = regard.tensor(numpy.stack([values, -values], 1)).topk(2, dim=0).indices
        assert table.tolist() == [[1, 1], [3, 3]]
    assert regard.tensor([0.0, -0.0, 0.0]).topk(3).indices.tolist() == [0, 1, 2] and x.topk(0)[0].shape == (0,)
    for function, value, gradient in [  # what torch 2.13 gives
            (lambda x: x.max(), nan, [0, 0.5, 0, 0.5, 0, 0, 0]), (lambda x: x.min(), nan, [0, 0.5, 0, 0.5, 0, 0, 0]),
            (lambda x: x.relu().sum(), nan, [1, 1, 1, 1, 1, 0, 1]), (lambda x: x.abs().sum(), nan, [1, 0, 1, 0, 1, -1, 1])]:
        x.zero_grad()
        y = function(x)
        y.backward()
        assert numpy.array_equal(y.item(), value, equal_nan=True) and x.grad.tolist() == gradient
    for function in (regard.tanh, regard.sigmoid, regard.gelu, regard.silu, regard.exp, regard.log, regard.sqrt):
        x.zero_grad()
        function(x).sum().backward()
        assert numpy.isnan(x.grad.numpy()[[1, 3]]).all()
    assert numpy.isnan(x.detach().softmax(0).numpy()).all() and numpy.isnan(x.detach().log_softmax(0).numpy()).all()
    assert numpy.array_equal(x.detach().clamp(0, 1), [1, nan, 1, nan, 1, 0, 1], equal_nan=True)
    for choose in (lambda: x.argmax(), lambda: x.max(0), lambda: regard.largest_logits(x.reshape(1, -1), 2)):
        with pytest.raises(regard.NotFinite):
            choose()


def test_the_gradient_of_clamp_is_1_at_the_bounds():
    x = regard.tensor([-2.0, -1.0, 0.0, 1.0, 2.0], requires_grad=True)
    x.clamp(-1, 1).sum().backward()
    assert x.grad.tolist() == [0, 1, 1, 1, 0]  # as in PyTorch


def test_an_index_that_changes_after_the_forward():
    w, i, mask = regard.tensor([1.0, 2.0], requires_grad=True), numpy.array([0]), numpy.array([True, False])
    y = w[i].sum() + w[mask].sum() + w.masked_fill(mask, 0).sum() + regard.where(mask, w, 0).sum()
    i[:], mask[:] = 1, [False, True]
    y.backward()
    assert w.grad.tolist() == [3, 1]


def test_values_that_are_not_chosen_have_no_gradient():
    w = regard.tensor([0.0, 1.0], requires_grad=True)
    regard.where(w > 0, regard.log(w), 0).sum().backward()
    assert w.grad.numpy()[1] == 1 and regard.abs(w)[0].item() == 0


@pytest.mark.parametrize("mask, causal", [(None, False), (None, True), (cases.numbers(5, 5) > -0.5, False),
                                          (cases.numbers(2, 5, 5) > -0.5, True)])
def test_attention_with_any_mask(mask, causal):
    q, k, v = (cases.numbers(2, 5, 4) for _ in range(3))
    scores = q @ k.swapaxes(-1, -2) / 2
    looks = numpy.broadcast_to(True if mask is None else mask, (2, 5, 5)) & (numpy.tri(5, dtype=bool) | (not causal))
    weights = numpy.where(looks, numpy.exp(scores), 0)
    total = weights.sum(-1, keepdims=True)
    expected = numpy.divide(weights, total, out=numpy.zeros_like(weights), where=total > 0) @ v

    def attend(q, k, v):
        return regard.scaled_dot_product_attention(q, k, v, mask, is_causal=causal)

    leaves = [regard.tensor(a, requires_grad=True) for a in (q, k, v)]
    assert same(attend(*leaves), expected) and regard.gradcheck(attend, leaves)
    if mask is None:
        one = [regard.tensor(a[0]) for a in (q, k, v)]
        assert same(regard.attention(*one, causal=causal), attend(*leaves).detach().numpy()[0])
    biased = regard.scaled_dot_product_attention(*leaves, regard.tensor(numpy.where(looks, 0.0, -1e30)))
    assert same(biased.detach().numpy()[total[..., 0] > 0], expected[total[..., 0] > 0])
    bias = numpy.where(looks, 0.5, -numpy.inf)  # 0.5 everywhere changes no weight
    for each in (bias, regard.tensor(bias), numpy.float32(bias)):
        assert same(regard.scaled_dot_product_attention(*leaves, each), expected)
    for wrong in (numpy.int64(looks), numpy.float64(looks), regard.tensor(looks, dtype="float64")):
        if not looks.all():
            with pytest.raises(TypeError, match="attn_mask has the numbers 0 and 1, .*; give mask == 1, which is true"):
                regard.scaled_dot_product_attention(*leaves, wrong)


def test_gradients_pass_through_a_conversion():
    w = regard.tensor(A, dtype="float32", requires_grad=True)
    h = w.tanh()  # two conversions depend on it
    (h.double() * regard.tensor(A)).sum().backward(retain_graph=True)
    assert h.double().dtype == "float64" and numpy.allclose(w.grad, A / numpy.cosh(A) ** 2, atol=1e-6)
    w.zero_grad()
    ((h.to(regard.float64) ** 2).sum() + 3 * h[0].to(regard.tensor(A)).sum()).backward()
    expected = 2 * numpy.tanh(A)
    expected[0] += 3
    assert numpy.allclose(w.grad, expected / numpy.cosh(A) ** 2, atol=1e-6)
    w.zero_grad()
    for _ in range(2):
        (w.double() * 3).sum().backward()  # a leaf adds
    assert (w.grad == 6).all() and w.to("cpu") is w.float() is w
    with regard.no_grad():
        assert not w.double().requires_grad
    assert regard.tensor(w, requires_grad=True).is_leaf and not regard.tensor(w.detach()).requires_grad
    y = w * 2
    with pytest.raises(regard.Error, match="a tensor became float64, float32, and float64 again; convert it once"):
        (y.double().float() * y).sum().backward()
    w.zero_grad()
    (w.double() * 3).sum().backward()  # the error leaves nothing behind
    assert (w.grad == 3).all()


class Norm(regard.Function):
    """sqrt(a^2 + b^2), times a number."""

    @staticmethod
    def forward(ctx, a, b, factor):
        ctx.factor, result = factor, numpy.hypot(a.numpy(), b.numpy())
        ctx.save_for_backward(a, b, regard.tensor(result))
        return factor * result

    @staticmethod
    def backward(ctx, gradient):
        a, b, result = ctx.saved_tensors
        assert ctx.needs_input_grad in ((True, True, False), (True, False, False)) and not (a * 1).requires_grad
        return ctx.factor * gradient * a / result, (ctx.factor * gradient * b / result).numpy(), None


def test_an_operation_of_one_s_own():
    a, b = (regard.tensor(cases.numbers(2, 3), requires_grad=True) for _ in range(2))
    result = Norm.apply(a, b, 3.0)
    assert same(result, 3 * numpy.hypot(a.numpy(), b.numpy())) and "from 'Norm'" in repr(result)
    assert regard.gradcheck(lambda a, b: Norm.apply(a, b, 3.0), [a, b])
    assert regard.gradcheck(lambda a: Norm.apply(a, b.detach(), 1.0) * a, [a])
    assert not Norm.apply(a.detach(), b.detach(), 1).requires_grad
    single = regard.tensor([3.0], requires_grad=True)
    (Norm.apply(single, single, 1) * single).sum().backward()  # an input that is given twice
    assert numpy.isclose(single.grad.item(), 6 * 2**0.5)
    y = Norm.apply(single, single, 1).sum()
    single.numpy()[:] = 1
    with pytest.raises(regard.Error, match="an input of 'Norm' was changed after the forward"):
        y.backward()


def test_a_wrong_derivative_is_found():
    class Wrong(Norm):
        @staticmethod
        def backward(ctx, gradient):
            return *Norm.backward(ctx, 1.01 * gradient)[:2], None

    a, b = (regard.tensor(cases.numbers(2, 3), requires_grad=True) for _ in range(2))
    result = regard.gradcheck(lambda a, b: Wrong.apply(a, b, 1), [a, b])
    assert not result and "Wrong" in result.worst


def wrong(forward=lambda ctx, a: a * 1, backward=lambda ctx, g: g):
    return type("Mine", (regard.Function,), {"forward": staticmethod(forward), "backward": staticmethod(backward)})


@pytest.mark.parametrize("function, error, text", [
    (lambda a: wrong(backward=lambda ctx, g: (g, g)).apply(a).sum().backward(), regard.Error,
     "Mine.backward returned 2 gradients; forward has 1 arguments"),
    (lambda a: wrong(backward=lambda ctx, g: g[0]).apply(a).sum().backward(), regard.Error,
     r"Mine.backward returned a gradient of the shape \(4,\) for an argument of the shape \(3, 4\)"),
    (lambda a: wrong(backward=lambda ctx, g: 1 / 0).apply(a).sum().backward(), ZeroDivisionError, "division"),
    (lambda a: wrong(lambda ctx, a: (a, a)).apply(a), TypeError, "Mine.forward must return one tensor, not a tuple"),
    (lambda a: wrong(lambda ctx, a: None).apply(a), TypeError, "Mine.forward must return one tensor, not a NoneType"),
    (lambda a: wrong().apply(a, a.float()), regard.Error, r"float64 and the other float32; .*x.float\(\) or x.double"),
    (lambda a: wrong().apply(3), TypeError, "Mine.apply: none of the arguments is a tensor"),
    (lambda a: wrong(lambda ctx, a, b: a).apply(a, regard.ones(1)), regard.Error, "Mine: one tensor is float64 and"),
    (lambda a: regard.mse_loss(a, a[0]), regard.Error, r"mse_loss: the shapes \[3, 4\] and \[4\] differ"),
    (lambda a: a.reshape(5, -1), regard.Error, r"reshape: shape \[3, 4\] holds 12 elements"),
    (lambda a: a.masked_fill(numpy.ones((2, 4), bool), 0), ValueError, "broadcast"),
    (lambda a: a[0.5], IndexError, "only integers, slices"), (lambda a: a[1, 2, 3], IndexError, "too many indices"),
    (lambda a: a[regard.tensor([0.5])], TypeError, "ids and indices are whole numbers, not 0.5"),
    (lambda a: regard.cross_entropy(a, [0.5, 1, 2]), TypeError, "whole numbers, not 0.5"),
    (lambda a: regard.stack([]), regard.Error, "stack: there are no tensors"),
    (lambda a: a + None, TypeError, "unsupported operand"),
])
def test_errors(function, error, text):
    with pytest.raises(error, match=text):
        function(x(True))
    assert (x() == A).all()
