// Fused operations against their twins composed of small ones: the same value, the same gradients.
// references_test.cpp compares the others with their definitions.
#include "autograd/machine/error.h"
#include "autograd/machine/random.h"
#include "tests/autograd/support.h"
#include "tests/catch.h"

using namespace regard;
using namespace regard::tests;

namespace {

using Inputs = const std::vector<Tensor>&;
using Function = std::function<Tensor(Inputs)>;

const double tolerance = sizeof(Real) == sizeof(double) ? 1e-12 : 2e-5;

void check_twins(const std::vector<Tensor>& values, const Function& fused, const Function& composed) {
  const std::vector<Tensor> inputs = leaves(values);
  const Tensor y = fused(inputs), twin = composed(inputs);
  CHECK(error(y, twin) < tolerance);
  const std::vector<Tensor> dinputs = gradients(y, inputs), dtwins = gradients(twin, inputs);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    INFO("gradient of input " << i);
    CHECK(error(dinputs[i], dtwins[i]) < tolerance);
  }
}

/// The factors of dropout, element by element: 0 or 1/(1-p).
Tensor dropout_factors(const Shape& shape, DropoutMask dropout) {
  const auto p = static_cast<double>(dropout.probability);
  const Tensor factors = Tensor::empty(shape);
  for (Index row = 0; row < shape[0]; ++row)
    for (Index column = 0; column < shape[1]; ++column)
      factors.data()[row * shape[1] + column] =
          dropout_keeps(p, dropout.key, static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(column))
              ? static_cast<Real>(1 / (1 - p))
              : 0;
  return factors;
}

Tensor composed_layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  const Tensor centred = x - mean(x, {{-1}, true});
  return centred / sqrt(mean(centred * centred, {{-1}, true}) + layer_norm_epsilon) * weight + bias;
}

}  // namespace

TEST_CASE("linear is a product with a transpose, plus a bias") {
  for (const Index rows : {5, 1000}) {
    const std::vector<Tensor> values{normal({rows, 40}, 1), normal({30, 40}, 2), normal({30}, 3)};
    check_twins(
        values, [](Inputs in) { return linear(in[0], in[1], in[2]); },
        [](Inputs in) { return matmul(in[0], transpose(in[1])) + in[2]; });
    check_twins(
        values, [](Inputs in) { return linear(in[0], in[1], {}); },
        [](Inputs in) { return matmul(in[0], transpose(in[1])); });
  }
}

TEST_CASE("linear_relu is linear, relu and dropout") {
  const std::vector<Tensor> values{normal({40, 6}, 1), normal({150, 6}, 2), normal({150}, 3)};
  for (const DropoutMask dropout : {DropoutMask{}, DropoutMask{Real(0.3), 5}})
    check_twins(
        values, [=](Inputs in) { return linear_relu(in[0], in[1], in[2], dropout); },
        [=](Inputs in) {
          return relu(linear(in[0], in[1], in[2])) * dropout_factors({40, 150}, dropout);
        });
}

TEST_CASE("linear_gelu and linear_silu are linear, the activation and dropout") {
  for (const Index rows : {40, 1000}) {
    const std::vector<Tensor> values{normal({rows, 6}, 1), normal({150, 6}, 2), normal({150}, 3)};
    for (const DropoutMask dropout : {DropoutMask{}, DropoutMask{Real(0.3), 5}}) {
      const Tensor factors = dropout_factors({rows, 150}, dropout);
      check_twins(
          values, [=](Inputs in) { return linear_gelu(in[0], in[1], in[2], dropout); },
          [=](Inputs in) { return gelu(linear(in[0], in[1], in[2])) * factors; });
      check_twins(
          values, [=](Inputs in) { return linear_silu(in[0], in[1], in[2], dropout); },
          [=](Inputs in) { return silu(linear(in[0], in[1], in[2])) * factors; });
    }
  }
}

TEST_CASE("a layer norm without a bias has a bias of zeros") {
  check_twins(
      {normal({4, 140}, 1), normal({140}, 2)}, [](Inputs in) { return layer_norm(in[0], in[1], {}); },
      [](Inputs in) { return composed_layer_norm(in[0], in[1], Tensor::zeros({140})); });
}

TEST_CASE("residual_layer_norm is dropout, a sum and layer norm") {
  for (const DropoutMask dropout : {DropoutMask{}, DropoutMask{Real(0.3), 5}})
    check_twins(
        {normal({4, 140}, 1), normal({4, 140}, 2), normal({140}, 3), normal({140}, 4)},
        [=](Inputs in) { return residual_layer_norm(in[0], in[1], dropout, in[2], in[3]); },
        [=](Inputs in) {
          const Tensor sum = in[0] + in[1] * dropout_factors({4, 140}, dropout);
          return composed_layer_norm(sum, in[2], in[3]);
        });
}

TEST_CASE("residual_dropout is dropout and a sum") {
  const DropoutMask dropout{Real(0.3), 5};
  check_twins(
      {normal({4, 140}, 1), normal({4, 140}, 2)},
      [=](Inputs in) { return residual_dropout(in[0], in[1], dropout); },
      [=](Inputs in) {
        return in[0] + in[1] * dropout_factors({4, 140}, dropout);
      });
}

TEST_CASE("linear_cross_entropy is a product and cross-entropy, in blocks or whole") {
  for (const Index rows : {7, 512, 513, 1300}) {
    const auto targets = random_ids(to_size(rows), 20, 2);
    const CrossEntropyOptions options{.label_smoothing = Real(0.1), .divide_by = 100};
    check_twins(
        {normal({rows, 5}, 1), normal({20, 5}, 2)},
        [&](Inputs in) { return linear_cross_entropy(in[0], in[1], targets, options); },
        [&](Inputs in) { return cross_entropy(matmul(in[0], transpose(in[1])), targets, options); });
    check_twins(
        {normal({rows, 5}, 1), normal({20, 5}, 2), normal({20}, 3)},
        [&](Inputs in) { return linear_cross_entropy(in[0], in[1], in[2], targets, options); },
        [&](Inputs in) { return cross_entropy(matmul(in[0], transpose(in[1])) + in[2], targets, options); });
    const Tensor x = normal({rows, 5}, 1), w = normal({20, 5}, 2);
    CrossEntropyOptions whole = options, in_blocks = options;
    Tensor expected, got;
    whole.log_probabilities = &expected;
    in_blocks.log_probabilities = &got;
    cross_entropy(matmul(x, transpose(w)), targets, whole);
    linear_cross_entropy(x, w, targets, in_blocks);
    CHECK(error(got, expected) < tolerance);
  }
}

TEST_CASE("without gradients the losses are the same, to the bit, and record nothing") {
  const auto targets = random_ids(1300, 20, 2);
  const std::vector<Tensor> in = leaves({normal({1300, 5}, 1), normal({20, 5}, 2)});
  const auto losses = [&] {
    return std::vector<Tensor>{linear_cross_entropy(in[0], in[1], targets, {.label_smoothing = Real(0.1)}),
                               cross_entropy(matmul(in[0], transpose(in[1])), targets)};
  };
  const std::vector<Tensor> recorded = losses();
  const NoGrad no_grad;
  const std::vector<Tensor> plain = losses();
  CHECK(same_bits(plain, recorded));
  CHECK(recorded[0].requires_grad());
  CHECK_FALSE(plain[0].requires_grad());
  CHECK_FALSE(plain[1].requires_grad());
}
