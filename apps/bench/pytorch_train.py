#!/usr/bin/env python3
"""Trains with PyTorch, for the comparison with `regard bench train`.

Builds the model of `regard bench train` (one embedding for source, target and output, label smoothing 0.1, Adam),
trains on padded batches, and prints tokens/s (source + target, with </s>, without padding) and the peak memory until
the first measured step. tiny and base are torch.nn.Transformer (post-norm with a final norm, sinusoidal positions);
none, luong and bahdanau are recurrent (pytorch_recurrent.py); xu2015 and vit read random images (pytorch_captions.py),
and their figure is images/s. A batch is made as fairseq makes it (sentences times the longest sentence <=
--max-tokens). --batches writes the batches to a file, so that regard can train on the same
sentences:

  apps/bench/pytorch_train.py --source train.en --target train.de --preset tiny --batches batches.jsonl
  regard bench train --source train.en --target train.de --preset tiny --batches batches.jsonl --threads 2
  apps/bench/pytorch_train.py --preset xu2015 --image-size 64 --batch-images 32

--bfloat16 multiplies in bfloat16 (autocast). --compile compiles the model for batches of any shape; each batch is
then trained on once before it is timed, so that the figures include no compilation. If the compilation fails or takes
longer than --compile-limit seconds, the program prints the reason and ends with exit code 3.

Needs PyTorch (pip install torch).
"""
import argparse
import collections
import json
import math
import random
import resource
import signal
import sys
import time

import torch
from torch import nn

import pytorch_captions
from pytorch_recurrent import KINDS, Recurrent

SHAPES = {"tiny": (4, 128, 4, 256), "base": (6, 512, 8, 2048)}  # layers, d_model, heads, d_ff


def read_corpus(source, target):
    with open(source, encoding="utf-8") as s, open(target, encoding="utf-8") as t:
        pairs = [(a.split(), b.split()) for a, b in zip(s, t)]
    counts = collections.Counter(w for side in (0, 1) for pair in pairs for w in pair[side])
    ids = {w: i + 4 for i, (w, _) in enumerate(counts.most_common())}
    return [([ids[w] for w in a] + [2], [ids[w] for w in b]) for a, b in pairs], len(ids) + 4


def cut_batches(pairs, max_tokens):
    order = random.Random(1).sample(range(len(pairs)), len(pairs))
    longest = lambda i: max(len(pairs[i][0]), len(pairs[i][1]) + 1)
    batches, batch = [], []
    for i in sorted(order, key=longest):
        if batch and longest(i) * (len(batch) + 1) > max_tokens:
            batches.append(batch)
            batch = []
        batch.append(i)
    batches.append(batch)
    random.Random(2).shuffle(batches)
    return batches


def pad(rows):
    return nn.utils.rnn.pad_sequence([torch.tensor(row) for row in rows], batch_first=True)


class Translator(nn.Module):
    def __init__(self, vocabulary, layers, d_model, heads, d_ff, dropout):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, d_model)
        nn.init.normal_(self.embedding.weight, std=d_model**-0.5)
        self.transformer = nn.Transformer(d_model, heads, layers, layers, d_ff, dropout, batch_first=True)
        self.dropout = nn.Dropout(dropout)
        angle = torch.arange(512.0).unsqueeze(1) / 10000 ** (torch.arange(0, d_model, 2) / d_model)
        self.register_buffer("positions", torch.stack([angle.sin(), angle.cos()], 2).flatten(1))

    def embed(self, ids):
        scale = math.sqrt(self.embedding.embedding_dim)
        return self.dropout(self.embedding(ids) * scale + self.positions[: ids.shape[1]])

    def forward(self, source, target):
        causal = torch.ones(target.shape[1], target.shape[1], dtype=torch.bool).triu(1)
        hidden = self.transformer(
            self.embed(source), self.embed(target), tgt_mask=causal, tgt_is_causal=True,
            src_key_padding_mask=source == 0, tgt_key_padding_mask=target == 0, memory_key_padding_mask=source == 0)
        return nn.functional.linear(hidden, self.embedding.weight)


def warm_up_compiled(train, steps, limit):
    """Trains once on every batch that will be timed, so that all shapes are compiled. Ends the program on failure."""
    torch._dynamo.config.recompile_limit = 64  # the default limit falls back to uncompiled code silently

    begin = time.perf_counter()

    def give_up(*_):
        raise TimeoutError

    signal.signal(signal.SIGALRM, give_up)
    signal.alarm(limit)
    try:
        for step in steps:
            train(step)
    except Exception as error:  # any error of the compiler; it also wraps the timeout
        reason = " ".join(str(error).splitlines()[:2])
        print("torch.compile failed:", f"over {limit} s" if time.perf_counter() - begin >= limit else reason)
        sys.exit(3)
    signal.alarm(0)


def sentence_task(options):
    """Returns the model, the function that makes its inputs and targets from a batch, and the batches."""
    pairs, vocabulary = read_corpus(options.source, options.target)
    batches = cut_batches(pairs, options.max_tokens)
    if options.batches:
        with open(options.batches, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(batch) + "\n" for batch in batches)
    if options.preset in KINDS:
        model = Recurrent(vocabulary, options.preset, options.width, options.dropout)
    else:
        model = Translator(vocabulary, *SHAPES[options.preset], options.dropout)

    def make_batch(lines):
        source, target = zip(*(pairs[i] for i in lines))
        inputs = pad(source), pad([[1] + t for t in target])
        return sum(map(len, source)) + sum(map(len, target)) + len(target), inputs, pad([t + [2] for t in target])

    return model, make_batch, batches


def image_task(options):
    layout = torch.channels_last if options.channels_last else torch.contiguous_format
    model = pytorch_captions.Captioner(options.preset, options.image_size, options.dropout).to(memory_format=layout)
    batches = pytorch_captions.random_captions(options.image_size, options.batch_images, layout)
    return model, lambda batch: (options.batch_images, (batch[0].float() / 127.5 - 1, batch[1]), batch[2]), batches


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source")
    parser.add_argument("--target")
    parser.add_argument("--preset", choices=[*SHAPES, *KINDS, *pytorch_captions.PRESETS], default="tiny")
    parser.add_argument("--image-size", type=int, default=64, help="height and width of the images of xu2015 and vit")
    parser.add_argument("--batch-images", type=int, default=32)
    parser.add_argument("--channels-last", action="store_true", help="give images and weights the layout channels_last")
    parser.add_argument("--width", type=int, default=256, help="of a recurrent model")
    parser.add_argument("--batches", help="file to write the line numbers of each batch to")
    parser.add_argument("--max-tokens", type=int, default=4096)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--warmup-steps", type=int, default=3)
    parser.add_argument("--dropout", type=float, default=0.3)
    parser.add_argument("--clip-norm", type=float, default=0, help="limit on the norm of the gradients; 0: none")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--bfloat16", action="store_true", help="autocast to bfloat16")
    parser.add_argument("--compile", action="store_true", help="torch.compile, with a first pass over the batches that are timed")
    parser.add_argument("--compile-limit", type=int, default=900, help="seconds that the compilation may take")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(1)
    is_image = options.preset in pytorch_captions.PRESETS
    if not is_image and not (options.source and options.target):
        parser.error(f"--source and --target are required: {options.preset} reads sentences")
    model, make_batch, batches = image_task(options) if is_image else sentence_task(options)
    run = torch.compile(model, dynamic=True) if options.compile else model
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-4, betas=(0.9, 0.98), eps=1e-9)

    def train(step):
        """Trains one step. Returns its tokens or images, and its seconds."""
        begin = time.perf_counter()
        size, inputs, target = make_batch(batches[step % len(batches)])
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=options.bfloat16):
            logits = run(*inputs)
        loss = nn.functional.cross_entropy(
            logits.float().flatten(0, 1), target.flatten(), ignore_index=0, label_smoothing=0.1)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        if options.clip_norm > 0:
            nn.utils.clip_grad_norm_(model.parameters(), options.clip_norm)
        optimiser.step()
        return size, time.perf_counter() - begin

    measured = range(options.warmup_steps, options.warmup_steps + options.steps)
    if options.compile:
        warm_up_compiled(train, measured, options.compile_limit)
    for step in range(options.warmup_steps):
        train(step)
    first = train(measured[0])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    sizes, seconds = map(sum, zip(first, *map(train, measured[1:])))
    kind = ("bfloat16" if options.bfloat16 else "float32") + (", compiled" if options.compile else "")
    print(f"torch {torch.__version__}, {kind}, {options.preset}, {options.threads} threads, "
          f"{sum(p.numel() for p in model.parameters()):,} parameters")
    print(f"training     {sizes / seconds:8.0f} {'images' if is_image else 'tokens'}/s   "
          f"{1e3 * seconds / options.steps:7.1f} ms per step")
    print(f"peak memory  {peak * 1024e-9:.2f} GB")


if __name__ == "__main__":
    main()
