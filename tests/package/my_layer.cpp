// An operation and a layer of one's own: Swish (Ramachandran et al. 2017), y = x s(b x), where s is the
// logistic function and the number b is learnt. Linked to the library in double precision, so that its
// gradients can be checked.
#include <cmath>
#include <iostream>

#include "transformer/transformer.h"

using namespace regard;

Real logistic(Real x) { return 1 / (1 + std::exp(-x)); }

// With s = s(b x):   dx = dy (s + b x s (1 - s))   and   db = sum of dy x^2 s (1 - s)
Tensor swish(const Tensor& x, const Tensor& b) {
  const Tensor y = Tensor::empty(x.shape());
  for (Index i = 0; i < x.size(); ++i) y.data()[i] = x.data()[i] * logistic(b.item() * x.data()[i]);

  return record("swish", y, {x, b}, [x, b](Output& out) {
    const GradSlot dx = out.grad_slot(0);
    Real sum = 0;
    for (Index i = 0; i < x.size(); ++i) {
      const Real xi = x.data()[i], dy = out.grad()[i], s = logistic(b.item() * xi);
      if (dx) dx.data[i] = dy * (s + b.item() * xi * s * (1 - s)) + (dx.add ? dx.data[i] : 0);
      sum += dy * xi * xi * s * (1 - s);
    }
    if (const GradSlot db = out.grad_slot(1)) *db.data = sum + (db.add ? *db.data : 0);
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
