#include "apps/translation/subwords/subword_regularisation.h"

#include <cstddef>
#include <exception>
#include <mutex>

#include "autograd/error.h"
#include "autograd/parallel.h"

namespace regard::translation {
namespace {

enum class Side : std::uint32_t { source, target };

/// Returns the random numbers of one sentence in one epoch. The value of `call` separates them from dropout's
/// random numbers, because dropout counts its calls from 0.
Random random_numbers(std::uint64_t seed, Index epoch, Index line, Side side) {
  return Random(RandomStream{.seed = seed,
                             .step = static_cast<std::uint32_t>(epoch),
                             .part = static_cast<std::uint32_t>(line),
                             .layer = static_cast<std::uint32_t>(side),
                             .call = 0xFFFFFFFF}
                    .key());
}

}  // namespace

SubwordRegularisation::SubwordRegularisation(const ParallelText& text, const ParallelCorpus& corpus,
                                             const SubwordTokeniser& tokeniser,
                                             const SubwordSettings& settings)
    : sampler_(make_subword_sampler(tokeniser.pieces(), settings.sampling, settings.sampling_n_best)) {
  for (const Index line : corpus.lines) {
    source_.push_back(tokeniser.normalise(text.source[to_size(line)]));
    target_.push_back(tokeniser.normalise(text.target[to_size(line)]));
  }
}

ParallelCorpus SubwordRegularisation::sample(const ParallelCorpus& plain, std::uint64_t seed,
                                             Index epoch) const {
  if (plain.lines.size() != source_.size())
    fail("the sampling of subwords has {} sentence pairs, but the corpus has {}", source_.size(),
         plain.lines.size());
  ParallelCorpus corpus = plain;
  const auto sample_pair = [&](std::size_t i) {
    Random source = random_numbers(seed, epoch, plain.lines[i], Side::source);
    corpus.source[i] = sampler_->sample(source_[i], source);
    Random target = random_numbers(seed, epoch, plain.lines[i], Side::target);
    corpus.target[i] = sampler_->sample(target_[i], target);
  };
  // The body of a parallel_for must not throw, but memory may run out.
  std::exception_ptr error;
  std::mutex error_mutex;
  constexpr Index grain = 64;  // sentences per task: enough work to make the cost of a task small
  parallel_for(corpus.pairs(), grain, [&](Index begin, Index end) {
    try {
      for (Index i = begin; i < end; ++i) sample_pair(to_size(i));
    } catch (...) {
      const std::scoped_lock lock(error_mutex);
      error = std::current_exception();
    }
  });
  if (error) std::rethrow_exception(error);
  return corpus;
}

const ParallelCorpus& EpochCorpus::at(Index epoch) {
  if (!regularisation_) return plain_;
  sampled_ = regularisation_->sample(plain_, seed_, epoch);
  return sampled_;
}

}  // namespace regard::translation
