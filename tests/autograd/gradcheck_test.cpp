// The gradient check itself: a right gradient passes, a wrong entry is named, and only kinks are left out.
#include "autograd/gradcheck.h"

#include <cstdio>
#include <limits>

#include "autograd/graph.h"
#include "tests/autograd/support.h"
#include "tests/catch.h"

using namespace regard;
using namespace regard::tests;

namespace {

using Inputs = const std::vector<Tensor>&;

/// y = x, with a backward that multiplies entry `index` of the gradient, or all entries, by `factor`.
constexpr Index every = -1;
Tensor wrong_at(const Tensor& x, Index index, Real factor) {
  return Operation("wrong").record(x.clone(), {x}, [=, size = x.size()](BackwardContext& context) {
    const GradSlot dx = context.input_grad(0);
    for (Index i = 0; i < size; ++i)
      dx.put(i, context.output_grad()[i] * (index == every || i == index ? factor : 1));
  });
}
Tensor wrong_everywhere(const Tensor& x, Real factor) { return wrong_at(x, every, factor); }

/// got / expected, from the report.
double ratio(const std::string& report) {
  double got = 0, expected = 0;
  const std::size_t numbers_begin = report.find("got ");
  if (numbers_begin == std::string::npos) return 0;
  if (std::sscanf(report.c_str() + numbers_begin, "got %lf, expected %lf", &got, &expected) != 2) return 0;
  return got / expected;
}

}  // namespace

TEST_CASE("a right gradient passes and changes nothing") {
  const Tensor x = normal({3, 4}, 1), y = normal({4}, 2), before = x.clone();
  const GradcheckResult result = gradcheck([](Inputs in) { return tanh(in[0]) * in[1]; }, {x, y});
  INFO(result.worst);
  CHECK(result.passed);
  CHECK(result.error > 0);  // differences are never exact
  CHECK(result.error < 1e-8);
  CHECK(result.checked == 16);
  CHECK(result.kinks == 0);
  CHECK(same_bits(x, before));
  CHECK(x.requires_grad());
  CHECK(!x.grad());
}

TEST_CASE("a wrong entry is reported by operation, input, index, and both values") {
  const auto function = [](Inputs in) { return wrong_at(in[0] * in[1], 4, Real(1.01)); };
  const std::vector<Tensor> inputs{normal({2, 3}, 1), positive({2, 3}, 2)};
  const GradcheckResult unnamed = gradcheck(function, inputs);
  CHECK_FALSE(unnamed.passed);
  CHECK_THAT(unnamed.worst, ContainsSubstring("wrong, input ") && ContainsSubstring(", index 4: got "));
  CHECK(ratio(unnamed.worst) == Approx(1.01).epsilon(1e-6));

  const auto only_second = [](Inputs in) { return in[0] + wrong_at(in[1], 2, Real(0.5)); };
  const GradcheckResult named = gradcheck(only_second, inputs, {.names = {"weight", "bias"}});
  CHECK_FALSE(named.passed);
  CHECK_CONTAINS(named.worst, "wrong, bias, index 2: got ");
  CHECK(ratio(named.worst) == Approx(0.5).epsilon(1e-6));
}

TEST_CASE("an error just above the tolerance fails, one just below passes") {
  const auto off_by = [](double relative) {
    return gradcheck([=](Inputs in) { return wrong_everywhere(in[0], 1 + relative); }, {normal({5}, 1)},
                     {.tolerance = 1e-4});
  };
  CHECK_FALSE(off_by(1.1e-4).passed);
  CHECK(off_by(0.9e-4).passed);
  CHECK(off_by(0.9e-4).error == Approx(0.9e-4).epsilon(1e-3));
}

TEST_CASE("a gradient of the wrong sign, or none at all, fails") {
  const auto off = [](Real factor) {
    return gradcheck([=](Inputs in) { return wrong_everywhere(in[0], factor); }, {normal({5}, 1)});
  };
  CHECK_FALSE(off(-1).passed);
  CHECK_FALSE(off(0).passed);
  const auto forgotten = [](Inputs in) { return in[0] * in[1].detach(); };
  const GradcheckResult result = gradcheck(forgotten, {normal({5}, 1), normal({5}, 2)});
  CHECK_FALSE(result.passed);
  CHECK_CONTAINS(result.worst, "input 1");
}

TEST_CASE("a NaN in a gradient fails, in every place") {
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  for (const Index index : {0, 2, 4})
    for (const std::size_t input : {0, 1}) {
      const auto function = [=](Inputs in) {
        return input == 0 ? wrong_at(in[0], index, nan) + in[1] : in[0] + wrong_at(in[1], index, nan);
      };
      const GradcheckResult result = gradcheck(function, {normal({5}, 1), normal({5}, 2)});
      CHECK_FALSE(result.passed);
      CHECK_CONTAINS(result.worst, fmt::format("input {}, index {}: got nan", input, index));
    }
}

TEST_CASE("entries at a kink are left out and counted") {
  const auto at_zero = [](Inputs in) { return relu(in[0]); };
  const GradcheckResult relu_result = gradcheck(at_zero, {Tensor::from({5}, {-1, 0, 2, Real(0.5), -3})});
  INFO(relu_result.worst);
  CHECK(relu_result.passed);
  CHECK(relu_result.kinks == 1);
  CHECK(relu_result.checked == 4);

  // A third of the gradient each, where the slopes are 0 on one side and 1 on the other.
  const Tensor threefold = Tensor::from({2, 4}, {1, 5, 5, 5, 2, 0, 1, -1});
  const GradcheckResult tie = gradcheck([](Inputs in) { return max(in[0], {{1}}); }, {threefold});
  CHECK(tie.passed);
  CHECK(tie.kinks == 3);
  CHECK(tie.checked == 5);
}

TEST_CASE("a wrong gradient is not excused as a kink") {
  const auto function = [](Inputs in) { return wrong_everywhere(relu(in[0]), Real(1.01)); };
  const GradcheckResult far = gradcheck(function, {Tensor::from({4}, {-1, 1, 2, Real(0.001)})});
  CHECK_FALSE(far.passed);
  CHECK(far.kinks == 0);
  const GradcheckResult near = gradcheck(function, {Tensor::from({4}, {-1, 1, 2, 0})});
  CHECK_FALSE(near.passed);
  CHECK(near.kinks == 1);

  const auto curved = [](Inputs in) { return wrong_everywhere(exp(in[0] * Real(3)), Real(1.01)); };
  const GradcheckResult smooth = gradcheck(curved, {normal({6}, 1)});
  CHECK_FALSE(smooth.passed);
  CHECK(smooth.kinks == 0);
}

TEST_CASE("a check that finds only kinks fails") {
  const GradcheckResult result = gradcheck([](Inputs in) { return relu(in[0]); }, {Tensor::zeros({4})});
  CHECK(result.worst.ends_with(
      "only 0 of 4 entries could be checked; the function has no derivative at the others: take "
      "other values"));
  CHECK(result.kinks == 4);
  CHECK_FALSE(result.passed);
}

TEST_CASE("a gradient that is zero in theory passes: rounding is not a kink") {
  const auto shifted = [](Inputs in) { return softmax(in[0] + in[1]); };  // one number added to a whole row
  const GradcheckResult result = gradcheck(shifted, {normal({2, 7}, 1), normal({2, 1}, 2)});
  INFO(result.worst);
  CHECK(result.passed);
  CHECK(result.kinks == 0);
}

TEST_CASE("a large value does not hide an error") {
  const auto far_off = [](Real factor) {
    return [=](Inputs in) { return wrong_everywhere(in[0], factor) + Real(1e3); };
  };
  const std::vector<Tensor> inputs{normal({20}, 1)};
  const GradcheckResult right = gradcheck(far_off(1), inputs);
  INFO(right.worst);
  CHECK(right.passed);
  CHECK_FALSE(gradcheck(far_off(Real(1.0001)), inputs).passed);
}

TEST_CASE("rounding of a large value is no error of a small slope, and excuses none") {
  const std::vector<Tensor> inputs{normal({20}, 1)};
  const auto function = [](Real factor) {
    return [=](Inputs in) { return wrong_everywhere(in[0], factor) * Real(0.01) + Real(1e3); };
  };
  // The central difference with the usual step is off by more than the tolerance.
  const auto at = [&](Real x) { return (Tensor::scalar(x) * Real(0.01) + Real(1e3)).item(); };
  double largest = 0;
  for (const Real x : inputs[0].values())
    largest = std::max(largest, std::abs((at(x + 1e-5) - at(x - 1e-5)) / 2e-5 / 0.01 - 1));
  CHECK(largest > 1e-7);

  const GradcheckResult right = gradcheck(function(1), inputs);
  INFO(right.worst);
  CHECK(right.passed);
  for (const Real factor : {1.01, 1.001, 1.00001}) CHECK_FALSE(gradcheck(function(factor), inputs).passed);
}

TEST_CASE("a wrong backward inside of a function is named") {
  const std::vector<Tensor> inputs{normal({3, 4}, 1), normal({4, 2}, 2)};
  const auto worst = [&](const Differentiable& function) { return gradcheck(function, inputs).worst; };
  CHECK_THAT(worst([](Inputs in) { return sigmoid(matmul(wrong_everywhere(tanh(in[0]), 1.01), in[1])); }),
             StartsWith("wrong, input 0"));
  CHECK_THAT(worst([](Inputs in) { return sigmoid(matmul(tanh(in[0]), wrong_everywhere(in[1], 1.01))); }),
             StartsWith("wrong, input 1"));
  // Two operations read the result of tanh. The gradient is the sum of what they give.
  CHECK_THAT(worst([](Inputs in) {
               const Tensor x = tanh(in[0]);
               return matmul(x + wrong_everywhere(x, 1.01), in[1]);
             }),
             StartsWith("wrong or add, input 0"));
  CHECK_THAT(worst([](Inputs in) { return sigmoid(matmul(tanh(in[0]), in[1])); }), StartsWith("sigmoid, "));
}

TEST_CASE("a large input is followed along random directions, which still catch an error") {
  const Tensor x = normal({40, 30}, 1);
  const GradcheckResult right = gradcheck([](Inputs in) { return tanh(in[0]); }, {x});
  INFO(right.worst);
  CHECK(right.passed);
  CHECK(right.checked == 20);

  const GradcheckResult all =
      gradcheck([](Inputs in) { return wrong_everywhere(tanh(in[0]), Real(1.001)); }, {x}, {.directions = 5});
  CHECK_FALSE(all.passed);
  CHECK(all.checked == 5);
  CHECK_CONTAINS(all.worst, "wrong, input 0, random direction ");
  const GradcheckResult one = gradcheck([](Inputs in) { return wrong_at(tanh(in[0]), 777, 0); }, {x});
  CHECK_FALSE(one.passed);
}

TEST_CASE("a function that throws finds its inputs as they were") {
  const Tensor x = normal({3}, 1), before = x.clone();
  for (int last = 1; last <= 5; ++last) {
    int calls = 0;
    const auto throws_late = [&](Inputs in) {
      if (++calls == last) fail("enough");
      return in[0] * in[0];
    };
    CHECK_ERROR(gradcheck(throws_late, {x}), "enough");
    CHECK(same_bits(x, before));
    CHECK(!x.grad());
  }
  CHECK(gradcheck([](Inputs in) { return in[0] * in[0]; }, {x}).passed);
}

TEST_CASE("a check leaves no gradients, also if it fails or a backward throws") {
  const std::vector<Tensor> inputs{normal({3}, 1), normal({3}, 2)};
  CHECK_FALSE(gradcheck([](Inputs in) { return wrong_everywhere(in[0] * in[1], 2); }, inputs).passed);
  for (const Tensor& x : inputs) CHECK(!x.grad());
  const auto throws = [](Inputs in) {
    const Tensor y = Operation("throws").record(in[0].clone(), {in[0]}, [](BackwardContext&) { fail("no"); });
    return y + in[1];  // whose gradient is there when the other backward throws
  };
  CHECK_ERROR(gradcheck(throws, inputs), "no");
  for (const Tensor& x : inputs) CHECK(!x.grad());
}

TEST_CASE(
    "inputs from any Random(seed) are no cotangent, which would hide a wrong gradient or the right one") {
  // The gradient of x / |x| under the cotangent x is 0, and so is any multiple of it.
  const auto unit = [](Real factor) {
    return [=](Inputs in) {
      const Tensor x = wrong_everywhere(in[0], factor);
      return x / sqrt(sum(x * x));
    };
  };
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    INFO(seed);
    Random random(seed);
    const Tensor x = Tensor::normal({3, 7}, 0, 1, random);
    const GradcheckOptions options{.seed = seed};
    CHECK(gradcheck(unit(1), {x}, options).passed);
    CHECK(gradcheck(unit(3), {x}, options).error == Approx(2).epsilon(1e-6));
    const auto normalised = [](Inputs in) {
      return layer_norm(in[0], Tensor::full({7}, 1), Tensor::zeros({7}));
    };
    const GradcheckResult result = gradcheck(normalised, {x}, options);
    INFO(result.worst);
    CHECK(result.passed);
  }
}

TEST_CASE("of two cotangents the worse one counts, for no more evaluations of the function") {
  int calls = 0;
  const auto wrong_at_call = [&](int wrong) {
    calls = 0;
    return gradcheck([&, wrong](Inputs in) { return wrong_everywhere(in[0], ++calls == wrong ? 2 : 1); },
                     {normal({50}, 1)});
  };
  CHECK(wrong_at_call(0).passed);
  CHECK(calls <= 2 + 2 * 50 + 1);
  for (const int wrong : {1, 2}) CHECK(wrong_at_call(wrong).error == Approx(1));
}

TEST_CASE("a table has a line for each input and marks the wrong one") {
  const GradcheckResult result = gradcheck([](Inputs in) { return in[0] + wrong_everywhere(in[1], 0.5); },
                                           {normal({3}, 1), normal({3}, 2)}, {.names = {"a", "b"}});
  REQUIRE(result.inputs.size() == 2);
  CHECK(result.inputs[1].checked == 3);
  const std::string table = table_of(result);
  CHECK_CONTAINS(table, gradcheck_line("a", 3, 0, result.inputs[0].error, true));
  CHECK_CONTAINS(table, gradcheck_line("b", 3, 0, 0.5, false) + "FAILED: wrong, b, index ");
}

TEST_CASE("only leaves can be checked") {
  const Tensor x = normal({3}, 1).set_requires_grad();
  CHECK_ERROR(gradcheck([](Inputs in) { return in[0]; }, {x * x}), "multiply");
}
