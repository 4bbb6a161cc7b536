#pragma once

#include <utility>

#include "apps/gradcheck/cases.h"
#include "autograd/autograd.h"

// What the files with cases for operations share.

namespace regard::gradcheck_table {

inline Tensor normal(const Shape& shape, std::uint64_t seed) {
  Random random(seed);
  return Tensor::normal(shape, 0, 1, random);
}

inline Tensor positive(const Shape& shape, std::uint64_t seed) {
  Random random(seed);
  return Tensor::uniform(shape, Real(0.5), 2, random);
}

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

using Inputs = const std::vector<Tensor>&;

class Table {
 public:
  /// Adds a case with normally distributed inputs of these shapes.
  void add(const std::string& name, const std::vector<Shape>& shapes, Differentiable function) {
    add(name, shapes, normal, std::move(function));
  }
  /// Adds a case with inputs between 0.5 and 2.
  void add_positive(const std::string& name, const std::vector<Shape>& shapes, Differentiable function) {
    add(name, shapes, positive, std::move(function));
  }

  std::vector<GradientCase> cases;

 private:
  void add(const std::string& name, const std::vector<Shape>& shapes,
           Tensor (*make)(const Shape&, std::uint64_t), Differentiable function) {
    cases.push_back({name, std::move(function), {}});
    for (const Shape& shape : shapes)
      cases.back().inputs.push_back(make(shape, 1000 * cases.size() + cases.back().inputs.size()));
  }
};

void add_recurrences(Table& table);
void add_scores(Table& table);
void add_windows(Table& table);

}  // namespace regard::gradcheck_table
