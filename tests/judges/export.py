#!/usr/bin/env python3
"""Compares a model of regard with its exports, which CTranslate2 and PyTorch run.

  pip install ctranslate2==4.8.5 torch==2.13.0 safetensors
  tests/judges/export.py build/model --source build/toy/test.source --target build/toy/test.target

The model's tokens must stand between blanks (data.tokeniser word or subword-nmt). Prints the worst differences of the
log-probabilities of given translations, and how many translations are equal. A format that cannot express the model is
left out, with the reason. Exit code 1 if a log-probability in float32 differs by more than 10^-4.
"""
import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile

import ctranslate2
import torch
from safetensors.torch import load_file


def positions(config, side, count, weights, d_model):
    """The rows that are added to the embeddings, [count, d_model]."""
    kind, sides, layout = (config["positions"][key] for key in ("kind", "sides", "layout"))
    if kind == "none" or sides not in ("both", side):
        return torch.zeros(count, d_model)
    if kind == "learned":
        return weights[f"{side}.positions.weight"][:count]
    exponent = torch.arange(d_model // 2) / (d_model / 2 - (layout == "marian"))
    angle = torch.arange(count)[:, None] / config["positions"]["base"] ** exponent
    return torch.stack([angle.sin(), angle.cos()], 2 if layout == "interleaved" else 1).reshape(count, d_model)


class PyTorchModel:
    """A torch.nn.Transformer with the weights of an export, in double precision."""

    def __init__(self, directory):
        self.config = json.loads((directory / "config.json").read_text())
        self.weights = {name: weight.double() for name, weight in load_file(directory / "model.safetensors").items()}
        arguments = self.config["transformer"]
        arguments["activation"] = getattr(torch.nn.functional, arguments["activation"])
        self.transformer = torch.nn.Transformer(**arguments, batch_first=True).double().eval()
        if not self.config["final_norm"]:
            self.transformer.encoder.norm = self.transformer.decoder.norm = None
        self.transformer.load_state_dict(
            {name: weight for name, weight in self.weights.items()
             if name.startswith(("encoder.", "decoder.")) and ".positions." not in name})
        self.ids = [{token: id for id, token in enumerate(self.config[f"{side}_vocabulary"])}
                    for side in ("source", "target")]

    def embedded(self, side, name, ids):
        d_model = self.config["transformer"]["d_model"]
        scale = math.sqrt(d_model) if self.config["scaled_embedding"] else 1
        rows = self.weights[name][ids] * scale
        return (rows + positions(self.config, side, len(ids), self.weights, d_model))[None]

    def log_probability(self, source, target):
        source, target = ([ids.get(token, 3) for token in tokens] + [2] for ids, tokens in zip(self.ids, (source, target)))
        mask = torch.nn.Transformer.generate_square_subsequent_mask(len(target), dtype=torch.double)
        rows = self.transformer(self.embedded("encoder", "src_embed.weight", source),
                                self.embedded("decoder", "tgt_embed.weight", [1] + target[:-1]), tgt_mask=mask)[0]
        logits = rows @ self.weights["generator.weight"].T + self.weights.get("generator.bias", 0)
        first = self.config["first_predicted"]
        return logits[:, first:].log_softmax(-1)[range(len(target)), [id - first for id in target]].sum().item()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--target", type=pathlib.Path, required=True)
    parser.add_argument("--regard", default="build/apps/regard/regard", help="the program")
    options = parser.parse_args()
    torch.set_default_dtype(torch.double)
    sources, targets = ([line.split() for line in path.read_text().splitlines()]
                        for path in (options.source, options.target))

    def regard(*arguments):
        return subprocess.run([options.regard, *arguments], check=True, text=True, stdin=open(options.source),
                              stdout=subprocess.PIPE).stdout.splitlines()

    def exported(directory, *arguments):
        result = subprocess.run([options.regard, "export", options.model, "--out", directory, *arguments], text=True,
                                capture_output=True)
        if result.returncode != 0:
            print(result.stderr.strip())
        return result.returncode == 0

    scores = [float(line.split("\t")[1])
              for line in regard("score", options.model, "--source", options.source, "--target", options.target)]
    worst = {}
    with tempfile.TemporaryDirectory() as temporary:
        temporary = pathlib.Path(temporary)
        for precision in ("float32", "int8"):
            if not exported(temporary / precision, "--format", "ctranslate2", "--precision", precision):
                continue
            translator = ctranslate2.Translator(str(temporary / precision), compute_type=precision)
            theirs = [sum(score.log_probs) for score in translator.score_batch(sources, targets)]
            worst[f"CTranslate2 {precision}"] = max(abs(a - b) for a, b in zip(scores, theirs))
            for beam in (1, 4):
                ours = regard("translate", options.model, "--beam", str(beam), "--length-penalty", "power", "--alpha", "1")
                found = translator.translate_batch(sources, beam_size=beam, length_penalty=1)
                equal = sum(" ".join(a.hypotheses[0]).replace("@@ ", "") == b for a, b in zip(found, ours))
                print(f"CTranslate2 {precision}, beam {beam}: {equal} of {len(sources)} translations are equal")
        if exported(temporary / "pytorch", "--format", "pytorch"):
            model = PyTorchModel(temporary / "pytorch")
            worst["PyTorch float32"] = max(abs(score - model.log_probability(source, target))
                                           for score, source, target in zip(scores, sources, targets))
    for program, difference in worst.items():
        print(f"{program}: the worst difference of a log-probability is {difference:.1e}")
    if any(difference > 1e-4 for program, difference in worst.items() if program.endswith("float32")):
        sys.exit(1)


if __name__ == "__main__":
    main()
