// Models in few bits: which of their matrices become copies, and for which uses.
#include "nn/low_precision/quantise.h"

#include <cmath>
#include <vector>

#include "autograd/machine/error.h"
#include "autograd/ops.h"
#include "autograd/ops/linear_products.h"
#include "nn/layers.h"
#include "tests/autograd/low_precision/float/low_precision_support.h"
#include "tests/catch.h"

using namespace regard;
using namespace regard::tests;

namespace {

/// Two embeddings and a projection with one matrix, as in a model with shared_embeddings "all".
struct Tied : nn::Module {
  Tied(Random& random, bool with_output_last)
      : source(64, 32, random), target(source.weight), output(source.weight), output_last(with_output_last) {}
  void visit(nn::Visitor& visitor) override {
    visitor("source", source);
    if (!output_last) visitor("output", output);
    visitor("target", target);
    if (output_last) visitor("output", output);
  }
  nn::Embedding source, target;
  nn::Linear output;
  bool output_last;
};

}  // namespace

TEST_CASE("a matrix that is looked up and multiplied with becomes a copy for both", "[bfloat16]") {
  const std::vector<std::int32_t> ids{3, 39, 3};
  const Tensor x = normal({5, 32}, 1);
  const bool output_last = GENERATE(false, true);
  for (const Precision precision : {Precision::bfloat16, Precision::int8}) {
    if (!can_run(precision)) continue;
    INFO(to_string(precision) << ", output last: " << output_last);
    Random random(2);
    Tied model(random, output_last);
    const Tensor rows = model.target(ids), y = model.output(x);
    nn::set_precision(model, precision);
    CHECK(MatrixForm::of(model.source.weight)->name() == std::string(to_string(precision)));
    CHECK(error(model.source(ids), rows) < 0.02);
    CHECK(error(model.target(ids), rows) < 0.02);
    CHECK(error(model.output(x), y) < 0.02);
    CHECK(error(model.target(ids), rows) > 1e-5);  // they are rounded
  }
}

TEST_CASE("a weight that becomes a copy has another version", "[bfloat16]") {
  for (const Precision precision : {Precision::bfloat16, Precision::int8}) {
    if (!can_run(precision)) continue;
    Random random(1);
    nn::Linear layer(32, 40, random);
    const auto version = [&] { return layer.weight.version()->number(); };
    const std::uint64_t before = version();
    CHECK(version() == before);
    nn::set_precision(layer, precision);
    CHECK(version() != before);
  }
}

TEST_CASE("single rows of a copy are gathered, and their products are those of the whole", "[bfloat16]") {
  const std::vector<std::int32_t> ids{3, 39, 3, 0, 17};
  const Tensor x = normal({20, 32}, 1);
  for (const Precision precision : {Precision::bfloat16, Precision::int8}) {
    if (!can_run(precision)) continue;
    INFO(to_string(precision));
    Random random(2);
    Tied model(random, true);
    nn::set_precision(model, precision);
    const Tensor some = gather(model.output.weight, 0, ids);
    REQUIRE(some.shape() == Shape{5, 32});
    REQUIRE(MatrixForm::of(some) != nullptr);
    const Tensor whole = model.output(x), y = linear(x, some, Tensor());
    for (Index row = 0; row < 20; ++row)
      for (Index i = 0; i < 5; ++i) {
        const Real expected = whole.at({row, ids[to_size(i)]});
        if (precision == Precision::int8)
          CHECK(y.at({row, i}) == expected);
        else
          CHECK(std::abs(y.at({row, i}) - expected) < 1e-5 * (1 + std::abs(expected)));
      }
    const Tensor of_part = gather(slice(model.output.weight, 0, 32, 64), 0, std::vector<std::int32_t>{31});
    CHECK(linear(x, of_part, Tensor()).at({4, 0}) == Approx(whole.at({4, 63})).epsilon(1e-5));
    CHECK_THROWS_AS(gather(model.output.weight, 0, std::vector<std::int32_t>{64}), Error);
    nn::Linear alone(32, 40, random);
    nn::set_precision(alone, precision);
    CHECK_ERROR(gather(alone.weight, 0, ids), "cannot be looked up");
  }
}
