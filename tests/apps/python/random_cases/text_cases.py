"""Texts that look alike: characters that nobody sees, percent signs, spellings of a sentence, and numbers. The cases of
a draw are the lines of one corpus. Python's unicodedata says what characters are."""

import os
import subprocess
import sys
import tempfile
import unicodedata
from pathlib import Path


def regard(*words, **options):
    done = subprocess.run([os.environ["REGARD_PROGRAM"], *map(str, words)], capture_output=True, check=False, **options)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def lines_with(finding, source, target):
    """The places, from 0, of the pairs that have a finding."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / "source", Path(folder) / "target"]
        for file, side in zip(files, [source, target]):
            file.write_bytes("".join(line + "\n" for line in side).encode())
        report = regard("corpus", *files, "--lines", finding)
    return {int(line.split("\t")[1]) - 1 for line in report.split("\n")[:-1]}


def check_lines(finding, source, target, expected):
    found, expected = lines_with(finding, source, target), set(expected)
    wrong = [(source[i], target[i], i in found) for i in found ^ expected]
    assert not wrong, f"{finding}: {len(wrong)} lines, such as {ascii(wrong[:3])} (source, target, found)"
    assert expected and len(expected) < len(source), "a draw has both kinds of lines"
    return len(source)


# Cf, but drawn or laid out (Prepended_Concatenation_Mark, Egyptian hieroglyphs); and Default_Ignorable_Code_Point, but
# not Cf. From PropList.txt and DerivedCoreProperties.txt of Unicode 14.
SEEN = {*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD, *range(0x13430, 0x13440)}
IGNORABLE = {0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), 0x3164, *range(0xFE00, 0xFE10), 0xFFA0,
             *range(0xFFF0, 0xFFF9), *range(0xE0000, 0xE1000)}
RIGHT = ["👨‍👩‍👧", "❤️‍🔥", "✈️", "1️⃣",
         "🏴\U000e0067\U000e0062\U000e007f", "می\u200cروم", "क्\u200dष", "ไทย\u200bไทย", "葛\U000e0100"]


def is_invisible(code):
    return code in IGNORABLE or (unicodedata.category(chr(code)) == "Cf" and code not in SEEN)


def is_control(code):
    return (unicodedata.category(chr(code)) == "Cc" and code != 9) or code == 0xFFFD or \
        code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF


FORMATS = [code for code in range(sys.maxunicode + 1) if is_invisible(code) and code not in IGNORABLE]


def character(random):
    while True:
        code = random.choice([random.randrange(0x110000), random.randrange(0x3000), random.randrange(0xA0),
                              random.choice(FORMATS), random.choice(sorted(IGNORABLE)),
                              random.randrange(0xFFF0, 0x10000), random.randrange(0x1F300, 0x1FA00)])
        if code not in (0xA, 0xD) and not 0xD800 <= code < 0xE000:
            return code


def invisible_characters(random):
    codes = [character(random) for _ in range(150)]
    source = [f"a{chr(code)}b {random.choice(RIGHT)}" for code in codes]
    target = ["x" * random.randrange(1, 9) for _ in codes]
    return check_lines("invisible", source, target, [i for i, code in enumerate(codes) if is_invisible(code)]) + \
        check_lines("control", source, target, [i for i, code in enumerate(codes) if is_control(code)])


PLACEHOLDERS = ["%s", "%d", "%5.2f", "%-10s", "%1$s", "%(name)s", "%%", "{0}", "{name}", "${x}", "$HOME", "%HOME_DIR%",
                "%1", "%lu", "%@", "https://a.org/b"]
PROSE = ["%{n} indirim", "{n}%ige Sicherheit", "{n} %iger", "{n}%-os", "{n}% discount", "{n} % de", "{n}%sure",
         "{n} $US", "{n}%legal", "{n}%-a", "%{n}'si", "%{m},{n} faiz", "AT&T;", "a < b", "der %-Satz", "{n}%.", "Ke$ha",
         "US$ {n}", "%CO2"]


def percent_signs(random):
    source, target, wrong = [], [], []
    for i in range(150):
        parts = random.choices(PLACEHOLDERS, k=random.randrange(4))
        numbers = {"{n}": random.randrange(10, 100), "{m}": random.randrange(1, 10)}
        prose = random.choices(PROSE, k=random.randrange(1, 4))
        for place, number in numbers.items():
            prose = [part.replace(place, str(number)) for part in prose]
        sides = [parts + prose + ["words", "(more)"], parts + random.choices(["Wörter", "ещё", "一些"], k=3)]
        if random.random() < 0.3:
            part = random.choice(PLACEHOLDERS)
            random.choice(sides).append(part)
            wrong.append(i)
        for side, lines in zip(sides, [source, target]):
            random.shuffle(side)
            lines.append(" , ".join(side))
    return check_lines("placeholders", source, target, wrong)


LETTERS = list("aeinouzAEOké ñ") + ["e\u0301", "o\u0308\u0301", "ﬁ", "…", "x²", "ｱ", "가",
                                       "か\u3099", "Å", "ệ", "½", "Ω", "ﷺ"]
BLANKS = [" ", "  ", "\u00a0", "\u3000", "\u202f", " \u2009"]


def read(text):
    return " ".join(unicodedata.normalize("NFKC", text).split())


def respelt(text, random):
    text = unicodedata.normalize(random.choice(["NFC", "NFD", "NFKC", "NFKD"]), text)
    return random.choice(["", *BLANKS]) + "".join(random.choice(BLANKS) if c == " " else c for c in text)


def spellings(random):
    """Lines that the model of subwords cuts alike are the same line."""
    bases = ["w" + "".join(random.choices(LETTERS, k=random.randrange(3, 9))) for _ in range(50)]
    source = [respelt(random.choice(bases), random) for _ in range(150)]
    target = ["z" for _ in source]
    texts = [read(line) for line in source]
    expected = {i for i, text in enumerate(texts) if text in texts[:i]}
    count = check_lines("duplicates", source, target, expected)
    with tempfile.TemporaryDirectory() as folder:
        lines, model = Path(folder) / "lines", Path(folder) / "model"
        lines.write_text("".join(line + "\n" for line in source), encoding="utf-8")
        regard("vocabulary", "--input", lines, "--size", 350, "--byte-fallback", "true", "--output", model)
        cut = regard("vocabulary", "--model", model, "--encode", input=lines.read_bytes()).split("\n")[:-1]
    assert len(cut) == len(source)
    for i, tokens in enumerate(cut):
        assert i in expected or tokens not in cut[:i], f"{ascii(source[i])} is cut like an earlier line"
    return count


# Those of Unicode 3.2, which every version of the libraries knows. (It counted superscripts as well.)
ZEROS = [c for c in map(chr, range(sys.maxunicode + 1))
         if unicodedata.category(c) == "Nd" and unicodedata.ucd_3_2_0.decimal(c, None) == 0]


def written(value, decimals, random):
    """A number in one of the usual ways."""
    group, point = random.choice([(",", "."), (".", ","), (" ", ","), ("\u00a0", ","), ("\u202f", "."), ("'", "."),
                                  ("’", "."), ("", "."), ("", ","), ("٬", "٫")])
    digits = f"{value:,}".replace(",", group)
    if decimals:
        digits += point + decimals
    zero = ord(random.choice(["0", "0", *ZEROS]))
    return "".join(chr(zero + ord(c) - ord("0")) if c in "0123456789" else c for c in digits)


def numbers(random):
    source, target, wrong = [], [], []
    for i in range(150):
        value = random.choice([random.randrange(10), random.randrange(10000), random.randrange(10**7)])
        decimals = random.choice(["", str(random.randrange(10)), f"{random.randrange(100):02}"])
        hour, minute = random.randrange(10), f"{random.randrange(60):02}"
        other = value
        if random.random() < 0.3:
            other += random.choice([1, 10, 1000])
            wrong.append(i)
        # A digit after a letter of an alphabet with capitals belongs to a word.
        letter = random.choice(["é", "e\u0301", "я", "Ω", "x", "ß", "_"])
        source.append(f"a {written(value, decimals, random)} b {hour}:{minute} caf{letter}{random.randrange(10)}")
        before = random.choice(["第", "و", "(", "ist "])
        target.append(f"um 0{hour}:{minute} {before}{written(other, decimals, random)} c")
    return check_lines("numbers", source, target, wrong)


PROPERTIES = {
    "invisible and control characters": (1, invisible_characters),
    "percent signs in prose are no placeholders": (1, percent_signs),
    "spellings that are read alike are duplicates": (1, spellings),
    "the same number in several ways": (1, numbers),
}
