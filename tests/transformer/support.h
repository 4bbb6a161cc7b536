#pragma once

// What the tests of the Transformer share.

#include <cstdint>
#include <vector>

#include "autograd/machine/real.h"
#include "tests/nn/support.h"
#include "transformer/self_attention/transformer.h"
#include "transformer/transformer.h"

namespace regard::tests {

using namespace regard::transformer;
using Ids = std::vector<std::int32_t>;

/// 2+2 layers of width 8, two heads, no dropout, a joint vocabulary of 11.
inline Config small_config() {
  return {.source_vocabulary = 11,
          .target_vocabulary = 11,
          .d_model = 8,
          .heads = 2,
          .d_ff = 12,
          .encoder_layers = 2,
          .decoder_layers = 2,
          .dropout = DropoutRates::all(0)};
}

/// A model whose parameters are all away from where they start.
inline EncoderDecoder make_model(const Config& config, std::uint64_t seed, double amount = 0.3) {
  Random random(seed);
  EncoderDecoder model = make_transformer(config, random);
  randomise(model, seed + 1, amount);
  return model;
}

/// The parts of a model made by make_transformer.
inline TransformerEncoder& encoder_of(EncoderDecoder& model) {
  return dynamic_cast<TransformerEncoder&>(model.encoder());
}
inline TransformerDecoder& decoder_of(EncoderDecoder& model) {
  return dynamic_cast<TransformerDecoder&>(model.decoder());
}

/// Words, ids from 4 on.
inline Ids random_sentence(std::size_t length, Index vocabulary, Random& random) {
  Ids sentence;
  while (sentence.size() < length)
    sentence.push_back(
        static_cast<std::int32_t>(4 + random.below(static_cast<std::uint64_t>(vocabulary - 4))));
  return sentence;
}

inline std::vector<Ids> random_sentences(const std::vector<std::size_t>& lengths, Index vocabulary,
                                         std::uint64_t seed) {
  Random random(seed);
  std::vector<Ids> sentences;
  for (const std::size_t length : lengths) sentences.push_back(random_sentence(length, vocabulary, random));
  return sentences;
}

/// before, the sentence, after
inline Ids enclosed(const Ids& before, const Ids& sentence, const Ids& after) {
  Ids result = before;
  result.insert(result.end(), sentence.begin(), sentence.end());
  result.insert(result.end(), after.begin(), after.end());
  return result;
}

/// x1 .. xn </s> of each sentence.
inline PackedSequences pack_sources(const std::vector<Ids>& sentences) {
  PackedSequences packed;
  for (const Ids& sentence : sentences) packed.append(enclosed({}, sentence, {sentence_end_id}));
  return packed;
}

/// <s> y1 .. ym of each sentence.
inline PackedSequences pack_targets(const std::vector<Ids>& sentences) {
  PackedSequences packed;
  for (const Ids& sentence : sentences) packed.append(enclosed({sentence_begin_id}, sentence, {}));
  return packed;
}

inline Batch make_batch(const std::vector<Ids>& sources, const std::vector<Ids>& targets) {
  Batch batch{pack_sources(sources), pack_targets(targets), {}};
  for (const Ids& target : targets) {
    batch.target_output.insert(batch.target_output.end(), target.begin(), target.end());
    batch.target_output.push_back(sentence_end_id);
  }
  return batch;
}

/// Rows first .. last of a matrix, the last excluded.
inline Tensor rows(const Tensor& x, Index first, Index last) { return slice(x, 0, first, last); }

}  // namespace regard::tests
