#include "apps/subwords/subword_regularisation.h"

#include <utility>

#include "autograd/machine/cut.h"
#include "autograd/machine/error.h"
#include "autograd/machine/parallel.h"
#include "autograd/machine/random.h"

namespace regard::translation {
namespace {

enum class Side : std::uint32_t { source, target };

/// Returns the seed of one sentence in one epoch. The value of `call` separates it from dropout's random
/// numbers, because dropout counts its calls from 0.
std::uint32_t seed_of(std::uint64_t seed, Index epoch, Index line, Side side) {
  return static_cast<std::uint32_t>(RandomStream{.seed = seed,
                                                 .step = static_cast<std::uint32_t>(epoch),
                                                 .part = static_cast<std::uint32_t>(line),
                                                 .layer = static_cast<std::uint32_t>(side),
                                                 .call = 0xFFFFFFFF}
                                        .key());
}

void check_type(SubwordType type, const SubwordSettings& settings) {
  if (type == SubwordType::unigram) return;
  if (type != SubwordType::bpe)
    fail("data.subwords.sampling needs a model of type bpe or unigram, not {}", to_string(type));
  if (settings.sampling > 1)
    fail("with a model of type bpe, data.subwords.sampling is a probability, but it is {}; give at most 1",
         settings.sampling);
  if (settings.sampling_n_best != -1)
    fail("data.subwords.sampling_n_best {} needs a model of type unigram; this model is of type bpe",
         settings.sampling_n_best);
}

}  // namespace

SubwordRegularisation::SubwordRegularisation(const ParallelText& text, const ParallelCorpus& corpus,
                                             const SubwordTokeniser& tokeniser,
                                             const SubwordSettings& settings, const SentenceLimits& limits)
    : tokeniser_(tokeniser), settings_(settings), limits_(limits) {
  check_type(tokeniser.type(), settings);
  for (const Index line : corpus.lines) {
    source_.push_back(text.source[to_size(line)]);
    target_.push_back(text.target[to_size(line)]);
  }
}

ParallelCorpus SubwordRegularisation::sample(const ParallelCorpus& plain, std::uint64_t seed,
                                             Index epoch) const {
  if (plain.lines.size() != source_.size())
    fail("the sampling of subwords has {} sentence pairs, but the corpus has {}", source_.size(),
         plain.lines.size());
  ParallelCorpus corpus = plain;
  const auto cut_again = [&](std::vector<std::int32_t>& ids, const std::string& text, Index line, Side side) {
    std::vector<std::int32_t> sampled = tokeniser_.sample(text, settings_.sampling, settings_.sampling_n_best,
                                                          seed_of(seed, epoch, line, side));
    if (to_index(sampled.size()) <= (side == Side::source ? limits_.source : limits_.target))
      ids = std::move(sampled);
  };
  constexpr Index work_of_a_pair = 1024;  // numbers, about
  parallel_for(corpus.pairs(), block_size(corpus.pairs(), work_of_a_pair), [&](Index begin, Index end) {
    for (auto i = to_size(begin); i < to_size(end); ++i) {
      cut_again(corpus.source[i], source_[i], plain.lines[i], Side::source);
      cut_again(corpus.target[i], target_[i], plain.lines[i], Side::target);
    }
  });
  return corpus;
}

}  // namespace regard::translation
