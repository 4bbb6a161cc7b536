// Encoders of images, for the tests over models of every kind.
#include "tests/transformer/captions/support.h"

namespace regard::tests { namespace {

std::vector<NamedModel> image_models() {
  return {combined("convolutions, Transformer", random_image_source, convolutions),
          combined("patches, Transformer", random_image_source, patches)};
}

const AddModels added_image_models(image_models);

}  // namespace

}  // namespace regard::tests
