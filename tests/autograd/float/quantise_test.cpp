// Models in few bits: which of their matrices become copies, and for which uses.
#include "nn/low_precision/quantise.h"

#include <vector>

#include "autograd/ops/linear_products.h"
#include "nn/layers.h"
#include "tests/autograd/float/low_precision_support.h"
#include "tests/catch.h"

using namespace regard;
using namespace regard::tests;

namespace {

/// Two embeddings and a projection with one matrix, as in a model with shared_embeddings "all".
struct Tied : nn::Module {
  Tied(Random& random, bool with_output_last)
      : source(40, 32, random), target(source.weight), output(source.weight), output_last(with_output_last) {}
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
    CHECK(model.source.weight.form()->name() == std::string(to_string(precision)));
    CHECK(error(model.source(ids), rows) < 0.02);
    CHECK(error(model.target(ids), rows) < 0.02);
    CHECK(error(model.output(x), y) < 0.02);
    CHECK(error(model.target(ids), rows) > 1e-5);  // they are rounded
  }
}
