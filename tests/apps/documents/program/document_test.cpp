// `regard translate --document`: the layout of a text, long sentences, wrapped paragraphs, refusals.
#include "tests/catch.h"
#include "tests/program/support/small_model.h"

using namespace regard::tests;

#ifdef REGARD_HAS_ICU

namespace {

/// A model of number words with a "!" at the end of each sentence, which ends a sentence for ICU, too. Its
/// sentences have at most four tokens.
struct Exclamations {
  Exclamations() {
    const auto marked = [&](const std::string& file, const std::string& text) {
      std::string result;
      for (const std::string& line : lines(text)) result += line + " !\n";
      return directory.file(file, result);
    };
    const std::string source = marked("source", content(small_corpus().source));
    const std::string target = marked("target", content(small_corpus().target));
    model = directory / "model";
    run_well(train_command(model, {"data.source=" + source, "data.target=" + target,
                                   "data.validation_source=" + source, "data.validation_target=" + target}));
  }
  TemporaryDirectory directory;
  std::string model;
};

Outcome document(const std::string& text, const Words& options = {}) {
  static const Exclamations exclamations;
  return run(joined({"translate", exclamations.model, "--document"}, options), {.input = text});
}

}  // namespace

TEST_CASE("translate --document translates sentences and keeps the layout", "[program]") {
  const Outcome outcome = document(
      "one two !  three !\r\n\n  - four ! two one !\n-----\n \t\n1. three one four !\none ! two ! three ! "
      "four ! \n");
  CHECK(outcome.code == 0);
  CHECK(outcome.err.empty());
  CHECK(outcome.out ==
        "eins zwei !  drei !\r\n\n  - vier ! zwei eins !\n-----\n \t\n1. drei eins vier !\n"
        "eins ! zwei ! drei ! vier ! \n");
  CHECK(document("").out.empty());
  CHECK(document("two !", {"--beam", "1"}).out == "zwei !\n");
  for (const Words& way : {Words{"--exact"}, {"--sample", "--temperature", "0"}})
    if (has_option("translate", way.front())) CHECK(document("two !\n", way).out == "zwei !\n");
  // More lines than the program reads at a time.
  std::string text, expected;
  for (int i = 0; i < 1'100; ++i) {
    text += i % 3 == 0 ? "\n" : "one ! four two !\n";
    expected += i % 3 == 0 ? "\n" : "eins ! vier zwei !\n";
  }
  CHECK(difference(document(text, {"--beam", "1"}).out, expected) == "");
}

TEST_CASE("translate --document cuts a sentence that is longer than those of the training", "[program]") {
  const Outcome outcome = document("two !\n one two three , one two ! four !\n");
  CHECK(outcome.code == 0);
  CHECK(lines(outcome.out).size() == 2);
  CHECK(outcome.out.ends_with(" vier !\n"));
  CHECK_CONTAINS(
      outcome.err,
      "line 2: a sentence has 7 tokens, but the model knows only sentences of up to 4; it is translated "
      "in 2 parts, cut before \"one two !\"");
}

TEST_CASE("translate --document answers each line of a pipe", "[program]") {
  const TemporaryDirectory directory;
  const Outcome outcome =
      run_in_turns({"translate", small_model(), "--document", "--beam", "1"}, {"one two\n", "\n", "three\n"});
  CHECK(outcome.code == 0);
  CHECK(outcome.out == "eins zwei\n\ndrei\n");
}

TEST_CASE("translate --document names the line of a problem, after the text before it", "[program]") {
  const Outcome unknown = document("one !\n\n two ! six !\n");
  CHECK(unknown.err == "regard: line 3: not in the vocabulary, read as <unk>: six\n");
  const Outcome bad = document("one !\n\ntwo\n\xFF\n", {"--wrapped"});
  CHECK_REFUSED(bad, "standard input, line 4: not UTF-8 (byte 1 of the line)");
  CHECK(bad.out.starts_with("eins !\n\nzwei"));
}

TEST_CASE("options that make no sense with --document are refused", "[program]") {
  for (const Words& options : {Words{"--n-best", "2"},
                               {"--scores"},
                               {"--alignments"},
                               {"--attention"},
                               {"--attention-json", "x"},
                               {"--attention-images", "x"},
                               {"--prefix", "x"},
                               {"--skip-too-long"},
                               {"photo.png"}})
    CHECK_REFUSED(run(joined({"translate", small_model(), "--document"}, options)), "excludes");
  for (const Words& options : {Words{"--wrapped"}, {"--language", "en"}, {"--tag", "x"}})
    CHECK_REFUSED(run(joined({"translate", small_model()}, options)), "requires --document");
  CHECK_REFUSED(document("one !\n", {"--language", "klingon"}), "ICU does not know this language");
}

#else

TEST_CASE("translate --document is refused without ICU", "[program]") {
  CHECK_REFUSED(run({"translate", small_model(), "--document"}, {.input = "one\n"}), "install libicu-dev");
}

#endif
