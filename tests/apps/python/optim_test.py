"""Optimisers against the numbers of PyTorch 2.14, schedules against those of a training, and the README's examples."""

import re
from pathlib import Path

import numpy
import pytest

import regard
from regard import nn, optim
from support import write_configuration

README = (Path(__file__).parents[3] / "apps/python/README.md").read_text()

# Three steps on sum(a^2) b + sin b; c gets no gradient. lr=0.1 for a, 0.02 for b and c, weight_decay=0.2;
# Adam and AdamW: betas=(0.8, 0.9), eps=1e-3; SGD: momentum=0.9.
NUMBERS = {
    optim.Adam: [[0.7019041432228034, -1.700809985580618, 0.2055330112502931], [2.9405444111727816], [7.0]],
    optim.AdamW: [[0.6496641054715258, -1.5895949548789832, 0.1831238228644385], [2.905377277398193], [7.0]],
    optim.SGD: [[-0.8775526465863989, 1.7551052931727977, -0.43877632329319943], [2.712979695532218], [7.0]]}


def optimiser_of(kind, parameters):
    options = {"momentum": 0.9} if kind is optim.SGD else {"betas": (0.8, 0.9), "eps": 1e-3}
    first, *others = parameters
    return kind([{"params": [first]}, {"params": others, "lr": 0.02}], lr=0.1, weight_decay=0.2, **options)


def leaves():
    return [regard.tensor(numpy.array(x), requires_grad=True) for x in ([1.0, -2.0, 0.5], [3.0], [7.0])]


def steps(optimiser, a, b, count):
    for _ in range(count):
        optimiser.zero_grad()
        ((a ** 2).sum() * b[0] + Sine.apply(b).sum()).backward()
        optimiser.step()


class Sine(regard.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return numpy.sin(x.numpy())

    @staticmethod
    def backward(ctx, gradient):
        x, = ctx.saved_tensors
        return gradient.numpy() * numpy.cos(x.numpy())


@pytest.mark.parametrize("kind", NUMBERS)
def test_three_steps_are_those_of_pytorch(kind):
    a, b, c = parameters = leaves()
    optimiser = optimiser_of(kind, parameters)
    steps(optimiser, a, b, 3)
    for x, expected in zip(parameters, NUMBERS[kind]):
        assert numpy.abs(x.numpy() - expected).max() < 1e-14
    assert a.grad is not None and c.grad is None
    optimiser.zero_grad(set_to_none=False)
    assert a.grad.tolist() == [0, 0, 0] and c.grad is None
    assert optimiser.zero_grad() is None and a.grad is None


@pytest.mark.parametrize("kind", NUMBERS)
def test_the_state_of_an_optimiser(kind):
    a, b, _ = parameters = leaves()
    optimiser = optimiser_of(kind, parameters)
    steps(optimiser, a, b, 2)
    state = optimiser.state_dict()
    others = [regard.tensor(x, requires_grad=True) for x in parameters]
    resumed = optimiser_of(kind, others)
    resumed.load_state_dict(state)
    steps(optimiser, a, b, 1)
    steps(resumed, *others[:2], 1)
    assert all((x.numpy() == y.numpy()).all() for x, y in zip(parameters, others))
    with pytest.raises(regard.Error, match="load_state_dict: the state is of 3 parameters, and the optimiser has 1"):
        kind([a]).load_state_dict(state)


def test_the_state_of_other_parameters_is_refused():
    def adam(*shape):
        x = regard.ones(*shape, requires_grad=True)
        (x * x).sum().backward()
        return optim.Adam([regard.ones(1, requires_grad=True), x]), x

    one, _ = adam(2, 3)
    one.step()
    state = one.state_dict()
    other, x = adam(64, 96)
    with pytest.raises(regard.Error, match=r"exp_avg of parameter 1, float32 of the shape \(64, 96\), is float32 "
                                           r"of the shape \(2, 3\); give the state that Adam kept for the same"):
        other.load_state_dict(state)
    assert not other.state
    other.state[x] = state["state"][1]  # step() looks again
    with pytest.raises(regard.Error, match="exp_avg of parameter 1"):
        other.step()
    same, _ = adam(2, 3)
    del state["state"][1]["exp_avg_sq"]
    with pytest.raises(regard.Error, match=r"exp_avg_sq of parameter 1, float32 of the shape \(2, 3\), is missing"):
        same.load_state_dict(state)
    with pytest.raises(regard.Error, match="this is not the state of an optimiser; give what its state_dict"):
        same.load_state_dict({"weight": x})
    assert (x == 1).all()


def test_a_parameter_that_two_modules_share_is_changed_once():
    w = regard.tensor([1.0], requires_grad=True)
    for kind in (optim.SGD, optim.Adam):
        assert len(kind(iter([w, w])).parameters()) == len(kind([{"params": [w, w]}]).parameters()) == 1
        with pytest.raises(regard.Error, match=r"a parameter of the shape \(1,\) twice; leave it out of one group"):
            kind([{"params": [w]}, {"params": [w], "lr": 0.1}])
    (w * 3).sum().backward()
    assert nn.utils.clip_grad_norm_([w, w], 10) == 3
    used = iter([w])
    list(used)
    with pytest.raises(regard.Error, match="clip_grad_norm_ got a generator without parameters"):
        nn.utils.clip_grad_norm_(used, 10)
    optim.SGD([w, w], lr=0.5).step()
    assert w.item() == -0.5


@pytest.mark.parametrize("kind", NUMBERS)
def test_a_checkpoint_goes_on_to_the_same_bits(kind, tmp_path):
    def one():
        module = nn.Module()
        module.a, module.b, module.c = leaves()
        return module, optimiser_of(kind, list(module.parameters()))

    model, optimiser = one()
    path = tmp_path / "checkpoint.safetensors"
    regard.save({"model": model.state_dict(), "optimizer": optimiser.state_dict()}, path)  # nothing to keep yet
    one()[1].load_state_dict(regard.load_tensors(path)["optimizer"])
    steps(optimiser, model.a, model.b, 2)
    optimiser.param_groups[1]["lr"] = 0.1
    regard.save({"model": model.state_dict(), "optimizer": optimiser.state_dict(), "epoch": 3}, path)
    resumed, other = one()
    saved = regard.load_tensors(path)
    resumed.load_state_dict(saved["model"])
    other.load_state_dict(saved["optimizer"])
    assert int(saved["epoch"]) == 3 and other.param_groups[1]["lr"] == 0.1
    steps(optimiser, model.a, model.b, 1)
    steps(other, resumed.a, resumed.b, 1)
    assert all((x.numpy() == y.numpy()).all() for x, y in zip(model.parameters(), resumed.parameters()))
    regard.save(optimiser.state_dict(), path)
    other.load_state_dict(regard.load_tensors(path))
    assert other.state_dict()["param_groups"] == optimiser.state_dict()["param_groups"] or \
        other.param_groups[0]["betas"] == [0.8, 0.9]


@pytest.mark.parametrize("kind", NUMBERS)
def test_a_gradient_that_is_not_finite_changes_nothing(kind):
    a, b, c = parameters = leaves()
    optimiser = optimiser_of(kind, parameters)
    steps(optimiser, a, b, 1)
    before = [x.numpy().copy() for x in parameters]
    (a.sum() * float("nan") + b.sum()).backward()
    with pytest.raises(regard.NotFinite, match=r"step: the gradient of a parameter of the shape \(3,\) has NaN"):
        optimiser.step()
    assert all((x.numpy() == old).all() for x, old in zip(parameters, before))
    steps(optimiser, a, b, 1)
    assert (a.numpy() != before[0]).all()


def test_single_precision_and_errors():
    x = nn.Parameter([1.0, 2.0])
    adam = optim.Adam([x], lr=0.5)
    (x ** 2).sum().backward()
    adam.step()
    assert x.dtype == "float32" and numpy.allclose(x.numpy(), [0.5, 1.5], atol=1e-6)
    for group in adam.param_groups:
        group["lr"] = 0.25
    adam.step()
    assert numpy.allclose(x.numpy(), [0.25, 1.25], atol=1e-2)
    y = (x * x).sum()
    adam.step()
    with pytest.raises(regard.Error, match="an input of 'multiply' was changed after the forward"):
        y.backward()
    with pytest.raises(regard.Error, match="an optimiser has no parameters"):
        optim.SGD(nn.ReLU().parameters())
    with pytest.raises(regard.Error, match="cannot change a Tensor that is no parameter"):
        optim.SGD([x * 2])


@pytest.mark.parametrize("schedule, settings, function", [
    ("noam", {"learning_rate": 2.0, "warmup_steps": 5}, lambda step: optim.noam(step, 32, 5, 2.0)),
    ("inverse_sqrt", {"learning_rate": 0.02, "warmup_steps": 6}, lambda step: optim.inverse_sqrt(step, 0.02, 6)),
    ("cosine", {"learning_rate": 0.02, "warmup_steps": 4, "minimum_learning_rate": 0.001},
     lambda step: optim.cosine(step, 0.02, 4, 12, 0.001)),
    ("constant", {"learning_rate": 0.01}, lambda step: optim.constant(step, 0.01))])
def test_schedules_are_those_of_a_training(tmp_path, schedule, settings, function):
    reports = []
    overrides = {"training.schedule": schedule, "training.steps": 12, "training.epochs": None,
                 **{f"training.{name}": value for name, value in settings.items()}}
    regard.train(write_configuration(tmp_path), tmp_path / "model", log=None, progress=False, on_step=reports.append,
                 overrides=overrides)
    assert len(reports) == 12
    for wrong in (lambda: optim.inverse_sqrt(1, 0.1, 0), lambda: optim.cosine(1, 0.1, 5, 5),
                  lambda: optim.noam(1, 8, -1)):
        with pytest.raises(regard.Error, match="warmup is"):
            wrong()
    for wrong in (lambda: optim.noam(0, 8), lambda: optim.constant(0, 1), lambda: optim.inverse_sqrt(0, 1, 2),
                  lambda: optim.cosine(0, 1, 2, 3)):
        with pytest.raises(regard.Error, match="step is 0; it must be a number of at least 1"):
            wrong()
    for report in reports:
        assert numpy.isclose(report.learning_rate, function(report.step), rtol=1e-12)


def test_xor_of_the_readme_takes_seven_lines_and_learns():
    code = re.search(r"```python\n(xor = .*?)```", README, re.S)[1]
    assert len(code.rstrip().split("\n")) <= 7
    names = {"np": numpy, "regard": regard, "nn": nn, "optim": optim}
    exec(code, names)
    assert numpy.abs(names["model"](names["xor"]).detach().numpy().ravel() - [0, 1, 1, 0]).max() < 0.1


def test_the_encoder_of_the_readme_takes_thirty_lines_and_learns(tmp_path, monkeypatch):
    code = re.search(r"```python\n(class Reverser.*?)```", README, re.S)[1]
    assert len(code.rstrip().split("\n")) <= 30
    names = {"np": numpy, "regard": regard, "nn": nn, "optim": optim}
    exec(code, names)
    assert names["correct"] > 0.9
    monkeypatch.chdir(tmp_path)
    exec(re.search(r"```python\n(regard.save.*?)```", README, re.S)[1], names)
    assert int(names["saved"]["step"]) == 300 and (names["model"](names["sentences"]).argmax(-1).shape == (32, 6))


def test_gradients_are_clipped_by_the_norm_of_all():
    x, y, unused = (regard.tensor(a, requires_grad=True) for a in ([3.0, 0.0], [[4.0]], [1.0]))
    ((x * x).sum() / 2 + (y * y).sum() / 2).backward()
    assert nn.utils.clip_grad_norm_([x, y, unused], 10) == 5 and x.grad.tolist() == [3, 0]
    assert nn.utils.clip_grad_norm_((z for z in (x, y)), 1) == 5  # (3, 0, 4) becomes (0.6, 0, 0.8)
    assert numpy.allclose([*x.grad.numpy(), y.grad.item()], [0.6, 0, 0.8], atol=1e-6)
    assert numpy.isclose(nn.utils.clip_grad_norm_(y, 0.4).item(), 0.8) and numpy.isclose(y.grad.item(), 0.4)
