// Text that cannot be used is refused before anything is written.
#include "tests/catch.h"
#include "tests/program/support/small_model.h"

using namespace regard::tests;

namespace {

/// Trains on other files than the small corpus. The training must not write anything.
std::string training_refusal(const std::string& source, const std::string& target) {
  const TemporaryDirectory directory;
  const Outcome outcome =
      run(train_command(directory / "model", {"data.source=" + source, "data.target=" + target}));
  return directory.entries() == 0 ? refusal(outcome) : "(something was written)";
}

std::string tsv_refusal(const std::string& tsv) {
  const TemporaryDirectory directory;
  const Outcome outcome =
      run(train_command(directory / "model", {"data.source=", "data.target=", "data.tsv=" + tsv}));
  return directory.entries() == 0 ? refusal(outcome) : "(something was written)";
}

std::string evaluation_refusal(const std::string& source, const std::string& reference) {
  return refusal(run({"evaluate", small_model(), "--source", source, "--reference", reference}));
}

}  // namespace

TEST_CASE("a corpus that is missing, empty, uneven or not text is refused", "[program]") {
  const TemporaryDirectory directory;
  const std::string good = directory.file("good", "one\ntwo\nthree\n");
  const std::string missing = directory / "missing", empty = directory.file("empty", "");
  const std::string shorter = directory.file("shorter", "eins\nzwei\n");
  const std::string latin = directory.file("latin", "eins\nzwei\nf\xFCnf\n");
  // As source and as target, by the training and by the evaluation.
  for (const auto& refused : {training_refusal, evaluation_refusal}) {
    for (const bool source : {true, false}) {
      const auto with = [&](const std::string& bad) {
        return source ? refused(bad, good) : refused(good, bad);
      };
      CHECK_THAT(with(missing), ContainsSubstring("cannot read " + missing + ": No such file or directory"));
      CHECK_THAT(with(directory / ""), ContainsSubstring(directory / "" + ": Is a directory"));
      CHECK_THAT(with(good + "/below"), ContainsSubstring(good + "/below: Not a directory"));
      CHECK_THAT(with(empty), ContainsSubstring(empty + ": the file is empty"));
      CHECK_THAT(with(latin), ContainsSubstring(latin + ", line 3: not UTF-8 (byte 2 of the line); convert"));
      CHECK_THAT(with(shorter), ContainsSubstring(shorter + " has 2") && ContainsSubstring(good + " has 3") &&
                                    ContainsSubstring("so " + good + " is longer by 1"));
    }
  }
}

TEST_CASE("a corpus in one file that is missing, empty or malformed is refused", "[program]") {
  const TemporaryDirectory directory;
  CHECK_THAT(tsv_refusal(directory / "missing"), ContainsSubstring("missing: No such file"));
  CHECK_THAT(tsv_refusal(directory.file("empty", "")), ContainsSubstring("empty: the file is empty"));
  CHECK_THAT(tsv_refusal(directory.file("no-tab", "one\teins\ntwo zwei\n")),
             ContainsSubstring("no-tab, line 2: expected a source sentence, one tab and its translation"));
  CHECK_THAT(tsv_refusal(directory.file("latin", "one\teins\nfive\tf\xFCnf\n")),
             ContainsSubstring("latin, line 2: not UTF-8"));
}

TEST_CASE("a validation corpus that cannot be used is refused as well", "[program]") {
  const TemporaryDirectory directory;
  const std::string missing = directory / "missing";
  CHECK_REFUSED(run(train_command(directory / "model", {"data.validation_source=" + missing})),
                "cannot read " + missing);
  CHECK_REFUSED(run(train_command(directory / "model", {"data.validation_source="})),
                "data.validation_target is given, but data.validation_source is not");
  CHECK(directory.entries() == 0);
}

TEST_CASE("a validation corpus without a pair is refused before anything is written", "[program]") {
  const TemporaryDirectory directory;
  const auto train_with = [&](const std::string& source, const std::string& target, const std::string& out) {
    return run(train_command(
        out, {"data.validation_source=" + source, "data.validation_target=" + target, "training.steps=1"}));
  };
  const auto refused = [&](const std::string& source, const std::string& target) {
    const TemporaryDirectory out;
    const Outcome outcome = train_with(source, target, out / "model");
    return out.entries() == 0 ? refusal(outcome) : "(something was written)";
  };
  const std::string good = directory.file("good", "one\ntwo\nthree\n");
  const std::string empty = directory.file("empty", ""), blank = directory.file("blank", "\n \n\t\n");
  std::string words;
  for (int i = 0; i < 257; ++i) words += "one ";
  const std::string too_long = directory.file("long", fmt::format("{}\n{}\n", words, words));
  CHECK(refused(empty, empty) == empty + ": the file is empty");
  CHECK(refused(good, empty) == empty + ": the file is empty");
  const std::string none_left = ": no sentence pair is left; ";
  const auto both = [](const std::string& file) { return file + " and " + file; };
  CHECK(refused(blank, blank) ==
        both(blank) + none_left +
            "3 pairs were read, 3 have an empty side and 0 have a side of more than 256 tokens");
  CHECK(refused(too_long, too_long) ==
        both(too_long) + none_left +
            "2 pairs were read, 0 have an empty side and 2 have a side of more than 256 tokens");
  CHECK_THAT(refused(good, too_long), ContainsSubstring(good + " has 3 lines, " + too_long +
                                                        " has 2 lines, so " + good + " is longer by 1"));
  CHECK(train_with(good, good, directory / "model").code == 0);
}

TEST_CASE("a corpus without a short enough pair is refused", "[program]") {
  const TemporaryDirectory directory;
  const std::string four = directory.file("four", "one one one one\n\n");
  CHECK_REFUSED(run(train_command(directory / "model",
                                  {"data.max_length=3", "data.source=" + four, "data.target=" + four})),
                "no sentence pair is left; 2 pairs were read, 1 have an empty side and 1 have a side of more "
                "than 3 tokens");
}

TEST_CASE("input that cannot be translated is refused with its line", "[program]") {
  const TemporaryDirectory directory;
  const auto translate = [&](const std::string& input) {
    return run({"translate", small_model()}, {.input = input});
  };
  const Outcome latin = translate("one\ntwo\nf\xFCnf\n");
  CHECK_REFUSED(latin, "standard input, line 3: not UTF-8 (byte 2 of the line)");
  CHECK(latin.out == "eins\nzwei\n");  // the lines before it are translated

  std::string longest, too_long;
  for (int i = 0; i < 256; ++i) longest += "one ";
  too_long = longest + "two";
  const Outcome outcome = translate("one\n" + too_long + "\n");
  CHECK_REFUSED(outcome, "line 2 has 257 tokens, but this model takes at most 256; split the sentence");
  CHECK(outcome.out == "eins\n");
  CHECK(translate(longest + "\n").code == 0);
  // Line numbers continue when the program reads the lines in several portions.
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "\n";
  CHECK_REFUSED(translate(many + too_long + "\n"), "line 1001 has 257 tokens");

  CHECK_REFUSED(run({"translate", small_model()}, {.input_path = directory / ""}),
                "cannot read standard input: Is a directory");
}

TEST_CASE("a vocabulary without words is refused", "[program]") {
  const TemporaryDirectory directory;
  const auto refused = [&](const std::string& joint) {
    return refusal(run(train_command(directory / "model",
                                     {"data.minimum_frequency=1000000", "data.joint_vocabulary=" + joint})));
  };
  const std::string lower = " occurs at least 1000000 times; lower data.minimum_frequency";
  CHECK(refused("true") == "no token of the training corpus" + lower);
  CHECK(refused("false") == "no token of the training corpus's source side" + lower);
  CHECK(directory.entries() == 0);
  const std::string blank = directory.file("blank", "\n\n");
  CHECK(refusal(run(train_command(directory / "model", {"data.source=" + blank, "data.target=" + blank}))) ==
        "no token of the training corpus occurs at least 1 times; its lines are empty");
}
