"""Loss and logits of a trained model, its weights in regard.nn, BLEU, plots, and files of tensors."""

import json
import math
import os

import numpy
import pytest

import regard
from regard import nn, optim

PAIRS = [("a b c", "c b a"), ("d", "d"), ("b a d c", "c d a b")]
SOURCES, TARGETS = [s for s, _ in PAIRS], [t for _, t in PAIRS]


def test_loss_and_logits_agree_with_the_scores(model):
    scores = model.score(PAIRS)
    logits = model.logits(SOURCES, TARGETS)
    assert [each.shape for each in logits] == [(len(score.tokens), len(model.target_vocabulary)) for score in scores]
    for each, score in zip(logits, scores):
        ids = [model.target_vocabulary.index(token) for token in score.tokens]
        found = each.detach().log_softmax().numpy()[numpy.arange(len(ids)), ids]
        assert numpy.allclose(found, score.token_log_probabilities, atol=1e-5)
    tokens = sum(len(score.tokens) for score in scores)
    loss = model.loss(SOURCES, TARGETS)
    assert numpy.isclose(loss.item(), -sum(score.log_probability for score in scores) / tokens, rtol=1e-5)
    one = model.logits("a b c", "c b a")
    assert numpy.abs((one - logits[0]).detach().numpy()).max() < 1e-4
    assert numpy.isclose(model.loss("d", "d").item(), -scores[1].log_probability / 2, rtol=1e-4)
    smooth = regard.cross_entropy(one, [model.target_vocabulary.index(t) for t in scores[0].tokens], 0.1)
    assert numpy.isclose(model.loss("a b c", "c b a", label_smoothing=0.1).item(), smooth.item(), rtol=1e-5)
    for wrong in (lambda: model.loss(SOURCES, TARGETS[:2]), lambda: model.logits("a", ["a", "b"])):
        with pytest.raises(regard.Error, match="translation"):
            wrong()


def test_a_loaded_model_can_be_trained_further(folder):
    model = regard.load(folder / "python")
    optimizer = optim.Adam(model.parameters().values(), lr=1e-3)
    before = model.loss(SOURCES, TARGETS).item()
    for _ in range(5):
        optimizer.zero_grad()
        model.loss(SOURCES, TARGETS).backward()
        optimizer.step()
    assert model.loss(SOURCES, TARGETS).item() < before
    assert model.score(PAIRS)[0].log_probability > regard.load(folder / "python").score(PAIRS)[0].log_probability


class Transformer(nn.Module):
    """The model of the fixture, from the layers of Python."""

    def __init__(self, settings, vocabulary):
        super().__init__()
        d, scale = settings["d_model"], math.sqrt(settings["d_model"])
        first = settings["norm"] == "pre"
        self.src_embed, self.tgt_embed = (nn.Embedding(vocabulary, d, scale=scale) for _ in range(2))
        self.encoder, self.decoder = nn.Module(), nn.Module()
        self.encoder.layers = nn.ModuleList([nn.TransformerEncoderLayer(d, settings["heads"], settings["d_ff"],
                                                                        norm_first=first)])
        self.decoder.layers = nn.ModuleList([nn.TransformerDecoderLayer(d, settings["heads"], settings["d_ff"],
                                                                        norm_first=first)])
        if first:
            self.encoder.norm, self.decoder.norm = nn.LayerNorm(d), nn.LayerNorm(d)
        self.d_model = d

    def embed(self, embedding, ids, offsets):
        """Vaswani et al. 2017, section 3.5: sin in the even columns, cos in the odd ones."""
        position = numpy.concatenate([numpy.arange(end - begin) for begin, end in zip(offsets, offsets[1:])])
        angle = position[:, None] / 10000 ** (numpy.arange(0, self.d_model, 2) / self.d_model)
        table = numpy.stack([numpy.sin(angle), numpy.cos(angle)], -1).reshape(len(ids), -1)
        return embedding(ids) + regard.tensor(table, dtype="float32")

    def forward(self, source, source_offsets, target, target_offsets):
        memory = self.encoder.layers[0](self.embed(self.src_embed, source, source_offsets), source_offsets)
        memory = self.encoder.norm(memory) if "norm" in vars(self.encoder) else memory
        x = self.embed(self.tgt_embed, target, target_offsets)
        x = self.decoder.layers[0](x, memory, target_offsets, source_offsets)
        x = self.decoder.norm(x) if "norm" in vars(self.decoder) else x
        return memory, regard.linear(x, self.tgt_embed.weight)


def test_the_layers_of_python_compute_what_the_model_computes(model):
    own = Transformer(model.config["model"], len(model.target_vocabulary))
    weights = model.parameters()
    weights.setdefault("tgt_embed.weight", weights["src_embed.weight"])  # the embeddings are shared
    own.load_state_dict(weights)
    own.eval()
    index = model.target_vocabulary.index
    sources = [[index(token) for token in [*source.split(), "</s>"]] for source in SOURCES]
    targets = [[index(token) for token in ["<s>", *target.split()]] for target in TARGETS]
    arguments = []
    for each in (sources, targets):
        arguments += [sum(each, []), [0, *numpy.cumsum([len(ids) for ids in each]).tolist()]]
    memory, logits = own(*arguments)
    assert numpy.abs(memory.detach().numpy() - numpy.concatenate(model.encode(SOURCES))).max() < 1e-5
    expected = numpy.concatenate([each.detach().numpy() for each in model.logits(SOURCES, TARGETS)])
    assert numpy.abs(logits.detach().numpy() - expected).max() < 1e-4


def test_bleu():
    """The precisions by hand: 5/6 words, 3/5, 1/4 and 0/3 n-grams, the last smoothed to 1/6."""
    found = regard.bleu(["the cat sat on a mat"], ["the cat lay on a mat"])
    expected = 100 * (5 / 6 * 3 / 5 * 1 / 4 * 1 / 6) ** 0.25
    assert math.isclose(found.score, expected) and float(found) == found.score
    assert numpy.allclose(found.precisions, [500 / 6, 60, 25, 100 / 6]) and found.brevity_penalty == 1
    assert (found.hypothesis_length, found.reference_length) == (6, 6)
    upper, lower = ["A B C D"], ["a b c d"]
    assert regard.bleu(upper, lower, lowercase=True).score == 100 > regard.bleu(upper, lower).score
    with pytest.raises(regard.Error, match="2.*1|1.*2"):
        regard.bleu(["a", "b"], ["a"])


def test_plots_of_attention(model):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("agg")
    attention = model.attention("a b c")
    cross = attention.plot()
    assert cross.get_title() == "decoder.layers.0.multihead_attn"
    assert [label.get_text() for label in cross.get_xticklabels()] == ["a", "b", "c", "</s>"]
    assert [label.get_text() for label in cross.get_yticklabels()] == attention.target_tokens
    assert numpy.allclose(cross.images[0].get_array(), attention.weights[cross.get_title()].mean(0))
    own = attention.plot("decoder.layers.0.self_attn", head=1, ax=pyplot.subplots()[1])
    assert [label.get_text() for label in own.get_xticklabels()] == ["<s>", *attention.target_tokens[:-1]]
    assert numpy.allclose(own.images[0].get_array(), attention.weights["decoder.layers.0.self_attn"][1])
    pyplot.close("all")


def test_files_of_tensors(tmp_path, model):
    path, net = tmp_path / "net.safetensors", nn.Sequential(nn.Linear(2, 3), nn.LayerNorm(3).double())
    regard.save({**net.state_dict(), "array": numpy.arange(6.0).reshape(2, 3), "number": 1.5}, path)
    found = regard.load_tensors(path)
    assert [*found] == ["0.bias", "0.weight", "1.bias", "1.weight", "array", "number"]
    assert found["0.weight"].dtype == "float32" and found["1.weight"].dtype == found["array"].dtype == "float64"
    assert (found["0.weight"] == net[0].weight).all() and found["array"].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert found["number"].shape == () and found["number"].item() == 1.5
    other = nn.Sequential(nn.Linear(2, 3), nn.LayerNorm(3).double())
    other.load_state_dict({name: found[name] for name in net.state_dict()})
    assert (other[0].weight == net[0].weight).all()
    regard.save(model.parameters(), path)  # the older file is replaced
    assert (regard.load_tensors(path)["src_embed.weight"] == model.parameters()["src_embed.weight"]).all()
    for function, text in [(lambda: regard.load_tensors(tmp_path / "none"), "none"),
                           (lambda: regard.save({}, tmp_path / "no/where"), "where"),
                           (lambda: regard.save({"a": numpy.arange(2)}, path), "an array of int64 cannot be a tensor")]:
        with pytest.raises(regard.Error, match=text):
            function()
    assert "src_embed.weight" in regard.load_tensors(path)


def test_names_in_a_file_are_the_keys_of_dicts_in_dicts(tmp_path):
    path, x = tmp_path / "x", numpy.arange(3.0)
    regard.save({"": x, "a": {"": 2 * x, "b": {0: 3 * x}, "__metadata__": 4 * x, "é": 2**53}}, os.fsencode(path))
    header = json.loads(path.read_bytes()[8:].split(b"}}", 1)[0] + b"}}")
    assert [*header] == ["__metadata__", "", "a/", "a/b/0", "a/__metadata__", "a/é"]
    found = regard.load_tensors(os.fsencode(path))
    assert found.keys() == {"", "a"} and found["a"].keys() == {"", "b", "__metadata__", "é"}
    assert (found["a"]["b"]["0"] == 3 * x).all() and int(found["a"]["é"]) == 2**53
    before = path.read_bytes()
    for wrong in ({"a/b": x}, {1: x, "1": x}, {"__metadata__": x}):
        with pytest.raises(regard.Error):
            regard.save(wrong, path)
    assert path.read_bytes() == before and [*tmp_path.iterdir()] == [path]
    text = json.dumps({name: {"dtype": "F32", "shape": [], "data_offsets": [at, at + 4]}
                       for name, at in [("a/b/c", 0), ("a/b", 4)]}).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + bytes(8))
    with pytest.raises(regard.Error, match="has a/b/c and, as another tensor, the beginning of this name"):
        regard.load_tensors(path)


def test_pytorch_reads_and_writes_the_files(tmp_path):
    torch, safetensors = pytest.importorskip("torch"), pytest.importorskip("safetensors.torch")
    regard.save({"a": numpy.arange(6.0).reshape(2, 3)}, tmp_path / "a")
    assert safetensors.load_file(tmp_path / "a")["a"].tolist() == [[0, 1, 2], [3, 4, 5]]
    safetensors.save_file({"half": torch.ones(2).half(), "double": torch.ones(1).double()}, tmp_path / "b")
    found = regard.load_tensors(tmp_path / "b")
    assert found["half"].dtype == "float32" and found["double"].dtype == "float64" and found["half"].tolist() == [1, 1]
