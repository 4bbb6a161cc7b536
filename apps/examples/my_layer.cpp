// How to write your own operation and layer: Swish (Ramachandran et al. 2017), y = x s(b x), where s is the
// logistic function and the number b is learnt. The program links the library in double precision, so that
// the gradients can be checked.
#include <cmath>
#include <iostream>

#include "transformer/transformer.h"

using namespace regard;

Real logistic(Real x) { return 1 / (1 + std::exp(-x)); }

// With s = s(b x):   dx = dy (s + b x s (1 - s))   and   db = sum of dy x^2 s (1 - s)
Tensor swish(const Tensor& x, const Tensor& b) {
  const Operation op("swish");
  if (b.size() != 1) op.fail("b of shape {} must be one number", to_string(b.shape()));
  const Tensor y = Tensor::empty(x.shape());
  for (Index i = 0; i < x.size(); ++i) y.data()[i] = x.data()[i] * logistic(b.item() * x.data()[i]);

  return op.record(y, {x, b}, [x, b](BackwardContext& context) {
    const GradSlot dx = context.input_grad(0);
    Real sum = 0;
    for (Index i = 0; i < x.size(); ++i) {
      const Real xi = x.data()[i], dy = context.output_grad()[i], s = logistic(b.item() * xi);
      if (dx) dx.put(i, dy * (s + b.item() * xi * s * (1 - s)));
      sum += dy * xi * xi * s * (1 - s);
    }
    if (const GradSlot db = context.input_grad(1)) db.put(0, sum);
  });
}

class Swish : public nn::Module {
 public:
  Tensor operator()(const Tensor& x) const { return swish(x, b); }
  void visit(nn::Visitor& visitor) override { visitor("b", b); }

  Tensor b = nn::parameter(Tensor::scalar(1));
};

int main() {
  Random random(1);
  Swish layer;
  const GradcheckResult result =
      gradcheck([&](const std::vector<Tensor>& inputs) { return layer(inputs[0]); },
                {Tensor::normal({4, 3}, 0, 1, random), layer.b}, {.names = {"x", "b"}});
  std::cout << result.checked << " derivatives, largest error " << result.error << "\n";
  if (!result.passed) std::cout << result.worst << "\n";
  return result.passed ? 0 : 1;
}
