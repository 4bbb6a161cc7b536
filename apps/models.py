#!/usr/bin/env python3
"""Trains several models on one task, one after another, and prints a row of a table for each.

  apps/models.py road [DIRECTORY]         The road to attention on one toy: a decoder without attention, Bahdanau's,
                                          Luong's and the Transformer, with about the same number of parameters, the
                                          same data and the same seed. Some minutes; default: build/road.
                                          Draws their quality by length into lengths.svg there
  apps/models.py road DIRECTORY NAME KEY=VALUE ...
                                          trains one model more, with these settings, prints its row, and
                                          draws its quality beside the others
  apps/models.py captions [DIRECTORY]     Captions of images of one to five shapes: a decoder without attention, with
                                          soft and with hard attention, and a Transformer, on the same convolutional
                                          network, data and seed. Some minutes; replaces build/captions or DIRECTORY
  apps/models.py papers CORPUS DIRECTORY  The models of the papers and mixtures with the Transformer. Some hours
  apps/models.py scores CORPUS DIRECTORY  Bahdanau's model of width 64 with each score and window, 20 epochs, and
                                          Sutskever's model, 10 epochs. Some hours

CORPUS is a directory with train, val and test_2016_flickr, each .en and .de, cut into subwords with subword-nmt. papers
and scores may be interrupted at any time: the same command goes on where it stopped.
"""
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
REGARD = ROOT / "build/apps/regard/regard"


def regard(*arguments, text=None, log=None):
    """Runs regard, and returns what it prints, or writes it into a log."""
    return subprocess.run([REGARD, *map(str, arguments)], input=text, stdout=log or subprocess.PIPE, text=True,
                          check=True).stdout


def percent(share):
    """Two decimals; "-" if there is no number."""
    return "-" if share is None else f"{100 * share:.2f}"


def row(*cells):
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)


def head(*cells):
    row(*cells)
    row(*["---"] * len(cells))


class Model:
    """`entry` is its name, then the settings that differ from the configuration."""

    def __init__(self, out, entry):
        self.name, *self.settings = entry.split()
        self.directory = out / self.name

    def train(self, config, data, *options):
        settings = [word for setting in [*data, *self.settings] for word in ("--set", setting)]
        with open(f"{self.directory}.log", "a", encoding="utf-8") as log:
            regard("train", ROOT / "apps/configs" / config, *settings, "--out", self.directory, *options, log=log)

    def evaluate(self, *arguments, file=None):
        """All figures of regard evaluate, which writes them into a file."""
        file = file or self.directory / "scores.json"
        regard("evaluate", self.directory, *arguments, "--scores-json", file)
        return json.loads(file.read_text(encoding="utf-8"))

    def logged(self, key):
        lines = (self.directory / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
        return [entry[key] for entry in map(json.loads, lines) if entry.get(key) is not None]

    def size(self):
        """The number of parameters, and the minutes of training."""
        return re.search(r"^ *all .*?(\S+)$", regard("inspect", self.directory), re.MULTILINE)[1], \
            f"{self.logged('seconds')[-1] / 60:.1f}"


def road(out="build/road", *one_more):
    out = pathlib.Path(out)
    regard("toy", "sentences", "--test", 4000, "--out", out / "toy")
    entries = [" ".join(one_more)] if one_more else [
        "no-attention model.preset=cho2014 model.d_model=90",
        "bahdanau model.preset=bahdanau2015 model.d_model=88",
        "luong model.preset=luong2015 model.cell=gru model.bidirectional=true model.d_model=88",
        "transformer model.preset=toy"]
    data = ["model.dropout=0.05", "training.threads=2"]
    for key, file in {"": "train", "validation_": "validation"}.items():
        data += [f"data.{key}{side}={out}/toy/{file}.{side}" for side in ("source", "target")]
    test = list(zip(*((out / f"toy/test.{side}").read_text(encoding="utf-8").splitlines()
                      for side in ("source", "target"))))
    ranges = {"1 to 4 words": (1, 4), "5 to 6": (5, 6), "7 to 8": (7, 8), "9 or more": (9, 99)}  # of the source
    head("model", "parameters", "minutes", "tokens/s", *(f"{name}: BLEU, exact match" for name in ranges))
    models = [Model(out, entry) for entry in entries]
    for model in models:
        model.train("sentences.json", data)
        cells = []
        for least, most in ranges.values():
            part = [pair for pair in test if least <= len(pair[0].split()) - 1 <= most]  # the mark of the language
            for side in (0, 1):
                (out / f"part.{side}").write_text("".join(pair[side] + "\n" for pair in part), encoding="utf-8")
            scores = model.evaluate("--source", out / "part.0", "--reference", out / "part.1")
            cells.append(f"{scores['bleu']['score']:.2f}, {percent(scores['exact_match'])}")
        model.evaluate("--source", out / "toy/test.source", "--reference", out / "toy/test.target", "--length-bounds",
                       "4,6,8,10", file=out / f"{model.name}.json")
        speed = model.logged("tokens_per_second")
        row(model.name, *model.size(), f"{sum(speed) / len(speed):.0f}", *cells)
    regard("plot", "--lengths", *sorted(out.glob("*.json")), "--output", out / "lengths.svg")
    print(f"\nBLEU and exact match by words of the reference: {out / 'lengths.svg'}")
    sentence = next(source for source, _ in test if source.startswith(">>fr<<") and len(source.split()) >= 7)
    for model in [] if one_more else models:
        attention = ["--attention"] if model.name != "no-attention" else []  # then there is nothing to draw
        print(f"\n{model.name}\n" + regard("translate", model.directory, *attention, text=sentence + "\n"))


def captions(out="build/captions"):
    out = pathlib.Path(out)
    scenes = out / "scenes"
    print(regard("toy", "scenes", "--out", scenes, "--train", 24000, "--overwrite"))
    regions, lines = ((scenes / f"test.{kind}").read_text(encoding="utf-8").splitlines(keepends=True)
                      for kind in ("regions.jsonl", "tsv"))
    for count in range(1, 6):  # the test set by number of objects
        part = [i for i, line in enumerate(regions) if json.loads(line)["objects"] == count]
        (scenes / f"test.{count}.tsv").write_text("".join(lines[i] for i in part), encoding="utf-8")
    models = [Model(out, entry) for entry in (
        "no-attention model.attention.kind=none",
        "soft",
        "hard model.attention.kind=hard model.attention.hard.mean_steps=2400 model.attention.hard.mean_share=0.3 "
        "model.attention.hard.reward_weight=0.1 model.attention.hard.entropy_weight=0",
        "transformer model.decoder=transformer model.heads=4 model.d_ff=256 model.decoder_layers=2 model.norm=pre "
        "training.learning_rate=0.0015")]
    head("model", "parameters", "minutes", "exact match", "with 1 object", *range(2, 6), "pointing")
    for model in models:
        model.train("scenes-attention.json", [f"data.tsv={scenes}/train.tsv", "training.threads=2",
                                              f"data.validation_tsv={scenes}/validation.tsv"], "--overwrite")
        pointing = ["--regions", scenes / "test.regions.jsonl"] if model.name != "no-attention" else []
        scores = model.evaluate("--tsv", scenes / "test.tsv", *pointing)
        by_count = [percent(model.evaluate("--tsv", scenes / f"test.{n}.tsv")["exact_match"]) for n in range(1, 6)]
        row(model.name, *model.size(), percent(scores["exact_match"]), *by_count,
            percent(scores.get("pointing", {}).get("share")))
    for count in (2, 5):
        name, reference = (scenes / f"test.{count}.tsv").read_text(encoding="utf-8").splitlines()[0].split("\t")
        image = scenes / name
        print(f"\n{image}\nreference: {reference}")
        for model in models:
            print(f"{model.name}: {regard('translate', model.directory, image)}", end="")
    subprocess.run(["rm", "-rf", out / "attention"], check=True)
    regard("translate", out / "soft", image, "--attention-images", out / "attention")
    print("\nWhere the decoder with soft attention looked for each word:", *(out / "attention").glob("*/sheet.svg"))


def paper_models():
    luong = "model.preset=luong2015 model.cell=gru model.bidirectional=true model.d_model=256 " \
            "training.learning_rate=0.001 training.steps=13380"
    return ["bahdanau", f"luong {luong}", f"luong-no-feeding {luong} model.attention.input_feeding=false",
            "transformer-encoder model.encoder=transformer model.encoder_layers=3 model.d_ff=512 model.heads=4 "
            "model.norm=pre model.dropout.sublayer=0.3 training.learning_rate=0.001 training.warmup_steps=1500",
            "sutskever-reversed model.preset=sutskever2014",
            "sutskever model.preset=sutskever2014 model.reverse_source=false"]


def score_models():
    small = "model.d_model=64 model.dropout.embedding=0.1 model.dropout.sublayer=0.2"
    sutskever = f"{small} training.steps=4460 model.preset=sutskever2014"
    scores = {"global": "dot general additive scaled_dot linear_concat location cosine",
              "local_m": "dot general additive", "local_p": "dot general additive"}
    return [*(f"{score}-{window} {small} training.steps=8920 model.attention.score={score} "
              f"model.attention.window={window}" for window in scores for score in scores[window].split()),
            f"sutskever-64-reversed {sutskever}", f"sutskever-64 {sutskever} model.reverse_source=false"]


def on_corpus(entries, corpus, out):
    corpus, out = pathlib.Path(corpus), pathlib.Path(out)
    out.mkdir(parents=True, exist_ok=True)
    data = [f"data.{key}{side}={corpus}/{file}.{language}" for key, file in (("", "train"), ("validation_", "val"))
            for side, language in (("source", "en"), ("target", "de"))]
    head("model", "parameters", "minutes", "validation", "test", "test, by words of the reference")
    for model in [Model(out, entry) for entry in entries]:
        files = {part: out / f"{model.name}.{part}.json" for part in ("val", "test_2016_flickr")}
        if not all(file.exists() for file in files.values()):
            model.train("multi30k-recurrent.json", data)
            for part, file in files.items():
                model.evaluate("--source", corpus / f"{part}.en", "--reference", corpus / f"{part}.de", "--tokeniser",
                               "none", file=file)
        validation, test = (json.loads(file.read_text(encoding="utf-8")) for file in files.values())
        row(model.name, *model.size(), f"{validation['bleu']['score']:.2f}", f"{test['bleu']['score']:.2f}",
            "; ".join(f"{part['reference_words']}: {part['bleu']:.2f}" for part in test["lengths"]))


def main(experiment="", *arguments):
    if not REGARD.exists():
        sys.exit(f"models.py: {REGARD} is missing; run apps/demo.sh first, or build it")
    if experiment in ("road", "captions"):
        return {"road": road, "captions": captions}[experiment](*arguments)
    if experiment in ("papers", "scores") and len(arguments) == 2:
        return on_corpus(paper_models() if experiment == "papers" else score_models(), *arguments)
    sys.exit(__doc__)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except subprocess.CalledProcessError as error:  # regard has said what was wrong
        sys.exit(error.returncode)
