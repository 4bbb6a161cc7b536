"""Modules and layers: names, printing, faults, and the numbers of PyTorch 2.14."""

import copy
import math

import numpy
import pytest

import regard
from regard import nn


def fill(module):
    """Weights that depend on the name alone. The numbers of PyTorch below were computed with the same ones."""
    for name, x in module.double().named_parameters():
        x.numpy()[...] = numpy.sin(numpy.arange(x.size) * 0.7 + len(name)).reshape(x.shape) * 0.5
    return module


def rows(*shape, start=0):
    values = numpy.cos(numpy.arange(math.prod(shape)) * 1.3 + start)
    return regard.tensor(values.reshape(shape), requires_grad=True)


def encoder(norm_first):
    layer, x = nn.TransformerEncoderLayer(4, 2, 6, 0, "gelu" if norm_first else "relu", norm_first), rows(5, 4)
    return layer, lambda: [layer(x, [0, 3, 5])], [x]


def decoder():
    layer, x, memory = nn.TransformerDecoderLayer(4, 2, 6, 0), rows(5, 4), rows(4, 4, start=1)
    return layer, lambda: [layer(x, memory, [0, 3, 5], [0, 1, 4])], [x, memory]


def gru():
    layer, x, h = nn.GRU(4, 3, 2, bidirectional=True), rows(5, 4), rows(4, 2, 3, start=2)
    return layer, lambda: layer(x, h, [0, 3, 5]), [x, h]


def lstm():
    layer, x, h, c = nn.LSTM(4, 3, 2, bidirectional=True), rows(5, 4), rows(4, 2, 3, start=2), rows(4, 2, 3, start=3)

    def compute():
        states, last = layer(x, (h, c), [0, 3, 5])
        return states, *last

    return layer, compute, [x, h, c]


# The first and last number of each result; L = sum of result_i cos(i); dL/dx of number 1 of each input; the norm of the
# gradients of all parameters.
NUMBERS = [
    (lambda: encoder(False), [-0.065942308126, 0.574823137852], -0.6178974035, [0.137212111001], 1.434922017146),
    (lambda: encoder(True), [-0.338016928814, 1.498099461373], -0.056519435963, [0.499852651951], 1.855036437991),
    (decoder, [-0.091701470483, 0.42726241996], -0.734555788404, [0.055048213307, 0.01345298835], 1.164849818583),
    (gru, [0.356094475434, 0.283258135918, 0.166842385953, -0.075991218419], 3.16080954897,
     [0.181784639984, -0.084684827259], 6.189557617602),
    (lstm, [0.227015505874, -0.206061714558, 0.091655119353, -0.36565473014, 0.188925919903, -0.661323909209],
     2.081705014922, [-0.089357708589, 0.028522028901, 0.0416600636], 4.277182126366)]


@pytest.mark.parametrize("make, ends, loss, gradients, norm", NUMBERS,
                         ids=["encoder", "encoder, norm first, gelu", "decoder", "gru", "lstm"])
def test_layers_compute_the_numbers_of_pytorch(make, ends, loss, gradients, norm):
    layer, compute, inputs = make()
    fill(layer)
    results = compute()
    total = sum((y * regard.tensor(numpy.cos(numpy.arange(y.size)).reshape(y.shape))).sum() for y in results)
    total.backward()
    assert numpy.allclose([y.detach().numpy().flat[i] for y in results for i in (0, -1)], ends, atol=1e-11)
    assert numpy.isclose(total.item(), loss, atol=1e-11)
    assert numpy.allclose([x.grad.numpy().flat[1] for x in inputs], gradients, atol=1e-11)
    found = math.sqrt(sum((x.grad.numpy() ** 2).sum() for x in layer.parameters()))
    assert numpy.isclose(found, norm, atol=1e-11)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(5, 4)
        self.layers = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4), nn.ReLU()])
        self.out = nn.Linear(4, 5, bias=False)
        self.out.weight = self.embedding.weight  # tied
        self.scale = nn.Parameter([2.0])
        self.constant = regard.tensor([3.0])
        self.unseen = [nn.Linear(4, 4)]  # a plain list hides its modules, as in PyTorch
        self.register_buffer("mean", regard.zeros(4))
        self.last = None

    def forward(self, ids):
        x = self.embedding(ids)
        for layer in self.layers:
            x = layer(x)
        self.last = x * self.scale  # a result is no parameter
        return self.out(self.last)


def test_a_module_finds_its_parts():
    net = Net()
    assert net([[0, 1], [2, 3], [4, 0]]).shape == (3, 2, 5)
    names = ["scale", "embedding.weight", "layers.0.weight", "layers.0.bias", "layers.1.weight", "layers.1.bias"]
    assert [name for name, _ in net.named_parameters()] == names and len(list(net.parameters())) == 6
    assert [*net.state_dict()] == ["scale", "mean", *names[1:], "out.weight"]
    assert [name for name, _ in net.named_modules()] == ["", "embedding", "layers", "layers.0", "layers.1", "layers.2",
                                                         "out"]
    assert [name for name, _ in net.named_children()] == ["embedding", "layers", "out"]
    assert len(list(net.modules())) == 7 and next(net.children()) is net.embedding
    net.requires_grad_(False)
    assert [name for name, _ in net.named_parameters()] == names and not net.scale.requires_grad
    net.out = None
    assert "out.weight" not in net.state_dict()
    assert (len(net.layers), len(net.layers[:2]), type(net.layers[-1])) == (3, 2, nn.ReLU)


def test_modules_print_as_in_pytorch():
    assert repr(Net()) == """Net(
  (embedding): Embedding(5, 4)
  (layers): ModuleList(
    (0-1): 2 x Linear(in_features=4, out_features=4, bias=True)
    (2): ReLU()
  )
  (out): Linear(in_features=5, out_features=4, bias=False)
)""".replace("in_features=5, out_features=4", "in_features=4, out_features=5")
    assert repr(nn.Sequential(nn.GRU(3, 4, 2, dropout=0.5, bidirectional=True), nn.LSTM(3, 4), nn.Sequential())) == \
        """Sequential(
  (0): GRU(3, 4, num_layers=2, dropout=0.5, bidirectional=True)
  (1): LSTM(3, 4)
  (2): Sequential()
)"""


def test_state_dicts_and_their_faults():
    one, two = Net(), Net()
    two.load_state_dict(one.state_dict())
    assert all((a.numpy() == b.numpy()).all() for a, b in zip(one.state_dict().values(), two.state_dict().values()))
    assert two.out.weight is two.embedding.weight
    state = {name: x.numpy().copy() for name, x in one.state_dict().items()}
    state["more"], state["scale"] = numpy.ones(2), numpy.ones((2, 2))
    del state["layers.1.bias"]
    before = two.embedding.weight.numpy().copy()
    state["embedding.weight"] += 1
    state["out.weight"] += 1  # the same tensor
    with pytest.raises(regard.Error, match=r"load_state_dict of Net: scale has the shape \(2, 2\), and the module's is "
                                           r"\(1,\); layers.1.bias is missing; more is unexpected"):
        two.load_state_dict(state)
    assert (two.embedding.weight.numpy() == before).all()
    state["scale"] = [5]
    two.load_state_dict(state, strict=False)
    assert two.scale.item() == 5 and (two.embedding.weight.numpy() == state["embedding.weight"]).all()


def test_copies_of_a_module_share_nothing():
    net = Net()
    other = copy.deepcopy(net)
    assert other.out.weight is other.embedding.weight is not net.out.weight and repr(other) == repr(net)
    other.scale.numpy()[:] = 7
    assert net.scale.item() == 2 and [*other.state_dict()] == [*net.state_dict()]
    twice = net.double()
    assert twice is net and net.out.weight is net.embedding.weight and net.mean.dtype == net.scale.dtype == "float64"
    assert net([0, 1]).dtype == "float64" and net.float().scale.dtype == "float32"


def test_initial_weights_are_those_of_the_c_plus_plus_layers():
    """Linear and the projection of an attention: Xavier's bound; recurrences: 1/sqrt(hidden); biases 0."""
    regard.manual_seed(7)
    attention, recurrence = nn.MultiHeadAttention(32, 4), nn.GRU(8, 25)
    for weight, bound in [(nn.Linear(20, 30).weight, math.sqrt(6 / 50)), (attention.in_proj_weight, math.sqrt(6 / 128)),
                          (attention.out_proj.weight, math.sqrt(6 / 64)), (recurrence.weight_ih_l0, 0.2),
                          (recurrence.bias_hh_l0, 0.2)]:
        values = weight.numpy()
        assert numpy.abs(values).max() < bound and numpy.isclose(values.std(), bound / math.sqrt(3), rtol=0.1)
    assert not attention.in_proj_bias.numpy().any() and not attention.out_proj.bias.numpy().any()
    scaled = nn.Embedding(50, 16, scale=4)
    assert numpy.isclose(scaled.weight.numpy().std(), 1 / 4, rtol=0.1)
    assert (scaled([3]).detach().numpy() == 4 * scaled.weight.numpy()[3]).all()
    regard.manual_seed(7)
    assert (nn.MultiHeadAttention(32, 4).in_proj_weight.numpy() == attention.in_proj_weight.numpy()).all()


def test_dropout_is_for_training():
    x, layer = regard.ones(200, 50), nn.Sequential(nn.Dropout(0.25))
    first, second = layer(x).numpy(), layer(x).numpy()
    assert (first != second).any() and {*numpy.unique(first)} == {0, numpy.float32(4 / 3)}
    assert abs((first == 0).mean() - 0.25) < 0.02
    regard.manual_seed(3)
    first = layer(x).numpy()
    regard.manual_seed(3)
    assert (layer(x).numpy() == first).all()
    assert layer.eval()(x) is x and not layer[0].training and layer.train()[0].training
    words = regard.randn(6, 8)
    for module in (nn.TransformerEncoderLayer(8, 2, 16, 0.5), nn.MultiHeadAttention(8, 2, 0.5), nn.GRU(8, 8, 2, 0.5),
                   nn.FeedForward(8, 16, 0.5)):
        found = [module(words) for _ in range(4)]
        found = [(y[0] if isinstance(y, tuple) else y).detach() for y in found]
        module.eval()
        still = [module(words) for _ in range(2)]
        still = [(y[0] if isinstance(y, tuple) else y).detach() for y in still]
        assert any((y.numpy() != found[0].numpy()).any() for y in found[1:]), module
        assert (still[0].numpy() == still[1].numpy()).all()


def test_functions_have_the_arguments_of_pytorch():
    x, w = rows(3, 4), rows(4, start=1)
    assert (nn.functional.dropout(x, 0.5, False).numpy() == x.numpy()).all() and nn.functional.relu is regard.relu
    dropped = nn.functional.dropout(regard.ones(100, 100), 0.25).numpy()
    assert {*numpy.unique(dropped)} == {0, numpy.float32(4 / 3)} and abs((dropped == 0).mean() - 0.25) < 0.02
    assert (nn.functional.embedding([[2], [0]], x) == x.numpy()[[[2], [0]]]).all()
    assert (nn.functional.layer_norm(x, (4,), w) == regard.layer_norm(x, w)).all()
    assert numpy.allclose(nn.functional.layer_norm(x, [4]).detach().numpy().mean(1), 0, atol=1e-12)
    with pytest.raises(regard.Error, match=r"layer_norm: the last axis of \(3, 4\) is normalised, not \(3, 4\)"):
        nn.functional.layer_norm(x, (3, 4))


def test_attention_and_sentences_that_share_a_batch():
    attention, x = fill(nn.MultiHeadAttention(4, 2)), rows(5, 4)
    packed = attention(x, offsets=[0, 3, 5], causal=True).detach().numpy()
    alone = [attention(part, causal=True).detach().numpy() for part in (x[:3], x[3:])]
    assert numpy.abs(packed - numpy.concatenate(alone)).max() < 1e-12
    three = attention(x, x * 1.0, x * 1.0, causal=True)  # three products instead of one
    assert numpy.abs((three - attention(x, causal=True)).detach().numpy()).max() < 1e-12
    assert (attention(x, offsets=numpy.array([0, 3, 5]), causal=True) == packed).all()
    words, last = nn.GRU(4, 3).double()(x, offsets=numpy.array([0, 3, 5]))
    assert (words[[2, 4]] == last[0]).all()
    assert regard.gradcheck(lambda x: attention(x, key=x[:4]), [x])


def test_a_batch_is_the_same_as_its_packed_sentences():
    x, memory = rows(2, 3, 4), rows(2, 5, 4, start=1)
    packed, packed_memory, offsets, ends = x.reshape(6, 4), memory.reshape(10, 4), [0, 3, 6], [0, 5, 10]
    attention, encoder, decoder, gru, lstm = (fill(layer) for layer in (
        nn.MultiHeadAttention(4, 2, batch_first=True), nn.TransformerEncoderLayer(4, 2, 6, 0, batch_first=True),
        nn.TransformerDecoderLayer(4, 2, 6, 0), nn.GRU(4, 3, 2, bidirectional=True), nn.LSTM(4, 3)))
    for batch, expected in [(attention(x, causal=True), attention(packed, offsets=offsets, causal=True)),
                            (attention(x, memory), attention(packed, packed_memory, None, offsets, ends)),
                            (attention(x, memory, 2 * memory),
                             attention(packed, packed_memory, 2 * packed_memory, offsets, ends)),
                            (encoder(x), encoder(packed, offsets)),
                            (decoder(x, memory), decoder(packed, packed_memory, offsets, ends)),
                            (gru(x)[0], gru(packed, offsets=offsets)[0]),
                            (lstm(x)[0], lstm(packed, offsets=offsets)[0])]:
        assert batch.shape[:2] == (2, 3) and (batch == expected.reshape(batch.shape)).all()
    assert (gru(x)[1] == gru(packed, offsets=offsets)[1]).all() and gru(x)[1].shape == (4, 2, 3)
    assert (encoder(x) - encoder(packed).reshape(2, 3, 4)).abs().max().item() > 0.01  # one sentence
    assert regard.gradcheck(lambda x, memory: decoder(x, memory), [x, memory])


def test_the_weights_of_an_attention():
    """Of each head, as PyTorch's with average_attn_weights=False; the result is the mean of the values by them."""
    attention, x = fill(nn.MultiHeadAttention(4, 2)), rows(2, 3, 4)
    result, weights = attention(x, causal=True, need_weights=True)
    assert weights.shape == (2, 2, 3, 3) and not weights.requires_grad and numpy.allclose(weights.sum(-1), 1)
    assert not numpy.triu(weights.numpy(), 1).any()
    value = (x.numpy() @ attention.in_proj_weight.numpy()[8:].T + attention.in_proj_bias.numpy()[8:])
    heads = weights.numpy() @ value.reshape(2, 3, 2, 2).swapaxes(1, 2)
    expected = attention.out_proj(regard.tensor(heads.swapaxes(1, 2).reshape(2, 3, 4)))
    assert numpy.allclose(expected.detach(), result.detach())
    packed = x.reshape(6, 4)
    each = attention(packed, offsets=[0, 3, 6], causal=True, need_weights=True)[1]
    assert (numpy.stack(each) == weights.numpy()).all()
    assert (attention(packed[:3], causal=True, need_weights=True)[1].numpy() == weights.numpy()[0]).all()
    by_offsets, by_segments = (regard.attention_weights(packed, packed, s, heads=2)
                               for s in ([0, 3, 6], regard.segments([0, 3, 6])))
    assert (numpy.stack(by_offsets) == numpy.stack(by_segments)).all()
    assert (regard.attention(packed, packed, packed, numpy.array([0, 3, 6])) ==
            regard.attention(packed, packed, packed, regard.segments([0, 3, 6]))).all()
    assert regard.all_keys([0, 3, 6]).pairs == 18 and regard.keys_up_to_query([0, 3, 6]).pairs == 12


def test_parameters_and_dtypes_of_modules():
    layer = nn.Linear(2, 2)
    assert isinstance(layer.weight, nn.Parameter) and not isinstance(layer.weight * 2, nn.Parameter)
    assert not isinstance(regard.ones(2), nn.Parameter) and not isinstance(3, nn.Parameter)
    assert layer.to("cpu") is layer.to(regard.float64) is layer and layer.weight.dtype == "float64"


def test_cross_entropy_without_some_rows():
    """-log softmax of the rows that count, by hand."""
    x, targets = rows(4, 3), numpy.array([2, -100, 0, 1])
    logs = numpy.log(numpy.exp(x.numpy()) / numpy.exp(x.numpy()).sum(1, keepdims=True))[[0, 2, 3], [2, 0, 1]]
    assert numpy.isclose(nn.functional.cross_entropy(x, targets).item(), -logs.mean())
    assert numpy.isclose(nn.functional.cross_entropy(x, targets, reduction="sum").item(), -logs.sum())
    other = nn.CrossEntropyLoss(ignore_index=7)
    assert numpy.isclose(other(x, [2, 7, 0, 1]).item(), -logs.mean())
    assert regard.gradcheck(lambda x: nn.functional.cross_entropy(x, regard.tensor(targets, dtype="float64")), x)
    smooth = nn.CrossEntropyLoss(label_smoothing=0.1)(x, [2, 1, 0, 1])
    assert smooth.item() == regard.cross_entropy(x, [2, 1, 0, 1], 0.1).item()


@pytest.mark.parametrize("function, error, text", [
    (lambda: nn.Module()(1), NotImplementedError, "the module Module has no forward"),
    (lambda: nn.Sequential(nn.Linear(2, 2), regard.relu), TypeError, "relu is not a module; a Sequential holds"),
    (lambda: nn.Sequential(nn.ReLU), TypeError, "ReLU is not a module"),
    (lambda: nn.ModuleList([[nn.ReLU()]]), TypeError, "a list is not a module; a ModuleList holds modules"),
    (lambda: nn.Module().register_buffer("mean", numpy.zeros(2)), TypeError, "the buffer mean is a ndarray"),
    (lambda: nn.Dropout(1.0), regard.Error, "dropout: the probability is 1.0; it must be .* at least 0 and below 1"),
    (lambda: nn.GRU(2, 2, dropout=2), regard.Error, "dropout: the probability is 2; it"),
    (lambda: nn.MultiHeadAttention(6, 4), regard.Error, r"heads \(4\) must divide d_model \(6\)"),
    (lambda: nn.FeedForward(2, 2, activation="elu"), regard.Error, "there is no activation 'elu'; give"),
    (lambda: nn.LayerNorm((2, 3)), regard.Error, r"LayerNorm of the shape \(2, 3\): only the last axis"),
    (lambda: nn.Linear(2, 3)(regard.ones(4, 3)), regard.Error, r"linear: .*\[4, 3\].*\[3, 2\]"),
    (lambda: nn.Embedding(3, 2)([0, 3]), regard.Error, "embedding: .*3"),
    (lambda: nn.Embedding(3, 2)([0.5]), TypeError, "whole numbers, not 0.5"),
    (lambda: nn.MultiHeadAttention(4, 2)(regard.ones(2, 3, 4), offsets=[0, 3, 6]), regard.Error,
     r"\[batch, length, d\] without offsets, or \[rows, d\], not one of the shape \(2, 3, 4\) with offsets"),
    (lambda: nn.MultiHeadAttention(4, 2)([[1.0]]), regard.Error, "a layer over sentences takes a tensor .* of a list"),
    (lambda: nn.GRU(4, 2)(regard.ones(4)), regard.Error, r"not one of the shape \(4,\)"),
    (lambda: nn.GRU(4, 2)(regard.ones(5, 4), offsets=[0, 3]), regard.Error, "the offsets begin with 0 and end with 3;"),
    (lambda: nn.GRU(4, 2)(regard.ones(3, 4), offsets=[3, 6]), regard.Error, "the offsets begin with 3 and end with 6"),
    (lambda: nn.MultiHeadAttention(4, 2)(regard.ones(6, 4), offsets=[3, 6]), regard.Error, "the offsets begin with 3"),
    (lambda: nn.MultiHeadAttention(4, 2)(regard.ones(6, 4), offsets=[]), regard.Error, "the offsets are empty; they"),
    (lambda: nn.Linear(4, 2)([[1, 2, 3, 4]]), TypeError, "linear: a list in the place of a tensor; regard.tensor"),
    (lambda: nn.GRU(4, 2, batch_first=False), regard.Error, r"a batch is \[batch, length, d\], as with"),
    (lambda: nn.TransformerEncoderLayer(4, 2, batch_first=False), regard.Error, "batch_first=True"),
    (lambda: nn.CrossEntropyLoss(reduction="none")(regard.ones(1, 2), [0]), regard.Error, "reduction is 'none'; give"),
    (lambda: nn.GRU(0, 2), regard.Error, "GRU: input_size is 0; it must be a whole number of at least 1"),
    (lambda: nn.GRU(4, 2)(regard.ones(5, 4), regard.ones(2, 1, 2)), regard.Error, "got 2 initial states; it needs 1"),
    (lambda: nn.LSTM(4, 2)(regard.ones(5, 4), regard.ones(2, 1, 2)), TypeError, "begins with a pair"),
    (lambda: nn.MultiHeadAttention(4, 2)(regard.ones(5, 4), offsets=[0, 3]), regard.Error,
     "the offsets begin with 0 and end with 3; they begin with 0 and end with the number of rows, 5"),
    (lambda: nn.TransformerDecoderLayer(4, 2)(regard.ones(5, 4), regard.ones(6, 4), [0, 3, 5]), regard.Error,
     "the key_offsets begin with 0 and end with 5; .* rows, 6: give those of all sentences, and key_offsets .* if"),
    (lambda: nn.MultiHeadAttention(4, 2)(regard.ones(5, 4), regard.ones(6, 4), None, [0, 3, 5], [0, 6]), regard.Error,
     "segments"),
    (lambda: nn.Embedding(5, 2, 1), TypeError, "positional"),
    (lambda: nn.CrossEntropyLoss([1.0]), TypeError, "positional"),
    (lambda: nn.Embedding(4, 2, padding_idx=0), TypeError, "padding_idx"),
])
def test_errors_of_layers(function, error, text):
    with pytest.raises(error, match=text):
        function()
