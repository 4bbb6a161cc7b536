#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

namespace regard::bench {

using TimePoint = std::chrono::steady_clock::time_point;

inline TimePoint now() { return std::chrono::steady_clock::now(); }

inline double seconds_since(TimePoint begin) { return std::chrono::duration<double>(now() - begin).count(); }

/// The middle value; of an even number of values, the upper of the two in the middle. Not for none.
inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Seconds of one call: the median of calls repeated until `budget` seconds have gone by, at least one, after
/// one that is not measured.
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
