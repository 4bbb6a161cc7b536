// Gradients that come in parts: micro-batches of one step, and the uses of a tied weight.
#include <algorithm>

#include "autograd/ops.h"
#include "nn/layers.h"
#include "nn/module.h"
#include "nn/optimisers.h"
#include "tests/catch.h"
#include "tests/nn/support.h"

using namespace regard;
using namespace regard::tests;

namespace {

/// A classifier of rows, with an embedding that may be its output matrix as well.
struct Classifier : nn::Module {
  explicit Classifier(bool tied) : random(1), embedding(9, 4, random), inner(4, 6, 0, random) {
    output = tied ? embedding.weight : nn::parameter(embedding.weight.clone());
    randomise(inner, 2);
  }
  Tensor loss(std::span<const std::int32_t> ids, std::span<const std::int32_t> targets, Index divide_by = 0) {
    return linear_cross_entropy(inner(embedding(ids)), output, targets,
                                {.label_smoothing = Real(0.1), .divide_by = divide_by});
  }
  void visit(nn::Visitor& visitor) override {
    visitor("embedding", embedding);
    visitor("inner", inner);
    visitor("output", output);
  }
  Random random;
  nn::Embedding embedding;
  nn::FeedForward inner;
  Tensor output;
};

using Ids = std::vector<std::int32_t>;
const Ids ids{3, 8, 1, 1, 0, 5, 3, 7, 2, 2, 6}, targets{1, 4, 4, 8, 0, 2, 7, 3, 3, 5, 6};

/// Leaves the gradients of the batch in the model, the batch coming in parts of these sizes.
void backward_in_parts(Classifier& model, const std::vector<std::size_t>& sizes, Index divide_by) {
  std::size_t first = 0;
  for (const std::size_t size : sizes) {
    model.loss(std::span(ids).subspan(first, size), std::span(targets).subspan(first, size), divide_by)
        .backward();
    first += size;
  }
  REQUIRE(first == ids.size());
}

std::vector<Tensor> gradients_in_parts(const std::vector<std::size_t>& sizes, Index divide_by) {
  Classifier model(true);
  const nn::FlatParameters flat(model.parameters());
  backward_in_parts(model, sizes, divide_by);
  std::vector<Tensor> result;
  for (const Tensor& tensor : tensors(model)) result.push_back(tensor.grad().clone());
  return result;
}

double largest_error(const std::vector<Tensor>& got, const std::vector<Tensor>& expected) {
  double largest = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) largest = std::max(largest, error(got[i], expected[i]));
  return largest;
}

}  // namespace

TEST_CASE("micro-batches divided by the whole step's targets give the gradient of one large batch") {
  const std::vector<Tensor> whole = gradients_in_parts({11}, 0);
  CHECK(largest_error(gradients_in_parts({5, 6}, 11), whole) < 1e-13);
  CHECK(largest_error(gradients_in_parts({1, 7, 3}, 11), whole) < 1e-13);
  CHECK(largest_error(gradients_in_parts({1, 7, 3}, 0), whole) > 0.1);  // each divided by its own
}

TEST_CASE("a tied weight's gradient is the sum of its uses") {
  Classifier tied(true), untied(false);
  CHECK(tied.parameters().size() + 1 == untied.parameters().size());
  const Tensor loss = tied.loss(ids, targets), same_loss = untied.loss(ids, targets);
  CHECK(loss.item() == same_loss.item());
  loss.backward();
  same_loss.backward();
  const Tensor as_input = untied.embedding.weight.grad(), as_output = untied.output.grad();
  CHECK(error(tied.embedding.weight.grad(), as_input + as_output) < 1e-14);
  CHECK(error(tied.embedding.weight.grad(), as_input) > 0.1);
  CHECK(error(tied.embedding.weight.grad(), as_output) > 0.1);
}
