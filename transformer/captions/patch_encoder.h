#pragma once

#include "nn/convolution/conv2d.h"
#include "nn/layers.h"
#include "transformer/captions/plane_positions.h"
#include "transformer/encoder_decoder.h"
#include "transformer/self_attention/layers.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// The encoder of Dosovitskiy et al. 2021: the image is cut into square patches, a linear map makes a row of
/// each, and the layers of a Transformer encoder follow.
///   x = Dropout(W patch + b + PE)
/// A convolution whose window moves by its own size is that linear map. The paper learns its positions; here
/// PE are sinusoids of the place in the plane (transformer/captions/plane_positions.h), so that images of
/// every size have them. The kind of Config::positions is for tokens and changes nothing here. There is no
/// further row for a class.
class PatchEncoder : public Encoder {
 public:
  PatchEncoder(const Config& config, Index patch_size, Random& random);

  /// Throws Error for a source that is not an image, or whose size is not a multiple of the patch.
  Memory encode(const Source& source) override;
  Index width() const override { return patches.weight.size(0); }
  Index length(const Source& source, Index i) const override;
  void visit(nn::Visitor& visitor) override;

  nn::Conv2d patches;
  nn::PlanePositionalEncoding positions;
  nn::Dropout dropout;
  Stack<EncoderLayer> stack;
};

}}}  // namespace regard::REGARD_PRECISION::transformer
