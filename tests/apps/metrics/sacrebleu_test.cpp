// Compares BLEU, chrF, their tokenisers and the bootstrap with sacreBLEU
// (fixtures/make_sacrebleu_fixtures.py).
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "apps/translation/metrics/bleu.h"
#include "apps/translation/metrics/bleu_tokenisers.h"
#include "apps/translation/metrics/bootstrap.h"
#include "apps/translation/metrics/chrf.h"
#include "tests/apps/support.h"

using namespace regard::translation;
using nlohmann::json;
using regard::Index;

namespace {

using Lines = std::vector<std::string>;

const json& fixtures() {
  static const json loaded = [] {
    std::ifstream file(REGARD_FIXTURES "/sacrebleu.json");
    return json::parse(file);
  }();
  return loaded;
}

BleuOptions options_of(const json& variant) {
  return {.tokeniser = value_of(bleu_tokenisers, variant.at("tokeniser").get<std::string>(), "tokeniser"),
          .lowercase = variant.at("lowercase").get<bool>()};
}

/// True if two numbers are equal except for rounding.
Approx close(const json& number) { return Approx(number.get<double>()).epsilon(1e-11).margin(1e-11); }

void check_signature(const std::string& ours, const json& theirs) {
  CHECK(ours.substr(0, ours.find("|version:")) == theirs.get<std::string>());
}

double corpus_chrf(const Lines& hypotheses, const Lines& references, const ChrfOptions& options = {}) {
  ChrfCounts sum;
  for (const ChrfCounts& counts : chrf_counts(hypotheses, references, options)) sum += counts;
  return chrf(sum);
}

}  // namespace

TEST_CASE("sentences are cut into the same words as in sacreBLEU", "[sacrebleu]") {
  const json& variants = fixtures().at("variants");
  REQUIRE(variants.size() == 8);
  REQUIRE(fixtures().at("sentences").size() > 80);
  std::set<std::size_t> different;  // for each sentence, the number of different results of the variants
  for (const json& sentence : fixtures().at("sentences")) {
    const auto text = sentence.at("text").get<std::string>();
    std::set<Lines> ways;
    for (std::size_t i = 0; i < variants.size(); ++i) {
      CAPTURE(text, variants[i].dump());
      const auto expected = sentence.at("words")[i].get<Lines>();
      CHECK(words_for_bleu(text, options_of(variants[i])) == expected);
      ways.insert(expected);
    }
    different.insert(ways.size());
  }
  CHECK(different.count(8) == 1);  // for some sentence, all variants differ
}

TEST_CASE("BLEU equals sacreBLEU's", "[sacrebleu]") {
  REQUIRE(fixtures().at("corpora").size() > 40);
  std::size_t changed = 0;  // corpora where the tokeniser makes a difference
  for (const json& corpus : fixtures().at("corpora")) {
    const auto hypotheses = corpus.at("hypotheses").get<Lines>();
    const auto references = corpus.at("references").get<Lines>();
    std::set<double> scores;
    for (const json& expected : corpus.at("bleu")) {
      CAPTURE(corpus.at("name").get<std::string>(), expected.dump());
      const BleuOptions options = options_of(expected);
      const Bleu result = corpus_bleu(hypotheses, references, options);
      CHECK(result.score == close(expected.at("score")));
      CHECK(result.brevity_penalty == close(expected.at("brevity_penalty")));
      CHECK(result.hypothesis_length == expected.at("lengths")[0].get<Index>());
      CHECK(result.reference_length == expected.at("lengths")[1].get<Index>());
      for (std::size_t i = 0; i < 4; ++i) CHECK(result.precisions[i] == close(expected.at("precisions")[i]));
      check_signature(signature(options), expected.at("signature"));
      scores.insert(expected.at("score").get<double>());
    }
    changed += scores.size() > 2;
  }
  CHECK(changed > 15);
}

TEST_CASE("chrF2 equals sacreBLEU's", "[sacrebleu]") {
  std::set<double> scores;
  for (const json& corpus : fixtures().at("corpora")) {
    for (const json& expected : corpus.at("chrf")) {
      CAPTURE(corpus.at("name").get<std::string>(), expected.dump());
      const ChrfOptions options{.lowercase = expected.at("lowercase").get<bool>()};
      CHECK(corpus_chrf(corpus.at("hypotheses").get<Lines>(), corpus.at("references").get<Lines>(),
                        options) == close(expected.at("score")));
      check_signature(signature(options), expected.at("signature"));
      scores.insert(expected.at("score").get<double>());
    }
  }
  CHECK(scores.size() > 40);
}

TEST_CASE("the paired bootstrap agrees with sacreBLEU's, with other random numbers", "[sacrebleu]") {
  const json& fixture = fixtures().at("bootstrap");
  const auto system = fixture.at("system").get<Lines>(), baseline = fixture.at("baseline").get<Lines>(),
             references = fixture.at("references").get<Lines>();
  const auto check = [&](const char* name, const SampleScore& ours, const SampleScore& theirs) {
    CAPTURE(name);
    const json& expected = fixture.at("results").at(name);
    const PairedBootstrap result = paired_bootstrap(system.size(), ours, theirs, {.samples = 4000});
    const auto check_score = [](const ResampledScore& got, const json& score) {
      CHECK(got.score == close(score.at("score")));
      CHECK(got.mean == Approx(score.at("mean").get<double>()).margin(0.5));
      CHECK(got.half_width == Approx(score.at("half_width").get<double>()).epsilon(0.1));
    };
    check_score(result.system, expected.at("system"));
    check_score(result.baseline, expected.at("baseline"));
    CHECK(result.p_value == Approx(expected.at("p_value").get<double>()).margin(0.02));
  };
  const auto bleu_score = [](const BleuCounts& counts) { return bleu(counts).score; };
  const auto system_bleu = bleu_counts(system, references), baseline_bleu = bleu_counts(baseline, references);
  check("BLEU", sample_score(system_bleu, bleu_score), sample_score(baseline_bleu, bleu_score));
  const auto system_chrf = chrf_counts(system, references), baseline_chrf = chrf_counts(baseline, references);
  check("chrF2", sample_score(system_chrf, chrf), sample_score(baseline_chrf, chrf));
}

TEST_CASE("chrF of a corpus comes from summed counts", "[chrf]") {
  const auto counts = chrf_counts({"abcd", "xy"}, {"abce", "yx"});
  REQUIRE(counts.size() == 2);
  CHECK(counts[0].matches == std::array<Index, 6>{3, 2, 1, 0, 0, 0});
  CHECK(counts[1].matches == std::array<Index, 6>{2, 0, 0, 0, 0, 0});
  ChrfCounts sum = counts[0];
  sum += counts[1];
  CHECK(chrf(sum) == corpus_chrf({"abcd", "xy"}, {"abce", "yx"}));
  // n = 1: 5 of 6, 2: 2 of 4, 3: 1 of 2, 4: 0 of 1, the same for P and R.
  CHECK(chrf(sum) == Approx(100 * (5.0 / 6 + 0.5 + 0.5) / 4));
}

TEST_CASE("chrF of empty texts is 0", "[chrf]") {
  CHECK(corpus_chrf({""}, {"abc"}) == 0);
  CHECK(corpus_chrf({"abc"}, {" "}) == 0);
  CHECK(chrf_counts({"abc"}, {" "})[0].hypothesis[0] == 0);
  CHECK_ERROR(corpus_chrf({"a"}, {}), "1 hypotheses, but 0 references");
}
