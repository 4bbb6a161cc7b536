#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

namespace regard::bench {

using TimePoint = std::chrono::steady_clock::time_point;

inline TimePoint now() { return std::chrono::steady_clock::now(); }

inline double seconds_since(TimePoint begin) { return std::chrono::duration<double>(now() - begin).count(); }

/// Returns the middle value, or the upper of the two middle values. There must be at least one value.
inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Returns the median seconds of a call. The first call is not measured. Then calls repeat until `budget`
/// seconds have passed, at least once.
template <class Call>
double median_seconds(double budget, const Call& call) {
  call();
  std::vector<double> seconds;
  const TimePoint start = now();
  do {
    const TimePoint begin = now();
    call();
    seconds.push_back(seconds_since(begin));
  } while (seconds_since(start) < budget);
  return median(std::move(seconds));
}

}  // namespace regard::bench
