#include "apps/translation/metrics/bleu.h"

#include <cmath>

#include "apps/translation/metrics/bleu_tokenisers.h"
#include "tests/apps/support.h"

using namespace regard::translation;
using regard::Index;

namespace {

using Words = std::vector<std::string>;

constexpr BleuOptions plain{.tokeniser = BleuTokeniser::none};

}  // namespace

TEST_CASE("BLEU equals a result computed by hand", "[bleu]") {
  // 7 words against 6, so no brevity penalty. In both texts: "the" twice, "cat", "on", "mat", 5 of 7 words;
  // "the cat", "on the", "the mat", 3 of 6 pairs; "on the mat", 1 of 5 triples; none of 4 quadruples, which
  // count as one half.
  const Words hypotheses = {"the cat sat on the mat today"}, references = {"the cat is on the mat"};
  const Bleu result = corpus_bleu(hypotheses, references, plain);
  CHECK(result.precisions[0] == Approx(100 * 5.0 / 7));
  CHECK(result.precisions[1] == Approx(100 * 3.0 / 6));
  CHECK(result.precisions[2] == Approx(100 * 1.0 / 5));
  CHECK(result.precisions[3] == Approx(100 * 0.5 / 4));
  CHECK(result.brevity_penalty == 1);
  CHECK(result.hypothesis_length == 7);
  CHECK(result.reference_length == 6);
  // (5/7 * 3/6 * 1/5 * 1/8)^(1/4) = (1/112)^(1/4)
  CHECK(result.score == Approx(30.7395).margin(1e-4));
  CHECK(result.score == Approx(100 * std::pow(1.0 / 112, 0.25)));
}

TEST_CASE("the BLEU of a corpus comes from summed counts, not from the mean of its sentences", "[bleu]") {
  const Words hypotheses = {"a b c d e", "v w x y"}, references = {"a b c d e", "z y x w v"};
  const std::vector<BleuCounts> counts = bleu_counts(hypotheses, references, plain);
  REQUIRE(counts.size() == 2);
  CHECK(counts[0].matches == std::array<Index, 4>{5, 4, 3, 2});
  CHECK(counts[1].matches == std::array<Index, 4>{4, 0, 0, 0});
  CHECK(counts[1].totals == std::array<Index, 4>{4, 3, 2, 1});
  BleuCounts sum = counts[0];
  sum += counts[1];
  const double score = corpus_bleu(hypotheses, references, plain).score;
  CHECK(bleu(sum).score == score);
  // 9/9, 4/7, 3/5, 2/3; 9 words against 10
  CHECK(score == Approx(100 * std::exp(1 - 10.0 / 9) * std::pow(4.0 / 7 * 3 / 5 * 2 / 3, 0.25)));
  CHECK(score != Approx((bleu(counts[0]).score + bleu(counts[1]).score) / 2).epsilon(0.01));
}

TEST_CASE("BLEU is 100 for the same text and 0 for another", "[bleu]") {
  CHECK(corpus_bleu({"ein roter Hut aus Filz"}, {"ein roter Hut aus Filz"}).score == Approx(100));
  CHECK(corpus_bleu({"a b c d e"}, {"v w x y z"}).score == 0);
  CHECK(corpus_bleu({"a b c"}, {"a b c"}).score == 0);  // no four words in a row
  CHECK(corpus_bleu({""}, {"a b c d"}).score == 0);
  CHECK(corpus_bleu({""}, {"a b c d"}).brevity_penalty == 0);
}

TEST_CASE("13a replaces once, from left to right", "[bleu]") {
  const auto words = [](const std::string& text) { return words_for_bleu(text, {}); };
  CHECK(words("&amp;quot; &amp;lt;") == Words{"&", "quot", ";", "<"});  // in the order of the rules
  CHECK(words("a<ski<skipped>pped>b") == Words{"a", "<", "skipped", ">", "b"});
  CHECK(words("<skipped><skipped>") == Words{});
  CHECK(words("line-\nend two\nlines") == Words{"lineend", "two", "lines"});
  // An implementation that moves the rest of the text for each replacement would take minutes.
  constexpr std::size_t many = 400'000;
  std::string text;
  for (std::size_t i = 0; i < many; ++i) text += "&quot;";
  const bool right = words(text) == Words(many, "\"");  // so that a failure does not print them
  CHECK(right);
}

TEST_CASE("texts with different numbers of lines are refused", "[bleu]") {
  CHECK_ERROR(corpus_bleu({"a", "b"}, {"a"}), "2 hypotheses, but 1 references");
  CHECK_ERROR(corpus_bleu({"f\xFC"}, {"a"}), "not UTF-8 at byte 2");
}

TEST_CASE("buckets are ranges of ten words in the reference", "[bleu]") {
  const auto words = [](int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += "w" + std::to_string(i) + ", ";
    return text;
  };
  Words references, hypotheses;
  for (const int count : {0, 9, 10, 19, 20, 50, 200}) {
    references.push_back(words(count));
    hypotheses.push_back(words(5));  // the length of the hypothesis does not matter
  }
  const std::vector<LengthBucket> buckets = bleu_by_length(references, bleu_counts(hypotheses, references));
  std::vector<std::pair<std::string, Index>> got;
  for (const LengthBucket& bucket : buckets) got.emplace_back(bucket.name(), bucket.sentences);
  CHECK(got ==
        std::vector<std::pair<std::string, Index>>{{"<10", 2}, {"10-19", 2}, {"20-29", 1}, {">=50", 2}});
  CHECK(buckets[1].bleu.score ==
        corpus_bleu({hypotheses[2], hypotheses[3]}, {references[2], references[3]}).score);
  CHECK(buckets[1].bleu.score > buckets[2].bleu.score);
  CHECK_ERROR(bleu_by_length(references, {}), "7 references, but counts of 0 sentences");
}
