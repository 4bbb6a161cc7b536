#include "nn/convolution/windows.h"

#include "autograd/kernels/rows.h"

namespace regard { inline namespace REGARD_PRECISION { namespace kernels::REGARD_SIMD_NAMESPACE {

namespace {

/// One place of a window: the pixels of the image that lie under it.
struct Place {
  Index top, left;            ///< of the window; negative in the padding
  Index first_row, last_row;  ///< rows of the window that lie in the image
  Index first_column, last_column;
};

inline Place place_of(const Windows& w, Index number) {
  const Index top = number / w.places_across * w.stride - w.padding;
  const Index left = number % w.places_across * w.stride - w.padding;
  const auto first = [](Index begin) { return begin < 0 ? -begin : 0; };
  const auto last = [&](Index begin, Index extent) {
    return begin + w.size > extent ? extent - begin : w.size;
  };
  return {top, left, first(top), last(top, w.height), first(left), last(left, w.width)};
}

/// Calls use(offset in the patch, offset in the image, count) for each run of numbers that lie one after
/// another in both: the pixels of one row of the window.
template <class Use>
inline void for_each_run(const Windows& w, const Place& place, const Use& use) {
  const Index count = (place.last_column - place.first_column) * w.channels;
  for (Index row = place.first_row; row < place.last_row; ++row)
    use((row * w.size + place.first_column) * w.channels,
        ((place.top + row) * w.width + place.left + place.first_column) * w.channels, count);
}

/// Calls use(offset of the pixel in the image) for each pixel under the window, first to last.
template <class Use>
inline void for_each_pixel(const Windows& w, const Place& place, const Use& use) {
  for (Index row = place.first_row; row < place.last_row; ++row)
    for (Index column = place.first_column; column < place.last_column; ++column)
      use(((place.top + row) * w.width + place.left + column) * w.channels);
}

inline bool reaches_padding(const Windows& w, const Place& place) {
  return place.first_row > 0 || place.first_column > 0 || place.last_row < w.size ||
         place.last_column < w.size;
}

}  // namespace

void unfold(Real* patches, const Real* image, Windows w, Index first, Index count) noexcept {
  const Index width = w.size * w.size * w.channels;
  for (Index number = first; number < first + count; ++number, patches += width) {
    const Place place = place_of(w, number);
    if (reaches_padding(w, place))
      for (Index i = 0; i < width; ++i) patches[i] = 0;
    for_each_run(w, place, [=](Index to, Index from, Index length) {
#pragma omp simd
      for (Index i = 0; i < length; ++i) patches[to + i] = image[from + i];
    });
  }
}

void fold(Real* image, const Real* patches, Windows w, Index first, Index count) noexcept {
  const Index width = w.size * w.size * w.channels;
  for (Index number = first; number < first + count; ++number, patches += width)
    for_each_run(w, place_of(w, number), [=](Index from, Index to, Index length) {
#pragma omp simd
      for (Index i = 0; i < length; ++i) image[to + i] += patches[from + i];
    });
}

void window_maxima(Real* y, const Real* image, Windows w, Index places) noexcept {
  for (Index number = 0; number < places; ++number, y += w.channels) {
    for (Index i = 0; i < w.channels; ++i) y[i] = -__builtin_huge_val();
    for_each_pixel(w, place_of(w, number), [=, channels = w.channels](Index pixel) {
#pragma omp simd
      for (Index i = 0; i < channels; ++i) {
        const bool stays = (image[pixel + i] <= y[i]) | (y[i] != y[i]);  // NaN wins
        y[i] = stays ? y[i] : image[pixel + i];
      }
    });
  }
}

void window_maxima_backward(Real* dimage, Real* dy, const Real* y, const Real* image, Windows w,
                            Index places) noexcept {
  for (Index number = 0; number < places; ++number, y += w.channels, dy += w.channels)
    for_each_pixel(w, place_of(w, number), [=, channels = w.channels](Index pixel) {
#pragma omp simd
      for (Index i = 0; i < channels; ++i) {
        const Real x = image[pixel + i];
        const bool greatest = (x == y[i]) | (x != x);
        dimage[pixel + i] += greatest ? dy[i] : Real{0};
        dy[i] = greatest ? Real{0} : dy[i];  // a later equal value gets nothing
      }
    });
}

void window_means(Real* y, const Real* image, Windows w, Index places) noexcept {
  const Real factor = 1 / static_cast<Real>(w.size * w.size);
  for (Index number = 0; number < places; ++number, y += w.channels) {
    for (Index i = 0; i < w.channels; ++i) y[i] = 0;
    for_each_pixel(w, place_of(w, number), [=, channels = w.channels](Index pixel) {
#pragma omp simd
      for (Index i = 0; i < channels; ++i) y[i] += factor * image[pixel + i];
    });
  }
}

void window_means_backward(Real* dimage, const Real* dy, Windows w, Index places) noexcept {
  const Real factor = 1 / static_cast<Real>(w.size * w.size);
  for (Index number = 0; number < places; ++number, dy += w.channels)
    for_each_pixel(w, place_of(w, number), [=, channels = w.channels](Index pixel) {
#pragma omp simd
      for (Index i = 0; i < channels; ++i) dimage[pixel + i] += factor * dy[i];
    });
}

}}}  // namespace regard::REGARD_PRECISION::kernels::REGARD_SIMD_NAMESPACE
