// In a whole model one operation after another gets a wrong backward. The gradient check must fail and name
// it.
#include <set>

#include "autograd/gradcheck.h"
#include "autograd/graph.h"
#include "tests/catch.h"
#include "tests/transformer/support.h"

using namespace regard;
using namespace regard::tests;

namespace {

/// All nodes that a result depends on.
std::set<Node*> nodes_of(const Tensor& result) {
  std::set<Node*> found;
  std::vector<Node*> to_visit{result.node().get()};
  while (!to_visit.empty()) {
    Node* const node = to_visit.back();
    to_visit.pop_back();
    if (node == nullptr || !found.insert(node).second) continue;
    for (const auto& input : node->inputs) to_visit.push_back(input.get());
  }
  return found;
}

/// Scales the gradient that each node of the operation reads.
Tensor with_wrong_backward(const Tensor& result, const std::string& op, Real factor) {
  for (Node* const node : nodes_of(result))
    if (node->op == op)
      node->backward = [=, right = node->backward](BackwardContext& context) {
        const auto scale = [node](Real by) {
          for (Index i = 0; i < node->shape.size(); ++i) node->grad_data[i] *= by;
        };
        scale(factor);
        right(context);
        scale(1 / factor);  // the gradient itself is right
      };
  return result;
}

}  // namespace

TEST_CASE("the gradient check of a whole model names the operation whose backward is wrong") {
  Config config = small_config();
  config.encoder_layers = config.decoder_layers = 1;
  EncoderDecoder model = make_model(config, 1);
  const Batch batch = make_batch({{4, 5, 6}, {7}}, {{6, 5}, {8, 4, 7}});
  const auto check = [&](const std::string& op, Real factor) {
    return gradcheck(
        [&](const std::vector<Tensor>&) { return with_wrong_backward(model.loss(batch), op, factor); },
        tensors(model), {.every_entry_up_to = 8, .directions = 2});
  };
  const GradcheckResult right = check("none", 1);
  INFO(right.worst);
  CHECK(right.passed);
  std::set<std::string> ops;
  const Tensor loss = model.loss(batch);
  for (const Node* const node : nodes_of(loss))
    if (node->backward) ops.insert(node->op);
  CHECK(ops.size() > 5);
  for (const std::string& op : ops)
    for (const Real factor : {1.01, 1.001}) {
      const GradcheckResult wrong = check(op, factor);
      INFO(op << " times " << factor << ": " << wrong.worst);
      CHECK_FALSE(wrong.passed);
      CHECK(wrong.worst.substr(0, wrong.worst.find(',')).find(op) != std::string::npos);
    }
}
