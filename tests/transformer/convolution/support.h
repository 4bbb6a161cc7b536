#pragma once

// What the tests of encoders of text by convolutions share.

#include "tests/transformer/models.h"
#include "transformer/convolution/text_encoder.h"

namespace regard::tests {

inline std::unique_ptr<Encoder> convolutions_of_text(const Size& size, const Embeddings& embeddings,
                                                     Random& random) {
  return std::make_unique<TextConvolutionalEncoder>(
      TextConvolutionalEncoder::Settings{.layers = 2, .window = 3, .dropout = size.dropout},
      embeddings.source, random);
}

}  // namespace regard::tests
