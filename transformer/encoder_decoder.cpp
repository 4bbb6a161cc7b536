#include "transformer/encoder_decoder.h"

#include <numeric>
#include <utility>
#include <vector>

#include "autograd/graph.h"
#include "autograd/machine/error.h"

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
    if (continuation.tokens.empty())
      fail("decoding: a continuation of hypothesis {} has no token; leave it out", continuation.parent);
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

EncoderDecoder::EncoderDecoder(std::shared_ptr<Encoder> encoder, std::shared_ptr<Decoder> decoder,
                               Generator projection)
    : generator(std::move(projection)), encoder_(std::move(encoder)), decoder_(std::move(decoder)) {
  if (encoder_->width() != decoder_->memory_width())
    fail("the encoder's memory has width {}, but the decoder reads width {}", encoder_->width(),
         decoder_->memory_width());
  const Tensor &weight = generator.weight, &bias = generator.bias;
  if (weight && (weight.rank() != 2 || weight.size(1) != decoder_->width()))
    fail("the projection of shape {} must be [target vocabulary, {}]: the decoder's output has width {}",
         to_string(weight.shape()), decoder_->width(), decoder_->width());
  if (bias && bias.shape() != Shape{target_vocabulary()})
    fail("the projection's bias of shape {} must be [{}], a number for each token", to_string(bias.shape()),
         target_vocabulary());
}

std::unique_ptr<DecodingState> EncoderDecoder::begin(const Source& source) {
  const NoGrad no_grad;
  return decoder_->begin(encode(source));
}

void EncoderDecoder::visit(nn::Visitor& visitor) {
  encoder_->visit_embedding(visitor);
  decoder_->visit_embedding(visitor);
  if (generator.weight) visitor("generator", generator);
  visitor("encoder", *encoder_);
  visitor("decoder", *decoder_);
}

}}}  // namespace regard::REGARD_PRECISION::transformer
