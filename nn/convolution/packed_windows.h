#pragma once

#include <algorithm>
#include <vector>

#include "autograd/graph.h"
#include "nn/convolution/sliding_window.h"
#include "nn/convolution/windows.h"

// What convolution and pooling share. For their source files only.

namespace regard { inline namespace REGARD_PRECISION {

/// A window that slides over the planes of a packed batch x[pixels, channels]. Its places, plane by plane,
/// are the rows of the result.
struct PackedWindows {
  /// Throws Error if x and the planes do not fit, or the window does not fit into a plane.
  PackedWindows(const Operation& op, const Tensor& x, const Planes& planes, const SlidingWindow& window)
      : first_pixel(offsets_of(planes)),
        first_place(offsets_of(regard::places(planes, window))),
        planes_(planes),
        places_(regard::places(planes, window)),
        window_(window),
        channels_(x.rank() == 2 ? x.size(1) : 0) {
    if (x.rank() != 2 || x.size(0) != first_pixel.back())
      op.fail("x of shape {} does not fit {} planes of {} pixels together: expected [{}, channels]",
              to_string(x.shape()), planes.size(), first_pixel.back(), first_pixel.back());
  }

  Index planes() const { return to_index(planes_.size()); }
  Index places() const { return first_place.back(); }
  Index places(Index plane) const { return first_place[to_size(plane) + 1] - first_place[to_size(plane)]; }
  Index channels() const { return channels_; }
  /// The window as the kernels see it on one plane.
  kernels::Windows on(Index plane) const {
    const Plane& image = planes_[to_size(plane)];
    return {image.height,
            image.width,
            channels_,
            window_.size,
            window_.stride,
            window_.padding,
            places_[to_size(plane)].width};
  }

  /// Calls body(plane, first place in the plane, count, first place in the batch) for each plane that has
  /// some of the places first .. last of the batch.
  template <class Body>
  void for_each_plane(Index first, Index last, const Body& body) const {
    Index plane = std::ranges::upper_bound(first_place, first) - first_place.begin() - 1;
    for (; first < last; ++plane) {
      const Index end = std::min(last, first_place[to_size(plane) + 1]);
      body(plane, first - first_place[to_size(plane)], end - first, first);
      first = end;
    }
  }

  std::vector<Index> first_pixel;  ///< of each plane, in x; and the end
  std::vector<Index> first_place;  ///< of each plane, in the result; and the end

 private:
  Planes planes_;
  Planes places_;
  SlidingWindow window_;
  Index channels_;
};

}}  // namespace regard::REGARD_PRECISION
