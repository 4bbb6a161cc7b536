#!/usr/bin/env python3
"""Translates with CTranslate2, for the comparison with `regard bench translate`.

Exports a model directory of regard with `regard export --format ctranslate2`, and prints the same lines as `regard bench
translate`: sentences/s and tokens/s of translation, or, with --one-at-a-time, the median of the milliseconds per
sentence. The figures exclude loading and a first run.

  apps/bench/ctranslate2_translate.py build/model --source test.en --beam 5 --threads 2
  CT2_VERBOSE=1 apps/bench/ctranslate2_translate.py ...      prints its instruction set and matrix library

The model's tokens must stand between blanks (data.tokeniser word or subword-nmt). Needs CTranslate2
(pip install ctranslate2).
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import ctranslate2


def joiner(settings):
    """Returns the function that makes text from tokens, as regard does."""
    tokeniser = settings["data"]["tokeniser"]
    if tokeniser == "word":
        return " ".join
    if tokeniser == "subword-nmt":  # "Fahr@@ rad" is one word
        return lambda tokens: " ".join(tokens).replace("@@ ", "").removesuffix("@@")
    sys.exit(f"the tokeniser of the model is {tokeniser}; give a model with the tokeniser word or subword-nmt")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=pathlib.Path, help="directory that regard train wrote")
    parser.add_argument("--source", required=True, help="sentences, one per line")
    parser.add_argument("--regard", default="build/apps/regard/regard", help="the program")
    parser.add_argument("--precision", choices=["float32", "int8"], default="float32")
    parser.add_argument("--output", help="file to write the translations to")
    parser.add_argument("--beam", type=int, default=5)
    parser.add_argument("--alpha", type=float, default=1.0, help="exponent of the length in the penalty")
    parser.add_argument("--batch-tokens", type=int, default=2048, help="source tokens that are translated together")
    parser.add_argument("--max-length", type=int, default=256, help="a translation has at most this many tokens")
    parser.add_argument("--one-at-a-time", action="store_true", help="translate each sentence alone")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--batches-at-a-time", type=int, default=1,
                        help="batches that are translated at the same time, each with threads / batches threads")
    parser.add_argument("--runs", type=int, default=3, help="the figure is the median of this many runs")
    options = parser.parse_args()
    settings = json.loads((options.model / "config.json").read_text())
    join = joiner(settings)
    with open(options.source, encoding="utf-8") as file:
        sentences = [line.split() for line in file]
    with tempfile.TemporaryDirectory() as directory:
        subprocess.run([options.regard, "export", options.model, "--format", "ctranslate2", "--precision",
                        options.precision, "--out", directory], check=True, stdout=subprocess.DEVNULL)
        translator = ctranslate2.Translator(
            directory, compute_type=options.precision, inter_threads=options.batches_at_a_time,
            intra_threads=options.threads // options.batches_at_a_time)

    def translate(batch):
        return translator.translate_batch(
            batch, beam_size=options.beam, length_penalty=options.alpha if options.beam > 1 else 0,
            max_decoding_length=options.max_length, max_batch_size=options.batch_tokens, batch_type="tokens")

    translations = [result.hypotheses[0] for result in translate(sentences)]  # the warm-up
    seconds = []
    for batch in [[sentence] for sentence in sentences] * options.runs if options.one_at_a_time \
            else [sentences] * options.runs:
        begin = time.perf_counter()
        translate(batch)
        seconds.append(time.perf_counter() - begin)
    middle, tokens = statistics.median(seconds), sum(map(len, translations))
    print(f"model        CTranslate2 {ctranslate2.__version__}, {options.precision}, beam {options.beam}")
    print(f"machine      {options.threads} threads, {options.batches_at_a_time} batches at a time")
    print(f"sentences    {len(sentences)}, {sum(map(len, sentences))} tokens, translations {tokens} tokens")
    if options.one_at_a_time:
        print(f"latency      {1e3 * middle:.2f} ms per sentence, the median")
    else:
        print(f"translating  {len(sentences) / middle:8.1f} sentences/s   {tokens / middle:8.0f} tokens/s of translation")
    if options.output:
        pathlib.Path(options.output).write_text("".join(join(t) + "\n" for t in translations), encoding="utf-8")


if __name__ == "__main__":
    main()
