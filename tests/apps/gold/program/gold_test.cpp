// `regard evaluate --alignments` and `--regions`.

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/program/support/small_model.h"

using namespace regard::tests;

namespace {

/// Gold alignments of the small corpus: word by word, or each word with the word after it.
std::string gold_of_small_corpus(std::size_t shift) {
  std::string text;
  for (const std::string& line : lines(content(small_corpus().source))) {
    const auto words = static_cast<std::size_t>(std::count(line.begin(), line.end(), ' ')) + 1;
    for (std::size_t i = 0; i < words; ++i)
      text += (i > 0 ? " " : "") + std::to_string((i + shift) % words) + "-" + std::to_string(i);
    text += "\n";
  }
  return text;
}

Outcome compare_with(const std::string& gold, const std::string& model = small_model()) {
  return run(evaluate_command(model, {"--alignments", gold, "--beam", "1"}));
}

/// The number in the line that begins with this label.
double number_of(const std::string& label, const Outcome& outcome) {
  for (const std::string& line : lines(outcome.out))
    if (line.starts_with(label)) return std::stod(line.substr(label.size()));
  return -1;
}

}  // namespace

TEST_CASE("an evaluation compares the attention with gold alignments", "[program]") {
  const TemporaryDirectory directory;
  const std::string own = directory.file("own", [] {
    // The model translates the small corpus without a mistake, so these alignments are of the references.
    std::string text;
    for (const std::string& line :
         lines(run({"translate", small_model(), "--alignments"}, {.input = content(small_corpus().source)})
                   .out)) {
      const std::size_t tab = line.find('\t') + 1;
      text += line.substr(tab, line.find('\t', tab) - tab) + "\n";
    }
    return text;
  }());
  const Outcome equal = compare_with(own);
  CHECK(equal.code == 0);
  CHECK(equal.err.empty());
  CHECK(number_of("AER ", equal) == 0);
  CHECK(number_of("  precision ", equal) == 100);
  CHECK(number_of("  recall ", equal) == 100);
  CHECK_CONTAINS(equal.out, "exact match     100.00 %\nAER             0.00 %\n  precision     ");

  // Negative control: alignments of other words.
  const Outcome right = compare_with(directory.file("right", gold_of_small_corpus(0)));
  const Outcome shifted = compare_with(directory.file("shifted", gold_of_small_corpus(1)));
  CHECK(number_of("AER ", shifted) > number_of("AER ", right));

  const std::string nothing = directory.file("nothing", std::string(84, '\n'));
  CHECK(number_of("AER ", compare_with(nothing)) == 100);
  CHECK_CONTAINS(compare_with(nothing).out, "  recall        none (0 sure links");
  CHECK(run(evaluate_command(small_model())).out.find("AER") == std::string::npos);
}

TEST_CASE("only pairs that are not left out count for the alignment error rate", "[program]") {
  const TemporaryDirectory directory;
  const std::string source = directory.file("source", "one\n\ntwo\n"),
                    reference = directory.file("reference", "eins\nzwei\nzwei\n");
  const Outcome outcome = run({"evaluate", small_model(), "--source", source, "--reference", reference,
                               "--alignments", directory.file("gold", "0-0\n\n0-0\n")});
  CHECK(outcome.code == 0);
  CHECK_CONTAINS(outcome.out, "(2 sure links of the gold alignments)");
}

TEST_CASE("a gold file that does not fit is refused with its line", "[program]") {
  const TemporaryDirectory directory;
  const std::string good = gold_of_small_corpus(0);
  const std::string longer = directory.file("longer", good + "\n");
  CHECK_REFUSED(compare_with(longer), longer + " has 85 lines, " + small_corpus().target + " has 84 lines");
  const std::string beyond = directory.file("beyond", "0-0\n1-0\n" + good.substr(8));
  CHECK_REFUSED(compare_with(beyond), beyond +
                                          ", line 2: the link between source token 1 and target token 0 is "
                                          "beyond the source, which has 1 tokens");
  CHECK(compare_with(beyond).out.empty());
  CHECK_REFUSED(compare_with(directory / "none"), directory / "none");
  CHECK_REFUSED(run({"evaluate", "--hypothesis", small_corpus().target, "--reference", small_corpus().target,
                     "--alignments", beyond}),
                "--alignments requires MODEL_DIR");
  CHECK_REFUSED(run(evaluate_command(small_model(), {"--alignments", beyond, "--output", beyond})),
                "--output " + beyond);
}

TEST_CASE("only a model with attention is compared with gold alignments", "[program]") {
  if (!has_kind("cho2014")) return;
  const TemporaryDirectory directory;
  const auto trained = [&](const std::string& preset) {
    CHECK(run(train_command(directory / preset, recurrent_preset(preset, {"training.steps=1"}))).code == 0);
    return directory / preset;
  };
  const std::string gold = directory.file("gold", gold_of_small_corpus(0)), without = trained("cho2014");
  CHECK(number_of("AER ", compare_with(gold, trained("bahdanau2015"))) >= 0);
  CHECK_REFUSED(compare_with(gold, without), "this model has no attention to the source");
  CHECK(compare_with(gold, without).out.empty());
}

TEST_CASE("the attention of a model of images is compared with regions", "[program]") {
  if (!has_kind("xu2015")) return;
  const TemporaryDirectory directory;
  run_well(
      {"toy", "scenes", "--out", directory / "scenes", "--train", "40", "--validation", "8", "--test", "8"});
  const std::string config = directory.file(
      "config.json", R"({"data": {"tsv": ")" + (directory / "scenes/train.tsv") +
                         R"(", "validation_tsv": ")" + (directory / "scenes/validation.tsv") + R"("},
"model": {"preset": "xu2015", "d_model": 16, "dropout": 0, "image": {"channels": [4, 8], "strides": [3, 2]}},
"training": {"steps": 6, "batch_tokens": 200, "schedule": "constant", "learning_rate": 0.01, "log_every": 2},
"validation": {"every_steps": 3}, "decoding": {"max_length": 12}})");
  const std::string model = directory / "model", file = directory / "scores.json";
  run_well({"train", config, "--out", model});
  const Words command{"evaluate", model, "--tsv", directory / "scenes/test.tsv"};
  const Outcome outcome =
      run(joined(command, {"--regions", directory / "scenes/test.regions.jsonl", "--scores-json", file}));
  CHECK(outcome.code == 0);
  const nlohmann::json pointing = nlohmann::json::parse(content(file)).at("pointing");
  CHECK_CONTAINS(outcome.out,
                 fmt::format("pointing        {:.2f} % ({} of {} words; a random position: {:.2f} %)",
                             100 * pointing.at("share").get<double>(), pointing.at("hits").get<int>(),
                             pointing.at("words").get<int>(), 100 * pointing.at("random").get<double>()));
  CHECK_REFUSED(run(joined(command, {"--alignments", "x"})), "--alignments links words, but ");
  CHECK_REFUSED(run(evaluate_command(small_model(), {"--regions", "x"})),
                "--regions needs a model that reads images");
}
