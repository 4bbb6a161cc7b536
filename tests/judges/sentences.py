#!/usr/bin/env python3
"""Counts the errors that the sentence splitter of Moses makes in tests/fixtures/sentences.

  pip install sentence-splitter==1.4
  tests/judges/sentences.py [--show]

Each line of a set is a text with " | " where a sentence ends. An end that is missing and an end that is wrong are one
error each. boundaries_test.cpp counts those of regard in the same way.
"""
import pathlib
import sys

from sentence_splitter import SentenceSplitter


def ends(sentences):
    """The positions at which sentences end in their text, without blanks."""
    lengths = [len("".join(sentence.split())) for sentence in sentences]
    return {sum(lengths[:i]) for i in range(1, len(lengths))}


for path in sorted((pathlib.Path(__file__).parent.parent / "fixtures" / "sentences").glob("*.txt")):
    splitter, errors = SentenceSplitter(language=path.stem), 0
    for line in path.read_text(encoding="utf-8").splitlines():
        expected = line.split(" | ")
        found = splitter.split(" ".join(expected))
        wrong = len(ends(expected) ^ ends(found))
        errors += wrong
        if wrong and "--show" in sys.argv:
            print("  " + " | ".join(found))
    print(f"{path.stem}: {errors} errors")
