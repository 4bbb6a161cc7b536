#pragma once

#include "autograd/kernels/kernel.h"
#include "autograd/machine/real.h"

// A square window that slides over one image [height, width, channels]. The places of the window are numbered
// from left to right and from top to bottom. Pixels outside of the image count as 0. All kernels run on the
// calling thread.

namespace regard { inline namespace REGARD_PRECISION { namespace kernels {

struct Windows {
  Index height, width, channels;  ///< of the image
  Index size, stride, padding;    ///< of the window
  Index places_across;            ///< places of the window in a row
};

/// patches[count, size * size * channels]: the pixels under places first .. first + count of the window, row
/// by row.
REGARD_KERNEL(unfold, Real* patches, const Real* image, Windows windows, Index first, Index count);
/// The reverse: adds each number of the patches to the pixel from which unfold() takes it.
REGARD_KERNEL(fold, Real* image, const Real* patches, Windows windows, Index first, Index count);

/// y[places, channels]: the greatest value under the window, channel by channel. Padding never wins.
REGARD_KERNEL(window_maxima, Real* y, const Real* image, Windows windows, Index places);
/// dimage += dy at the pixel that was the greatest; of equal ones, at the first. Destroys dy.
REGARD_KERNEL(window_maxima_backward, Real* dimage, Real* dy, const Real* y, const Real* image,
              Windows windows, Index places);

/// y[places, channels]: the sum under the window divided by size^2.
REGARD_KERNEL(window_means, Real* y, const Real* image, Windows windows, Index places);
/// dimage += dy / size^2 at every pixel under the window.
REGARD_KERNEL(window_means_backward, Real* dimage, const Real* dy, Windows windows, Index places);

}}}  // namespace regard::REGARD_PRECISION::kernels
