#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/python/src/casters.h"
#include "autograd/kernels/planes.h"

// What a trained model answers.

namespace regard::python {

struct Translation {
  std::string text;
  std::optional<double> score;
  std::vector<std::string> tokens;
};

struct Score {
  double score, log_probability;
  std::vector<double> token_log_probabilities;
  std::vector<std::string> tokens;
};

struct Attention {
  std::vector<std::string> source_tokens, target_tokens;
  std::string translation;
  nb::dict weights;
  std::optional<Plane> plane;
};

/// As Python writes a string.
nb::str quoted(const std::string& text);

void add_results(nb::module_& m);

}  // namespace regard::python
