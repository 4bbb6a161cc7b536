// Scores by the length of the reference.
#include "apps/more_measures/by_length.h"

#include <string>
#include <utility>
#include <vector>

#include "tests/apps/support.h"

using namespace regard::translation;
using regard::Index;
using Texts = std::vector<std::string>;

namespace {

using Sizes = std::vector<std::pair<std::string, Index>>;

/// References of so many words, and hypotheses of five: their length does not matter.
struct OfLengths {
  Texts references, hypotheses;

  explicit OfLengths(const std::vector<int>& lengths) {
    for (const int length : lengths) {
      references.push_back(words(length));
      hypotheses.push_back(words(5));
    }
  }

  std::vector<LengthBucket> buckets(const std::vector<Index>& bounds) const {
    return scores_by_length(references, bleu_counts(hypotheses, references),
                            exact_matches(hypotheses, references, {}), bounds);
  }
  Sizes sizes(const std::vector<Index>& bounds) const {
    Sizes got;
    for (const LengthBucket& bucket : buckets(bounds)) got.emplace_back(bucket.name(), bucket.sentences);
    return got;
  }

  static std::string words(int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += "w" + std::to_string(i) + ", ";
    return text;
  }
};

}  // namespace

TEST_CASE("buckets are ranges of the number of words in the reference", "[bleu]") {
  const OfLengths texts({0, 9, 10, 19, 20, 50, 200});
  const std::vector<LengthBucket> buckets = texts.buckets({10, 20, 30, 40, 50});
  CHECK(texts.sizes({10, 20, 30, 40, 50}) == Sizes{{"<10", 2}, {"10-19", 2}, {"20-29", 1}, {">=50", 2}});
  CHECK(texts.sizes({1, 9, 10, 51}) == Sizes{{"<1", 1}, {"9", 1}, {"10-50", 4}, {">=51", 1}});
  CHECK(texts.sizes({1000}) == Sizes{{"<1000", 7}});
  CHECK(texts.sizes({}) == Sizes{{">=0", 7}});
  CHECK(buckets[1].bleu.score ==
        corpus_bleu({texts.hypotheses[2], texts.hypotheses[3]}, {texts.references[2], texts.references[3]})
            .score);
  CHECK(buckets[1].bleu.score > buckets[2].bleu.score);
  CHECK_ERROR(scores_by_length(texts.references, {}, {}, {10}), "7 references, but counts of 0 sentences");
}

TEST_CASE("without blanks between words, the words of BLEU count", "[bleu]") {
  const Texts chinese{"我有一只狗。", "好"};
  const auto sizes = [&](BleuTokeniser tokeniser) {
    Sizes got;
    for (const LengthBucket& bucket : scores_by_length(
             chinese, bleu_counts(chinese, chinese), exact_matches(chinese, chinese, {}), {2, 6}, tokeniser))
      got.emplace_back(bucket.name(), bucket.sentences);
    return got;
  };
  for (const BleuTokeniser tokeniser : {BleuTokeniser::chinese, BleuTokeniser::character})
    CHECK(sizes(tokeniser) == Sizes{{"<2", 1}, {">=6", 1}});
  CHECK(sizes(BleuTokeniser::mteval_13a) == Sizes{{"<2", 2}});
}

TEST_CASE("a bucket has the share of its sentences that are translated exactly", "[bleu]") {
  const Texts references{"a b", "a  b c", "a", "", "A b c d"},
      hypotheses{"a b ", "a b c", "A", "", "a b c d"};
  const auto counts = bleu_counts(hypotheses, references);
  // The third sentence does not count, and no sentence of four words.
  const ExactMatches exact{true, false, {}, true, {}};
  const auto buckets = scores_by_length(references, counts, exact, {2, 3, 4});
  REQUIRE(buckets.size() == 4);
  CHECK(buckets[0].sentences == 2);
  CHECK(buckets[0].exact_match == 1.0);
  CHECK(buckets[1].exact_match == 1.0);
  CHECK(buckets[2].exact_match == 0.0);
  CHECK_FALSE(buckets[3].exact_match.has_value());
}
