#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "apps/translation/corpus/corpus.h"
#include "apps/translation/corpus/mixture.h"
#include "autograd/machine/real.h"
#include "transformer/batch.h"
#include "transformer/encoder_decoder.h"

// Batches of pairs: which pairs come together, in which order, and their packing.

namespace regard::translation {

/// Tokens of a sentence pair, without special tokens. For an image, `source` is the number of positions of
/// its memory.
struct PairLength {
  Index source = 0;
  Index target = 0;
};

/// The length of a source without </s>, as an encoder counts it (Encoder::length).
Index source_length(const transformer::Encoder& encoder, const std::vector<std::int32_t>& source);

/// With an encoder, the sources have the lengths that it tells (Encoder::length); without one they are
/// sentences.
std::vector<PairLength> pair_lengths(const ParallelCorpus& corpus,
                                     const transformer::Encoder* encoder = nullptr);

/// The pairs of each batch, as positions in the corpus.
using BatchPlan = std::vector<std::vector<std::size_t>>;

/// The usual limit of a batch (training.batch_tokens), also where nothing is learnt.
inline constexpr Index default_batch_tokens = 4096;

/// Puts every pair of an epoch into one batch; with a mixture, as often as that says. A batch holds pairs of
/// similar length, and the batches come in random order. It has at most `tokens` tokens on either side, </s>
/// counted; there is no padding to count (where batches are padded, this is about fairseq's --max-tokens). A
/// pair that is longer is a batch alone. The plan depends only on the arguments, so it is the same on every
/// machine.
BatchPlan plan_epoch(std::span<const PairLength> lengths, Index tokens, std::uint64_t seed, Index epoch,
                     const Mixture& mixture = {});

/// Reads a plan from a file. Each of its lines is a JSON list of line numbers of the corpus; they count from
/// 0. Throws Error that names the line of the file if a list is malformed, or if a number is outside the
/// corpus or belongs to a pair that was dropped.
BatchPlan read_batch_plan(const std::string& path, const ParallelCorpus& corpus);

/// Packs pairs and adds the special tokens. Throws Error for a position outside the corpus.
transformer::Batch make_batch(const ParallelCorpus& corpus, std::span<const std::size_t> pairs);

}  // namespace regard::translation
