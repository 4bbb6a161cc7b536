"""Hooks of modules and of tensors."""

import numpy
import pytest

import regard
from regard import nn

ROWS = regard.linspace(-1, 1, 24, dtype="float64").reshape(2, 3, 4)


def test_hooks_of_a_module_see_and_replace():
    layer, x, seen = nn.Linear(4, 2).double(), ROWS, []
    plain = layer(x)
    before = layer.register_forward_pre_hook(lambda module, arguments: (2 * arguments[0],))
    after = layer.register_forward_hook(lambda module, arguments, result: seen.append((module, arguments, result)))
    doubled = layer(x)
    assert seen[0][0] is layer and (seen[0][1][0] == 2 * x).all() and seen[0][2] is doubled
    assert numpy.allclose((doubled - plain).detach(), (x @ layer.weight.T).detach())
    before.remove()
    replaced = layer.register_forward_hook(lambda module, arguments, result: result * 0)
    assert not layer(x).any() and len(seen) == 2
    replaced.remove(), replaced.remove(), after.remove()
    assert (layer(x) == plain).all() and len(seen) == 2


def test_hooks_inside_a_layer_that_computes_in_one_pass():
    """Each inner module is seen, and the numbers are those without hooks."""
    for norm_first in (False, True):
        layer = nn.TransformerEncoderLayer(4, 2, 6, 0.0, norm_first=norm_first).double()
        plain, seen = layer(ROWS).detach(), {}
        for name, module in layer.named_modules():
            if name in ("self_attn", "self_attn.out_proj", "norm1", "norm2", "linear1", "linear2"):
                module.register_forward_hook(lambda _, arguments, result, name=name: seen.update({name: result}))
        assert regard.allclose(layer(ROWS), plain, atol=1e-12) and len(seen) == 6
        norm = seen["norm2"].detach().numpy()
        assert numpy.allclose(norm.mean(-1), 0) and (norm_first or (norm == plain).all())


def test_an_attention_hands_out_its_weights():
    layer, seen = nn.TransformerEncoderLayer(4, 2, 6, 0.0).double(), []
    with layer.self_attn.register_weights_hook(lambda module, weights: seen.append(weights)):
        layer(ROWS, causal=True)
    layer(ROWS)
    assert len(seen) == 1 and (seen[0] == layer.self_attn(ROWS, causal=True, need_weights=True)[1]).all()
    with layer.self_attn.register_weights_hook(lambda module, weights: seen.append(weights)):
        layer(ROWS.reshape(6, 4), [0, 2, 6])
    assert [each.shape for each in seen[1]] == [(2, 2, 2), (2, 4, 4)]


def test_hooks_of_results_and_leaves():
    x, seen = regard.tensor([1.0, 2.0], requires_grad=True), []
    y = x * 3
    y.register_hook(seen.append)
    halved = y.register_hook(lambda gradient: gradient / 2)
    (y * y).sum().backward(retain_graph=True)
    assert seen[0].tolist() == [6, 12] and x.grad.tolist() == [9, 18]
    halved.remove()
    leaf = x.register_hook(lambda gradient: seen.append(gradient) or gradient * 10)
    (y * y).sum().backward()
    assert seen[-1].tolist() == [18, 36] and x.grad.tolist() == [9 + 180, 18 + 360]
    other = regard.tensor([5.0], requires_grad=True)
    (other * 2).backward()  # x has no part in it, and keeps its gradient
    assert x.grad.tolist() == [189, 378] and len(seen) == 3
    leaf.remove()
    (x * 1).sum().backward()
    assert x.grad.tolist() == [190, 379] and len(seen) == 3


@pytest.mark.parametrize("function, error, text", [
    (lambda x: (x * 1).register_hook(lambda g: None), regard.Error, "requires no gradient, so the hook would never"),
    (lambda x: nn.Linear(4, 2).register_forward_hook(3), TypeError, "a hook is a function, not a int"),
])
def test_errors_of_hooks(function, error, text):
    with pytest.raises(error, match=text):
        function(regard.ones(2))


def test_a_hook_that_returns_something_else():
    x = regard.ones(2, requires_grad=True)
    y = x * 2
    y.register_hook(lambda gradient: 3)
    with pytest.raises(regard.Error, match=r"a hook of a tensor returned int; it returns None, or .* shape \(2,\)"):
        y.sum().backward()


def test_second_derivatives_by_differences():
    """Of x^3 y: the Hessian by hand."""
    x = regard.tensor(numpy.array([2.0, 3.0]))
    found = [regard.gradient_difference(lambda x: x[0] ** 3 * x[1], x, direction).tolist() for direction in ([1, 0], [0, 1])]
    assert numpy.allclose(found, [[6 * 2 * 3, 3 * 2**2], [3 * 2**2, 0]], atol=1e-6) and x.tolist() == [2, 3]
    with pytest.raises(regard.Error, match="need double precision"):
        regard.gradient_difference(lambda x: x.sum(), x.float(), [1, 0])
