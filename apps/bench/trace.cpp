#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "apps/bench/profile.h"
#include "apps/translation/files.h"
#include "autograd/error.h"

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

void check_trace_path(const std::string& path) {
  if (path.empty()) return;
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    fail("--trace {}: that is a directory; give a file", path);
  const std::filesystem::path parent = std::filesystem::absolute(path).parent_path();
  if (!std::filesystem::is_directory(parent, ignored))
    fail("--trace {}: the directory it should go to does not exist", path);
  const bool device =
      std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored);
  if (::access(device ? path.c_str() : parent.c_str(), W_OK) != 0)
    fail("--trace {}: no permission to write there", path);
}

/// One complete event ("X") a span, times in microseconds since the profile began. A span within another
/// begins later and ends earlier, and that is how viewers know that it belongs there.
void write_trace(const Profile& profile, const std::string& path) {
  if (path.empty()) return;
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
  translation::write_file(path, text + "\n]}\n");
}

}  // namespace regard::bench
