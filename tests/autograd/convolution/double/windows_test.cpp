// Convolution and pooling against plain loops over every pixel and every weight.
#include <algorithm>
#include <limits>

#include "autograd/machine/error.h"
#include "nn/convolution/convolution.h"
#include "tests/autograd/support.h"
#include "tests/catch.h"

using namespace regard;
using namespace regard::tests;

namespace {

/// Calls body(row of the result, row of x, pixel of the window) for every place of the window in every plane
/// and every pixel under it that is not padding.
template <class Body>
void for_each_pixel(const Planes& planes, const SlidingWindow& window, const Body& body) {
  Index row = 0, first = 0;
  for (const Plane& plane : planes) {
    for (Index top = -window.padding; top + window.size <= plane.height + window.padding;
         top += window.stride)
      for (Index left = -window.padding; left + window.size <= plane.width + window.padding;
           left += window.stride) {
        for (Index i = 0; i < window.size; ++i)
          for (Index j = 0; j < window.size; ++j)
            if (top + i >= 0 && top + i < plane.height && left + j >= 0 && left + j < plane.width)
              body(row, first + (top + i) * plane.width + left + j, i * window.size + j);
        ++row;
      }
    first += plane.pixels();
  }
}

struct Naive {
  Numbers y, dx, dweight, dbias;
};

Naive naive_conv2d(const Tensor& x, const Planes& planes, const Tensor& weight, const Tensor& bias,
                   const SlidingWindow& window, const Tensor& dy) {
  const Index out = weight.size(0), in = weight.size(1), places = dy.size(0);
  Naive result{Numbers(to_size(places * out)), Numbers(to_size(x.size())), Numbers(to_size(weight.size())),
               Numbers(to_size(out))};
  for (Index row = 0; row < places; ++row)
    for (Index o = 0; o < out; ++o) {
      result.y[to_size(row * out + o)] = bias.data()[o];
      result.dbias[to_size(o)] += dy.at({row, o});
    }
  for_each_pixel(planes, window, [&](Index row, Index pixel, Index at) {
    for (Index o = 0; o < out; ++o)
      for (Index k = 0; k < in; ++k) {
        const Index w = (o * in + k) * window.size * window.size + at;
        result.y[to_size(row * out + o)] += weight.data()[w] * x.at({pixel, k});
        result.dx[to_size(pixel * in + k)] += weight.data()[w] * dy.at({row, o});
        result.dweight[to_size(w)] += x.at({pixel, k}) * dy.at({row, o});
      }
  });
  return result;
}

const std::vector<Planes> all_planes{{{5, 5}}, {{7, 4}, {3, 9}, {4, 4}}, Planes(40, {4, 6})};
const std::vector<SlidingWindow> all_windows{{.size = 1},
                                             {.size = 3},
                                             {.size = 3, .stride = 1, .padding = 1},
                                             {.size = 3, .stride = 2, .padding = 1},
                                             {.size = 2, .stride = 2},
                                             {.size = 2, .stride = 3, .padding = 1}};

}  // namespace

TEST_CASE("a convolution of pixels without channels is its bias, and its weight has no gradient") {
  const Planes planes{{3, 4}};
  const Tensor x = Tensor::zeros({12, 0}).set_requires_grad(),
               weight = Tensor::zeros({5, 0, 2, 2}).set_requires_grad();
  const Tensor bias = normal({5}, 1).set_requires_grad();
  poison_free_memory();
  const Tensor y = conv2d(x, planes, weight, bias, {.size = 2});
  CHECK(same_bits(y, bias + Tensor::zeros({6, 5})));
  const std::vector<Tensor> found = gradients(y, {x, weight, bias});
  CHECK(found[0].shape() == x.shape());
  CHECK(found[1].shape() == weight.shape());
  CHECK(error(found[2], sum(normal({6, 5}, 4711), {{0}})) < 1e-14);
}

TEST_CASE("the places of a window, by hand") {
  CHECK(places({{5, 8}}, {.size = 3}) == Planes{{3, 6}});
  CHECK(places({{5, 8}}, {.size = 3, .stride = 1, .padding = 1}) == Planes{{5, 8}});
  CHECK(places({{8, 5}, {3, 3}}, {.size = 3, .stride = 2, .padding = 1}) == Planes{{4, 3}, {2, 2}});
  CHECK(places({{8, 9}}, {.size = 4, .stride = 4}) == Planes{{2, 2}});
  CHECK(offsets_of({{2, 3}, {1, 4}}) == std::vector<Index>{0, 6, 10});
}

TEST_CASE("convolution agrees with plain loops, value and gradients") {
  for (const Planes& planes : all_planes)
    for (const SlidingWindow& window : all_windows)
      for (const Index in : {1, 3, 16}) {
        INFO(planes.size() << " planes, window " << window.size << ", stride " << window.stride
                           << ", padding " << window.padding << ", " << in << " channels");
        const Tensor weight = normal({8, in, window.size, window.size}, 1), bias = normal({8}, 2);
        const std::vector<Tensor> inputs = leaves({normal({offsets_of(planes).back(), in}, 3), weight, bias});
        const Tensor y = conv2d(inputs[0], planes, inputs[1], inputs[2], window);
        const Naive expected = naive_conv2d(inputs[0], planes, weight, bias, window, normal(y.shape(), 4711));
        CHECK(y.shape() == Shape{offsets_of(places(planes, window)).back(), 8});
        CHECK(error(y, expected.y) < 1e-13);
        const std::vector<Tensor> found = gradients(y, inputs);
        CHECK(error(found[0], expected.dx) < 1e-13);
        CHECK(error(found[1], expected.dweight) < 1e-13);
        CHECK(error(found[2], expected.dbias) < 1e-13);
      }
}

TEST_CASE("pooling agrees with plain loops, value and gradients") {
  for (const Planes& planes : all_planes)
    for (const SlidingWindow& window : all_windows) {
      INFO(planes.size() << " planes, window " << window.size << ", stride " << window.stride);
      const Index channels = 5, count = offsets_of(places(planes, window)).back();
      const std::vector<Tensor> inputs = leaves({normal({offsets_of(planes).back(), channels}, 1)});
      const Tensor& x = inputs[0];
      const Tensor dy = normal({count, channels}, 4711);
      Numbers maxima(to_size(count * channels), -std::numeric_limits<double>::infinity());
      std::vector<Index> greatest(maxima.size());
      Numbers means(maxima.size()), dmaxima(to_size(x.size())), dmeans(to_size(x.size()));
      const double area = static_cast<double>(window.size * window.size);
      for_each_pixel(planes, window, [&](Index row, Index pixel, Index) {
        for (Index k = 0; k < channels; ++k) {
          const auto to = to_size(row * channels + k);
          if (x.at({pixel, k}) > maxima[to]) greatest[to] = pixel * channels + k;
          maxima[to] = std::max(maxima[to], double{x.at({pixel, k})});
          means[to] += x.at({pixel, k}) / area;
          dmeans[to_size(pixel * channels + k)] += dy.data()[to] / area;
        }
      });
      for (std::size_t i = 0; i < greatest.size(); ++i) dmaxima[to_size(greatest[i])] += dy.data()[i];
      const Tensor largest = max_pool2d(x, planes, window), mean = avg_pool2d(x, planes, window);
      CHECK(numbers(largest) == maxima);
      CHECK(error(mean, means) < 1e-14);
      CHECK(error(gradients(largest, inputs)[0], dmaxima) < 1e-14);
      CHECK(error(gradients(mean, inputs)[0], dmeans) < 1e-14);
    }
}

TEST_CASE("of equal values under a window, the first gets the gradient of the maximum; NaN stays NaN") {
  const std::vector<Tensor> x = leaves({Tensor::from({4, 1}, {1, 3, 3, 3})});
  const Tensor dx = gradients(max_pool2d(x[0], {{2, 2}}, {.size = 2}), x)[0];
  CHECK(dx.at({0, 0}) == 0);
  CHECK(dx.at({1, 0}) == normal({1, 1}, 4711).item());
  CHECK(dx.at({2, 0}) == 0);
  CHECK(dx.at({3, 0}) == 0);
  constexpr Real nan = std::numeric_limits<Real>::quiet_NaN();
  for (Index at = 0; at < 4; ++at) {
    const Tensor image = Tensor::from({4, 1}, {1, 2, 3, 4});
    image.data()[at] = nan;
    const std::vector<Tensor> of = leaves({image});
    const Tensor y = max_pool2d(of[0], {{2, 2}}, {.size = 2}), gradient = gradients(y, of)[0];
    CHECK(std::isnan(y.item()));
    for (Index i = 0; i < 4; ++i) CHECK(gradient.data()[i] == (i == at ? normal({1, 1}, 4711).item() : 0));
  }
}
