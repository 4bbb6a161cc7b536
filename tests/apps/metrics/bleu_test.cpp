// The sums and buckets of BLEU, the paired bootstrap, and scores by the length of the reference;
// sacrebleu_test.cpp compares their numbers with sacreBLEU's.
#include "apps/translation/metrics/bleu.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "apps/random.h"
#include "apps/translation/metrics/bleu_tokenisers.h"
#include "apps/translation/metrics/bootstrap.h"
#include "apps/translation/metrics/lengths.h"
#include "tests/apps/support.h"
#include "tests/catch.h"

using namespace regard::translation;
using regard::Index;
using Texts = std::vector<std::string>;

namespace {

using Words = std::vector<std::string>;

constexpr BleuOptions plain{.tokeniser = BleuTokeniser::none};

}  // namespace

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

TEST_CASE("text without blanks between words is noticed, unless the tokeniser cuts it", "[bleu]") {
  const Words japanese{"彼は昨日、新しい本を三冊買いました。", "犬が庭で走っている。"},
      chinese{"我们明天去北京看朋友。", "他不喜欢喝咖啡。"}, thai{"ฉันชอบอ่านหนังสือที่บ้าน"};
  for (const Words& text : {japanese, chinese, thai}) {
    CHECK(lacks_blanks(text, {}));
    CHECK(lacks_blanks(text, {.tokeniser = BleuTokeniser::intl}));
    CHECK(lacks_blanks(text, plain));
    CHECK_FALSE(lacks_blanks(text, {.tokeniser = BleuTokeniser::character}));
  }
  CHECK_FALSE(lacks_blanks({"我们 明天 去 北京 看 朋友 。"}, plain));
  CHECK_FALSE(lacks_blanks({"나는 학생입니다.", "Rechtsschutzversicherungsgesellschaften"}, {}));
  CHECK_FALSE(lacks_blanks({"The Chinese for we go tomorrow is 我们明天去北京看朋友 in a text."}, {}));
  CHECK_FALSE(lacks_blanks({"", "。"}, {}));
}

TEST_CASE("a hundred sentences that end in a separate full stop look tokenised", "[bleu]") {
  Words sentences(99, "a b .");
  sentences.insert(sentences.end(), {"a b.", ".", "a b . "});
  CHECK_FALSE(looks_tokenised(sentences, {}));
  sentences.emplace_back("a .");
  CHECK(looks_tokenised(sentences, {}));
  CHECK(looks_tokenised(sentences, {.tokeniser = BleuTokeniser::intl}));
  CHECK_FALSE(looks_tokenised(sentences, plain));
  CHECK_FALSE(looks_tokenised(sentences, {.tokeniser = BleuTokeniser::character}));
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

namespace {

/// Random sentences of four to nine words from a small vocabulary.
std::vector<std::string> random_sentences(std::uint64_t seed, std::size_t count) {
  regard::SplitMix64 random(seed);
  std::vector<std::string> sentences(count);
  for (std::string& sentence : sentences)
    for (std::uint64_t left = 4 + random.below(6); left > 0; --left)
      sentence += "w" + std::to_string(random.below(6)) + " ";
  return sentences;
}

/// The sum of the values of a sample's sentences.
SampleScore sum_of(const std::vector<double>& values) {
  return [values](std::span<const std::size_t> sentences) {
    double sum = 0;
    for (const std::size_t i : sentences) sum += values[i];
    return sum;
  };
}

}  // namespace

TEST_CASE("the score of a sample equals the score of the same corpus as text", "[bootstrap]") {
  constexpr std::size_t sentences = 30;
  constexpr Index samples = 200;
  const auto references = random_sentences(1, sentences), system = random_sentences(2, sentences),
             baseline = random_sentences(3, sentences);
  const auto system_counts = bleu_counts(system, references);
  const auto baseline_counts = bleu_counts(baseline, references);
  const auto score = [](const BleuCounts& counts) { return bleu(counts).score; };
  const PairedBootstrap result =
      paired_bootstrap(sentences, sample_score(system_counts, score), sample_score(baseline_counts, score),
                       {.samples = samples, .seed = 7});

  regard::SplitMix64 random(7);
  std::vector<double> ours, theirs, differences;
  double system_sum = 0, difference_sum = 0;
  Index wins = 0, losses = 0;
  for (Index i = 0; i < samples; ++i) {
    std::vector<std::string> sampled_references, sampled_system, sampled_baseline;
    for (std::size_t j = 0; j < sentences; ++j) {
      const std::uint64_t drawn = random.below(sentences);
      sampled_references.push_back(references[drawn]);
      sampled_system.push_back(system[drawn]);
      sampled_baseline.push_back(baseline[drawn]);
    }
    ours.push_back(corpus_bleu(sampled_system, sampled_references).score);
    theirs.push_back(corpus_bleu(sampled_baseline, sampled_references).score);
    wins += ours.back() > theirs.back();
    losses += ours.back() < theirs.back();
    system_sum += ours.back();
    differences.push_back(std::abs(ours.back() - theirs.back()));
    difference_sum += differences.back();
  }
  CHECK(result.system.score == corpus_bleu(system, references).score);
  CHECK(result.baseline.score == corpus_bleu(baseline, references).score);
  CHECK(result.system.mean == Approx(system_sum / samples));
  CHECK(result.system_wins == static_cast<double>(wins) / samples);
  CHECK(result.baseline_wins == static_cast<double>(losses) / samples);
  CHECK(wins > 10);
  CHECK(losses > 10);
  std::sort(ours.begin(), ours.end());
  CHECK(result.system.half_width == (ours[samples - 1 - 5] - ours[5]) / 2);  // 5 is 2.5 % of 200
  int larger = 0;
  const double observed = std::abs(result.system.score - result.baseline.score);
  for (const double difference : differences) larger += difference - difference_sum / samples > observed;
  CHECK(result.p_value == (larger + 1.0) / (samples + 1));
}

TEST_CASE("a difference in every sentence is significant, a difference with changing sign is not",
          "[bootstrap]") {
  std::vector<double> base(100), better(100), noisy(100);
  for (std::size_t i = 0; i < base.size(); ++i) {
    base[i] = static_cast<double>(i % 7);
    better[i] = base[i] + 1;
    noisy[i] = base[i] + (i % 2 == 0 ? 5 : -4.8);
  }
  const PairedBootstrap clear = paired_bootstrap(100, sum_of(better), sum_of(base));
  CHECK(clear.p_value == 1.0 / 1001);
  CHECK(clear.system_wins == 1);
  CHECK(clear.baseline_wins == 0);
  const PairedBootstrap chance = paired_bootstrap(100, sum_of(noisy), sum_of(base));
  CHECK(chance.p_value > 0.2);
  CHECK(chance.system_wins > 0.5);
  CHECK(chance.baseline_wins > 0.3);
  CHECK(chance.system_wins + chance.baseline_wins <= 1);
  CHECK(paired_bootstrap(100, sum_of(base), sum_of(base)).p_value == 1);  // no difference at all
}

TEST_CASE("a bootstrap treats both outputs equally and is repeatable", "[bootstrap]") {
  const std::vector<double> a = {1, 5, 2, 8, 3, 9, 4}, b = {2, 4, 3, 7, 4, 8, 6};
  const PairedBootstrap one = paired_bootstrap(7, sum_of(a), sum_of(b), {.samples = 100, .seed = 3});
  const PairedBootstrap again = paired_bootstrap(7, sum_of(a), sum_of(b), {.samples = 100, .seed = 3});
  const PairedBootstrap turned = paired_bootstrap(7, sum_of(b), sum_of(a), {.samples = 100, .seed = 3});
  const PairedBootstrap other = paired_bootstrap(7, sum_of(a), sum_of(b), {.samples = 100, .seed = 4});
  CHECK(one.system.mean == again.system.mean);
  CHECK(one.p_value == again.p_value);
  CHECK(turned.baseline.mean == one.system.mean);
  CHECK(turned.system_wins == one.baseline_wins);
  CHECK(turned.p_value == one.p_value);
  CHECK(other.system.mean != one.system.mean);
}

TEST_CASE("a bootstrap without sentences or samples is refused", "[bootstrap]") {
  CHECK_ERROR(paired_bootstrap(0, sum_of({}), sum_of({})), "1000 samples of 0 sentences");
  CHECK_ERROR(paired_bootstrap(1, sum_of({1}), sum_of({1}), {.samples = 0}), "0 samples of 1 sentences");
}

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

TEST_CASE("a bucket has the share of its sentences that are translated exactly", "[bleu]") {
  const Texts references{"a b", "a  b c", "a", "", "A b c d"},
      hypotheses{"a b ", "a b c", "A", "", "a b c d"};
  const BleuOptions mixed, lower{.lowercase = true};
  CHECK(exact_matches(hypotheses, references, mixed) == ExactMatches{true, true, false, true, false});
  CHECK(exact_matches(hypotheses, references, lower) == ExactMatches(5, true));
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
  CHECK(exact_match(exact) == 2.0 / 3);
  CHECK_FALSE(exact_match({}).has_value());
}
