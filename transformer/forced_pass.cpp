#include "transformer/forced_pass.h"

#include "autograd/graph.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

ForcedPass forced_pass(EncoderDecoder& model, const Batch& batch) {
  const NoGrad no_grad;
  ForcedPass pass;
  pass.memory = model.encode(batch.source, &pass.weights);
  pass.hidden = model.decode(batch.target_input, pass.memory, &pass.weights);
  return pass;
}

}}}  // namespace regard::REGARD_PRECISION::transformer
