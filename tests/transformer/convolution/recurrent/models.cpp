// The encoder of text by convolutions with a recurrent decoder, for the tests over models of every kind.
#include "tests/transformer/convolution/support.h"
#include "tests/transformer/recurrent/support.h"

namespace regard::tests { namespace {

std::vector<NamedModel> recurrent_text_models() {
  return {combined("convolutions of text, recurrent", nullptr, convolutions_of_text, recurrent_decoder({}))};
}

const AddModels added_recurrent_text_models(recurrent_text_models);

}  // namespace

}  // namespace regard::tests
