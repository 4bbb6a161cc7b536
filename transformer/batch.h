#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "autograd/kernels/planes.h"
#include "autograd/machine/error.h"
#include "autograd/machine/real.h"
#include "autograd/tensor.h"

// Batches without padding, and the memory that an encoder leaves for a decoder.

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// The ids of the special tokens: <pad> (which is never in a batch), <s>, </s> and <unk>. Words have the ids
/// from first_word_id on.
constexpr std::int32_t padding_id = 0, sentence_begin_id = 1, sentence_end_id = 2, unknown_id = 3,
                       first_word_id = 4;

/// Sentences one after another, without padding: sentence i is ids[offsets[i] .. offsets[i+1]). Only
/// attention, recurrences and convolutions need to know where a sentence begins. They make their own
/// descriptions from the offsets, such as segments() (autograd/kernels/segments.h).
struct PackedSequences {
  std::vector<std::int32_t> ids;
  std::vector<Index> offsets{0};

  Index sentences() const { return to_index(offsets.size()) - 1; }  ///< the number of sentences
  Index tokens() const { return to_index(ids.size()); }             ///< in all sentences
  /// The tokens of one sentence.
  Index length(Index sentence) const { return offsets[to_size(sentence) + 1] - offsets[to_size(sentence)]; }

  /// Adds a sentence at the end.
  void append(std::span<const std::int32_t> sentence) {
    ids.insert(ids.end(), sentence.begin(), sentence.end());
    offsets.push_back(tokens());
  }
};

/// The position of each token within its sentence: 0, 1, 2, … in each. Throws Error if the offsets do not
/// cover the ids.
std::vector<std::int32_t> positions(const PackedSequences& sequences);

/// The input of an encoder: sentences, each with </s> at its end.
using Source = PackedSequences;

/// The data of a training step: source x1 .. xn </s>; decoder input <s> y1 .. ym; target y1 .. ym </s>.
struct Batch {
  Source source;
  PackedSequences target_input;
  std::vector<std::int32_t> target_output;

  /// Adds a pair of sentences, given without special tokens.
  void append(std::span<const std::int32_t> sentence, std::span<const std::int32_t> translation);
};

/// A sentence with </s> at its end, as an encoder reads it.
inline std::vector<std::int32_t> with_end(std::vector<std::int32_t> sentence) {
  sentence.push_back(sentence_end_id);
  return sentence;
}

/// Sentences without </s> as the input of an encoder.
Source pack_sources(std::span<const std::vector<std::int32_t>> sentences);

/// The batch of these pairs, given without special tokens. Throws Error unless each sentence has one
/// translation.
Batch make_batch(std::span<const std::vector<std::int32_t>> sentences,
                 std::span<const std::vector<std::int32_t>> translations);

/// The output of an encoder (Encoder::encode) and the input of a decoder (Decoder::decode and
/// Decoder::begin): one row per position of each source, packed like every batch here. For a sentence, a
/// position is a token.
struct Memory {
  Tensor rows;                 ///< [positions, width]
  std::vector<Index> offsets;  ///< source i has the rows offsets[i] .. offsets[i + 1]
  /// States from which a decoder may begin, [sources, width of the state] each, such as the last state of a
  /// recurrent encoder. Empty if the encoder has none.
  std::vector<Tensor> final_states = {};
  /// One entry per source if its positions lie in a plane, row by row, as those of an image; empty if they
  /// lie in a line.
  Planes planes = {};

  Index sources() const { return static_cast<Index>(offsets.size()) - 1; }  ///< the number of sources
};

}}}  // namespace regard::REGARD_PRECISION::transformer
