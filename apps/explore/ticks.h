#pragma once

#include <string>
#include <vector>

namespace regard::explore {

/// A range of numbers, and the round numbers in it that an axis shows.
struct Scale {
  double least = 0, most = 1;  ///< least < most
  double step = 1;             ///< between two ticks: 1, 2 or 5 times a power of ten

  /// The multiples of `step` from `least` to `most`.
  std::vector<double> ticks() const;
  /// Returns 0 for `least` and 1 for `most`.
  double part(double value) const { return (value - least) / (most - least); }
};

/// Returns a scale that holds all finite `values` and is wider than zero, with at most `ticks` + 1 ticks and
/// ends at ticks. Without a finite value it is 0 to 1. Numbers beyond 1e100 count as 1e100.
Scale make_scale(const std::vector<double>& values, int ticks);

/// Returns a number as short as an axis needs it: "0.5", "20", "40k", "1.5M", "1e-05".
std::string tick_text(double value);

}  // namespace regard::explore
