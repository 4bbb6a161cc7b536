// `regard evaluate` with a model, with existing translations, and the translations that it writes; `regard
// inspect`.
#include <cmath>

#include "tests/catch.h"
#include "tests/program/support/small_model.h"

using namespace regard::tests;
using regard::Index;

namespace {

const std::string reference_text =
    "Ein Mann geht mit seinem Hund am Fluss spazieren.\n"
    "Zwei Kinder spielen hinter dem großen Haus im Schnee und lachen laut.\n"
    "Heute regnet es.\n";
const std::string hypothesis_text =
    "Ein Mann geht mit dem Hund am Fluss spazieren.\n"
    "Zwei Kinder spielen im Schnee hinter dem großen Haus und lachen.\n"
    "HEUTE regnet es.\n";

/// Files with these texts, and the output of the program for them.
struct Texts {
  TemporaryDirectory directory;
  std::string reference = directory.file("reference", reference_text);
  std::string hypothesis = directory.file("hypothesis", hypothesis_text);

  Outcome evaluate(const Words& more = {}) const {
    return run(joined({"evaluate", "--hypothesis", hypothesis, "--reference", reference}, more));
  }
};

bool has_line(const Outcome& outcome, const std::string& beginning) {
  for (const std::string& line : lines(outcome.out))
    if (line.starts_with(beginning)) return true;
  return false;
}

}  // namespace

TEST_CASE("two texts are compared without a model", "[program]") {
  const Texts texts;
  const Outcome outcome = texts.evaluate();
  CHECK(outcome.code == 0);
  CHECK(outcome.err.empty());
  // Output of sacreBLEU 2.6.0: BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp = 49.14, chrF2 = 78.21
  CHECK(has_line(outcome, "sentences       3"));
  CHECK(has_line(outcome, "BLEU            49.14"));
  CHECK(has_line(outcome, "  signature     nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:regard-"));
  CHECK(has_line(outcome, "chrF2           78.21"));
  CHECK(has_line(outcome, "  signature     nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:regard-"));
  CHECK(has_line(outcome, "<10                      2"));
  CHECK(has_line(outcome, "10-19                    1"));
  CHECK_FALSE(has_line(outcome, "20-29"));
  CHECK_FALSE(has_line(outcome, "paired bootstrap"));
}

TEST_CASE("tokeniser and case can be chosen", "[program]") {
  const Texts texts;
  const Outcome none = texts.evaluate({"--tokeniser", "none"});
  CHECK(has_line(none, "BLEU            45.25"));
  CHECK_CONTAINS(none.out, "|tok:none|");
  const Outcome lowercase = texts.evaluate({"--lowercase"});
  CHECK(has_line(lowercase, "BLEU            54.71"));
  CHECK_CONTAINS(lowercase.out, "nrefs:1|case:lc|eff:no|tok:13a");
  CHECK_CONTAINS(lowercase.out, "nrefs:1|case:lc|eff:yes|nc:6");
  CHECK_CONTAINS(texts.evaluate({"--tokeniser", "intl"}).out, "|tok:intl|");
  CHECK_REFUSED(texts.evaluate({"--tokeniser", "zh"}), "--tokeniser zh: give \"13a\", \"none\" or \"intl\"");
}

TEST_CASE("an output is compared with another on samples", "[program]") {
  const Texts texts;
  const std::string worse = texts.directory.file("worse", "Ein Mann geht.\nKinder spielen im Schnee.\n\n");
  const Outcome outcome = texts.evaluate({"--baseline", worse, "--bootstrap-samples", "200", "--seed", "5"});
  CHECK(outcome.code == 0);
  CHECK_CONTAINS(outcome.out, "paired bootstrap: 200 samples, seed 5");
  const Words found = lines(outcome.out);
  REQUIRE(found.size() > 2);
  CHECK(found[found.size() - 2].starts_with("BLEU       49.14"));
  CHECK(found.back().starts_with("chrF2      78.21"));
  CHECK_CONTAINS(found.back(), "100.0 %     0.0 %");  // better on every sample
  CHECK(texts.evaluate({"--baseline", worse, "--bootstrap-samples", "200", "--seed", "5"}).out ==
        outcome.out);
  CHECK(texts.evaluate({"--baseline", worse, "--bootstrap-samples", "200", "--seed", "6"}).out !=
        outcome.out);
}

TEST_CASE("texts with different numbers of lines are refused by evaluate", "[program]") {
  const Texts texts;
  const std::string two = texts.directory.file("two", "eins\nzwei\n");
  const std::string longer = two + " has 2 lines, " + texts.reference + " has 3 lines, so " + texts.reference;
  CHECK_REFUSED(run({"evaluate", "--hypothesis", two, "--reference", texts.reference}), longer);
  CHECK_REFUSED(texts.evaluate({"--baseline", two}), longer);
  CHECK_REFUSED(texts.evaluate({"--baseline", texts.hypothesis, "--bootstrap-samples", "0"}),
                "--bootstrap-samples 0: give at least 1");
}

TEST_CASE("an evaluation needs a model with a source, or a hypothesis", "[program]") {
  const Texts texts;
  CHECK_REFUSED(run({"evaluate", "--reference", texts.reference}),
                "give a MODEL_DIR with --source, or --hypothesis");
  CHECK_REFUSED(run({"evaluate", small_model(), "--reference", texts.reference}),
                "--source is required with a MODEL_DIR");
  CHECK_REFUSED(
      run({"evaluate", small_model(), "--hypothesis", texts.hypothesis, "--reference", texts.reference}),
      "excludes");
  CHECK_REFUSED(texts.evaluate({"--beam", "3"}), "--beam requires MODEL_DIR; see regard evaluate --help");
  CHECK_REFUSED(texts.evaluate({"--output", "x"}), "--output requires MODEL_DIR");
  CHECK_REFUSED(texts.evaluate({"--seed", "3"}), "--seed requires --baseline");
  CHECK_REFUSED(texts.evaluate({"--baseline", texts.hypothesis, "--seed", "-3"}), "-3 is negative");
}

TEST_CASE("if translations cannot be written, their scores are printed", "[program]") {
  const Outcome outcome = run(evaluate_command(small_model(), {"--output", "/dev/full"}));
  CHECK_REFUSED(outcome, "/dev/full");
  CHECK_THAT(outcome.out, ContainsSubstring("\nBLEU ") && ContainsSubstring("\nchrF2 "));
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
  const auto from_bleu = [](const Outcome& of) { return of.out.substr(of.out.find("BLEU")); };
  CHECK(from_bleu(outcome) == from_bleu(again));
  // Compared with itself as the baseline, it has no difference.
  const Outcome beside = run({"evaluate", small_model(), "--source", source, "--reference", reference,
                              "--baseline", kept, "--bootstrap-samples", "20"});
  CHECK_CONTAINS(lines(beside.out).back(), "0.0 %     0.0 %");
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
  CHECK_CONTAINS(outcome.out, "too long        1 sources of more than 256 tokens");
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
  // Sentences of at most three words have no 4-grams, so BLEU is 0; but their characters match.
  CHECK(value_of("BLEU", outcome.out) == "0.00");
  CHECK(value_of("chrF2", outcome.out) == "100.00");
  CHECK(value_of("<10", outcome.out) == "84    0.00");
}

TEST_CASE("pairs that are left out and unknown words are counted", "[program]") {
  const TemporaryDirectory directory;
  const std::string source = directory.file("source", "one five\ntwo\n\nfive six\n");
  const std::string reference = directory.file("reference", "eins sechs\nzwei\nsieben\n\n");
  const Outcome outcome = evaluate(source, reference);
  CHECK(outcome.code == 0);
  // Only the pairs that are not left out count, here and below.
  CHECK(value_of("left out", outcome.out) == "2 pairs with an empty side, 0 too long");
  CHECK(value_of("unknown words", outcome.out) == "1 of 3 source tokens, 1 of 3 reference tokens");
  const Outcome known = evaluate(small_corpus().source, small_corpus().target);
  CHECK_THAT(known.out, !ContainsSubstring("unknown words"));
}

TEST_CASE("an inspection shows settings and parameters", "[program]") {
  const Outcome outcome = run_well({"inspect", small_model()});
  CHECK_CONTAINS(outcome.out, content(small_model() + "/config.json"));
  CHECK_CONTAINS(outcome.out, "\n12 source and 12 target entries in the vocabulary, joint\n");

  // The table: name, shape in brackets, size.
  std::map<std::string, std::pair<std::string, Index>> parameters;
  Index sum = 0, all = 0;
  const std::size_t table = outcome.out.find("parameter  ");
  REQUIRE(table != std::string::npos);
  for (const std::string& line : lines(outcome.out.substr(outcome.out.find('\n', table) + 1))) {
    const Index size = std::stoll(line.substr(line.rfind(' ') + 1));
    const std::string name = line.substr(0, line.find(' '));
    if (name == "all") {
      all = size;
      continue;
    }
    const std::size_t bracket = line.find('[');
    parameters[name] = {line.substr(bracket, line.find(']') + 1 - bracket), size};
    sum += size;
  }
  CHECK(sum == all);
  CHECK(sum > 10'000);
  using Entry = std::pair<std::string, Index>;
  CHECK(parameters["src_embed.weight"] == Entry{"[12, 32]", 384});
  CHECK(parameters["encoder.layers.0.self_attn.out_proj.bias"] == Entry{"[32]", 32});
  // Three embeddings; two layers of attention, feed-forward and norms; two final norms.
  CHECK(parameters.size() == 3 + 12 + 18 + 4);
}

TEST_CASE("inspect ranks the heads of a model by the loss without them", "[program]") {
  const Outcome outcome = run({"inspect", small_model(), "--head-importance", "--source",
                               small_corpus().source, "--target", small_corpus().target});
  CHECK(outcome.code == 0);
  const Words found = lines(outcome.out);
  REQUIRE(found.size() == 9);
  CHECK_CONTAINS(found[0], " of 84 pairs");
  double last = 1e9;
  for (std::size_t i = 3; i < found.size(); ++i) {
    const double growth = std::stod(found[i].substr(found[i].rfind(' ')));
    CHECK(growth <= last);
    last = growth;
  }
  CHECK_REFUSED(run({"inspect", small_model(), "--head-importance"}), "give --source and --target");
}
