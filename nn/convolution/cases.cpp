#include "nn/convolution/cases.h"

#include "autograd/checks/table.h"
#include "nn/convolution/convolution.h"

namespace regard::gradcheck_table {

std::vector<GradientCase> window_cases() {
  Table table;
  const Planes planes{{4, 3}, {3, 5}, {1, 1}}, one{{4, 4}};
  const auto convolve = [](const Planes& at, const SlidingWindow& window) {
    return [=](Inputs x) { return conv2d(x[0], at, x[1], x.size() > 2 ? x[2] : Tensor{}, window); };
  };
  const Planes fits{{4, 3}, {3, 5}};
  table.add("conv2d", {{27, 2}, {3, 2, 3, 3}, {3}}, convolve(fits, {.size = 3}));
  table.add("conv2d: padding", {{28, 2}, {3, 2, 3, 3}, {3}}, convolve(planes, {.size = 3, .padding = 1}));
  table.add("conv2d: stride", {{28, 2}, {3, 2, 3, 3}, {3}},
            convolve(planes, {.size = 3, .stride = 2, .padding = 1}));
  table.add("conv2d: patches", {{16, 3}, {2, 3, 2, 2}, {2}}, convolve(one, {.size = 2, .stride = 2}));
  table.add("conv2d: no bias", {{16, 3}, {2, 3, 3, 3}}, convolve(one, {.size = 3, .padding = 1}));
  table.add("conv2d: one pixel", {{28, 2}, {3, 2, 1, 1}, {3}}, convolve(planes, {.size = 1}));
  table.add("conv2d: one channel", {{28, 1}, {1, 1, 3, 3}, {1}}, convolve(planes, {.size = 3, .padding = 1}));

  // Enough planes to be cut into several blocks, parts and groups. They repeat few rows, so the differences
  // are quick to compute.
  const Planes many(60, {5, 4});
  const auto rows = random_ids(60 * 20, 5, 9);
  table.add("conv2d: several blocks", {{5, 8}, {16, 8, 3, 3}, {16}}, [=](Inputs x) {
    return conv2d(gather(x[0], 0, rows), many, x[1], x[2], {.size = 3, .padding = 1});
  });

  const auto pool = [](Tensor (*function)(const Tensor&, const Planes&, const SlidingWindow&),
                       const Planes& at, const SlidingWindow& window) {
    return [=](Inputs x) { return function(x[0], at, window); };
  };
  table.add("max_pool2d", {{16, 3}}, pool(max_pool2d, one, {.size = 2, .stride = 2}));
  table.add("max_pool2d: overlapping, padding", {{28, 3}},
            pool(max_pool2d, planes, {.size = 3, .stride = 1, .padding = 1}));
  table.add("avg_pool2d", {{16, 3}}, pool(avg_pool2d, one, {.size = 2, .stride = 2}));
  table.add("avg_pool2d: overlapping, padding", {{28, 3}},
            pool(avg_pool2d, planes, {.size = 3, .stride = 2, .padding = 1}));
  return std::move(table.cases);
}

}  // namespace regard::gradcheck_table
