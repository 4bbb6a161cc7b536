#include <cmath>

#include "tests/catch.h"
#include "tests/program/support/small_model.h"

using namespace regard::tests;
using regard::Index;

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
  const Outcome outcome = run({"inspect", small_model()});
  CHECK(outcome.code == 0);
  CHECK(outcome.err.empty());
  CHECK_THAT(outcome.out, ContainsSubstring(content(small_model() + "/config.json")));
  CHECK_THAT(outcome.out, ContainsSubstring("\n12 source and 12 target entries in the vocabulary, joint\n"));

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
  CHECK(parameters["generator.weight"] == Entry{"[12, 32]", 384});
  CHECK(parameters["encoder.layers.0.self_attn.in_proj_weight"] == Entry{"[96, 32]", 3072});
  CHECK(parameters["encoder.layers.0.self_attn.out_proj.bias"] == Entry{"[32]", 32});
  CHECK(parameters["encoder.norm.weight"] == Entry{"[32]", 32});
  CHECK(parameters["decoder.layers.0.multihead_attn.in_proj_bias"] == Entry{"[96]", 96});
  CHECK(parameters["decoder.layers.0.linear1.weight"] == Entry{"[32, 32]", 1024});
  CHECK(parameters["decoder.layers.0.norm3.bias"] == Entry{"[32]", 32});
  // Three embeddings; two layers of attention, feed-forward and norms; two final norms.
  CHECK(parameters.size() == 3 + 12 + 18 + 4);
}
