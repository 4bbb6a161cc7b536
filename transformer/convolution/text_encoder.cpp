#include "transformer/convolution/text_encoder.h"

#include "autograd/machine/error.h"
#include "autograd/ops.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

std::vector<std::int32_t> windows_of_tokens(const std::vector<Index>& offsets, Index window) {
  const Index beyond = offsets.back();
  std::vector<std::int32_t> rows;
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
    for (Index token = offsets[i]; token < offsets[i + 1]; ++token)
      for (Index row = token - window / 2; row <= token + window / 2; ++row) {
        const bool inside = offsets[i] <= row && row < offsets[i + 1];
        rows.push_back(static_cast<std::int32_t>(inside ? row : beyond));
      }
  return rows;
}

Tensor TextConvolutionalLayer::operator()(const Tensor& x, std::span<const std::int32_t> windows) {
  const Index tokens = x.size(0), width = x.size(1);
  const Tensor with_zeros = concat({dropout(x), Tensor::zeros({1, width})}, 0);
  const Tensor under_windows = reshape(gather(with_zeros, 0, windows), {tokens, linear.weight.size(1)});
  const Tensor both = linear(under_windows);
  return x + slice(both, 1, 0, width) * sigmoid(slice(both, 1, width, 2 * width));
}

void TextConvolutionalLayer::visit(nn::Visitor& visitor) {
  visitor(dropout);
  visitor("linear", linear);
}

TextConvolutionalEncoder::TextConvolutionalEncoder(const Settings& settings, const nn::Embedding& embedding,
                                                   Random& random)
    : input(embedding, settings.positions, settings.embedding_dropout, random), window_(settings.window) {
  if (window_ < 1 || window_ % 2 == 0)
    fail("text_window is {}; a window of tokens needs an odd number, with the token in its middle", window_);
  for (Index i = 0; i < settings.layers; ++i) layers.emplace_back(width(), window_, settings.dropout, random);
}

Memory TextConvolutionalEncoder::encode(const Source& source) {
  const std::vector<std::int32_t> windows = windows_of_tokens(source.offsets, window_);
  Tensor x = input(source);
  for (TextConvolutionalLayer& layer : layers) x = layer(x, windows);
  return {.rows = x, .offsets = source.offsets};
}

void TextConvolutionalEncoder::visit(nn::Visitor& visitor) {
  input.visit_positions(visitor);
  visitor("layers", layers);
}

}}}  // namespace regard::REGARD_PRECISION::transformer
