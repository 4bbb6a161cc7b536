#include "nn/dropout.h"

#include <atomic>

#include "autograd/machine/error.h"

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

Dropout::Dropout(double probability) : probability_(static_cast<Real>(probability)) {
  if (!(probability_ >= 0 && probability_ < 1))
    fail("dropout: probability {} must be at least 0 and below 1{}", probability,
         probability < 1 && probability_ == 1 ? ", but it rounds to 1" : "");
  // Until set_random numbers the layers of a model, each layer made gets a number of its own.
  static std::atomic<std::uint32_t> layers_made{0};
  stream_ = {.seed = default_seed(), .layer = layers_made++};
}

void set_random(const std::vector<Dropout*>& dropouts, RandomStream stream) {
  stream.layer = 0;
  for (Dropout* const layer : dropouts) {
    layer->set_random(stream);
    ++stream.layer;
  }
}

}}}  // namespace regard::REGARD_PRECISION::nn
