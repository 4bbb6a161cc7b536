#include "transformer/encoder_decoder.h"

#include <numeric>
#include <utility>
#include <vector>

#include "autograd/error.h"
#include "autograd/graph.h"
#include "autograd/ops.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

DecodingState::DecodingState(Index sources) : sources_(to_size(sources)) {
  std::iota(sources_.begin(), sources_.end(), Index{0});
}

Tensor DecodingState::advance(const std::vector<Continuation>& continuations) {
  const Span span("DecodingState::advance", Span::Kind::other);  // its own time: the caches
  const NoGrad no_grad;
  std::vector<Index> sources;
  for (const Continuation& continuation : continuations) {
    if (continuation.parent < 0 || continuation.parent >= to_index(sources_.size()))
      fail("decoding: there is no hypothesis {} to continue, only {}", continuation.parent, sources_.size());
    const Index source = sources_[to_size(continuation.parent)];
    if (!sources.empty() && source < sources.back())
      fail("decoding: sentence {} comes after sentence {}; give continuations in the order of sentences",
           source, sources.back());
    sources.push_back(source);
  }
  Tensor output = step(continuations, sources);
  sources_ = std::move(sources);
  return output;
}

EncoderDecoder::EncoderDecoder(std::unique_ptr<Encoder> encoder, std::unique_ptr<Decoder> decoder,
                               Generator projection)
    : generator(std::move(projection.weight)),
      generator_bias(std::move(projection.bias)),
      first_predicted_(projection.first_predicted),
      encoder_(std::move(encoder)),
      decoder_(std::move(decoder)) {
  if (encoder_->width() != decoder_->memory_width())
    fail("the encoder's memory has width {}, but the decoder reads width {}", encoder_->width(),
         decoder_->memory_width());
  if (generator.rank() != 2 || generator.size(1) != decoder_->width())
    fail("the projection of shape {} must be [target vocabulary, {}]: the decoder's output has width {}",
         to_string(generator.shape()), decoder_->width(), decoder_->width());
  if (generator_bias && generator_bias.shape() != Shape{target_vocabulary()})
    fail("the projection's bias of shape {} must be [{}], a number for each token",
         to_string(generator_bias.shape()), target_vocabulary());
  if (first_predicted_ < 0 || first_predicted_ > sentence_end_id)
    fail("first_predicted is {}; a softmax may leave out <pad> and <s> (2), but no other token",
         first_predicted_);
}

Tensor EncoderDecoder::loss(const Batch& batch, const CrossEntropyOptions& options) {
  std::vector<LossTerm> terms;
  const Tensor rows = decoder_->decode_to_train(batch.target_input, encode(batch.source), terms);
  if (terms.empty()) return cross_entropy(rows, batch.target_output, options);
  Tensor log_probabilities;
  CrossEntropyOptions with_probabilities = options;
  with_probabilities.log_probabilities = &log_probabilities;
  Tensor loss = cross_entropy(rows, batch.target_output, with_probabilities);
  const Index divide_by = options.divide_by > 0 ? options.divide_by : batch.target_input.tokens();
  for (const LossTerm& term : terms) loss = loss + term(log_probabilities, divide_by);
  return loss;
}

Tensor EncoderDecoder::hidden(const Batch& batch, AttentionWeights* weights) {
  return decode(batch.target_input, encode(batch.source, weights), weights);
}

Memory EncoderDecoder::encode(const Source& source, AttentionWeights* weights) {
  return encoder_->encode(source, weights);
}

Tensor EncoderDecoder::decode(const PackedSequences& target, const Memory& memory,
                              AttentionWeights* weights) {
  return decoder_->decode(target, memory, weights);
}

/// The bias with which tokens that are not predicted get the probability 0.
Tensor EncoderDecoder::excluding_bias() const {
  if (first_predicted_ == 0) return generator_bias;
  constexpr Real no_logit = Real(-1e30);  // finite, so that a search may look for NaN and infinity
  const Index first = first_predicted_, vocabulary = target_vocabulary();
  const Tensor others =
      generator_bias ? slice(generator_bias, 0, first, vocabulary) : Tensor::zeros({vocabulary - first});
  return concat({Tensor::full({first}, no_logit), others}, 0);
}

Tensor EncoderDecoder::project(const Tensor& hidden) const {
  return linear(hidden, generator, excluding_bias());
}

Tensor EncoderDecoder::cross_entropy(const Tensor& hidden, std::span<const std::int32_t> targets,
                                     const CrossEntropyOptions& options) const {
  // A packed weight has no part without these tokens; it is not for training, so nothing is smoothed over
  // them.
  if (first_predicted_ == 0 || generator.form())
    return linear_cross_entropy(hidden, generator, excluding_bias(), targets, options);
  const Index first = first_predicted_, vocabulary = target_vocabulary();
  std::vector<std::int32_t> rows(targets.begin(), targets.end());
  for (std::int32_t& row : rows) row -= static_cast<std::int32_t>(first);
  return linear_cross_entropy(hidden, slice(generator, 0, first, vocabulary),
                              generator_bias ? slice(generator_bias, 0, first, vocabulary) : Tensor(), rows,
                              options);
}

std::unique_ptr<DecodingState> EncoderDecoder::begin(const Source& source) {
  const NoGrad no_grad;
  return decoder_->begin(encode(source));
}

void EncoderDecoder::visit(nn::Visitor& visitor) {
  encoder_->visit_embedding(visitor);
  decoder_->visit_embedding(visitor);
  visitor("generator.weight", generator, nn::Use::product);
  if (generator_bias) visitor("generator.bias", generator_bias);
  visitor("encoder", *encoder_);
  visitor("decoder", *decoder_);
}

}}}  // namespace regard::REGARD_PRECISION::transformer
