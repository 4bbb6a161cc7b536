#!/usr/bin/env python3
"""Compares a model of regard with its export for Marian: a Transformer in NumPy, and Marian itself if it is installed.

  pip install numpy==2.4.6 sentencepiece==0.2.3 [pymarian==1.12.42]
  tests/judges/marian.py build/model --source own.test.en --target own.test.de

Prints the worst difference of the log-probabilities of given translations, with the epsilon of regard's LayerNorm and with
Marian's; that between Marian's n best translations and NumPy; and how many translations of Marian are equal. Exit code 1
if NumPy differs from regard by more than 10^-4.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy
import sentencepiece


def softmax(x):
    x = numpy.exp(x - x.max(-1, keepdims=True))
    return x / x.sum(-1, keepdims=True)


class Marian:
    """What the transformer.h of Marian computes from the parameters in model.npz, in double precision."""

    def __init__(self, directory, epsilon):
        arrays = dict(numpy.load(directory / "model.npz"))
        yaml = arrays.pop("special:model.yml")
        assert yaml.dtype == numpy.int8 and yaml[-1] == 0
        self.options = dict(line.split(": ") for line in yaml[:-1].tobytes().decode().splitlines() if ": " in line)
        self.parameters = {name: array.astype(numpy.float64) for name, array in arrays.items()}
        self.epsilon = epsilon

    def embedding(self, side):
        return self.parameters.get(f"{side}_Wemb", self.parameters.get("Wemb"))

    def norm(self, x, name):
        x = x - x.mean(-1, keepdims=True)
        x = x / numpy.sqrt((x * x).mean(-1, keepdims=True) + self.epsilon)
        return x * self.parameters[name + "_scale"][0] + self.parameters[name + "_bias"][0]

    def affine(self, x, name, end=""):
        return x @ self.parameters[f"{name}_W{end}"] + self.parameters[f"{name}_b{end}"][0]

    def attention(self, x, memory, name, mask=0):
        heads = int(self.options["transformer-heads"])
        q, k, v = (self.affine(rows, name, part).reshape(len(rows), heads, -1).swapaxes(0, 1)
                   for rows, part in ((x, "q"), (memory, "k"), (memory, "v")))
        mixed = softmax(q @ k.swapaxes(1, 2) / numpy.sqrt(q.shape[-1]) + mask) @ v
        return self.norm(x + self.affine(mixed.swapaxes(0, 1).reshape(x.shape), name, "o"), name + "_Wo_ln")

    def ssru(self, x, name):
        values, forget = x @ self.parameters[name + "_W"], 1 / (1 + numpy.exp(-self.affine(x, name, "f")))
        cells, c = [], 0
        for value, f in zip(values, forget):
            c = f * c + (1 - f) * value
            cells.append(c)
        return self.norm(x + numpy.maximum(cells, 0), name + "_ffn_ln")

    def feed_forward(self, x, name):
        inner = self.affine(x, name, "1")
        inner = numpy.maximum(inner, 0) if self.options["transformer-ffn-activation"] == "relu" else inner / (1 + numpy.exp(-inner))
        return self.norm(x + self.affine(inner, name, "2"), name + "_ffn_ln")

    def with_positions(self, rows):
        half = rows.shape[1] // 2
        angle = numpy.arange(len(rows))[:, None] * 10000.0 ** (-numpy.arange(half) / (half - 1))
        return rows * numpy.sqrt(rows.shape[1]) + numpy.concatenate([numpy.sin(angle), numpy.cos(angle)], 1)

    def log_probability(self, source, target):
        memory = self.with_positions(self.embedding("encoder")[source])
        for layer in range(1, int(self.options["enc-depth"]) + 1):
            memory = self.attention(memory, memory, f"encoder_l{layer}_self")
            memory = self.feed_forward(memory, f"encoder_l{layer}_ffn")
        shifted = numpy.concatenate([numpy.zeros((1, memory.shape[1])), self.embedding("decoder")[target[:-1]]])
        x = self.with_positions(shifted)
        future = numpy.triu(numpy.full((len(x), len(x)), -numpy.inf), 1)
        for layer in range(1, int(self.options["dec-depth"]) + 1):
            if self.options["transformer-decoder-autoreg"] == "rnn":
                x = self.ssru(x, f"decoder_l{layer}_rnn")
            else:
                x = self.attention(x, x, f"decoder_l{layer}_self", future)
            x = self.attention(x, memory, f"decoder_l{layer}_context")
            x = self.feed_forward(x, f"decoder_l{layer}_ffn")
        output = self.parameters.get("decoder_ff_logit_out_W", self.embedding("decoder").T)
        logits = x @ output + self.parameters["decoder_ff_logit_out_b"][0]
        return numpy.log(softmax(logits))[range(len(target)), target].sum()


class Tokens:
    """The tokens of one side: how a text becomes ids, and how Marian is given a text and gives one."""

    def __init__(self, directory, side):
        self.whole = (directory / "vocab.spm").exists()  # Marian cuts the text itself
        file = directory / ("vocab.spm" if self.whole else f"{side}.spm")
        self.pieces = sentencepiece.SentencePieceProcessor(model_file=str(file))
        if self.whole:
            self.ids = {self.pieces.id_to_piece(i): i for i in range(self.pieces.get_piece_size())}
        else:
            short = {"source": "src", "target": "trg"}[side]
            lines = [*directory.glob(f"*.{short}.vocab.yml"), directory / "vocab.yml"][0].read_text().splitlines()
            self.ids = json.loads("{" + ",".join(lines) + "}")

    def cut(self, text):
        return [self.ids.get(piece, self.ids["<unk>"]) for piece in self.pieces.encode(text, out_type=str)] + [self.ids["</s>"]]

    def for_marian(self, text):
        return text if self.whole else " ".join(self.pieces.encode(text, out_type=str))


def n_best(marian, texts):
    """Number of the text, pieces and log-probability of each translation."""
    for line in marian.translate("\n".join(texts)).splitlines():
        number, pieces, feature, _ = line.split("|||")
        yield int(number), pieces.split(), float(feature.split("=")[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--target", type=pathlib.Path, required=True)
    parser.add_argument("--regard", default="build/apps/regard/regard", help="the program")
    options = parser.parse_args()
    sources, targets = (path.read_text().splitlines() for path in (options.source, options.target))

    def regard(*arguments):
        return subprocess.run([options.regard, *arguments], check=True, text=True, stdin=open(options.source),
                              stdout=subprocess.PIPE).stdout.splitlines()

    scores = [float(line.split("\t")[1])
              for line in regard("score", options.model, "--source", options.source, "--target", options.target)]
    with tempfile.TemporaryDirectory() as temporary:
        directory = pathlib.Path(temporary) / "marian"
        regard("export", options.model, "--format", "marian", "--out", directory)
        source_tokens, target_tokens = (Tokens(directory, side) for side in ("source", "target"))
        worst = {}
        for epsilon in (1e-5, 1e-6):
            model = Marian(directory, epsilon)
            worst[epsilon] = max(abs(score - model.log_probability(source_tokens.cut(source), target_tokens.cut(target)))
                                 for score, source, target in zip(scores, sources, targets))
            print(f"NumPy, epsilon {epsilon:g}: the worst difference of a log-probability is {worst[epsilon]:.1e}")
        regard("import", directory, "--out", pathlib.Path(temporary) / "again")
        ours = regard("translate", options.model)
        equal = sum(a == b for a, b in zip(ours, regard("translate", pathlib.Path(temporary) / "again")))
        print(f"imported again: {equal} of {len(sources)} translations are equal")
        factor = float(re.search("max-length-factor: (.*)", (directory / "decoder.yml").read_text())[1])
        try:
            import pymarian
        except ImportError:
            print("Marian is not installed")
        else:
            marian = pymarian.Translator(f"--config {directory}/decoder.yml --cpu-threads 1 --quiet --quiet-translation "
                                         "--n-best --no-spm-decode")
            found = list(n_best(marian, map(source_tokens.for_marian, sources)))
            ids, difference = target_tokens.ids, 0
            for number, pieces, score in found:
                source = source_tokens.cut(sources[number])
                if len(pieces) < factor * len(source):  # Marian adds no </s> to a translation of the greatest length
                    difference = max(difference, abs(score - model.log_probability(source, [*map(ids.get, pieces), ids["</s>"]])))
            print(f"Marian: the worst difference of a log-probability from NumPy is {difference:.1e}")
            best = {number: pieces for number, pieces, _ in reversed(found)}
            equal = sum(ours[number] == target_tokens.pieces.decode(pieces) for number, pieces in best.items())
            print(f"Marian: {equal} of {len(sources)} translations are equal")
    if worst[1e-5] > 1e-4:
        sys.exit(1)


if __name__ == "__main__":
    main()
