#include "apps/gradcheck/run.h"

#include <algorithm>
#include <cmath>

#include "apps/gradcheck/modules.h"
#include "autograd/machine/error.h"
#include "nn/convolution/cases.h"
#include "nn/general_attention/cases.h"
#include "nn/recurrent/cases.h"

namespace regard::gradcheck_table {

namespace {

std::vector<GradientCase> operation_cases() {
  std::vector<GradientCase> cases;
  for (const auto& of : {op_cases, recurrence_cases, pair_cases, window_cases})
    std::ranges::move(of(), std::back_inserter(cases));
  return cases;
}

/// The cases of these parts, in the order of the table.
std::vector<GradientCase> cases_of(const std::vector<std::string>& parts) {
  const std::pair<const char*, std::vector<GradientCase> (*)()> all[] = {
      {"operations", operation_cases}, {"layers", layer_cases}, {"models", model_cases}};
  for (const std::string& part : parts)
    if (std::ranges::none_of(all, [&](const auto& known) { return part == known.first; }))
      fail("there are no gradients of {}; give operations, layers or models", part);
  std::vector<GradientCase> cases;
  for (const auto& [part, make] : all)
    if (parts.empty() || std::ranges::count(parts, part) > 0)
      std::ranges::move(make(), std::back_inserter(cases));
  return cases;
}

}  // namespace

bool run(const std::vector<std::string>& parts) {
  constexpr double tolerance = 1e-7;
  const std::vector<GradientCase> cases = cases_of(parts);
  double worst = 0;
  std::string worst_name = "none";
  bool passed = true;
  fmt::print("{}", gradcheck_head());
  for (const GradientCase& check : cases) {
    const GradcheckResult result =
        gradcheck(check.function, check.inputs, {.tolerance = tolerance, .names = check.input_names});
    fmt::print("{}", gradcheck_line(check.name, result.checked, result.kinks, result.error, result.passed));
    if (!result.passed) fmt::print("    {}\n", result.worst);
    passed = passed && result.passed;
    if (!(result.error <= worst)) {
      worst = result.error;
      worst_name = check.name;
    }
  }
  fmt::print("worst: {:.1e} ({})\n", worst, worst_name);
  return passed;
}

}  // namespace regard::gradcheck_table
