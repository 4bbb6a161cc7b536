"""Parameters: the state of optimisers, lists with duplicates, what takes the place of a parameter, wrong settings."""

import math

import numpy

import regard
from drawn import array, leaf, refused, shape_of
from regard import nn, optim

WRONG = [math.nan, math.inf, -1, -0.5, None, "x"]


def learn(optimiser, parameters, slopes):
    """One step with these gradients."""
    optimiser.zero_grad()
    sum((x * regard.tensor(g)).sum() for x, g in zip(parameters, slopes)).backward()
    optimiser.step()


def adam_by_numpy(x, g, m, v, t, lr=1e-3, b1=0.9, b2=0.999, eps=1e-8):
    m, v = b1 * m + (1 - b1) * g, b2 * v + (1 - b2) * g * g
    return x - lr * m / (1 - b1**t) / (numpy.sqrt(v / (1 - b2**t)) + eps)


def state_of_another(random):
    """A state goes on as NumPy computes it, or is refused, and then nothing has changed."""
    kind = random.choice([optim.Adam, optim.AdamW, optim.SGD])
    options = {"momentum": 0.9} if kind is optim.SGD else {"weight_decay": 0}
    shapes = [shape_of(random) for _ in range(random.randint(1, 3))]
    one = [leaf(random, *s) for s in shapes]
    source = kind(one, **options)
    slopes = [array(random, *s) for s in shapes]
    learn(source, one, slopes)
    state = source.state_dict()
    fault = random.choice([each for each in range(9) if each != 4 or kind is not optim.SGD])  # SGD counts no steps
    i = random.randrange(len(shapes))
    kept = state["state"][i]
    name = random.choice([each for each in kept if each != "step"])
    others = list(shapes)
    if fault == 1:
        others[i] = random.choice([(7,), (*shapes[i], 2), (64, 96)])
    elif fault == 2:
        del kept[random.choice(list(kept))]
        kept["another"] = 1
    elif fault == 3:
        kept[name] = random.choice([kept[name].float(), kept[name].numpy(), 3, None])
    elif fault == 4:
        kept["step"] = random.choice([math.nan, -1, 1.5, 2**60, regard.ones(2), "x"])
    elif fault == 5:
        state["state"][random.choice(["x", -1, len(shapes)])] = dict(kept)
    elif fault == 6:
        state = random.choice([{}, {"param_groups": 3}, {"state": {}}, {"param_groups": [{}]},
                               {"param_groups": {"x": 1}}])
    elif fault == 7:
        kept[name] = kept[name] * math.nan
    elif fault == 8:
        state["param_groups"][0]["lr"] = random.choice(WRONG)
    two = [leaf(random, *s) for s in others]
    target, before = kind(two, **options), [x.tolist() for x in two]
    assert refused(lambda: target.load_state_dict(state)) == (fault != 0), (fault, state, others)
    if fault:
        assert not target.state and target.param_groups[0]["lr"] == 1e-3 and [x.tolist() for x in two] == before
        return
    more = [array(random, *s) for s in shapes]
    learn(target, two, more)
    for x, old, g1, g2 in zip(two, before, slopes, more):
        if kind is optim.SGD:
            expected = old - 1e-3 * (0.9 * g1 + g2)
        else:
            expected = adam_by_numpy(numpy.array(old), g2, 0.1 * g1, 0.001 * g1 * g1, 2)
        assert numpy.allclose(x.numpy(), expected, rtol=1e-9, atol=1e-12)


class Plain(optim.Optimizer):
    """As somebody writes an optimiser of their own."""

    def update(self, x, gradient, state, group):
        x.data -= group["lr"] * gradient


def duplicates(random):
    """A parameter that a list has twice changes once, as NumPy computes it. In two groups, it is refused."""
    parameters = [leaf(random, *shape_of(random)) for _ in range(random.randint(1, 3))]
    named = nn.Module()
    for i, x in enumerate(parameters):
        setattr(named, f"a{i}", x)
        setattr(named, f"b{i}", x)
    listed = parameters + [random.choice(parameters) for _ in range(random.randint(1, 3))]
    random.shuffle(listed)
    slopes = [array(random, *x.shape) for x in parameters]
    before = [numpy.array(x.tolist()) for x in parameters]
    way = random.randrange(4)
    given = [listed, (x for x in listed), [{"params": listed}], list(named.parameters()) + listed][way]
    optimiser = random.choice([optim.SGD, Plain])(given, lr=0.5)
    learn(optimiser, parameters, slopes)
    for x, old, g in zip(parameters, before, slopes):
        assert numpy.allclose(x.numpy(), old - 0.5 * g)
    norm = math.sqrt(sum((g * g).sum() for g in slopes))
    assert numpy.isclose(nn.utils.clip_grad_norm_(random.choice([listed, iter(listed)]), norm / 2).item(), norm)
    for x, g in zip(parameters, slopes):
        assert numpy.allclose(x.grad.numpy(), g / 2, atol=1e-5)
    first, *others = listed
    groups = [{"params": [first]}, {"params": [*others, first], "lr": 0.1}]
    assert refused(lambda: Plain(groups, lr=0.5)) and refused(lambda: optim.Adam(groups))
    optimiser.param_groups.append({**optimiser.param_groups[0], "params": [first]})
    assert refused(optimiser.step)
    used = iter(listed)
    list(used)
    assert refused(lambda: nn.utils.clip_grad_norm_(used, 1)) and refused(lambda: Plain(used, lr=1))


def assignments(random):
    """What takes the place of a parameter is one, or None; otherwise it is refused, and the old one stays."""
    layer = random.choice([lambda: nn.Linear(2, 3), lambda: nn.LayerNorm(3), lambda: nn.GRU(2, 2),
                           lambda: nn.Embedding(3, 2)])()
    name, old = random.choice(list(layer.named_parameters()))
    other = nn.Parameter(array(random, *old.shape))
    wrong = random.choice([regard.ones(*old.shape), numpy.ones(old.shape), other * 2, 3, other.detach(), [1.0],
                           nn.ReLU()])
    assert refused(lambda: setattr(layer, name, wrong), TypeError) and getattr(layer, name) is old
    setattr(layer, name, other)
    assert any(x is other for x in layer.parameters()) and not any(x is old for x in layer.parameters())
    setattr(layer, name, None)
    setattr(layer, name, regard.ones(2))  # nothing is replaced
    setattr(layer, name, other)
    layer.register_buffer("kept", regard.ones(2))
    assert refused(lambda: setattr(layer, "kept", numpy.ones(2)), TypeError)
    assert refused(lambda: layer.register_buffer(name, regard.ones(2)))
    layer.kept = regard.zeros(2)
    assert layer.state_dict()["kept"].tolist() == [0, 0]


def settings(random):
    """A wrong number is refused where it is given, or when it is used; the right one is not."""
    x = leaf(random, 2)
    wrong = random.choice(WRONG)
    kind = random.choice([optim.SGD, optim.Adam, optim.AdamW, Plain])
    given = {"lr": 0.1, **({"betas": (0.9, 0.99), "eps": 1e-8, "weight_decay": 0.1} if kind in (optim.Adam, optim.AdamW)
                           else {"momentum": 0.5, "weight_decay": 0.1} if kind is optim.SGD else {})}
    optimiser = kind([x], **given)
    name = random.choice(list(given))
    value = random.choice([(0.9, wrong), (1, 1), (1.0, 0.9), wrong, 0.9, (0.9,)]) if name == "betas" else wrong
    assert refused(lambda: kind([x], **{**given, name: value}))
    assert refused(lambda: kind([{"params": [x], name: value}], **given))
    (x * x).sum().backward()
    before = x.tolist()
    optimiser.param_groups[0][name] = value
    assert refused(optimiser.step) and x.tolist() == before
    optimiser.param_groups[0][name] = given[name]
    optimiser.step()
    assert x.tolist() != before
    schedule, numbers = random.choice([
        (optim.noam, {"step": 3, "d_model": 8, "warmup": 5, "factor": 1.0}),
        (optim.inverse_sqrt, {"step": 3, "peak": 0.1, "warmup": 5}), (optim.constant, {"step": 3, "peak": 0.1}),
        (optim.cosine, {"step": 3, "peak": 0.1, "warmup": 2, "steps": 9, "minimum": 0.01})])
    name, wrong = random.choice(list(numbers)), random.choice([math.nan, math.inf, -1])
    assert refused(lambda: schedule(**{**numbers, name: wrong})) and 0 <= schedule(**numbers) < 1


def constructors(random):
    """Sizes, probabilities and random numbers."""
    wrong = random.choice([0, -1, math.nan, 2.5, None])
    chance = random.choice([-0.1, 1, math.nan, 2, None, "0.5"])
    spread = random.choice([math.nan, math.inf, -1])
    for call in random.sample([
            lambda: nn.Linear(wrong, 2), lambda: nn.Linear(2, wrong), lambda: nn.Embedding(wrong, 2),
            lambda: nn.Embedding(2, wrong), lambda: nn.LayerNorm(wrong), lambda: nn.MultiHeadAttention(wrong, 1),
            lambda: nn.MultiHeadAttention(4, wrong), lambda: nn.FeedForward(wrong, 2), lambda: nn.FeedForward(2, wrong),
            lambda: nn.GRU(wrong, 2), lambda: nn.LSTM(2, wrong), lambda: nn.GRU(2, 2, wrong),
            lambda: nn.TransformerEncoderLayer(4, wrong), lambda: nn.TransformerDecoderLayer(wrong, 1),
            lambda: nn.TransformerEncoderLayer(4, 2, wrong), lambda: nn.Dropout(chance),
            lambda: nn.FeedForward(2, 2, chance), lambda: nn.GRU(2, 2, dropout=chance),
            lambda: nn.MultiHeadAttention(4, 2, chance), lambda: nn.functional.dropout(regard.ones(2), chance),
            lambda: nn.LayerNorm(2, spread), lambda: nn.Embedding(2, 2, scale=spread),
            lambda: regard.normal((2,), 0, spread), lambda: regard.normal((2,), math.nan, 1),
            lambda: regard.uniform((2,), 0, spread), lambda: regard.uniform((2,), math.nan, 1),
            lambda: nn.utils.clip_grad_norm_([leaf(random, 2)], random.choice([0, -1, math.nan])),
            lambda: regard.randint(0, 2**32, (2,)), lambda: regard.randint(-2**31 - 1, 5, (2,)),
            lambda: regard.randint(2**31, 2**31 + 5, (2,)), lambda: regard.randint(0.5, 3, (2,)),
            lambda: regard.clamp(regard.ones(2), math.nan)], 6):
        assert refused(call, TypeError, ValueError), (wrong, chance, spread, call.__code__.co_firstlineno)
    drawn = regard.randint(-2**31, 2**31, (20,))
    assert drawn.dtype == numpy.int32 and regard.uniform((3,), 2, 2).tolist() == [2, 2, 2]


PROPERTIES = {
    "the state of an optimiser fits, or is refused": (120, state_of_another),
    "a parameter that is listed twice changes once": (60, duplicates),
    "what takes the place of a parameter": (40, assignments),
    "settings of optimisers and schedules": (80, settings),
    "sizes and probabilities of layers, random numbers": (60, constructors)}
