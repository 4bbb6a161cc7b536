// The encoder of text by convolutions, for the tests over models of every kind.
#include "tests/transformer/convolution/support.h"

namespace regard::tests { namespace {

std::vector<NamedModel> text_models() {
  return {combined("convolutions of text", nullptr, convolutions_of_text)};
}

const AddModels added_text_models(text_models);

}  // namespace

}  // namespace regard::tests
