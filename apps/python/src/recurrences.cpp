// Recurrences over packed sentences, and convolutions of images, which are packed alike. This file is
// compiled once for each precision.
#include "apps/python/src/bind.h"
#include "autograd/autograd.h"
#include "nn/convolution/convolution.h"
#include "nn/recurrent/recurrence.h"

namespace regard::python { inline namespace REGARD_PRECISION {

using namespace nb::literals;

void add_recurrences(Operations& to) {
  function(
      to, "gru", &gru, "gates"_a, "weight_hh"_a, "bias_hh"_a, "initial_state"_a.none(), "steps"_a,
      R"(The state of a GRU after each row, for gates = linear(x, weight_ih, bias_ih) and steps = TimeSteps(offsets).

gates[rows, 3d], weight_hh[3d, d], bias_hh[3d], initial_state[sentences, d] or None -> [rows, d]. The gates have
PyTorch's order. Error if the shapes do not fit. Source: Cho et al. 2014. PyTorch: torch.nn.GRU.

>>> regard.gru(regard.zeros(3, 6), regard.zeros(6, 2), regard.zeros(6), None, regard.TimeSteps([0, 3])).shape
(3, 2))");
  function(
      to, "lstm",
      [](const Tensor& gates, const Tensor& weight_hh, const Tensor& bias_hh, const Tensor& state,
         const Tensor& cell, const TimeSteps& steps) {
        const LstmResult found = lstm(gates, weight_hh, bias_hh, state, cell, steps);
        return std::tuple(found.output, found.cells);
      },
      "gates"_a, "weight_hh"_a, "bias_hh"_a, "initial_state"_a.none(), "initial_cell"_a.none(), "steps"_a,
      R"(As gru, with gates[rows, 4d]: the states [rows, d], and the last cell of each sentence [sentences, d].

Error if the shapes do not fit. Source: Hochreiter and Schmidhuber 1997. PyTorch: torch.nn.LSTM.

>>> steps = regard.TimeSteps([0, 3])
>>> states, cells = regard.lstm(regard.zeros(3, 8), regard.zeros(8, 2), regard.zeros(8), None, None, steps)
>>> states.shape, cells.shape
((3, 2), (1, 2)))");
}

/// x[pixels, channels], with (height, width) of each image in `planes`; their pixels stand one after another.
void add_images(Operations& to) {
  function(
      to, "conv2d",
      [](const Tensor& x, const Planes& planes, const Tensor& weight, const Tensor& bias, Index stride,
         Index padding) {
        const Index size = weight.rank() > 0 ? weight.size(-1) : 0;
        return conv2d(x, planes, weight, bias, {size, stride, padding});
      },
      "x"_a, "planes"_a, "weight"_a, "bias"_a.none() = nb::none(), "stride"_a = 1, "padding"_a = 0,
      R"(The convolution of images with (height, width) in `planes`, whose pixels stand one after another.

x[pixels, in], weight[out, in, size, size], bias[out] -> [places, out] with the planes places(planes, size, stride,
padding). Error if the shapes do not fit. PyTorch: torch.nn.functional.conv2d.

>>> regard.conv2d(regard.ones(9, 1), [(3, 3)], regard.ones(1, 1, 2, 2)).flatten()
Tensor[4] [4., 4., 4., 4.])");
  const auto pool = [&](const char* name, const auto& f, const char* documentation) {
    function(
        to, name,
        [f](const Tensor& x, const Planes& planes, Index size, Index stride, Index padding) {
          return f(x, planes, {size, stride, padding});
        },
        "x"_a, "planes"_a, "size"_a, "stride"_a = 1, "padding"_a = 0, documentation);
  };
  pool("max_pool2d", &max_pool2d,
       R"(The greatest value under each place of a window: [pixels, channels] -> [places, channels].

Error if the shapes do not fit. PyTorch: torch.nn.functional.max_pool2d.

>>> regard.max_pool2d(regard.arange(4).reshape(4, 1), [(2, 2)], 2).item()
3.0)");
  pool("avg_pool2d", &avg_pool2d,
       R"(The sum under each place of a window, divided by size^2: [pixels, channels] -> [places, channels].

Error if the shapes do not fit. PyTorch: torch.nn.functional.avg_pool2d.

>>> regard.avg_pool2d(regard.arange(4).reshape(4, 1), [(2, 2)], 2).item()
1.5)");
}

}}  // namespace regard::python::REGARD_PRECISION
