// Every operation's gradient against central differences. It is also written correctly: into a slot that was
// never set to zero, on top of an earlier contribution, and only where it is needed.
#include <fmt/ranges.h>
#include <set>

#include "autograd/cases/cases.h"
#include "autograd/error.h"
#include "autograd/graph.h"
#include "tests/autograd/support.h"
#include "tests/catch.h"

using namespace regard;
using namespace regard::tests;

TEST_CASE("every operation's gradient agrees with central differences") {
  const Threads one(1);  // the cut into blocks is the same, and waking threads thousands of times takes long
  for (const gradcheck_table::GradientCase& c : gradcheck_table::op_cases()) {
    const GradcheckResult result = gradcheck(c.function, c.inputs, {.every_entry_up_to = 100});
    INFO(c.name << ": " << result.worst);
    CHECK(result.passed);
    CHECK(result.error < 1e-7);
    CHECK(result.kinks == 0);
  }
}

TEST_CASE("the table of gradient checks names every operation, and each case runs what it says") {
  std::set<std::string> names;
  for (const gradcheck_table::GradientCase& c : gradcheck_table::op_cases()) {
    CHECK(c.function(leaves(c.inputs)).node()->op == c.op());
    names.insert(c.op());
  }
  CHECK(fmt::format("{}", fmt::join(names, " ")) ==
        "add additive_scores attention avg_pool2d concat conv2d cross_entropy divide dot_scores "
        "dropout embedding exp gather gaussian_weights gelu gru last_cells layer_norm linear "
        "linear_cross_entropy linear_relu log log_softmax lstm matmul max max_pool2d mean multiply "
        "pow range_relu range_softmax range_sparsemax relu reshape residual_dropout "
        "residual_layer_norm sigmoid slice softmax sqrt subtract sum tanh transpose weighted_sum");
}

TEST_CASE("a first contribution overwrites memory that holds anything") {
  for (const gradcheck_table::GradientCase& c : gradcheck_table::op_cases()) {
    INFO(c.name);
    const std::vector<Tensor> inputs = leaves(c.inputs);
    const std::vector<Tensor> expected = gradients(c.function(inputs), inputs);
    const std::vector<Tensor> stale = leaves(c.inputs);
    poison_free_memory();
    const Tensor y = c.function(stale);
    poison_free_memory();
    CHECK(same_bits(gradients(y, stale), expected));
  }
}

TEST_CASE("a second contribution adds to the first") {
  for (const gradcheck_table::GradientCase& c : gradcheck_table::op_cases()) {
    INFO(c.name);
    const std::vector<Tensor> inputs = leaves(c.inputs);
    const std::vector<Tensor> once = gradients(c.function(inputs), inputs);
    const Tensor cotangent = normal(c.function(inputs).shape(), 4711);
    for (int i = 0; i < 3; ++i) backward(c.function(inputs), {.cotangent = cotangent});
    for (std::size_t i = 0; i < inputs.size(); ++i) CHECK(error(inputs[i].grad(), once[i] * Real(3)) < 1e-13);
  }
}

TEST_CASE("an input that needs no gradient gets none, and the others get theirs") {
  for (const gradcheck_table::GradientCase& c : gradcheck_table::op_cases()) {
    const std::vector<Tensor> inputs = leaves(c.inputs);
    const std::vector<Tensor> expected = gradients(c.function(inputs), inputs);
    for (std::size_t without = 0; inputs.size() > 1 && without < inputs.size(); ++without) {
      INFO(c.name << " without the gradient of input " << without);
      std::vector<Tensor> some = leaves(c.inputs);
      some[without].set_requires_grad(false);
      const std::vector<Tensor> got = gradients(c.function(some), some);
      CHECK(!some[without].grad());
      for (std::size_t i = 0; i < inputs.size(); ++i)
        if (i != without) CHECK(error(got[i], expected[i]) < 1e-14);
    }
  }
}
