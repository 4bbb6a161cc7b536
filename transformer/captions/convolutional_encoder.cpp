#include "transformer/captions/convolutional_encoder.h"

#include "autograd/ops.h"
#include "transformer/captions/image.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

Tensor ConvolutionalLayer::operator()(const Tensor& x, Planes& planes) const {
  const Tensor y = conv(x, planes);
  planes = places(planes, conv.window);
  return relu(norm(y));
}

void ConvolutionalLayer::visit(nn::Visitor& visitor) {
  visitor("conv", conv);
  visitor("norm", norm);
}

namespace {
std::vector<ConvolutionalLayer> make_layers(const ImageConfig& image, Random& random) {
  check(image);
  std::vector<ConvolutionalLayer> layers;
  Index in = 3;
  for (std::size_t i = 0; i < image.channels.size(); ++i) {
    const Index out = image.channels[i];
    // With this padding, only the stride makes a plane smaller.
    layers.emplace_back(
        in, out, SlidingWindow{.size = image.window, .stride = image.strides[i], .padding = image.window / 2},
        random);
    in = out;
  }
  return layers;
}
}  // namespace

ConvolutionalEncoder::ConvolutionalEncoder(const Settings& settings, Random& random)
    : layers(make_layers(settings.image, random)),
      positions(settings.image.channels.back(), settings.base),
      projection(settings.image.channels.back(), settings.width, random),
      dropout(settings.dropout),
      reduction_(settings.image.reduction()) {}

Memory ConvolutionalEncoder::encode(const Source& source) {
  auto [x, planes] = read_pixels(source, reduction_, "the product of the strides");
  for (const ConvolutionalLayer& layer : layers) x = layer(x, planes);
  const Tensor rows = linear_relu(positions(x, planes), projection.weight, projection.bias, dropout.next());
  return {.rows = rows, .offsets = offsets_of(planes), .planes = planes};
}

Index ConvolutionalEncoder::length(const Source& source, Index i) const {
  return (source.length(i) - 3) / (reduction_ * reduction_);
}

void ConvolutionalEncoder::visit(nn::Visitor& visitor) {
  visitor("layers", layers);
  visitor("projection", projection);
  visitor(dropout);
}

}}}  // namespace regard::REGARD_PRECISION::transformer
