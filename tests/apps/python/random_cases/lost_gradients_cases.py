"""Gradients that would be lost or wrong without a word: through NumPy, and by an index or memory that changes."""

import copy
import pickle
import tempfile

import numpy

import regard
from drawn import array, leaf, refused
from regard import nn

LOSE = [  # functions through which no gradient passes
    numpy.asarray, numpy.array, lambda y: numpy.dot(numpy.ones(y.shape[:1]), y), lambda y: numpy.where(True, y, 0),
    lambda y: numpy.stack([y, y]), lambda y: numpy.concatenate([y, y]), lambda y: numpy.asarray([y, y]),
    lambda y: numpy.zeros(y.shape).__iadd__(numpy.asarray(y)), numpy.from_dlpack, lambda y: regard.tensor(y),
    lambda y: regard.tensor([y, y]), lambda y: regard.zeros(y.shape).__setitem__(..., y), numpy.copy]


def save(y):
    with tempfile.TemporaryDirectory() as folder:
        regard.save({"y": y}, f"{folder}/y.safetensors")


OF_RESULTS = [lambda y: y.numpy(), copy.copy, copy.deepcopy, pickle.dumps, save,
              lambda y: regard.tensor(y, requires_grad=True), lambda y: copy.deepcopy([{"y": y}])]


def history(random):
    """What would lose a gradient is refused. The same call of detach() is not, and a result of a leaf is neither."""
    x = leaf(random, random.randint(2, 4))
    y = random.choice([lambda: x * 2, lambda: x[1:], lambda: x.reshape(-1, 1), lambda: x.double(), lambda: x])()
    with regard.no_grad():
        free = x * 2
    convert, of_results = random.choice(LOSE), random.choice(OF_RESULTS)
    assert refused(lambda: convert(y)), convert
    assert refused(lambda: of_results(y)) == (not y.is_leaf), of_results
    for each in (convert, of_results):
        for tensor in (y.detach(), free, x.detach().clone()):
            each(tensor)
    assert numpy.array_equal(y.detach().numpy(), y.tolist()) and numpy.array_equal(y > 0, numpy.array(y.tolist()) > 0)
    assert f"{y:.2f}" if y.ndim == 0 else str(y)
    with regard.no_grad():
        target = regard.zeros(*y.shape, dtype="float64")
        target[...] = y
    assert target.tolist() == y.tolist()


def index_cases(random):
    """Operations with whole numbers or truths: a function of x and of the array."""
    rows = numpy.array([random.randrange(4) for _ in range(random.randint(1, 5))])
    mask = numpy.array([[random.random() < 0.5 for _ in range(3)] for _ in range(4)])
    ends = numpy.array([0, random.randint(1, 3), 4])
    same = numpy.array([[random.randrange(3)] for _ in range(4)])
    targets = numpy.array([random.randrange(3) for _ in range(4)])
    return random.choice([
        (lambda x, i: x[i], rows), (lambda x, i: x[:, i % 3], rows), (lambda x, i: x[i, i % 3], rows),
        (lambda x, i: x[regard.tensor(i, "float64")], rows), (lambda x, i: x[i.tolist()], rows),
        (lambda x, i: x[i], mask), (lambda x, i: x[i[:, 0]], mask), (lambda x, i: regard.where(i, x, x * x), mask),
        (lambda x, i: x.masked_fill(i, 3.0), mask), (lambda x, i: regard.gather(x, 0, i), rows),
        (lambda x, i: x.gather(1, i), same), (lambda x, i: regard.embedding(x, i), rows),
        (lambda x, i: regard.cross_entropy(x, i), targets),
        (lambda x, i: nn.functional.cross_entropy(x, i, ignore_index=int(i[0])) if len(set(i)) > 1 else x, targets),
        (lambda x, i: regard.attention(x, x, x, i), ends), (lambda x, i: regard.attention(x, x, x, i.tolist()), ends),
        (lambda x, i: regard.attention(x, x, x, regard.segments(i)), ends),
        (lambda x, i: regard.dot_scores(x, x, regard.all_keys(i)), ends),
        (lambda x, i: regard.gru(regard.concat([x] * 3, 1), regard.concat([x, x, x[:1]], 0), x.reshape(-1)[:9], None,
                                 regard.TimeSteps(i)), ends),
        (lambda x, i: regard.scaled_dot_product_attention(x, x, x, i), mask[:, :1] | True),
        (lambda x, i: regard.concat(x.split([int(i[1]), 4 - int(i[1])], 0)[::-1], 0), ends),
        (lambda x, i: regard.rotary(regard.concat([x, x[:, :1]], 1), 4, regard.ones(4, 2, dtype="float64"), i),
         numpy.array([random.randrange(4) for _ in range(4)]))])


def index_that_changes(random):
    """The gradient is that of the index at the forward, or backward() is refused."""
    function, index = index_cases(random)
    numbers, weight = array(random, 4, 3), {}
    gradients = []
    for changes in (False, True):
        x, mine = regard.tensor(numbers, requires_grad=True), index.copy()
        y = function(x, mine)
        w = weight.setdefault("w", array(random, *y.shape))
        loss = (y * y * regard.tensor(w)).sum()
        if changes:
            mine[...] = mine[::-1].copy() if random.random() < 0.5 else mine ^ mine
        loss.backward()
        gradients.append(x.grad.numpy().copy())
    assert numpy.array_equal(*gradients)


def positions_that_change(random):
    """As above, for the positions that an operation returns, and for what the user keeps in a list."""
    numbers, gradients = array(random, 3, 5), []
    choose = random.choice([lambda x: x.topk(2), lambda x: x.max(1), lambda x: x.min(0)])
    for changes in (False, True):
        x = regard.tensor(numbers, requires_grad=True)
        values, positions = choose(x)
        listed = [0, 2]
        part = x[listed]
        if changes:
            positions[...] = 0
            listed[:] = [1, 1]
        ((values * values).sum() + (part * part).sum()).backward()
        gradients.append(x.grad.numpy().copy())
    assert numpy.array_equal(*gradients)


def memory_that_changes(random):
    """A write to the memory of a result, or of a tensor without history, between forward and backward is seen."""
    w = leaf(random, 2, 3)
    with regard.no_grad():
        free = w * 2
    y = w * w
    written = random.choice([y, free, w])
    loss = (y * free * w).sum()
    before = written.detach().numpy()
    changes = random.random() < 0.7
    if changes:
        random.choice([lambda: before.__setitem__((0, 0), 9), lambda: before.__iadd__(1),
                       lambda: written.detach().zero_(), lambda: written.detach().__setitem__(0, 7)])()
    assert refused(loss.backward) == changes


PROPERTIES = {
    "no gradient is lost through NumPy": (120, history),
    "an index that changes after the forward": (120, index_that_changes),
    "positions that change after the forward": (30, positions_that_change),
    "memory that changes after the forward": (60, memory_that_changes)}
