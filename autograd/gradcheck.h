#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "autograd/machine/real.h"
#include "autograd/tensor.h"

// The check of gradients: backward() against central differences.

namespace regard { inline namespace REGARD_PRECISION {

struct GradcheckOptions {
  double step = 1e-5;
  double tolerance = 1e-7;
  /// An input with more entries than this is checked along `directions` random directions instead of entry
  /// by entry.
  Index every_entry_up_to = 400;
  int directions = 20;
  std::uint64_t seed = 1;
  /// Names of the inputs for the report; empty: "input 0", "input 1", …
  std::vector<std::string> names = {};
};

struct GradcheckResult {
  /// The largest max |got - expected| / max |expected| over the inputs and two cotangents, the maxima taken
  /// over one input's entries (absolute where all expected are 0).
  double error = 0;
  bool passed = true;
  Index checked = 0;
  Index kinks = 0;  ///< entries left out: the function has no derivative there
  struct Input {
    std::string name;
    double error;
    Index checked, kinks;
  };
  std::vector<Input> inputs = {};
  /// The worst entry: an operation, the input, the index, got and expected. If the check has failed, it is
  /// the operation whose backward is wrong; otherwise the last operation.
  std::string worst;
};

/// Computes a tensor from inputs. It is called many times and must return the same each time.
using Differentiable = std::function<Tensor(const std::vector<Tensor>& inputs)>;

/// Compares the gradients that backward() computes for `function` with central differences, under two random
/// cotangents, which are the numbers of no Random(seed). `inputs` are all tensors to check: the arguments,
/// and tensors that the function holds by itself, such as the parameters of a layer. Their entries change in
/// place. A function with dropout must use the same random numbers at every call: call layer.set_random(1, 1)
/// in it. Sets requires_grad on the inputs; leaves their gradients empty, also if the function throws.
///
/// Only in double precision: in the float libraries it throws Error, saying which library to link instead.
GradcheckResult gradcheck(const Differentiable& function, std::vector<Tensor> inputs,
                          const GradcheckOptions& options = {});

/// The lines of a table of results: its head, and one line for each check.
std::string gradcheck_head();
/// One line of that table.
std::string gradcheck_line(const std::string& name, Index checked, Index kinks, double error, bool passed);
/// A table with a line for each input, and the worst entry if the check has failed.
std::string table_of(const GradcheckResult& result);

}}  // namespace regard::REGARD_PRECISION
