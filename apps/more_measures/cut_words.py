#!/usr/bin/env python3
"""Cuts Japanese or Korean text into words, as sacreBLEU's tokenisers ja-mecab and ko-mecab do.

    pip install 'sacrebleu[ja,ko]'
    apps/more_measures/cut_words.py ja-mecab < translation.txt > translation.cut
    apps/more_measures/cut_words.py ja-mecab < reference.txt > reference.cut
    regard evaluate --hypothesis translation.cut --reference reference.cut --tokeniser none --cut-by ja-mecab-0.996-IPA

The name for --cut-by comes on standard error: it has the version of the dictionary. With --lowercase, text is in lower
case before it is cut, as sacreBLEU does it; then give --lowercase to regard evaluate, too.
"""
import argparse
import sys


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tokeniser", choices=["ja-mecab", "ko-mecab"])
    parser.add_argument("--lowercase", action="store_true", help="write lower case")
    options = parser.parse_args()
    try:
        from sacrebleu.metrics import BLEU
        metric = BLEU(tokenize=options.tokeniser, lowercase=options.lowercase)
    except (ImportError, RuntimeError):
        sys.exit(f"cut_words.py: sacreBLEU cannot cut with {options.tokeniser}; pip install 'sacrebleu[ja,ko]'")
    sys.stdin.reconfigure(encoding="utf-8", newline="\n")
    sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    number = 0
    try:
        for number, line in enumerate(sys.stdin, 1):
            print(metric._preprocess_segment(line.rstrip("\r\n")))
    except UnicodeDecodeError:
        sys.exit(f"cut_words.py: standard input: line {number + 1} or one soon after it is not UTF-8; write it as UTF-8")
    print(f"--cut-by {metric.tokenizer_signature}", file=sys.stderr)


if __name__ == "__main__":
    main()
