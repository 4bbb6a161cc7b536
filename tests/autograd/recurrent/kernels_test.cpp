// The versions of the recurrent cells for several instruction sets agree to rounding.
#include "nn/recurrent/recurrent_cells.h"
#include "tests/autograd/kernel_versions.h"

using namespace regard;
using namespace regard::tests;

TEST_CASE("recurrent cells agree across instruction sets") {
  for (const Index width : {1, 7, 16, 33}) {
    const Index sentences = 3;
    const std::vector<Index> rows{4, 0, 2};
    for (const bool lstm : {false, true}) {
      const Index gates = lstm ? 4 : 3, saved = lstm ? kernels::lstm_saved : kernels::gru_saved;
      check_versions(lstm ? "lstm" : "gru", [&](int version) {
        const Tensor x = normal({5, gates * width}, 1), hidden = normal({sentences, gates * width}, 2);
        const Tensor bias = normal({gates * width}, 3), state = normal({sentences, width}, 4);
        const Tensor cell = normal({sentences, width}, 5), kept = Tensor::zeros({5, saved * width});
        const Tensor y = Tensor::zeros({5, width}), dy = normal({5, width}, 6);
        const Tensor dgates = Tensor::zeros({5, gates * width}), dhidden = Tensor::zeros({5, gates * width});
        const kernels::CellStep step{.sentences = sentences,
                                     .width = width,
                                     .rows = rows.data(),
                                     .gates = x.data(),
                                     .hidden = {hidden.data(), gates * width},
                                     .bias = bias.data(),
                                     .state = {state.data(), width},
                                     .cell = {cell.data(), width},
                                     .saved = kept.data(),
                                     .saved_stride = saved * width,
                                     .output = y.data()};
        (lstm ? kernels::lstm_forward : kernels::gru_forward).versions[version](step);
        (lstm ? kernels::lstm_backward : kernels::gru_backward)
            .versions[version](step, {dy.data(), dgates.data(), dhidden.data()});
        return std::vector<Tensor>{y, state, cell, kept, dgates, dhidden};
      });
    }
  }
}
