#!/usr/bin/env python3
"""Counts how often `regard translate --markup` puts an element in the right place.
    tests/apps/markup/places.py REGARD MODEL_DIR TOY_DIR
TOY_DIR has the toy `sentences` with its gold alignments (`regard toy sentences --out TOY_DIR`), MODEL_DIR a model of it. In
200 sentences of each language, an element goes around one to three random words whose translations translate nothing
else. Its place is right if it has the longest run of their translations, and nothing that stands outside of all of them.
Only translations that equal the reference are judged, because the gold alignment belongs to it."""

import random
import re
import subprocess
import sys

regard, model, toy = sys.argv[1:]
random.seed(1)


def lines(name):
    with open(f"{toy}/test.{name}", encoding="utf-8") as file:
        return file.read().splitlines()


def marked_sentences(tag):
    """(source with an element, reference, target positions that translate its content), for sentences of a language."""
    for source, reference, alignment in zip(lines("source"), lines("target"), lines("align")):
        words = source.split()
        if words[0] != tag:
            continue
        links = [tuple(map(int, re.split("[-?]", link))) for link in alignment.split()]
        count = min(random.choice([1, 2, 3]), len(words) - 1)
        first = random.randrange(1, len(words) - count + 1)
        gold = sorted({target for place, target in links if first <= place < first + count})
        if not gold or any(target in gold and not first <= place < first + count for place, target in links):
            continue
        words[first] = "<b>" + words[first]
        words[first + count - 1] += "</b>"
        yield " ".join(words), reference, gold


def is_right(inside, gold):
    runs = []
    for place in gold:
        if runs and runs[-1][-1] == place - 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    longest = max(map(len, runs))
    return inside <= set(range(gold[0], gold[-1] + 1)) and any(set(run) <= inside for run in runs if len(run) == longest)


for tag in (">>fr<<", ">>ko<<"):
    sentences = list(marked_sentences(tag))[:200]
    output = subprocess.run([regard, "translate", model, "--markup"], check=True, capture_output=True, text=True,
                            input="".join(source + "\n" for source, _, _ in sentences)).stdout.splitlines()
    well_formed = judged = right = 0
    for (_, reference, gold), translation in zip(sentences, output):
        well_formed += re.sub("[^<>/]", "", translation.replace("<b>", "<>")) == "<></>"
        if re.sub("</?b>", "", translation) != reference:
            continue
        words = translation.split()
        first = next(i for i, word in enumerate(words) if "<b>" in word)
        last = next(i for i, word in enumerate(words) if "</b>" in word)
        judged += 1
        right += "<b></b>" not in translation and is_right(set(range(first, last + 1)), gold)
    print(f"{tag} {len(sentences)} sentences: well-formed {well_formed}, judged {judged}, right {right}")
