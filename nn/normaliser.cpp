#include "nn/normaliser.h"

#include "autograd/error.h"

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

Tensor normalise(Normaliser normaliser, const Tensor& scores, const KeyRanges& ranges) {
  switch (normaliser) {
    case Normaliser::softmax:
      return range_softmax(scores, ranges);
    case Normaliser::sparsemax:
      return range_sparsemax(scores, ranges);
    case Normaliser::relu:
      return range_relu(scores, ranges);
    case Normaliser::sigmoid:
      return range_sigmoid(scores, ranges);
  }
  fail("attention: there is no normaliser {}", static_cast<int>(normaliser));
}

}}}  // namespace regard::REGARD_PRECISION::nn
