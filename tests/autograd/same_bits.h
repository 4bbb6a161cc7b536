#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/autograd/support.h"
#include "tests/catch.h"

namespace regard::tests {

using Inputs = const std::vector<Tensor>&;

/// Value and gradients on one thread, and the same bits on others.
inline void check_bits(const std::string& name, const std::vector<Shape>& shapes,
                       const std::function<Tensor(Inputs)>& function) {
  INFO(name);
  std::vector<Tensor> values;
  for (const Shape& shape : shapes) values.push_back(positive(shape, values.size() + 1));
  const auto run = [&](int count) {
    const Threads limit(count);
    const std::vector<Tensor> inputs = leaves(values);
    const Tensor y = function(inputs);
    std::vector<Tensor> results = gradients(y, inputs);
    results.push_back(y.detach());
    return results;
  };
  const std::vector<Tensor> expected = run(1);
  for (const int count : {2, 3, 5, 64}) {
    INFO(count << " threads");
    CHECK(same_bits(run(count), expected));
  }
}

}  // namespace regard::tests
