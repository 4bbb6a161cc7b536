// The versions of the kernels of sliding windows for several instruction sets agree to rounding.
#include "nn/convolution/windows.h"
#include "tests/autograd/kernel_versions.h"

using namespace regard;
using namespace regard::tests;

TEST_CASE("kernels of sliding windows agree across instruction sets") {
  // 5 x 6 pixels under a window of 3 x 3 that moves by 2: 3 x 3 places, some in the padding.
  for (const Index channels : {1, 3, 16, 33}) {
    const kernels::Windows windows{.height = 5,
                                   .width = 6,
                                   .channels = channels,
                                   .size = 3,
                                   .stride = 2,
                                   .padding = 1,
                                   .places_across = 3};
    const Tensor image = normal({30, channels}, 1), dy = normal({9, channels}, 2);
    const Tensor patches = normal({9, 9 * channels}, 3);
    check_versions("windows", [&](int version) {
      const Tensor unfolded = unwritten({7, 9 * channels}), folded = normal({30, channels}, 4);
      const Tensor maxima = unwritten({9, channels}), means = unwritten({9, channels});
      const Tensor dmaxima = normal({30, channels}, 5), dmeans = normal({30, channels}, 6), rest = dy.clone();
      kernels::unfold.versions[version](unfolded.data(), image.data(), windows, 1, 7);
      kernels::fold.versions[version](folded.data(), patches.data(), windows, 1, 7);
      kernels::window_maxima.versions[version](maxima.data(), image.data(), windows, 9);
      kernels::window_maxima_backward.versions[version](dmaxima.data(), rest.data(), maxima.data(),
                                                        image.data(), windows, 9);
      kernels::window_means.versions[version](means.data(), image.data(), windows, 9);
      kernels::window_means_backward.versions[version](dmeans.data(), dy.data(), windows, 9);
      return std::vector<Tensor>{unfolded, folded, maxima, dmaxima, means, dmeans};
    });
  }
}
