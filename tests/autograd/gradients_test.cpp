// Every operation of the table of gradient checks. Its gradient is written correctly: into a slot that was
// never set to zero, on top of an earlier contribution, and only where it is needed. Its check can fail: each
// backward in turn is made wrong by one percent, and the check must find one percent. Each right one agrees
// with central differences to 1e-7. (program_tests run the checks of layers and models.) It is in a profile
// under its own name.
#include <cstring>
#include <fmt/ranges.h>
#include <set>

#include "autograd/graph.h"
#include "autograd/machine/error.h"
#include "autograd/machine/profile.h"
#include "tests/autograd/case_tables.h"
#include "tests/autograd/support.h"
#include "tests/catch.h"

using namespace regard;
using namespace regard::tests;

namespace {

const AddCases engine(
    gradcheck_table::op_cases,
    "add attention concat cross_entropy divide dot_scores dropout embedding exp gather gelu layer_norm "
    "linear "
    "linear_cross_entropy linear_gelu linear_relu linear_silu log log_softmax matmul max mean multiply pow "
    "range_relu range_sigmoid range_softmax range_sparsemax relu reshape residual_dropout "
    "residual_layer_norm "
    "rotary sigmoid silu slice softmax sqrt subtract sum tanh transpose weighted_sum");

}  // namespace

TEST_CASE("the table of gradient checks names every operation, and each case runs what it says") {
  for (const CaseTable& table : case_tables()) {
    std::set<std::string> names;
    for (const gradcheck_table::GradientCase& c : table.cases()) {
      CHECK(c.function(leaves(c.inputs)).node()->op == c.op());
      names.insert(c.op());
    }
    CHECK(fmt::format("{}", fmt::join(names, " ")) == table.operations);
  }
}

TEST_CASE("every gradient agrees with central differences to 1e-7") {
  const Threads one(1);
  for (const gradcheck_table::GradientCase& c : all_cases()) {
    const GradcheckResult result =
        gradcheck(c.function, c.inputs,
                  {.tolerance = 1e-7, .every_entry_up_to = 50, .directions = 3, .names = c.input_names});
    INFO(c.name << ": " << result.worst);
    CHECK(result.passed);
  }
}

TEST_CASE("a first contribution overwrites memory that holds anything") {
  for (const gradcheck_table::GradientCase& c : all_cases()) {
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
  for (const gradcheck_table::GradientCase& c : all_cases()) {
    INFO(c.name);
    const std::vector<Tensor> inputs = leaves(c.inputs);
    const std::vector<Tensor> once = gradients(c.function(inputs), inputs);
    const Tensor cotangent = normal(c.function(inputs).shape(), 4711);
    for (int i = 0; i < 3; ++i) backward(c.function(inputs), {.cotangent = cotangent});
    for (std::size_t i = 0; i < inputs.size(); ++i) CHECK(error(inputs[i].grad(), once[i] * Real(3)) < 1e-13);
  }
}

TEST_CASE("an input that needs no gradient gets none, and the others get theirs") {
  for (const gradcheck_table::GradientCase& c : all_cases()) {
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

namespace {

/// Scales the output's gradient by 1.01 before the operation's own backward sees it.
void make_wrong(Node& node) {
  node.backward = [&node, right = node.backward](BackwardContext& context) {
    const auto scale = [&node](Real by) {
      for (Index i = 0; i < node.shape.size(); ++i) node.grad_data[i] *= by;
    };
    scale(Real(1.01));
    right(context);
    scale(1 / Real(1.01));  // the gradient of the result itself is right
  };
}

/// Makes every node of operation `op` wrong that `result` depends on; returns how many.
int make_wrong(const Tensor& result, const std::string& op) {
  int count = 0;
  std::vector<Node*> to_visit{result.node().get()};
  while (!to_visit.empty()) {
    Node* const node = to_visit.back();
    to_visit.pop_back();
    if (node == nullptr) continue;
    if (node->op == op) {
      make_wrong(*node);
      ++count;
    }
    for (const auto& input : node->inputs) to_visit.push_back(input.get());
  }
  return count;
}

}  // namespace

TEST_CASE("a backward that is wrong by one percent fails its gradient check") {
  const Threads one(1);
  for (const gradcheck_table::GradientCase& c : all_cases()) {
    int wrong = 0;
    const auto mutant = [&](const std::vector<Tensor>& inputs) {
      Tensor y = c.function(inputs);
      if (y.requires_grad()) wrong = make_wrong(y, c.op());
      return y;
    };
    const GradcheckResult result = gradcheck(mutant, c.inputs, {.every_entry_up_to = 12, .directions = 3});
    INFO(c.name << ": " << result.worst);
    CHECK(wrong == 1);  // central differences record nothing
    CHECK_FALSE(result.passed);
    CHECK(result.error == Approx(0.01).epsilon(0.01));
    // last_cells hands its gradient to lstm by another way than the graph, so lstm is named.
    CHECK(result.worst.starts_with(c.op() == "last_cells" ? "lstm" : c.op()));
  }
}

namespace {

std::set<std::string> names(const Profile& profile, Span::Kind kind) {
  std::set<std::string> result;
  for (const Profile::Event& event : profile.events())
    if (event.kind == kind) result.insert(event.name);
  return result;
}

/// The value and all gradients of a case.
std::vector<Tensor> results(const gradcheck_table::GradientCase& c) {
  const std::vector<Tensor> inputs = leaves(c.inputs);
  const Tensor y = c.function(inputs);
  std::vector<Tensor> result{y.detach()};
  for (const Tensor& gradient : gradients(y, inputs)) result.push_back(gradient);
  return result;
}

}  // namespace

TEST_CASE("every operation opens a span with the name that it records, forward and backward") {
  for (const gradcheck_table::GradientCase& c : all_cases()) {
    CAPTURE(c.name);
    const std::vector<Tensor> expected = results(c);
    Profile profile;
    const std::vector<Tensor> watched = results(c);
    profile.stop();
    CHECK(names(profile, Span::Kind::forward).count(c.op()) == 1);
    const std::set<std::string> backward = names(profile, Span::Kind::backward);
    CHECK(backward.count(c.op()) == 1);
    for (const std::string& name : backward)  // nothing is recorded that opened no span
      CHECK(names(profile, Span::Kind::forward).count(name) == 1);
    CHECK(same_bits(watched, expected));
  }
}
