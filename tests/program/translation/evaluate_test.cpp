// `regard evaluate` with a model, and the translations that it writes; `regard inspect`.
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/program/support/small_model.h"

using namespace regard::tests;
using regard::Index;

TEST_CASE("if translations cannot be written, their scores are printed", "[program]") {
  const Outcome outcome = run(evaluate_command(small_model(), {"--output", "/dev/full"}));
  CHECK_REFUSED(outcome, "/dev/full");
  CHECK_CONTAINS(outcome.out, "\nBLEU ");
}

TEST_CASE("a model's translations of all lines are scored, and can be written", "[program]") {
  const TemporaryDirectory directory;
  // Four words, but the model has learnt at most three; its translation can be anything.
  const std::string source =
      directory.file("source", "one two three\n\none\ntwo four\nthree four\none  four one\ntwo\n");
  const std::string reference =
      directory.file("reference", "eins zwei drei\neins\n\nzwei vier\n\neins vier  eins\n\n");
  const std::string kept = directory / "translations";
  const Outcome outcome =
      run({"evaluate", small_model(), "--source", source, "--reference", reference, "--output", kept});
  CHECK(outcome.code == 0);
  CHECK_CONTAINS(outcome.out, "left out        4 pairs with an empty side, 0 too long");
  CHECK(has_line(outcome, "sentences       3"));
  CHECK(content(kept) == "eins zwei drei\n\neins\nzwei vier\ndrei vier\neins vier eins\nzwei\n");
  // The same scores as for the plain text without the model.
  const Outcome again = run({"evaluate", "--hypothesis", kept, "--reference", reference});
  const auto scores = [](const Outcome& of) {
    const std::size_t begin = of.out.find("BLEU");
    return of.out.substr(begin, of.out.find("reference words") - begin);
  };
  CHECK(scores(outcome) == scores(again));
  // Exact match is about the pairs with a model, and about all lines without.
  CHECK(has_line(outcome, "exact match     100.00 %"));
  CHECK(has_line(again, "exact match     42.86 %"));
}

TEST_CASE("a source that is too long for the model has an empty translation", "[program]") {
  const TemporaryDirectory directory;
  std::string long_sentence;
  for (int i = 0; i < 300; ++i) long_sentence += "one ";
  const std::string source = directory.file("source", long_sentence + "\ntwo\n");
  const std::string reference = directory.file("reference", "eins eins\nzwei\n");
  const std::string kept = directory / "translations";
  const Outcome outcome =
      run({"evaluate", small_model(), "--source", source, "--reference", reference, "--output", kept});
  CHECK(outcome.code == 0);
  CHECK_CONTAINS(outcome.out, "too long        1 source of more than 256 tokens");
  CHECK(content(kept) == "\nzwei\n");
}

TEST_CASE("an output file that cannot be written is refused before anything is translated", "[program]") {
  const TemporaryDirectory directory;
  const std::string source = directory.file("source", "one\n"),
                    reference = directory.file("reference", "eins\n");
  const std::string model = copy_of_small_model(directory);
  const auto refused = [&](const std::string& path, const std::string& why) {
    const Outcome outcome =
        run({"evaluate", model, "--source", source, "--reference", reference, "--output", path});
    CHECK_REFUSED(outcome, "--output " + path + ": " + why);
    CHECK(outcome.out.empty());
  };
  refused(directory / "missing/translations", "the directory of this file does not exist");
  refused(directory / "", "this is a directory");
  std::filesystem::copy(model + "/vocabulary.json", model + "/vocabulary.target.json");
  for (const std::string& read : {source, reference, model + "/weights.safetensors", model + "/config.json",
                                  model + "/vocabulary.target.json"})
    refused(read, "this file is an input and would be replaced; give another");
  CHECK(content(source) == "one\n");
}

namespace {

/// The text after a label at the beginning of a line.
std::string value_of(const std::string& label, const std::string& text) {
  for (const std::string& line : lines(text))
    if (line.starts_with(label + " ")) return line.substr(line.find_first_not_of(' ', label.size()));
  return "(there is no line " + label + ")";
}

Outcome evaluate(const std::string& source, const std::string& reference, const std::string& beam = "4") {
  return run({"evaluate", small_model(), "--source", source, "--reference", reference, "--beam", beam});
}

}  // namespace

TEST_CASE("an evaluation gives loss, perplexity and exact matches", "[program]") {
  const Outcome outcome = evaluate(small_corpus().source, small_corpus().target);
  CHECK(outcome.code == 0);
  CHECK(outcome.err.empty());
  CHECK(value_of("sentences", outcome.out) == "84");
  CHECK(value_of("exact match", outcome.out) == "100.00 %");
  const double loss = std::stod(value_of("loss", outcome.out));
  CHECK(loss < 0.01);
  CHECK(std::stod(value_of("perplexity", outcome.out)) == Approx(std::exp(loss)).margin(1e-3));
  CHECK(value_of("token accuracy", outcome.out) == "100.00 %");
  CHECK_THAT(outcome.out, !ContainsSubstring("unknown words"));
  // Sentences of at most three words have no 4-grams, so BLEU is 0.
  CHECK(value_of("BLEU", outcome.out) == "0.00");
}

TEST_CASE("the JSON of a model's evaluation has its own figures too", "[program]") {
  const TemporaryDirectory directory;
  // Three pairs count; the second has a word that the model does not know. The last source is empty.
  const std::string source = directory.file("source", "one two three\ntwo\none four\n\n");
  const std::string reference = directory.file("reference", "eins zwei drei\nsechs\neins vier\neins\n");
  const std::string file = directory / "scores.json";
  const Outcome outcome = run_well(
      {"evaluate", small_model(), "--source", source, "--reference", reference, "--scores-json", file});
  const nlohmann::json scores = nlohmann::json::parse(content(file));
  CHECK(scores.at("sentences") == 3);
  CHECK(scores.at("left_out") == nlohmann::json{{"empty", 1}, {"too_long", 0}});
  CHECK(scores.at("unknown_words").at("reference") == nlohmann::json{{"unknown", 1}, {"tokens", 6}});
  CHECK_CONTAINS(outcome.out, "\nunknown words   0 of 6 source tokens, 1 of 6 reference tokens\n");
  CHECK(scores.at("exact_match").get<double>() == Approx(2.0 / 3));
  CHECK_CONTAINS(outcome.out, fmt::format("\nloss            {:.4f}\n", scores.at("loss").get<double>()));
  CHECK_CONTAINS(outcome.out, fmt::format("\ntoken accuracy  {:.2f} %\n",
                                          100 * scores.at("token_accuracy").get<double>()));
  for (const char* const other : {"alignments", "pointing", "paired_bootstrap"})
    CHECK_FALSE(scores.contains(other));
  CHECK_REFUSED(run({"evaluate", small_model(), "--source", source, "--reference", reference, "--output",
                     file, "--scores-json", file}),
                "--scores-json " + file + ": this is the file of --output " + file);
}
