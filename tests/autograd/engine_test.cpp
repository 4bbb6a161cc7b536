// Reverse mode itself: which gradients are computed, how often, and how a graph may be used.
#include <sstream>

#include "autograd/graph.h"
#include "tests/autograd/support.h"
#include "tests/catch.h"

using namespace regard;
using namespace regard::tests;

namespace {
Tensor leaf(Real value) { return Tensor::scalar(value).set_requires_grad(); }
}  // namespace

TEST_CASE("the sum rule: paths that meet add up") {
  const Tensor x = leaf(3);
  (x * x).backward();
  CHECK(x.grad().item() == 6);

  const Tensor y = leaf(3);
  const Tensor left = y * Real(2), right = y * y;  // a diamond
  (left * right).backward();                       // 2 y^3
  CHECK(y.grad().item() == 54);

  const Tensor z = leaf(2);  // z^8 by squaring: each result is used twice
  Tensor power = z;
  for (int i = 0; i < 3; ++i) power = power * power;
  power.backward();
  CHECK(z.grad().item() == 8 * 128);
}

TEST_CASE("a ladder of diamonds is walked once, not once per path") {
  // 2^60 paths lead from the end to the beginning.
  const Tensor x = leaf(1);
  Tensor y = x;
  for (int i = 0; i < 60; ++i) y = y * Real(0.5) + y * Real(0.5);
  y.backward();
  CHECK(x.grad().item() == 1);
}

TEST_CASE("an old tensor used late and a young one used early come in the right order") {
  const Tensor a = leaf(2), b = leaf(5);
  const Tensor old_one = a * b;           // 10
  const Tensor young = exp(b * Real(0));  // 1
  const Tensor late = young * old_one;    // uses both
  (late * old_one + young).backward();    // a^2 b^2 e^0 + e^0
  CHECK(a.grad().item() == 2 * 2 * 25);
  CHECK(b.grad().item() == 2 * 4 * 5);
}

TEST_CASE("a chain of a million operations: backward without recursion") {
  const Tensor x = leaf(0);
  Tensor y = x;
  for (int i = 0; i < 1'000'000; ++i) y = y + x;
  CHECK(y.item() == 0);
  y.backward();
  CHECK(x.grad().item() == 1'000'001);
}

TEST_CASE("a chain of a million operations: dropped without backward and without recursion") {
  const Tensor x = leaf(1);
  Tensor y = x;
  for (int i = 0; i < 1'000'000; ++i) y = y * x;  // keeps its operands
  CHECK(y.item() == 1);
  y = {};
  CHECK(!x.grad());
}

TEST_CASE("gradients add up over backwards until they are set to zero") {
  const Tensor x = leaf(3);
  for (int i = 0; i < 3; ++i) (x * x).backward();
  CHECK(x.grad().item() == 18);
  x.zero_grad();
  CHECK(!x.grad());
  (x * Real(5)).backward();
  CHECK(x.grad().item() == 5);
}

TEST_CASE("a graph can be used once, or again if it is retained") {
  const Tensor x = leaf(3), y = x * x;
  backward(y, {.retain_graph = true});
  backward(y, {.retain_graph = true});
  CHECK(x.grad().item() == 12);
  y.backward();
  CHECK(x.grad().item() == 18);
  CHECK_THAT(MESSAGE_OF(y.backward()), ContainsSubstring("released") && ContainsSubstring("multiply") &&
                                           ContainsSubstring("retain_graph"));
  CHECK_ERROR((y + Real(1)).backward(), "released");
  CHECK(x.grad().item() == 18);
}

TEST_CASE("an inner gradient is kept on request") {
  const Tensor x = leaf(3), y = x * Real(2), z = y * y;
  y.retain_grad();
  z.backward();
  CHECK(y.grad().item() == 12);
  CHECK(x.grad().item() == 24);
  CHECK(!z.grad());
  CHECK_ERROR(Tensor::scalar(1).retain_grad(), "retain_grad");
}

TEST_CASE("an inner gradient that is kept does not flow a second time") {
  const Tensor x = leaf(3), y = x * Real(2), z = y * Real(5);
  y.retain_grad();
  z.retain_grad();
  for (int i = 0; i < 3; ++i) backward(z, {.retain_graph = true});
  CHECK(x.grad().item() == 3 * 10);
}

TEST_CASE("a kept gradient is not changed by an operation that works in place") {
  const std::vector<Tensor> in = leaves({normal({4, 3}, 1), normal({5, 3}, 2), normal({5}, 3)});
  const Tensor y = linear_relu(in[0], in[1], in[2]);
  y.retain_grad();
  const Tensor cotangent = normal({4, 5}, 4), before = cotangent.clone();
  backward(y, {.cotangent = cotangent});
  CHECK(same_bits(y.grad(), before));
  CHECK(same_bits(cotangent, before));
}

TEST_CASE("calls of backward that are refused") {
  const Tensor constant = Tensor::scalar(2), x = normal({2, 3}, 1).set_requires_grad();
  CHECK_ERROR((constant * constant).backward(), "requires a gradient");
  CHECK_THAT(MESSAGE_OF((x * x).backward()), ContainsSubstring("[2, 3]") && ContainsSubstring("scalar"));
  CHECK_THAT(MESSAGE_OF(backward(x * x, {.cotangent = normal({3, 2}, 1)})),
             ContainsSubstring("[2, 3]") && ContainsSubstring("[3, 2]"));
  CHECK(!x.grad());
  backward(x * x, {.cotangent = Tensor::full({2, 3}, 1)});
  CHECK(error(x.grad(), x.detach() * Real(2)) < 1e-15);
}

TEST_CASE("backward of a leaf") {
  const Tensor x = leaf(3);
  x.backward();
  x.backward();
  CHECK(x.grad().item() == 2);
}

TEST_CASE("under NoGrad nothing is recorded, and on other paths gradients flow on") {
  const Tensor x = leaf(3);
  Tensor constant;
  {
    const NoGrad outer;
    {
      const NoGrad inner;
      CHECK_FALSE(grad_enabled());
    }
    CHECK_FALSE(grad_enabled());
    constant = x * x;
    CHECK_FALSE(constant.requires_grad());
  }
  CHECK(grad_enabled());
  (constant * x).backward();
  CHECK(x.grad().item() == 9);

  const Tensor y = leaf(3);
  (y.detach() * y).backward();
  CHECK(y.grad().item() == 3);
}

TEST_CASE("only leaves can be asked to keep a gradient, and only where it is asked for") {
  Tensor x = Tensor::scalar(3), y = leaf(2);
  (x * y).backward();
  CHECK(!x.grad());
  CHECK(y.grad().item() == 3);
  x.set_requires_grad();
  y.set_requires_grad(false);
  CHECK_FALSE(y.requires_grad());
  (x * y).backward();
  CHECK(x.grad().item() == 2);
  Tensor product = x * y;
  CHECK_THAT(MESSAGE_OF(product.set_requires_grad()),
             ContainsSubstring("multiply") && ContainsSubstring("detach"));
}

TEST_CASE("copies are handles of one tensor") {
  Tensor x = Tensor::scalar(3);
  const Tensor copy = x;
  x.set_requires_grad();
  (copy * copy).backward();
  CHECK(copy.is(x));
  CHECK(x.grad().item() == 6);
  CHECK_FALSE(x.clone().is(x));
  copy.data()[0] = 7;
  CHECK(x.item() == 7);
  CHECK(x.detach().item() == 7);
}

TEST_CASE("only leaves can be moved into a flat buffer") {  // tests/nn/flat_parameters_test.cpp moves some
  const Tensor x = leaf(3), values = Tensor::zeros({1}), gradients = Tensor::zeros({1});
  CHECK_ERROR((x * x).move_into(values, gradients, 0), "move_into");
}

TEST_CASE("an empty handle says so") {
  const Tensor empty;
  CHECK_FALSE(static_cast<bool>(empty));
  CHECK_ERROR(empty.shape(), "empty Tensor");
  CHECK_ERROR(empty.data(), "empty Tensor");
  CHECK_ERROR(empty.backward(), "empty Tensor");
  CHECK_ERROR(empty + Real(1), "empty Tensor");
  CHECK_ERROR(softmax(empty), "empty Tensor");
  CHECK_THAT(MESSAGE_OF(linear(leaf(1), empty, {})),
             ContainsSubstring("linear") || ContainsSubstring("empty"));
}

TEST_CASE("numbers stand on both sides of an operator, and x += y is a new tensor") {
  const Tensor x = leaf(4);
  CHECK((Real(1) + x).item() == 5);
  CHECK((Real(1) - x).item() == -3);
  CHECK((Real(1) / x).item() == Real(0.25));
  Tensor y = x;
  y += x;        // 8
  y *= y;        // 64
  y -= Real(4);  // 60
  y /= x;        // (4 x² - 4) / x
  CHECK(y.item() == 15);
  CHECK(x.item() == 4);
  y.backward();
  CHECK(x.grad().item() == Real(4.25));  // 4 + 4 / x²
}

TEST_CASE("x[i] is a row of x, with its gradient") {
  Tensor x = Tensor::from({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  x.set_requires_grad();
  CHECK(x[1].shape() == Shape{2, 2});
  CHECK(x[1][0][1].shape() == Shape{});
  CHECK(x[1][0][1].item() == 6);
  CHECK(numbers(x[-2]) == Numbers{1, 2, 3, 4});
  CHECK(x[1].data() == x.data() + 4);
  backward(x[1][0] * Tensor::from({2}, {10, 100}), {.cotangent = Tensor::ones({2})});
  CHECK(numbers(x.grad()) == Numbers{0, 0, 0, 0, 10, 100, 0, 0});
  CHECK_ERROR(x[2], "x[2] lies outside x of shape [2, 2, 2]");
  CHECK_ERROR(x[-3], "x[-3] lies outside x of shape [2, 2, 2]");
  CHECK_ERROR(x[0][0][0][0], "x is a scalar");
}

TEST_CASE("tensors and shapes print themselves, long axes shortened") {
  const auto print = [](const auto& printable) {
    std::ostringstream out;
    out << printable;
    return out.str();
  };
  CHECK(print(Shape{2, 3}) == "[2, 3]");
  CHECK(print(Tensor()) == "Tensor()");
  CHECK(print(Tensor::scalar(Real(1.5))) == "Tensor[] 1.5");
  CHECK(print(Tensor::from({2, 2}, {1, 2, 3, -4})) == "Tensor[2, 2] [[1, 2], [3, -4]]");
  CHECK(print(Tensor::zeros({0, 3})) == "Tensor[0, 3] []");
  CHECK(print(Tensor::from({7}, {1, 2, 3, 4, 5, 6, 7})) == "Tensor[7] [1, 2, 3, 4, 5, 6, 7]");
  CHECK(print(Tensor::from({8}, {1, 2, 3, 4, 5, 6, 7, 8})) == "Tensor[8] [1, 2, 3, …, 6, 7, 8]");
  CHECK(print(leaf(2) * Real(3)) == "Tensor[] 6 from 'multiply'");
  CHECK(print(leaf(2)) == "Tensor[] 2 from 'leaf'");
}
