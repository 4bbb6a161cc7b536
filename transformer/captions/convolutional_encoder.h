#pragma once

#include <vector>

#include "nn/convolution/conv2d.h"
#include "nn/layers.h"
#include "transformer/captions/image_config.h"
#include "transformer/captions/plane_positions.h"
#include "transformer/encoder_decoder.h"

// The encoder of images made of convolutions.

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// One layer of the convolutional encoder:
///   x = max(0, LayerNorm(conv(x)))
/// The norm is over the channels of one pixel. A batch norm (Ioffe and Szegedy 2015) would take mean and
/// variance from all images of the batch, so the features of an image would depend on its company, and
/// training and use would compute different functions.
class ConvolutionalLayer : public nn::Module {
 public:
  ConvolutionalLayer(Index in, Index out, const SlidingWindow& window, Random& random)
      : conv(in, out, window, random), norm(out) {}
  /// x[pixels, in] of these planes; the planes become those of the result.
  Tensor operator()(const Tensor& x, Planes& planes) const;
  void visit(nn::Visitor& visitor) override;

  nn::Conv2d conv;
  nn::LayerNorm norm;
};

/// Convolutional layers over the pixels of an image, then
///   memory = Dropout(max(0, W (x + PE) + b))
/// with the encoding PE of the place in the plane (transformer/captions/plane_positions.h). The sum comes
/// before a nonlinear function, so that a feature and its place meet in one number: then even the mean of the
/// memory knows what is where. The memory has one row for each position of the last map of features, and its
/// planes.
class ConvolutionalEncoder : public Encoder {
 public:
  struct Settings {
    ImageConfig image = {};
    Index width;          ///< of the memory
    double dropout = 0;   ///< on the memory
    double base = 10000;  ///< of the positions
  };
  /// Throws Error if the settings do not go together (check).
  ConvolutionalEncoder(const Settings& settings, Random& random);

  /// Throws Error for a source that is not an image, or whose size is not a multiple of the product of the
  /// strides.
  Memory encode(const Source& source) override;
  Index width() const override { return projection.weight.size(0); }
  Index length(const Source& source, Index i) const override;
  void visit(nn::Visitor& visitor) override;

  std::vector<ConvolutionalLayer> layers;
  nn::PlanePositionalEncoding positions;
  nn::Linear projection;
  nn::Dropout dropout;

 private:
  Index reduction_;
};

}}}  // namespace regard::REGARD_PRECISION::transformer
