#include <algorithm>
#include <fmt/format.h>
#include <string_view>

#include "apps/bench/profile.h"

namespace regard::bench {

namespace {

/// The sums over all spans of one name and kind.
struct Row {
  std::string_view name;
  Span::Kind kind = Span::Kind::other;
  int calls = 0;
  double seconds = 0, flops = 0, bytes = 0;
};

std::vector<Row> rows(const Profile& profile) {
  std::vector<Row> rows;
  for (const Profile::Event& event : profile.events()) {
    if (event.kind == Span::Kind::region) continue;
    auto row = std::ranges::find_if(
        rows, [&](const Row& known) { return known.name == event.name && known.kind == event.kind; });
    if (row == rows.end()) row = rows.insert(row, {.name = event.name, .kind = event.kind});
    ++row->calls;
    row->seconds += 1e-9 * static_cast<double>(event.self);
    row->flops += event.flops;
    row->bytes += event.bytes;
  }
  std::ranges::stable_sort(rows, std::greater<>(), &Row::seconds);
  return rows;
}

const char* direction(Span::Kind kind) {
  if (kind == Span::Kind::forward) return "forward";
  return kind == Span::Kind::backward ? "backward" : "";
}

/// Returns the speed of the row on the resource that limits it, and its share of the resource's ceiling.
std::string speed(const Row& row, const Ceilings& ceilings) {
  const double by_flops = row.flops / ceilings.flops, by_bytes = row.bytes / ceilings.bytes;
  if (row.seconds <= 0 || by_flops + by_bytes <= 0) return "";
  const bool computing = by_flops >= by_bytes;
  return fmt::format("{:9.1f} {:<7} {:5.0f} %", 1e-9 * (computing ? row.flops : row.bytes) / row.seconds,
                     computing ? "GFLOP/s" : "GB/s", 100 * std::max(by_flops, by_bytes) / row.seconds);
}

}  // namespace

std::string profile_table(const Profile& profile, const Ceilings& ceilings) {
  const double total = 1e-9 * static_cast<double>(profile.duration());
  double outside = total;
  const auto line = [&](std::string_view name, std::string_view kind, const std::string& calls,
                        double seconds, const std::string& rate) {
    return fmt::format("{:<28} {:<8} {:>7} {:10.2f} {:7.1f} %{}\n", name, kind, calls, 1e3 * seconds,
                       total > 0 ? 100 * seconds / total : 0, rate);
  };
  std::string text = fmt::format("{:<28} {:<8} {:>7} {:>10} {:>9}{:>17} {:>8}\n", "operation", "", "calls",
                                 "ms", "share", "speed", "ceiling");
  for (const Row& row : rows(profile)) {
    text += line(row.name, direction(row.kind), std::to_string(row.calls), row.seconds, speed(row, ceilings));
    outside -= row.seconds;
  }
  text += line("outside of these", "", "", outside, "");
  text += line("total", "", "", total, "");
  text += fmt::format(
      "ceilings: {:.1f} GFLOP/s (a product of 1024 x 1024 x 1024), {:.1f} GB/s (a pass over memory);\n"
      "above 100 % of the memory's ceiling, the numbers came from a cache\n",
      1e-9 * ceilings.flops, 1e-9 * ceilings.bytes);
  return text;
}

}  // namespace regard::bench
