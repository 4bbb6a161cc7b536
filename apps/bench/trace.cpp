#include <iterator>
#include <nlohmann/json.hpp>

#include "apps/bench/profile.h"

namespace regard::bench {

namespace {
const char* category(Span::Kind kind) {
  switch (kind) {
    case Span::Kind::forward:
      return "forward";
    case Span::Kind::backward:
      return "backward";
    case Span::Kind::other:
      return "other";
    case Span::Kind::region:
      break;
  }
  return "region";
}
}  // namespace

/// Each span is one complete event ("X") with times in microseconds since the profile began. A span inside
/// another one begins later and ends earlier, so viewers can nest the spans.
std::string trace(const Profile& profile) {
  std::string text = "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [";
  const char* separator = "\n";
  for (const Profile::Event& event : profile.events()) {
    fmt::format_to(
        std::back_inserter(text),
        R"({}{{"name": {}, "cat": "{}", "ph": "X", "pid": 1, "tid": 1, "ts": {:.3f}, "dur": {:.3f}, )"
        R"("args": {{"flops": {:.0f}, "bytes": {:.0f}}}}})",
        separator, nlohmann::json(event.name).dump(), category(event.kind),
        1e-3 * static_cast<double>(event.begin), 1e-3 * static_cast<double>(event.end - event.begin),
        event.flops, event.bytes);
    separator = ",\n";
  }
  return text + "\n]}\n";
}

}  // namespace regard::bench
