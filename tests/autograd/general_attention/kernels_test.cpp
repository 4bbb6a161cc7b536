// The versions of the kernels of additive scores for several instruction sets agree to rounding.
#include "nn/general_attention/additive_kernels.h"
#include "tests/autograd/kernel_versions.h"

using namespace regard;
using namespace regard::tests;

TEST_CASE("kernels of additive scores agree across instruction sets") {
  // Two queries with three keys each, one with one key.
  const std::vector<Index> first{0, 1, 3}, offsets{0, 3, 6, 7};
  const kernels::Ranges ranges{first.data(), offsets.data(), 0, 3};
  for (const Index width : {1, 7, 16, 33, 130}) {
    const Tensor query = normal({3, width}, 1), key = normal({5, width}, 2), v = normal({width}, 3);
    const Tensor pairs = normal({7}, 4);
    check_versions("additive scores", [&](int version) {
      const Tensor scores = unwritten({7}), dquery = unwritten({3, width}), dkey = Tensor::zeros({5, width}),
                   dv = unwritten({3, width});
      kernels::range_additive_forward.versions[version](scores.data(), ranges, query.data(), key.data(),
                                                        v.data(), width);
      kernels::range_additive_backward.versions[version](dquery.data(), dkey.data(), dv.data(), ranges,
                                                         pairs.data(), query.data(), key.data(), v.data(),
                                                         width);
      return std::vector<Tensor>{scores, dquery, dkey, dv};
    });
  }
}
