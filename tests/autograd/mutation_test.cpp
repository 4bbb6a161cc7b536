// Can the gradient checks fail? Each operation's backward in turn is made wrong by one percent, and its check
// must notice.
#include "apps/gradcheck/cases.h"
#include "autograd/graph.h"
#include "tests/autograd/support.h"
#include "tests/catch.h"

using namespace regard;
using namespace regard::tests;

namespace {

/// Scales the output's gradient by 1.01 before the operation's own backward sees it.
void make_wrong(Node& node) {
  node.backward = [right = node.backward, size = node.shape.size()](BackwardContext& context) {
    Real* const dy = context.take_output_grad();
    for (Index i = 0; i < size; ++i) dy[i] *= Real(1.01);
    right(context);
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
  for (const gradcheck_table::GradientCase& c : gradcheck_table::op_cases()) {
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
    CHECK(result.worst.substr(0, c.op().size()) == c.op());
  }
}
