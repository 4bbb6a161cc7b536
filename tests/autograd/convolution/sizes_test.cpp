// Windows: the same bits on any number of threads, the smallest shapes, and what is refused.
#include "nn/convolution/convolution.h"
#include "tests/autograd/refuses.h"
#include "tests/autograd/same_bits.h"
#include "tests/autograd/small_sizes.h"

using namespace regard;
using namespace regard::tests;

namespace {

Tensor ones(const Shape& shape) { return Tensor::full(shape, 1); }

}  // namespace

TEST_CASE("the same bits on any number of threads: windows") {
  Planes planes;
  for (Index i = 0; i < 30; ++i) planes.push_back({6 + i % 5, 9 - i % 4});
  const Index pixels = offsets_of(planes).back();
  for (const Index stride : {1, 2})
    check_bits("conv2d", {{pixels, 12}, {20, 12, 3, 3}, {20}}, [&](Inputs x) {
      return conv2d(x[0], planes, x[1], x[2], {.size = 3, .stride = stride, .padding = 1});
    });
  for (const Index side : {3, 30})
    check_bits("conv2d, one plane", {{side * side, 12}, {20, 12, 3, 3}, {20}}, [&](Inputs x) {
      return conv2d(x[0], {{side, side}}, x[1], x[2], {.size = 3, .padding = 1});
    });
  for (const auto& pool : {max_pool2d, avg_pool2d})
    check_bits("pool", {{pixels, 60}},
               [&](Inputs x) { return pool(x[0], planes, {.size = 3, .stride = 2, .padding = 1}); });
}

TEST_CASE("windows over one pixel or no planes") {
  for (const Index planes : {0, 1, 3})
    for (const Index channels : {1, 2}) {
      const Planes pixels(to_size(planes), Plane{1, 1});
      check("conv2d", {planes, 3}, {{planes, channels}, {3, channels, 3, 3}, {3}},
            [&](Inputs x) { return conv2d(x[0], pixels, x[1], x[2], {.size = 3, .padding = 1}); });
      check("conv2d", {planes, 1}, {{planes, channels}, {1, channels, 1, 1}},
            [&](Inputs x) { return conv2d(x[0], pixels, x[1], {}, {.size = 1}); });
      for (const auto& pool : {max_pool2d, avg_pool2d})
        check("pool", {planes, channels}, {{planes, channels}},
              [&](Inputs x) { return pool(x[0], pixels, {.size = 3, .stride = 2, .padding = 1}); });
    }
}

TEST_CASE("windows refuse planes, weights and sizes that do not fit") {
  const Tensor x = ones({12, 2}), w = ones({5, 2, 3, 3});
  const Planes planes{{3, 4}};
  CHECK_REFUSES(conv2d(x, planes, ones({5, 3, 3, 3}), {}, {.size = 3}), "conv2d", "[12, 2]", "[5, 3, 3, 3]");
  CHECK_REFUSES(conv2d(x, planes, w, {}, {.size = 2}), "conv2d", "[5, 2, 3, 3]", "[out, in, 2, 2]");
  CHECK_REFUSES(conv2d(x, planes, ones({5, 18}), {}, {.size = 3}), "conv2d", "[12, 2]", "[5, 18]");
  CHECK_REFUSES(conv2d(x, planes, w, ones({4}), {.size = 3}), "conv2d", "[4]", "[5, 2, 3, 3]",
                "expected [5]");
  CHECK_REFUSES(conv2d(x, {{3, 5}}, w, {}, {.size = 3}), "conv2d", "[12, 2]", "15 pixels");
  CHECK_REFUSES(max_pool2d(ones({12}), planes, {.size = 2}), "max_pool2d", "[12]", "[12, channels]");
  CHECK_REFUSES(avg_pool2d(ones({13, 2}), planes, {.size = 2}), "avg_pool2d", "[13, 2]", "12 pixels");
  CHECK_REFUSES(avg_pool2d(x, planes, {.size = 4}), "a window of 4 x 4 pixels", "3 x 4 pixels");
  CHECK_REFUSES(max_pool2d(x, planes, {.size = 2, .stride = 0}), "a window", "stride 0");
  CHECK_REFUSES(max_pool2d(x, planes, {.size = 2, .padding = 2}), "a window", "padding 2");
  CHECK_REFUSES(max_pool2d(x, {{-3, -4}}, {.size = 2}), "a window", "-3 x -4 pixels");
}
