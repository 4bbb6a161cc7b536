#!/usr/bin/env python3
"""Translates with CTranslate2, for the comparison with `regard bench translate`.

Reads a model directory of regard, converts its weights with CTranslate2's specification classes, and prints the same
lines as `regard bench translate`: sentences/s and tokens/s of translation, or, with --one-at-a-time, the median of the
milliseconds per sentence. The figures exclude loading and a first run.

  apps/bench/ctranslate2_translate.py build/model --source test.en --beam 5 --threads 2
  CT2_VERBOSE=1 apps/bench/ctranslate2_translate.py ...      prints its instruction set and matrix library

The model must be post-norm without final norm or pre-norm with it, and its tokens must stand between blanks
(data.tokeniser word or subword-nmt). Needs CTranslate2 and NumPy (pip install ctranslate2 numpy).
"""
import argparse
import json
import pathlib
import statistics
import struct
import sys
import tempfile
import time

import ctranslate2
import numpy


def read_safetensors(path):
    data = path.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8 : 8 + size])
    header.pop("__metadata__", None)
    types = {"F32": numpy.float32, "F64": numpy.float64}
    numbers = data[8 + size :]
    return {
        name: numpy.frombuffer(numbers[slice(*tensor["data_offsets"])], types[tensor["dtype"]])
        .reshape(tensor["shape"]).astype(numpy.float32)
        for name, tensor in header.items()
    }


def position_encodings(positions, d_model):
    """Sine in the even columns, cosine in the odd columns, as in regard and the paper."""
    angle = numpy.arange(positions)[:, None] / 10000 ** (numpy.arange(0, d_model, 2) / d_model)
    return numpy.stack([numpy.sin(angle), numpy.cos(angle)], 2).reshape(positions, d_model).astype(numpy.float32)


def set_linear(spec, weight, bias):
    spec.weight, spec.bias = weight, bias


def set_norm(spec, weights, name):
    spec.gamma, spec.beta = weights[f"{name}.weight"], weights[f"{name}.bias"]


def set_feed_forward(spec, weights, layer, norm):
    set_linear(spec.linear_0, weights[f"{layer}.linear1.weight"], weights[f"{layer}.linear1.bias"])
    set_linear(spec.linear_1, weights[f"{layer}.linear2.weight"], weights[f"{layer}.linear2.bias"])
    set_norm(spec.layer_norm, weights, f"{layer}.{norm}")


def set_attention(spec, weights, attention, norm):
    weight, bias = weights[f"{attention}.in_proj_weight"], weights[f"{attention}.in_proj_bias"]
    if len(spec.linear) == 2:  # self-attention: queries, keys and values in one product
        set_linear(spec.linear[0], weight, bias)
    else:  # attention to the memory: queries, then keys and values
        d_model = weight.shape[1]
        set_linear(spec.linear[0], weight[:d_model], bias[:d_model])
        set_linear(spec.linear[1], weight[d_model:], bias[d_model:])
    set_linear(spec.linear[-1], weights[f"{attention}.out_proj.weight"], weights[f"{attention}.out_proj.bias"])
    set_norm(spec.layer_norm, weights, norm)


def joiner(settings):
    """Returns the function that makes text from tokens, as regard does."""
    tokeniser = settings["data"]["tokeniser"]
    if tokeniser == "word":
        return " ".join
    if tokeniser == "subword-nmt":  # "Fahr@@ rad" is one word
        return lambda tokens: " ".join(tokens).replace("@@ ", "").removesuffix("@@")
    sys.exit(f"the tokeniser of the model is {tokeniser}; give a model with the tokeniser word or subword-nmt")


def convert(model, settings, directory):
    """Writes the model of a regard model directory as a CTranslate2 model in float32."""
    shape = settings["model"]
    pre_norm = shape["norm"] == "pre"
    if shape["final_norm"] not in (None, pre_norm):
        sys.exit(f"{model}: give a post-norm model without final norm, or a pre-norm model with it")
    weights = read_safetensors(model / "weights.safetensors")
    source_embedding = weights["src_embed.weight"]
    target_embedding = weights.get("tgt_embed.weight", source_embedding)
    spec = ctranslate2.specs.TransformerSpec.from_config(
        (shape["encoder_layers"], shape["decoder_layers"]), shape["heads"], pre_norm=pre_norm)
    encodings = position_encodings(1024, shape["d_model"])
    spec.encoder.embeddings[0].weight = source_embedding
    spec.decoder.embeddings.weight = target_embedding
    spec.decoder.projection.weight = weights.get("generator.weight", target_embedding)
    spec.decoder.scale_embeddings = True
    for stack, side, norms in (("encoder", spec.encoder, 2), ("decoder", spec.decoder, 3)):
        side.position_encodings.encodings = encodings
        if pre_norm:
            set_norm(side.layer_norm, weights, f"{stack}.norm")
        for i, layer in enumerate(side.layer):
            name = f"{stack}.layers.{i}"
            set_attention(layer.self_attention, weights, f"{name}.self_attn", f"{name}.norm1")
            if norms == 3:
                set_attention(layer.attention, weights, f"{name}.multihead_attn", f"{name}.norm2")
            set_feed_forward(layer.ffn, weights, name, f"norm{norms}")
    vocabulary = lambda file: json.loads((model / file).read_text())["tokens"]
    joint = (model / "vocabulary.json").exists()
    spec.register_source_vocabulary(vocabulary("vocabulary.json" if joint else "vocabulary.source.json"))
    spec.register_target_vocabulary(vocabulary("vocabulary.json" if joint else "vocabulary.target.json"))
    spec.config.bos_token, spec.config.eos_token, spec.config.unk_token = "<s>", "</s>", "<unk>"
    spec.config.decoder_start_token = "<s>"
    spec.config.add_source_eos = True
    spec.validate()
    spec.save(str(directory))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=pathlib.Path, help="directory that regard train wrote")
    parser.add_argument("--source", required=True, help="sentences, one per line")
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
        convert(options.model, settings, directory)
        translator = ctranslate2.Translator(
            directory, compute_type="float32", inter_threads=options.batches_at_a_time,
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
    print(f"model        CTranslate2 {ctranslate2.__version__}, float32, beam {options.beam}")
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
