#pragma once

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "tests/autograd/support.h"
#include "tests/catch.h"

namespace regard::tests {

using Inputs = const std::vector<Tensor>&;

/// The result has the expected shape; it and all gradients are written and are numbers.
inline void check(const std::string& name, const Shape& expected, const std::vector<Shape>& shapes,
                  const std::function<Tensor(Inputs)>& function) {
  INFO(name << " giving " << to_string(expected));
  std::vector<Tensor> values;
  for (const Shape& shape : shapes) values.push_back(positive(shape, values.size() + 1));
  const std::vector<Tensor> inputs = leaves(values);
  poison_free_memory();
  const Tensor y = function(inputs);
  CHECK(y.shape() == expected);
  std::vector<Tensor> results = gradients(y, inputs);
  results.push_back(y.detach());
  for (const Tensor& result : results)
    for (const Real value : result.values()) CHECK(std::isfinite(value));
}

}  // namespace regard::tests
