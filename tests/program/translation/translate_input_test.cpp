// Kinds of standard input, and the time of the answers.
#include "tests/catch.h"
#include "tests/program/support/small_model.h"

using namespace regard::tests;

namespace {
Outcome translate(const std::string& input) {
  return run({"translate", small_model(), "--beam", "1"}, {.input = input});
}
}  // namespace

TEST_CASE("a single line is translated before the next line comes", "[program]") {
  // Two lines of the fourth piece can be translated; the third is not complete.
  const Outcome outcome = run_in_turns({"translate", small_model(), "--beam", "1"},
                                       {"one two\n", "three\n", "\n", "four one\ntwo\nthr", "ee\n"});
  CHECK(outcome.code == 0);
  CHECK(outcome.err.empty());
  CHECK(outcome.out == "eins zwei\ndrei\n\nvier eins\nzwei\ndrei\n");
}

TEST_CASE("the last line can lack its line end, in a file and in a pipe", "[program]") {
  CHECK(translate("one\ntwo").out == "eins\nzwei\n");
  CHECK(run_in_turns({"translate", small_model(), "--beam", "1"}, {"one\n", "two\nthree"}).out ==
        "eins\nzwei\ndrei\n");
  CHECK(translate("").out.empty());
  CHECK(translate("\n").out == "\n");
  CHECK(translate("\n\n").out == "\n\n");
  CHECK_REFUSED(run({"translate", small_model()}, {.input_path = "/"}),
                "cannot read standard input: Is a directory");
}

TEST_CASE("a long line is one word, or too long", "[program]") {
  const std::string word(100'000, 'x');
  const Outcome one_word = translate("one\n" + word + "\ntwo\n");
  CHECK(one_word.code == 0);
  CHECK(lines(one_word.out).size() == 3);
  CHECK(lines(one_word.out)[2] == "zwei");
  CHECK(one_word.err ==
        "regard: line 2: not in the vocabulary, read as <unk>: " + word.substr(0, 40) + "…\n");

  std::string words;
  for (int i = 0; i < 25'000; ++i) words += "one ";
  const Outcome too_long = translate("one\n" + words + "\ntwo\n");
  CHECK_REFUSED(too_long, "line 2 has 25000 tokens, but this model takes at most 256; split the sentence");
  CHECK(too_long.out == "eins\n");
  const Outcome skipped =
      run({"translate", small_model(), "--skip-too-long"}, {.input = "one\n" + words + "\ntwo\n"});
  CHECK(skipped.code == 0);
  CHECK(skipped.out == "eins\n\nzwei\n");
  CHECK(skipped.err == "regard: line 2 is too long; its translation is empty\n");
}

TEST_CASE("a warning that cannot be written stops no translation", "[program]") {
  const Outcome outcome =
      run({"translate", small_model(), "--beam", "1"}, {.input = "one X\ntwo\n", .error_path = "/dev/full"});
  CHECK(outcome.code == 0);
  CHECK(lines(outcome.out).size() == 2);
}

TEST_CASE("the lines before a bad line are translated, in its own portion and in earlier ones", "[program]") {
  std::string many, expected;
  for (int i = 0; i < 1'500; ++i) {
    many += i % 2 == 0 ? "one\n" : "four two\n";
    expected += i % 2 == 0 ? "eins\n" : "vier zwei\n";
  }
  const Outcome outcome = translate(many + "\xFF\n" + many);
  CHECK_REFUSED(outcome, "standard input, line 1501: not UTF-8 (byte 1 of the line)");
  CHECK(difference(outcome.out, expected) == "");
}

TEST_CASE("control characters are parts of words or blanks, and are never printed", "[program]") {
  // Tab, vertical tab, form feed and a CR within the line are blanks.
  CHECK(translate("one\ttwo\vthree\nfour\fone\rtwo\n").out == "eins zwei drei\nvier eins zwei\n");
  CHECK(translate("one two\r\n\r\nthree\r\n").out == "eins zwei\n\ndrei\n");
  const Outcome outcome = translate(std::string("one\0two three\nfour \x1B[2J\x7F\nthree\n", 30));
  CHECK(outcome.code == 0);
  CHECK(lines(outcome.out).size() == 3);
  CHECK(lines(outcome.out)[2] == "drei");
  CHECK(outcome.err ==
        "regard: line 1: not in the vocabulary, read as <unk>: one\\x00two\n"
        "regard: line 2: not in the vocabulary, read as <unk>: \\x1B[2J\\x7F\n");
}
