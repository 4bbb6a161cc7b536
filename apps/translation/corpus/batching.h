#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "apps/translation/corpus/batch_settings.h"
#include "apps/translation/corpus/corpus.h"
#include "autograd/index.h"
#include "transformer/batch.h"

namespace regard::translation {

/// Tokens of a sentence pair, special tokens not counted.
struct PairLength {
  Index source = 0;
  Index target = 0;
};

std::vector<PairLength> pair_lengths(const ParallelCorpus& corpus);

/// The pairs of each batch, as positions in the corpus.
using BatchPlan = std::vector<std::vector<std::size_t>>;

/// Every pair once, in an order that depends on nothing but the arguments: the same on every machine. A pair
/// that is larger than the budget makes a batch of its own.
BatchPlan plan_epoch(std::span<const PairLength> lengths, const BatchSettings& settings, std::uint64_t seed,
                     Index epoch);

/// Reads a plan from a file with a JSON list of line numbers of the corpus, from 0, on each line. Throws
/// Error naming the line of the file where one is malformed, outside the corpus, or of a pair that was
/// dropped.
BatchPlan read_batch_plan(const std::string& path, const ParallelCorpus& corpus);

/// Packs pairs and adds the special tokens. Throws Error for a position outside the corpus.
transformer::Batch make_batch(const ParallelCorpus& corpus, std::span<const std::size_t> pairs);

}  // namespace regard::translation
