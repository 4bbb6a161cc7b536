#include "autograd/machine/cut.h"
#include "autograd/machine/parallel.h"
#include "nn/convolution/convolution.h"
#include "nn/convolution/packed_windows.h"

namespace regard { inline namespace REGARD_PRECISION {

namespace {

/// Calls body(plane) for all planes, on all threads. A plane stays on one thread, so threads never write to
/// the same pixel.
template <class Body>
void for_each_plane(const PackedWindows& windows, const Body& body) {
  const Index numbers =
      windows.first_pixel.back() * windows.channels() / std::max<Index>(windows.planes(), 1);
  parallel_for(windows.planes(), block_size(windows.planes(), numbers), [&](Index begin, Index end) {
    for (Index plane = begin; plane < end; ++plane) body(plane);
  });
}

/// The gradients of the pixels of a plane, which become 0 unless there are some already: a kernel adds.
Real* pixel_gradients(const GradSlot& dx, const PackedWindows& windows, Index plane) {
  const Index first = windows.first_pixel[to_size(plane)], last = windows.first_pixel[to_size(plane) + 1];
  Real* const gradients = dx.data + first * windows.channels();
  if (!dx.add) std::fill_n(gradients, (last - first) * windows.channels(), Real{0});
  return gradients;
}

}  // namespace

Tensor max_pool2d(const Tensor& x, const Planes& planes, const SlidingWindow& window) {
  const Operation op("max_pool2d");
  const PackedWindows windows(op, x, planes, window);
  const Index channels = windows.channels();
  const Tensor y = Tensor::empty({windows.places(), channels});
  for_each_plane(windows, [&](Index plane) {
    kernels::window_maxima(y.data() + windows.first_place[to_size(plane)] * channels,
                           x.data() + windows.first_pixel[to_size(plane)] * channels, windows.on(plane),
                           windows.places(plane));
  });

  // y_p = max over the window of x, so dx of the pixel that was the greatest += dy_p
  return op.record(y, {x}, [=, y = y.detach()](BackwardContext& context) {
    Real* const dy = context.take_output_grad();
    const GradSlot dx = context.input_grad(0);
    for_each_plane(windows, [&](Index plane) {
      const Index place = windows.first_place[to_size(plane)] * channels;
      kernels::window_maxima_backward(pixel_gradients(dx, windows, plane), dy + place, y.data() + place,
                                      x.data() + windows.first_pixel[to_size(plane)] * channels,
                                      windows.on(plane), windows.places(plane));
    });
  });
}

Tensor avg_pool2d(const Tensor& x, const Planes& planes, const SlidingWindow& window) {
  const Operation op("avg_pool2d");
  const PackedWindows windows(op, x, planes, window);
  const Index channels = windows.channels();
  const Tensor y = Tensor::empty({windows.places(), channels});
  for_each_plane(windows, [&](Index plane) {
    kernels::window_means(y.data() + windows.first_place[to_size(plane)] * channels,
                          x.data() + windows.first_pixel[to_size(plane)] * channels, windows.on(plane),
                          windows.places(plane));
  });

  // y_p = sum over the window of x / size^2, so dx of each pixel under the window += dy_p / size^2
  return op.record(y, {x}, [=](BackwardContext& context) {
    const Real* const dy = context.output_grad();
    const GradSlot dx = context.input_grad(0);
    for_each_plane(windows, [&](Index plane) {
      kernels::window_means_backward(pixel_gradients(dx, windows, plane),
                                     dy + windows.first_place[to_size(plane)] * channels, windows.on(plane),
                                     windows.places(plane));
    });
  });
}

}}  // namespace regard::REGARD_PRECISION
