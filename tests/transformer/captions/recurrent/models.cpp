// Encoders of images with recurrent decoders, for the tests over models of every kind.
#include "tests/transformer/captions/support.h"
#include "tests/transformer/recurrent/support.h"

namespace regard::tests { namespace {

std::vector<NamedModel> recurrent_image_models() {
  const MakeDecoder soft = recurrent_decoder({}),
                    none = recurrent_decoder({.kind = RecurrentAttentionKind::none});
  return {combined("convolutions, doubly stochastic attention", random_image_source, convolutions,
                   recurrent_decoder({.doubly_stochastic = 0.5})),
          combined("convolutions, no attention", random_image_source, convolutions, none),
          combined("patches, soft attention", random_image_source, patches, soft),
          combined("patches, no attention", random_image_source, patches, none)};
}

const AddModels added_recurrent_image_models(recurrent_image_models);

}  // namespace

}  // namespace regard::tests
