#include "apps/gradcheck/run.h"

#include <cmath>

#include "apps/gradcheck/modules.h"
#include "autograd/machine/error.h"

namespace regard::gradcheck_table {

bool run() {
  constexpr double tolerance = 1e-7;
  double worst = 0;
  std::string worst_name = "none";
  bool passed = true;
  fmt::print("{}", gradcheck_head());
  for (const auto& cases : {op_cases(), layer_cases(), model_cases()}) {
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
  }
  fmt::print("worst: {:.1e} ({})\n", worst, worst_name);
  return passed;
}

}  // namespace regard::gradcheck_table
