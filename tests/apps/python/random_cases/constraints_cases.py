"""Constraints of a search: placeholders that a translation keeps, and shortlists. Python's re counts the placeholders. The
cases of a draw are the lines of one text: each has the same translation in company as alone."""

import atexit
import functools
import json
import os
import random as generators
import re
import subprocess
import tempfile
from pathlib import Path

PLACEHOLDERS = ["%1", "%10", "%1$s", "%s", "{0}", "<b>", "</b>", "&amp;"]
# %10 is given by --placeholders. Beside a digit or a letter, prose may have %1 and %s, too.
PART = re.compile(r"%1\$s|%10|%1(?![0-9])|%%|%s|\{0\}|</?b>|&amp;")
UNSURE = re.compile(r"[0-9] ?%s[a-z]")


def regard(*words, text=""):
    done = subprocess.run([os.environ["REGARD_PROGRAM"], *map(str, words)], input=text.encode(), capture_output=True,
                          check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def sentence(random):
    words = ["".join(random.choices("brkwy", k=random.randint(1, 3))) for _ in range(random.randint(1, 3))]
    parts = random.choices(PLACEHOLDERS, k=random.choice([0, 1, 1, 2, 3]))
    return " ".join(random.sample(words + parts, k=len(words) + len(parts)))


@functools.cache
def model():
    """Characters, after a training of a moment: it copies words, and loses and confuses placeholders."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    random, path = generators.Random(1), Path(folder.name)
    source = [sentence(random) for _ in range(300)]
    (path / "source").write_text("\n".join(source) + "\n")
    (path / "target").write_text("\n".join(" ".join(line.split()[:2]) for line in source) + "\n")
    (path / "settings.json").write_text(json.dumps({
        "data": {"source": f"{path}/source", "target": f"{path}/target", "tokeniser": "char"},
        "model": {"preset": "toy", "d_model": 32, "heads": 2, "d_ff": 64, "encoder_layers": 1, "decoder_layers": 1},
        "training": {"steps": 60, "batch_tokens": 500, "schedule": "constant", "learning_rate": 0.01},
        "validation": {"every_steps": 0}}))
    regard("train", path / "settings.json", "--out", path / "model")
    regard("shortlist", path / "model", "--source", path / "source", "--target", path / "target", "--first", 2, "--best", 2)
    return path / "model"


def translations(sources, options):
    """(text, score) of each sentence."""
    output = regard("translate", model(), "--scores", *options, text="".join(line + "\n" for line in sources))
    lines = [line.split("\t") for line in output.split("\n")[:-1]]
    assert len(lines) == len(sources), output
    return [(text, float(score)) for score, text in lines]


def check_alone(random, sources, options, together):
    """Rounding may decide between translations that are equally good."""
    i = random.randrange(len(sources))
    (text, score), = translations([sources[i]], options)
    assert abs(score - together[i][1]) < 2e-3, f"{sources[i]!r}: {together[i]} in company, {(text, score)} alone"


def a_search(random):
    options = [["--beam", 1], ["--beam", 4], ["--beam", 2, "--no-repeat-ngram", 3], ["--beam", 3, "--min-length", 6],
               ["--beam", 1, "--repetition-penalty", 1.5], ["--beam", 4, "--no-unk", "--max-length", 50]]
    return random.choice(options) + random.choice([[], [], ["--shortlist"]])


def keeps(source, text):
    needed, sure = sorted(PART.findall(source)), sorted(PART.findall(UNSURE.sub("", text)))
    return not needed or needed == sorted(PART.findall(text)) or (UNSURE.search(text) and needed == sure)


def placeholders_are_kept(random):
    sources = [sentence(random) for _ in range(8)]
    keep = ["--keep-placeholders", "--placeholders", "%10"]
    search = a_search(random)
    kept = translations(sources, keep + search)
    free = translations(sources, search)
    for source, (text, score), without in zip(sources, kept, free):
        assert keeps(source, text), f"{search}: {source!r} became {text!r}"
        assert PART.search(source) or (text, score) == without, f"{search}: {source!r} has no placeholder, {text!r}"
    check_alone(random, sources, keep + search, kept)
    samples = ["--sample", "--seed", random.randrange(1000), *keep]
    for source, (text, _) in zip(sources, translations(sources, samples)):
        assert keeps(source, text), f"{samples}: {source!r} became {text!r}"


def placeholders_are_lost_without_the_option(random):
    sources = [sentence(random) for _ in range(40)]
    free = translations(sources, a_search(random))
    assert not all(keeps(source, text) for source, (text, _) in zip(sources, free))


def lists_do_not_mix(random):
    """What forbids everything in the list of a sentence gives it no token of its neighbours' lists."""
    sources = [sentence(random) for _ in range(8)]
    options = ["--shortlist", "--no-repeat-ngram", 1, "--min-length", 40, "--beam", random.choice([1, 3])]
    together = translations(sources, options)
    for source, (text, score) in zip(sources, together):
        assert score > -1000, f"{source!r} became {text!r} with the score {score}"
    check_alone(random, sources, options, together)


PROPERTIES = {"placeholders are kept": (40, placeholders_are_kept),
              "placeholders are lost without the option": (2, placeholders_are_lost_without_the_option),
              "lists of a batch do not mix": (20, lists_do_not_mix)}
