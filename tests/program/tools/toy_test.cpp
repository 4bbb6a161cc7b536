#include "apps/toys/toys.h"
#include "tests/catch.h"
#include "tests/program/support/run.h"

using namespace regard::tests;

TEST_CASE("a toy corpus of chosen or default sizes, with and without alignments", "[program]") {
  const TemporaryDirectory directory;
  const Outcome outcome = run_well({"toy", "sentences", "--out", directory / "sentences", "--train", "300",
                                    "--validation", "20", "--test", "10", "--seed", "5"});
  CHECK_CONTAINS(outcome.out, "sentences: 300 training, 20 validation and 10 test pairs");
  const auto files = files_below(directory / "sentences");
  REQUIRE(files.size() == 9);
  const auto corpus = regard::toys::generate(regard::toys::find_toy("sentences"), 5, {300, 20, 10});
  for (std::size_t i = 0; i < 20; ++i) {
    CHECK(lines(files.at("validation.source"))[i] == corpus.validation[i].source);
    CHECK(lines(files.at("validation.target"))[i] == corpus.validation[i].target);
    CHECK(lines(files.at("validation.align"))[i] == corpus.validation[i].alignment);
  }
  CHECK_CONTAINS(outcome.out, "\n  " + lines(files.at("train.source"))[0] + "  ->  " +
                                  lines(files.at("train.target"))[0] + "\n");
  CHECK(run({"toy", "copy", "--out", directory / "copy"}).code == 0);
  CHECK(files_below(directory / "copy").size() == 6);
  CHECK(lines(content(directory / "copy/train.source")).size() == regard::toys::find_toy("copy").sizes.train);
}

TEST_CASE("a toy replaces files of another text only with --overwrite, and all of them or none",
          "[program]") {
  const TemporaryDirectory directory;
  const auto make = [&](const std::string& seed, const Words& options = {},
                        rlim_t file_size = RLIM_INFINITY) {
    const Words sizes{"--train", "20", "--validation", "20", "--test", "300", "--seed", seed};
    return run(joined(joined({"toy", "copy", "--out", directory / "out"}, sizes), options),
               {.file_size = file_size});
  };
  std::filesystem::create_directory(directory / "out");
  directory.file("out/validation.target", "mine\n");
  CHECK_REFUSED(make("1"), directory / "out/validation.target" +
                               " exists and is different; give another directory, or --overwrite to "
                               "replace it");
  CHECK(files_below(directory / "out") ==
        std::map<std::string, std::string>{{"validation.target", "mine\n"}});
  CHECK(make("1", {"--overwrite"}).code == 0);
  const auto files = files_below(directory / "out");
  CHECK(files.size() == 6);
  CHECK(files.at("validation.target") != "mine\n");
  CHECK(make("1").code == 0);  // the same text again
  CHECK_REFUSED(make("2"), "out/train.source exists and is different");
  // The test corpus is too large for this disk; four files come before it.
  REQUIRE(files.at("train.source").size() + 500 < 2000);
  CHECK_REFUSED(make("2", {"--overwrite"}, 2000),
                "cannot write " + directory / "out/test.source" + ": File too large");
  CHECK(files_below(directory / "out") == files);
}

TEST_CASE("the toy sentences can have longer sentences", "[program]") {
  const TemporaryDirectory directory;
  const Words sizes{"--train", "300", "--validation", "20", "--test", "10", "--out", directory / "out"};
  run_well(joined({"toy", "sentences", "--max-words", "30"}, sizes));
  const auto corpus = regard::toys::generate(regard::toys::long_sentences(30), 1, {300, 20, 10});
  for (std::size_t i = 0; i < 300; ++i)
    CHECK(lines(content(directory / "out/train.align"))[i] == corpus.train[i].alignment);
  CHECK_CONTAINS(content(directory / "out/train.source"), " and ");
  CHECK_REFUSED(run(joined({"toy", "sentences", "--max-words", "-3"}, sizes)),
                "--max-words -3: give a number");
  for (const std::string toy : {"dates", "scenes"})
    CHECK_REFUSED(run(joined({"toy", toy, "--max-words", "30"}, sizes)),
                  "--max-words 30: only copy, reverse, sort, recall and sentences have a greatest length");
}

TEST_CASE("the toys of letters can have other lengths", "[program]") {
  const TemporaryDirectory directory;
  const auto make = [&](const std::string& toy, const Words& lengths) {
    const Words sizes{"--train", "300", "--validation", "20", "--test", "10", "--out", directory / "out"};
    return run(joined(joined({"toy", toy}, sizes), lengths));
  };
  for (const std::string toy : {"sentences", "scenes"})
    CHECK_REFUSED(make(toy, {"--min-words", "2"}),
                  "--min-words 2: only copy, reverse, sort and recall have a least length");
  CHECK_REFUSED(make("copy", {"--min-words", "13"}),
                "--min-words 13 --max-words 12: give numbers from 1 to 1000, the first not above the second");
  CHECK(make("recall", {"--min-words", "30", "--max-words", "40"}).code == 0);
  const regard::toys::Toy recall = regard::toys::sequence_toy(regard::toys::SequenceKind::recall, 30, 40);
  CHECK(lines(content(directory / "out/train.source"))[7] ==
        regard::toys::generate(recall, 1, {300, 20, 10}).train[7].source);
}

TEST_CASE("--overwrite is also about alignments", "[program]") {
  const TemporaryDirectory directory;
  const auto make = [&](const std::string& toy, const Words& options = {}) {
    Words command{"toy", toy, "--out", directory / "out", "--train", "8", "--validation", "1", "--test", "2"};
    command.insert(command.end(), options.begin(), options.end());
    return run(command);
  };
  CHECK(make("sentences").code == 0);
  auto files = files_below(directory / "out");
  CHECK_CONTAINS(files.at("train.align"), "1-0 2-1 4-2\n");  // a fixed pair
  directory.file("out/test.align", "0-0\n0-0\n");
  CHECK_REFUSED(make("sentences"), directory / "out/test.align" + " exists and is different");
  CHECK(make("sentences", {"--overwrite"}).code == 0);
  CHECK(files_below(directory / "out") == files);
  // The alignments would belong to another text.
  CHECK_REFUSED(make("copy", {"--overwrite"}), "out/train.align exists, but this toy has no alignments");
  CHECK(files_below(directory / "out") == files);
}

TEST_CASE("a toy corpus that cannot be made or written is refused", "[program]") {
  const TemporaryDirectory directory;
  const std::string file = directory.file("file", "x");
  CHECK_REFUSED(run({"toy", "copyy", "--out", directory / "out"}), "there is no toy corpus \"copyy\"");
  CHECK_REFUSED(run({"toy", "numbers", "--out", directory / "out", "--train", "1000000000"}), "too few");
  CHECK_REFUSED(run({"toy", "copy", "--out", directory / "out", "--train", "-1"}), "--train: -1 is negative");
  CHECK_REFUSED(run({"toy", "copy", "--out", directory / "out", "--seed", "x"}),
                "--seed: x is not a whole number");
  CHECK_REFUSED(run({"toy", "copy", "--out", file + "/below"}), file + "/below");
  CHECK(files_below(directory / "") == std::map<std::string, std::string>{{"file", "x"}});
  CHECK_REFUSED(run({"toy", "copy", "--out", directory / "out"}, {.file_size = 1000}), "out/train.source");
}
