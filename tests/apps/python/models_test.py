"""Training and using models: the same bits as the program, clean stops, errors."""

import gc
import importlib.util
import json
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import warnings
from pathlib import Path

import numpy
import pytest

import regard
from support import PROGRAM, checksum, program, python, write_configuration


def lines_of(folder, side="source"):
    return (folder / f"toy/test.{side}").read_text().splitlines()


def test_training_gives_the_same_bits_as_the_program(folder):
    assert checksum(folder / "python") == checksum(folder / "program")
    log = [[json.loads(line) for line in (folder / name / "metrics.jsonl").read_text().splitlines()]
           for name in ("python", "program")]
    for entries in log:
        for entry in entries:
            entry.pop("seconds"), entry.pop("tokens_per_second", None)
    assert log[0] == log[1]
    before = checksum(folder / "python")
    assert regard.train(folder / "config.json", folder / "python", log=None, progress=False).finished  # nothing is left to do
    assert checksum(folder / "python") == before


def test_translations_and_scores_are_the_program_s(folder, model):
    sources, targets = lines_of(folder), lines_of(folder, "target")
    expected = program("translate", folder / "program", "--scores", "--beam", 3, "--n-best", 2,
                       stdin="\n".join(sources) + "\n").splitlines()
    found = model.translate(sources, n_best=2, beam=3)
    assert expected == [f"{i + 1}\t{each.score:.4f}\t{each.text}" for i, n_best in enumerate(found) for each in n_best]
    assert [each.text for each in model.translate(sources, beam=3)] == [n_best[0].text for n_best in found]
    assert len({each.text for each in model.translate(sources)}) > 10
    scores = program("score", folder / "program", "--tokens", "--source", folder / "toy/test.source", "--target",
                     folder / "toy/test.target").splitlines()
    for line, score in zip(scores, model.score(list(zip(sources, targets)))):
        assert line.split("\t")[:3] == [f"{score.score:.4f}", f"{score.log_probability:.4f}", str(len(score.tokens))]
        assert line.split("\t")[4] == " ".join(score.tokens)
        assert numpy.isclose(sum(score.token_log_probabilities), score.log_probability)
    assert model.translate("").text == "" and model.score([("", "a")]) == [None]
    assert model.translate("a b", prefix="c").text.startswith("c")


def test_of_many_sentences_all_scores_are_the_program_s(folder, model, tmp_path, monkeypatch):
    draw = random.Random(1)
    letters = [token for token in model.source_vocabulary if len(token) == 1 and token.isalpha()]
    sources, targets = ([" ".join(draw.choices(letters, k=draw.randint(1, 9))) for _ in range(4100)] for _ in range(2))
    for name, lines in ("sources", sources), ("targets", targets):
        (tmp_path / name).write_text("".join(line + "\n" for line in lines))
    with open(tmp_path / "sources") as lines:
        done = subprocess.run([PROGRAM, "translate", folder / "program", "--scores"], stdin=lines, capture_output=True, text=True)
    found = model.translate(sources)
    assert done.stdout.splitlines() == [f"{each.score:.4f}\t{each.text}" for each in found]
    expected = program("score", folder / "program", "--source", tmp_path / "sources", "--target", tmp_path / "targets")
    scores = model.score(zip(sources, targets))
    assert [line.split("\t")[:2] for line in expected.splitlines()] == [
        [f"{each.score:.4f}", f"{each.log_probability:.4f}"] for each in scores]
    monkeypatch.setattr(regard.translator, "_INPUTS_AT_A_TIME", 1000)  # other batches: other bits
    assert [each.score for each in model.translate(sources)] != [each.score for each in found]


def test_learning_subwords_is_in_the_log(tmp_path):
    config, log = json.loads(write_configuration(tmp_path, steps=1).read_text()), []
    config["data"].update(tokeniser="sentencepiece", subwords={"size": 40})
    regard.train(config, tmp_path / "model", log=log.append, progress=False)
    assert log[0] == "Learning 40 subwords from 800 lines ..." and re.fullmatch(r"Learnt in \d+\.\d s", log[1])

    def refuse(line):
        raise ValueError(line)
    with pytest.raises(ValueError, match="Learning 40 subwords"):
        regard.train(config, tmp_path / "other", log=refuse, progress=False)
    assert not (tmp_path / "other").exists()


def test_translations_with_a_shortlist_are_the_program_s(folder, model, tmp_path):
    directory, sources = tmp_path / "model", lines_of(folder)
    shutil.copytree(folder / "python", directory)
    with pytest.raises(regard.Error, match="shortlist.safetensors is missing; regard shortlist makes it"):
        regard.load(directory, shortlist=True)
    program("shortlist", directory, "--source", folder / "toy/test.source", "--target", folder / "toy/test.target",
            "--first", 1, "--best", 2)
    expected = program("translate", directory, "--shortlist", "--scores", stdin="\n".join(sources) + "\n").splitlines()
    listed = regard.load(directory, shortlist=True)
    assert expected == [f"{each.score:.4f}\t{each.text}" for each in listed.translate(sources)]
    assert [each.score for each in listed.translate(sources)] != [each.score for each in model.translate(sources)]
    with pytest.raises(regard.Error, match="beam is 9, but the shortlist of a sentence may have only 5 tokens"):
        listed.translate("a b", beam=9)


def test_attention_is_the_program_s(folder, model):
    path = folder / "attention.json"
    text = program("translate", folder / "program", "--attention-json", path, stdin="a b c d\n").strip()
    expected = json.loads(path.read_text())
    found = model.attention("a b c d")
    assert found.translation == text and found.source_tokens == ["a", "b", "c", "d", "</s>"]
    assert found.target_tokens == expected["target_tokens"] and found.plane is None
    assert list(found.weights) == [attention["name"] for attention in expected["attention"]]
    for attention in expected["attention"]:
        weights = found.weights[attention["name"]]
        assert weights.shape == (2, attention["queries"], attention["keys"])
        assert numpy.abs(weights.reshape(2, -1) - [h["weights"] for h in attention["heads"]]).max() < 1e-6
    forced = model.attention("a b c d", "d c b a")
    assert forced.target_tokens == ["d", "c", "b", "a", "</s>"]
    assert numpy.allclose(forced.weights["decoder.layers.0.multihead_attn"].sum(-1), 1)


def test_targets_of_an_imported_model_are_cut_with_the_target_s_pieces(tmp_path):
    fixture = Path(__file__).parents[2] / "fixtures/marian/two_vocabularies"
    program("import", fixture, "--out", tmp_path / "model")
    model, pair = regard.load(tmp_path / "model"), ("ba deki", "ra sési vo")
    (tmp_path / "source").write_text(pair[0] + "\n"), (tmp_path / "target").write_text(pair[1] + "\n")
    expected = program("score", tmp_path / "model", "--tokens", "--source", tmp_path / "source", "--target",
                       tmp_path / "target").strip().split("\t")
    score = model.score([pair])[0]
    assert score.tokens == expected[4].split(" ") and len(score.tokens) == len(score.token_log_probabilities)
    known = [token if token in model.target_vocabulary else "<unk>" for token in score.tokens]
    assert model.attention(*pair).target_tokens == known and len(set(known)) > 3


def test_what_outlives_the_model(folder):
    model = regard.load(folder / "python")
    assert model.config["model"]["d_model"] == 32 and "regard.load(" in repr(model)
    rows, (one, two) = model.encode("a b c"), model.encode(["a b c", "d"])
    assert rows.shape == (4, 32) and two.shape == (2, 32) and numpy.abs(rows - one).max() < 1e-5
    parameters = model.parameters()
    weight = parameters["src_embed.weight"]
    assert weight.shape == (len(model.target_vocabulary), 32) and model.tokens("a b") == ["a", "b"]
    before = model.score([("a b", "b a")])[0].log_probability
    values = weight.numpy().copy()
    weight.numpy()[:] = 0  # it is the model's memory
    assert model.score([("a b", "b a")])[0].log_probability != before
    weight.numpy()[:] = values
    assert model.score([("a b", "b a")])[0].log_probability == before
    del model, parameters
    gc.collect()
    assert (weight.numpy() == values).all() and (rows == rows.copy()).all()


@pytest.mark.parametrize("function, error, text", [
    (lambda m, d: regard.load(d / "nothing"), regard.Error, "there is no model directory .*nothing"),
    (lambda m, d: regard.load(d / "toy"), regard.Error, "toy"),
    (lambda m, d: m.translate(["a"], beem=3), regard.Error, "no setting decoding.beem; the most similar one is"),
    (lambda m, d: m.translate(["a"], beam=0), regard.Error, "must be a whole number from 1"),
    (lambda m, d: m.translate(["a"], beam=10**6), regard.Error, "beam"),
    (lambda m, d: m.translate(["a"], n_best=9, beam=2), regard.Error, "n_best is 9; it must be from 1 to beam, 2"),
    (lambda m, d: m.translate([3]), TypeError, "give a str, or an image as an array of uint8"),
    (lambda m, d: m.translate(numpy.zeros((4, 4, 3), "uint8")), regard.Error, "this model reads text"),
    (lambda m, d: m.translate(["a", "b " * 300]), regard.Error, "line 2"),
    (lambda m, d: m.translate(["a", "b"], prefix=["x", "y"]), TypeError, r"prefix is \['x', 'y'\]; it must be a str"),
    (lambda m, d: m.translate("a", prefix=None), TypeError, "prefix is None; it must be a str"),
    (lambda m, d: m.translate(["a"], "3"), TypeError, "n_best is '3'; it must be a whole number"),
    (lambda m, d: m.translate(["a"], 2.0), TypeError, "n_best is 2.0; it must be a whole number"),
    (lambda m, d: m.translate(b"a"), TypeError, "give a str, or an image as an array of uint8 .*, not a"),
    (lambda m, d: m.score([("a", 3)]), TypeError, "a text of a pair is 3; it must be a str"),
    (lambda m, d: m.score(("ab", "cd")), TypeError, r"score takes a list of pairs \(source, translation\)"),
    (lambda m, d: m.score([("a", "b"), ("a", "b", "c")]), TypeError, "score takes a list of pairs"),
    (lambda m, d: m.score([("a", "b")] * 4000 + [("a " * 300, "b")]), regard.Error, "line 4001"),
    (lambda m, d: m.attention("a", 3), TypeError, "translation is 3; it must be a str"),
    (lambda m, d: m.attention(["a"]), TypeError, "give a str, or an image .*, not a list"),
    (lambda m, d: m.loss(["a"], [3]), TypeError, "a target is 3; it must be a str"),
    (lambda m, d: m.loss("a", "b", "0.1"), TypeError, "label_smoothing is '0.1'; it must be a number"),
    (lambda m, d: m.logits(["a", "b"], ["a"]), regard.Error, "2 .*1"),
    (lambda m, d: m.tokens(["a"]), TypeError, r"sentence is \['a'\]; it must be a str"),
    (lambda m, d: regard.load(d / "python", shortlist="no"), TypeError, "shortlist is 'no'; it must be True or False"),
    (lambda m, d: m.attention(""), regard.Error, "the source is empty"),
    (lambda m, d: regard.train({"dat": {}}, d / "new"), regard.Error, 'config: there is no setting "?dat'),
    (lambda m, d: regard.train(d / "config.json", d / "python", overrides={"model.d_model": 64}), regard.Error,
     "model.d_model was 32 when the training in .* began, and is 64 now.* or overwrite=True to start a new training"),
    (lambda m, d: regard.train(d / "config.json", d / "new", overrides={"training.stepz": 1}), regard.Error,
     "^overrides: training.stepz=1"),
    (lambda m, d: regard.toy("copy", d / "toy"), regard.Error, "is different; .* or overwrite=True to replace it"),
    (lambda m, d: m.translate("a", beam={3}), TypeError, "a setting cannot be a set; give a number"),
    (lambda m, d: m.translate([Path("a")]), TypeError, "give a str, or an image"),
    (lambda m, d: regard.train(d / "nothing.json", d / "new"), FileNotFoundError, "nothing.json"),
    (lambda m, d: regard.toy("revers", d / "new"), regard.Error, "revers"),
])
def test_errors_are_sentences_and_leave_the_model_whole(folder, model, function, error, text):
    with pytest.raises(error, match=text):
        function(model, folder)
    assert not (folder / "new").exists()
    assert model.translate("a b").text == regard.load(folder / "program").translate("a b").text


def test_numbers_of_numpy_and_paths_are_settings(folder, model):
    config = json.loads((folder / "config.json").read_text())
    config["data"] = {key: Path(value) for key, value in config["data"].items()}
    config["model"]["d_model"] = numpy.int64(32)
    regard.train(config, folder / "numpy", log=None, progress=False, overrides={
        "training.learning_rate": numpy.float64(0.01), "model.shared_embeddings": numpy.str_("all"),
        "training.epochs": numpy.array(5), "data.source": folder / "toy/train.source", "training.seed": numpy.uint8(1)})
    assert regard.load(folder / "numpy", folder / "numpy/weights.safetensors").config["model"]["d_model"] == 32
    plain = model.translate(["a b c"], n_best=2, beam=3, alpha=0.5)
    found = model.translate(["a b c"], n_best=numpy.int32(2), beam=numpy.int64(3), alpha=numpy.float32(0.5))
    assert [each.score for each in found[0]] == [each.score for each in plain[0]]


def test_a_warning_names_unknown_words(model):
    with pytest.warns(UserWarning, match="input 1: not in the vocabulary, read as <unk>: zz"):
        model.translate(["a", "b zz"])


def test_a_warning_counts_translations_that_may_be_cut_off(model):
    with pytest.warns(UserWarning, match="the translation of 2 of 3 inputs reached its greatest length") as found:
        model.translate(["a b c", "", "a b"], min_length=1, max_length=1)
    assert len(found) == 1


def test_an_exception_in_a_callback_stops_cleanly_and_resumes_to_the_same_bits(folder):
    def stop(report):
        if report.step == 13:
            raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        regard.train(folder / "config.json", folder / "stopped", on_step=stop, log=None, progress=False)
    steps = []
    regard.train(folder / "config.json", folder / "stopped", on_step=steps.append, log=None, progress=False)
    assert steps[0].step == 14 and checksum(folder / "stopped") == checksum(folder / "program")


def test_ctrl_c_stops_cleanly_and_the_same_call_resumes(folder):
    code = """
import regard, sys, time
def on_step(report):
    print(report.step, flush=True)
    time.sleep(0.02)
regard.train(sys.argv[1], sys.argv[2], on_step=on_step, log=lambda line: print(line, file=sys.stderr), progress=False)
"""
    running = python(code, folder / "config.json", folder / "interrupted")
    for line in running.stdout:
        if line.strip() == "7":
            running.send_signal(signal.SIGINT)
            break
    out, err = running.communicate(timeout=60)
    assert running.returncode != 0 and "KeyboardInterrupt" in err
    assert f"Stopped; everything is saved in {folder / 'interrupted'}" in err
    last = int(["7", *out.split()][-1])
    assert 7 <= last < 40
    resumed, err = python(code, folder / "config.json", folder / "interrupted").communicate(timeout=60)
    assert int(resumed.split()[0]) == last + 1, err
    assert checksum(folder / "interrupted") == checksum(folder / "program")


def test_a_training_lets_other_threads_compute(folder, model):
    turns, results, at_validations, done = [], set(), [], threading.Event()

    def use():
        x = regard.tensor(numpy.ones((64, 64), "float32"), requires_grad=True)
        while not done.is_set():
            (x @ x).sum().backward()
            turns.append(x.grad.numpy().sum())
            x.zero_grad()
            if len(turns) % 50 == 0:
                results.add(model.translate("a b c").text)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(60)  # a thread gets the lock only if the other one releases it by itself
    thread = threading.Thread(target=use)
    thread.start()
    try:
        regard.train(folder / "config.json", folder / "beside", log=None, progress=False,
                     on_validation=lambda report: at_validations.append(len(turns)))
    finally:
        sys.setswitchinterval(interval)
        done.set()
        thread.join()
    assert at_validations[-1] - at_validations[0] > 20
    assert set(turns) == {2 * 64**3} and len(results) == 1
    assert checksum(folder / "beside") == checksum(folder / "program")


@pytest.mark.parametrize("order", ["numpy torch regard", "regard torch numpy", "torch numpy regard"])
def test_other_libraries_with_threads_in_one_process(folder, order):
    """Imports in every order, products of all of them before and after, and the same bits as the program."""
    code = f"""
import sys
for name in {order.split()!r}:
    try:
        __import__(name)
    except ModuleNotFoundError:
        assert name == "torch"
import numpy, regard
torch = sys.modules.get("torch")
def products():
    a = numpy.arange(90000.0).reshape(300, 300) / 90000
    results = [a @ a, (regard.tensor(a) @ regard.tensor(a)).numpy()]
    if torch:
        results.append((torch.from_numpy(a) @ torch.from_numpy(a)).numpy())
    assert all(numpy.allclose(result, results[0]) for result in results)
products()
steps = []
def on_step(report):
    steps.append(report.step)
    if report.step % 20 == 0:
        products()
regard.train(sys.argv[1], sys.argv[2], log=None, progress=False, on_step=on_step)
assert len(steps) > 20
products()
"""
    name = order.replace(" ", "-")
    running = python(code, folder / "config.json", folder / name)
    assert running.communicate(timeout=120)[1] == "" and running.returncode == 0
    assert checksum(folder / name) == checksum(folder / "program")


def test_the_listings_of_the_readme_run(tmp_path, monkeypatch):
    root = Path(__file__).parents[3]
    *own, engine, models = re.findall(r"```python\n(.*?)```", (root / "apps/python/README.md").read_text(), re.S)
    exec(engine, {"np": numpy, "regard": regard})
    assert len(own) == 3  # optim_test.py runs them
    # The last one, with a training of three steps.
    train = regard.train
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(regard, "train", lambda config, out: train(
        root / config, out, overrides={"training.steps": 3, "validation.beam": 1}, log=None, progress=False))
    if importlib.util.find_spec("matplotlib") is None:
        models = models.replace(".plot()", "")
    names = {"regard": regard}
    with warnings.catch_warnings(action="ignore"):  # of unknown words
        exec(models, names)
    assert len(names["model"].attention("the cat sleeps").weights) == 6


def test_captions_of_arrays(folder):
    png = pytest.importorskip("PIL.Image")
    regard.toy("scenes", folder / "scenes", train=20, validation=4, test=4)
    regard.train({"data": {"tsv": f"{folder}/scenes/train.tsv"},
                  "model": {"preset": "xu2015", "d_model": 16, "dropout": 0},
                  "training": {"steps": 3, "batch_tokens": 256, "schedule": "constant", "learning_rate": 0.01}},
                 folder / "captions", log=None, progress=False)
    model = regard.load(folder / "captions")
    paths = sorted(str(path) for path in (folder / "scenes/test").glob("*.png"))
    arrays = [numpy.asarray(png.open(path).convert("RGB")) for path in paths]
    assert {model.translate(x).text for x in (Path(paths[0]), paths[0])} == {model.translate([Path(paths[0])])[0].text}
    by_path, by_array = model.translate(paths, n_best=2), model.translate(arrays, n_best=2)
    assert [[t.score for t in n] for n in by_path] == [[t.score for t in n] for n in by_array]
    attention = model.attention(arrays[0], "a small red circle")
    assert attention.plane == (6, 6) and attention.source_tokens == []
    assert [w.shape for w in attention.weights.values()] == [(1, 5, 36)]
    assert model.encode(arrays[0]).shape[0] == 36
    with pytest.raises(TypeError, match="array of uint8"):
        model.translate(arrays[0].astype(float))
