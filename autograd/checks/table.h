#pragma once

#include <utility>

#include "autograd/autograd.h"
#include "autograd/checks/cases.h"

// What the files with cases for operations share.

namespace regard::gradcheck_table {

inline std::vector<std::int32_t> random_ids(std::size_t count, Index bound, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::int32_t> ids(count);
  for (std::int32_t& id : ids)
    id = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(bound)));
  return ids;
}

/// Returns segments of sentences with these lengths, one after another. Each sentence attends to itself.
inline Segments self_segments(const std::vector<Index>& lengths) {
  std::vector<Index> offsets{0};
  for (const Index length : lengths) offsets.push_back(offsets.back() + length);
  return segments(offsets, offsets);
}

class Table {
 public:
  /// Adds a case with normally distributed inputs of these shapes.
  void add(const std::string& name, const std::vector<Shape>& shapes, Differentiable function) {
    Random random = random_of(name);
    std::vector<Tensor> inputs;
    for (const Shape& shape : shapes) inputs.push_back(Tensor::normal(shape, 0, 1, random));
    cases.push_back({name, std::move(function), std::move(inputs)});
  }
  /// Adds a case with inputs between 0.5 and 2.
  void add_positive(const std::string& name, const std::vector<Shape>& shapes, Differentiable function) {
    Random random = random_of(name);
    std::vector<Tensor> inputs;
    for (const Shape& shape : shapes) inputs.push_back(Tensor::uniform(shape, Real(0.5), 2, random));
    cases.push_back({name, std::move(function), std::move(inputs)});
  }

  std::vector<GradientCase> cases;
};

void add_scores(Table& table);

}  // namespace regard::gradcheck_table
