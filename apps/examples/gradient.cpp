// Tensors and gradients alone: a computation, and the derivative of its result.
#include <iostream>

#include "autograd/autograd.h"

using namespace regard;

int main() {
  Tensor x = Tensor::from({3}, {1, 2, 3});
  x.set_requires_grad();
  const Tensor y = sum(x * x);  // 1 + 4 + 9
  y.backward();                 // dy/dx = 2 x
  std::cout << y << "\n" << x.grad() << "\n";
}
