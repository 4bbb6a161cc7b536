#!/usr/bin/env python3
"""Compares all scores and signatures of `regard evaluate` with sacreBLEU's on random texts.

    pip install sacrebleu==2.6.0
    tests/apps/more_measures/against_sacrebleu.py build/apps/regard/regard [CASES [SEED]]

The texts have one to four references, in several scripts; a hypothesis is a reference with words left out, added,
replaced, moved and written in other case, or another sentence, or empty. Ends with 77 if there is no sacreBLEU.
"""
import json
import logging
import pathlib
import random
import subprocess
import sys
import tempfile

try:
    from sacrebleu.metrics import BLEU, CHRF, TER
except ImportError:
    print("skipped: there is no sacreBLEU; pip install sacrebleu==2.6.0")
    sys.exit(77)

TOKENISERS = ["13a", "intl", "zh", "char", "none"]
WORDS = {
    "few": list("abc"),  # many ways to match, and many shifts that save the same
    "western": "the The cat dog isn't John's (x) 3.5 1,000 3-4 e.g. a-b . , ! ? : ; \" ' %s &quot; &amp;lt; <b> „so“ Straße "
               "ΟΔΟΣ İzmir € naïve no\u00a0break half.\u2009thin U.S. 's 5. .5 a's. x@@ ~".split(" "),
    "chinese": "我 你好 世界 北京， 2008年 。 （是） ，，， abc 3.5元 ㈠ ㌀ 豈 𠀀 ⺀ ⿰ ㇀ ㄅ “ ” … → ☺ ✓ ．".split(" "),
    "others": "これは カタカナ です。 ・ ｢ｶﾅ｣ 한국어 문장 입니다 สวัสดี Жук, мир! नमस्ते مرحبا 👍🏽 e\u0301 \u200bx".split(" "),
}


def sentence(draw, words):
    length = draw.choice([0, 1, 2, 3, 5, 8, 12, 12, 20])
    if len(words) > 3 and draw.random() < 0.02:  # beyond the limits of TER's shifts; sacreBLEU takes long for them
        length = draw.choice([60, 120])
    blank = draw.choice([" ", " ", " ", "", "  "])
    return [draw.choice(words) for _ in range(length)], blank


def changed(draw, sentence_and_blank, words):
    result, blank = list(sentence_and_blank[0]), sentence_and_blank[1]
    for _ in range(draw.choice([0, 1, 2, 3, 6])):
        at, other = (draw.randrange(len(result) + 1) for _ in range(2))
        length = draw.choice([1, 1, 2, 3, 12])
        kind = draw.randrange(5)
        part = result[at:at + length]
        if kind == 0:
            del result[at:at + length]
        elif kind == 1:
            result[at:at] = [draw.choice(words) for _ in range(length)]
        elif kind == 2:
            result[at:at + 1] = [draw.choice(words)]
        elif kind == 3:
            del result[at:at + length]
            result[other:other] = part
        else:
            result[at:at + length] = [draw.choice([str.upper, str.lower, str.title])(word) for word in part]
    return result, blank


def case(draw):
    words = WORDS[draw.choice(list(WORDS))] if draw.random() < 0.8 else sum(WORDS.values(), [])
    references = [[] for _ in range(draw.choice([1, 1, 2, 3, 4]))]
    hypotheses = []
    for _ in range(draw.choice([1, 1, 2, 4, 10])):
        first = sentence(draw, words)
        other = [first] + [changed(draw, first, words) if draw.random() < 0.7 else sentence(draw, words) for _ in references[1:]]
        for lines, (its, blank) in zip(references, other):
            lines.append(blank.join(its))
        its, blank = changed(draw, draw.choice(other), words) if draw.random() < 0.85 else sentence(draw, words)
        hypotheses.append(blank.join(its))
    return hypotheses, references


def differences(regard, directory, draw):
    hypotheses, references = case(draw)
    tokeniser, lowercase = draw.choice(TOKENISERS), draw.random() < 0.3
    ter_options = {name: draw.random() < 0.4 for name in ("normalized", "no_punct", "asian_support", "case_sensitive")}
    ter_options["asian_support"] &= ter_options["normalized"] or ter_options["no_punct"]
    paths = []
    for number, lines in enumerate([hypotheses] + references):
        paths.append(directory / str(number))
        paths[-1].write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    scores = directory / "scores.json"
    subprocess.run([regard, "evaluate", "--hypothesis", paths[0], "--scores-json", scores, "--ter", "--chrf++", "--tokeniser", tokeniser] +
                   [word for path in paths[1:] for word in ("--reference", path)] + ["--lowercase"] * lowercase +
                   ["--ter-" + name.replace("_", "-") for name, given in ter_options.items() if given],
                   check=True, capture_output=True)
    ours = json.loads(scores.read_text(encoding="utf-8"))
    found = []

    def compare(name, our, their):
        same = our == their if isinstance(their, str) else abs(our - their) <= 1e-9 * max(1, abs(their))
        if not same:
            found.append(f"{name}: {our} here, {their} in sacreBLEU")

    metrics = {"bleu": BLEU(tokenize=tokeniser, lowercase=lowercase, force=True), "chrf2": CHRF(lowercase=lowercase),
               "chrf2++": CHRF(lowercase=lowercase, word_order=2), "ter": TER(**ter_options)}
    for name, metric in metrics.items():
        theirs = metric.corpus_score(hypotheses, references)
        compare(name, ours[name]["score"], float(theirs.score))
        compare(f"{name} signature", ours[name]["signature"].split("|version:")[0],
                str(metric.get_signature()).split("|version:")[0])
        if name == "bleu":
            for key, their in {"brevity_penalty": theirs.bp, "output_words": theirs.sys_len, "reference_words": theirs.ref_len}.items():
                compare(f"bleu {key}", ours[name][key], their)
            for our, their in zip(ours[name]["precisions"], theirs.precisions):
                compare("bleu precision", our, their)
        elif name == "ter":
            compare("ter edits", ours[name]["edits"], theirs.num_edits)
            compare("ter reference words", ours[name]["reference_words"], theirs.ref_length)
    if found:
        found.append(json.dumps([hypotheses, references, tokeniser, lowercase, ter_options], ensure_ascii=False))
    return found, (ours["bleu"]["score"], ours["ter"]["edits"])


def main():
    regard = sys.argv[1]
    cases, seed = (int(text) for text in (sys.argv[2:] + ["2000", "1"][len(sys.argv) - 2:]))
    logging.getLogger("sacrebleu").setLevel(logging.ERROR)
    draw, different, values = random.Random(seed), 0, set()
    with tempfile.TemporaryDirectory() as directory:
        for number in range(cases):
            found, value = differences(regard, pathlib.Path(directory), draw)
            values.add(value)
            if found:
                different += 1
                print(f"case {number}:", *found, sep="\n  ")
    print(f"{cases} cases, {different} different; {len(values)} different scores")
    sys.exit(different > 0 or len(values) < cases / 4)


if __name__ == "__main__":
    main()
