// The paired bootstrap; sacrebleu_of_more_test.cpp compares its numbers with sacreBLEU's.
#include "apps/more_measures/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "apps/random.h"
#include "apps/translation/metrics/bleu.h"
#include "tests/apps/support.h"

using namespace regard::translation;
using regard::Index;

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
