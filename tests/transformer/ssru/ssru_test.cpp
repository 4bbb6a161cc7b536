// The SSRU: its values by sums over all steps before, its gradients, and what it refuses. That decoding step
// by step gives what all tokens at once give is in tests/transformer/properties_test.cpp.
#include "transformer/ssru/ssru.h"

#include <cmath>

#include "autograd/gradcheck.h"
#include "tests/catch.h"
#include "tests/transformer/support.h"
#include "transformer/ssru/ssru_decoder.h"

using namespace regard;
using namespace regard::tests;

namespace {

constexpr Index ssru_width = 3;

/// Which of the two, the mean or the new value, the gate f keeps. The second is wrong.
enum class GateKeeps { mean, value };

/// c_t without a recurrence: each value times all gates after it.
///   c_t = f_1 … f_t c_0 + sum_(s <= t) (1 - f_s) f_(s+1) … f_t z_s
Numbers mean_by_sums(const Tensor& f, const Tensor& z, const Tensor& initial,
                     const std::vector<Index>& starts, GateKeeps keeps = GateKeeps::mean) {
  Numbers c;
  const auto gate = [&](Index row, Index k) {
    return keeps == GateKeeps::mean ? f.at({row, k}) : 1 - f.at({row, k});
  };
  for (std::size_t i = 0; i + 1 < starts.size(); ++i)
    for (Index t = starts[i]; t < starts[i + 1]; ++t)
      for (Index k = 0; k < f.size(1); ++k) {
        double product = 1, value = 0;
        for (Index s = t; s >= starts[i]; --s) {
          value += (1 - gate(s, k)) * product * z.at({s, k});
          product *= gate(s, k);
        }
        c.push_back(value + (initial ? product * initial.at({to_index(i), k}) : 0));
      }
  return c;
}

Tensor gates(Index rows, std::uint64_t seed) { return sigmoid(normal({rows, ssru_width}, seed)); }

}  // namespace

TEST_CASE("the gated mean is the sum of all values before, times the gates after them", "[ssru]") {
  const std::vector<Index> starts = offsets({4, 1, 0, 6});
  const Tensor f = gates(11, 1), z = normal({11, ssru_width}, 2), initial = normal({4, ssru_width}, 3);
  for (const Tensor& start : {Tensor{}, initial}) {
    const Tensor c = transformer::gated_mean(f, z, start, starts);
    CHECK(error(c, mean_by_sums(f, z, start, starts)) < 1e-14);
    CHECK(error(c, mean_by_sums(f, z, start, starts, GateKeeps::value)) > 0.1);
    CHECK(error(c, mean_by_sums(f, z, start, offsets({5, 6}))) > 0.1);  // a sentence that does not end
  }
  CHECK(transformer::gated_mean(gates(0, 1), gates(0, 2), {}, {0}).size() == 0);
}

TEST_CASE("the gradients of the gated mean are those of differences", "[ssru]") {
  using In = const std::vector<Tensor>&;
  const auto checked = [](const std::vector<Index>& lengths, const std::vector<Shape>& shapes,
                          const Differentiable& function) {
    INFO(lengths.size());
    std::vector<Tensor> inputs;
    for (const Shape& shape : shapes) inputs.push_back(normal(shape, 5 + inputs.size()));
    const GradcheckResult result = gradcheck(function, inputs);
    INFO(table_of(result));
    CHECK(result.passed);
    CHECK(result.checked > 0);
  };
  for (const std::vector<Index>& lengths :
       {std::vector<Index>{3}, {2, 4, 1}, {1, 1, 1, 1}, {3, 0, 2}, std::vector<Index>(40, 2)}) {
    const std::vector<Index> starts = offsets(lengths);
    const Shape rows{starts.back(), 2}, states{to_index(lengths.size()), 2};
    checked(lengths, {rows, rows, states},
            [&](In x) { return transformer::gated_mean(x[0], x[1], x[2], starts); });
    checked(lengths, {rows, rows}, [&](In x) { return transformer::gated_mean(x[0], x[1], {}, starts); });
    checked(lengths, {rows, states}, [&](In x) { return transformer::gated_mean(x[0], x[0], x[1], starts); });
  }
  checked({1, 1, 1}, {{3, 2}}, [](In x) { return transformer::gated_mean(x[0], x[0], x[0], {0, 1, 2, 3}); });
}

TEST_CASE("the SSRU computes its equation, step by step", "[ssru]") {
  Random random(4);
  transformer::Ssru ssru(ssru_width, random);
  randomise(ssru, 5);
  CHECK(names(ssru) == std::vector<std::string>{"input.weight", "forget.weight", "forget.bias"});
  const std::vector<Index> starts = offsets({5, 2});
  const Tensor x = normal({7, ssru_width}, 6);
  Numbers expected(to_size(x.size()));
  for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
    Numbers c(ssru_width, 0);
    for (Index t = starts[i]; t < starts[i + 1]; ++t)
      for (Index k = 0; k < ssru_width; ++k) {
        double value = 0, gate = ssru.forget.bias.at({k});
        for (Index j = 0; j < ssru_width; ++j) {
          value += ssru.input.weight.at({k, j}) * x.at({t, j});
          gate += ssru.forget.weight.at({k, j}) * x.at({t, j});
        }
        const double f = 1 / (1 + std::exp(-gate));
        double& state = c[to_size(k)];
        state = f * state + (1 - f) * value;
        expected[to_size(t * ssru_width + k)] = state;
      }
  }
  CHECK(error(ssru.cells(x, {}, starts), expected) < 1e-14);
}

TEST_CASE("the gradients of a decoder with SSRUs reach all parameters", "[ssru]") {
  Random random(7);
  Config config = small_config();
  config.dropout = DropoutRates::all(0.1);
  const Embeddings embeddings = make_embeddings(config.embeddings(), random);
  EncoderDecoder model(std::make_unique<TransformerEncoder>(config, embeddings.source, random),
                       std::make_unique<SsruDecoder>(config, embeddings.target, random),
                       embeddings.generator);
  randomise(model, 8);
  const Batch batch = make_batch(random_sentences({3, 1, 5}, 11, 9), random_sentences({2, 6, 0}, 11, 10));
  const auto loss = [&](const std::vector<Tensor>&) {
    model.set_random(1, 1);
    return model.loss(batch);
  };
  const GradcheckResult result = gradcheck(loss, tensors(model), {.names = names(model)});
  INFO(table_of(result));
  CHECK(result.passed);
  for (const Tensor& gradient : gradients(loss({}), tensors(model)))
    CHECK(error(gradient, Tensor::zeros(gradient.shape())) > 0);
}

TEST_CASE("the gated mean refuses what does not fit", "[ssru]") {
  const Tensor x = normal({4, 2}, 1);
  CHECK_ERROR(transformer::gated_mean(x, normal({4, 3}, 1), {}, {0, 4}), "must be matrices of one shape");
  CHECK_ERROR(transformer::gated_mean(x, x, {}, {0, 3}), "do not cut 4 rows into sentences");
  CHECK_ERROR(transformer::gated_mean(x, x, {}, {0, 3, 2, 4}), "do not cut 4 rows into sentences");
  CHECK_ERROR(transformer::gated_mean(x, x, x, {0, 4}), "expected [1, 2]");
}
