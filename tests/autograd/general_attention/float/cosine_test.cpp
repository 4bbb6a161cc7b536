// The score cosine in single precision, whose numbers overflow and underflow early.
#include <cmath>
#include <memory>

#include "autograd/graph.h"
#include "nn/general_attention/score.h"
#include "tests/autograd/support.h"
#include "tests/catch.h"

using namespace regard;
using namespace regard::tests;

TEST_CASE(
    "the score cosine grows with its bias without end: beta = log(1 + e^x), and its gradient the sigmoid") {
  Random random(1);
  const std::unique_ptr<nn::Score> cosine =
      nn::make_score({.kind = nn::ScoreKind::cosine, .query_width = 1, .key_width = 1}, random);
  const nn::Score& score = *cosine;
  const Tensor weight = cosine->parameters()[0].tensor, bias = cosine->parameters()[1].tensor;
  const Tensor one = Tensor::full({1, 1}, 1);  // cos = 1
  weight.data()[0] = 0;
  for (const float x : {-5.0f, 0.0f, 5.0f, 20.0f, 39.9f, 40.1f, 87.0f, 88.0f, 120.0f, 1e6f}) {
    INFO(x);
    bias.data()[0] = x;
    const Tensor beta = score(one, score.prepare(one), all_keys({{0, 1, 0, 1}}));
    const double exact = x + std::log1p(std::exp(-static_cast<double>(x)));
    CHECK(beta.item() == Approx(exact).epsilon(1e-6).margin(1e-7));
    backward(beta, {.cotangent = Tensor::full({1}, 1)});
    CHECK(bias.grad().item() ==
          Approx(1 / (1 + std::exp(-static_cast<double>(x)))).epsilon(1e-6).margin(1e-7));
    bias.zero_grad();
  }
}
