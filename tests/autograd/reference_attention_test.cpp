// The plain attention of autograd/reference/attention.cpp, with which references_test.cpp compares the fast
// one: a case computed by hand, its gradients against central differences, and why scores are divided by
// sqrt(d_k).
#include <algorithm>
#include <cmath>

#include "autograd/reference/attention.h"
#include "tests/autograd/support.h"
#include "tests/catch.h"

using namespace regard;
using namespace regard::tests;

TEST_CASE("reference attention: a case computed by hand") {
  // d_k = 4, so the scores are q k / 2: ln 3 and 0. The weights are 3/4 and 1/4.
  const Tensor q = Tensor::from({1, 4}, {2, 0, 0, 0});
  const Tensor k = Tensor::from({2, 4}, {std::log(Real(3)), 5, 0, 0, 0, 0, 7, 0});
  const Tensor v = Tensor::from({2, 4}, {4, 8, 0, 0, 0, 0, 4, 8});
  const auto [out, weights] = reference::attention(q, k, v, {{0, 1, 0, 2}}, {.heads = 1});
  CHECK(error(weights.front(), Numbers{0.75, 0.25}) < 1e-15);
  CHECK(error(out, Numbers{3, 6, 1, 2}) < 1e-15);
  // dp = dout v = (4, 0), dscore = p (dp - 3) = (0.75, -0.75), dq = sum of dscore k / 2, dk = dscore q / 2
  const Tensor dout = Tensor::from({1, 4}, {1, 0, 0, 0});
  const auto [dq, dk, dv] = reference::attention_backward(dout, q, k, v, {{0, 1, 0, 2}}, {.heads = 1});
  CHECK(error(dq, Numbers{0.375 * std::log(3.0), 0.375 * 5, -0.375 * 7, 0}) < 1e-15);
  CHECK(error(dk, Numbers{0.75, 0, 0, 0, -0.75, 0, 0, 0}) < 1e-15);
  CHECK(error(dv, Numbers{0.75, 0, 0, 0, 0.25, 0, 0, 0}) < 1e-15);
}

TEST_CASE("reference attention: the gradients agree with central differences") {
  const Tensor q = normal({7, 6}, 1), k = normal({8, 6}, 2), v = normal({8, 6}, 3), dout = normal({7, 6}, 4);
  const Segments sentences{{0, 3, 0, 5}, {3, 3, 5, 6}, {4, 7, 6, 8}};  // row 3 belongs to no sentence
  for (const bool causal : {false, true})
    for (const DropoutMask dropout : {DropoutMask{}, DropoutMask{Real(0.3), 5}}) {
      const AttentionOptions options{2, causal, dropout};
      const auto f = [&] {
        const Tensor out = reference::attention(q, k, v, sentences, options).out;
        double sum = 0;
        for (Index i = 0; i < out.size(); ++i) sum += dout.data()[i] * out.data()[i];
        return sum;
      };
      const auto differences = [&](const Tensor& x) {
        Numbers result;
        for (Real& value : x.values()) {
          const Real before = value;
          value = before + Real(1e-5);
          const double above = f();
          value = before - Real(1e-5);
          result.push_back((above - f()) / 2e-5);
          value = before;
        }
        return result;
      };
      const auto gradients = reference::attention_backward(dout, q, k, v, sentences, options);
      CHECK(error(gradients.query, differences(q)) < 1e-8);
      CHECK(error(gradients.key, differences(k)) < 1e-8);
      CHECK(error(gradients.value, differences(v)) < 1e-8);
    }
}

TEST_CASE("reference attention: the weights are as even for wide heads as for narrow ones") {
  // Queries and keys of independent components with variance 1: the mean of each query's largest weight.
  const auto largest_weight = [](Index d_k) {
    const Tensor q = normal({100, d_k}, 1), k = normal({20, d_k}, 2), v = Tensor::zeros({20, d_k});
    const Tensor weights = reference::attention(q, k, v, {{0, 100, 0, 20}}, {.heads = 1}).weights.front();
    return mean(max(weights, {{2}})).item();
  };
  const double narrow = largest_weight(4), wide = largest_weight(1024);
  CHECK(wide > 0.1);
  CHECK(wide < 0.4);  // without the scale: above 0.9
  CHECK(wide == Approx(narrow).epsilon(0.3));
}
