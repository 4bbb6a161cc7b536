// Compares BLEU and its tokenisers with sacreBLEU (fixtures/make_sacrebleu_fixtures.py).
#include "tests/apps/metrics/sacrebleu.h"

#include <nlohmann/json.hpp>
#include <set>

#include "apps/translation/metrics/bleu.h"
#include "apps/translation/metrics/bleu_tokenisers.h"

using namespace regard::translation;
using namespace regard::tests;
using nlohmann::json;
using regard::Index;

namespace {

using Lines = std::vector<std::string>;

BleuOptions options_of(const json& variant) {
  return {.tokeniser = value_of(bleu_tokenisers, variant.at("tokeniser").get<std::string>(), "tokeniser"),
          .lowercase = variant.at("lowercase").get<bool>()};
}

void check_bleu(const Bleu& result, const json& expected) {
  CHECK(result.score == close(expected.at("score")));
  CHECK(result.brevity_penalty == close(expected.at("brevity_penalty")));
  CHECK(result.hypothesis_length == expected.at("lengths")[0].get<Index>());
  CHECK(result.reference_length == expected.at("lengths")[1].get<Index>());
  for (std::size_t i = 0; i < 4; ++i) CHECK(result.precisions[i] == close(expected.at("precisions")[i]));
}

}  // namespace

TEST_CASE("sentences are cut into the same words as in sacreBLEU", "[sacrebleu]") {
  const json& variants = sacrebleu().at("variants");
  REQUIRE(variants.size() == 10);
  REQUIRE(sacrebleu().at("sentences").size() > 80);
  std::set<std::size_t> different;  // for each sentence, the number of different results of the variants
  for (const json& sentence : sacrebleu().at("sentences")) {
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
  CHECK(different.count(10) == 1);  // for some sentence, all variants differ
}

TEST_CASE("BLEU equals sacreBLEU's", "[sacrebleu]") {
  REQUIRE(sacrebleu().at("corpora").size() > 40);
  std::size_t changed = 0;  // corpora where the tokeniser makes a difference
  for (const json& corpus : sacrebleu().at("corpora")) {
    const auto hypotheses = corpus.at("hypotheses").get<Lines>();
    const auto references = corpus.at("references").get<Lines>();
    std::set<double> scores;
    for (const json& expected : corpus.at("bleu")) {
      CAPTURE(corpus.at("name").get<std::string>(), expected.dump());
      const BleuOptions options = options_of(expected);
      check_bleu(corpus_bleu(hypotheses, references, options), expected);
      check_signature(signature(options), expected.at("signature"));
      scores.insert(expected.at("score").get<double>());
    }
    changed += scores.size() > 2;
  }
  CHECK(changed > 15);
}

TEST_CASE("BLEU with several references equals sacreBLEU's", "[sacrebleu]") {
  std::size_t changed = 0;  // corpora where the other references make a difference
  for (const json& corpus : sacrebleu().at("several")) {
    const auto hypotheses = corpus.at("hypotheses").get<Lines>();
    const auto references = corpus.at("references").get<References>();
    for (const json& expected : corpus.at("bleu")) {
      CAPTURE(corpus.at("name").get<std::string>(), expected.dump());
      const BleuOptions options = options_of(expected);
      BleuCounts sum;
      for (const BleuCounts& counts : bleu_counts_of_several(hypotheses, references, options)) sum += counts;
      check_bleu(bleu(sum), expected);
      check_signature(signature(options, references.size()), expected.at("signature"));
      changed += bleu(sum).score != corpus_bleu(hypotheses, references[0], options).score;
    }
  }
  CHECK(changed > 20);
}
