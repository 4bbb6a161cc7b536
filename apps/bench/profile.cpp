#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <string_view>
#include <vector>

#include "apps/bench/scaling.h"
#include "apps/bench/training.h"
#include "apps/regard/version.h"
#include "autograd/machine/parallel.h"

namespace regard::bench {

namespace {

/// The sums over all spans of one name and kind.
struct Row {
  std::string_view name;
  Span::Kind kind = Span::Kind::other;
  int calls = 0;
  double seconds = 0, flops = 0;
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
  }
  std::ranges::stable_sort(rows, std::greater<>(), &Row::seconds);
  return rows;
}

const char* direction(Span::Kind kind) {
  if (kind == Span::Kind::forward) return "forward";
  return kind == Span::Kind::backward ? "backward" : "";
}

/// Returns the GFLOP/s of the products of a row, and the share of the floor. Empty for a row without
/// products.
std::string speed(const Row& row, double product_speed) {
  if (row.seconds <= 0 || row.flops <= 0) return "";
  const double gflops = 1e-9 * row.flops / row.seconds;
  return fmt::format("{:9.1f} GFLOP/s {:5.0f} %", gflops, 100 * gflops / product_speed);
}

}  // namespace

std::string profile_table(const Profile& profile, double product_speed) {
  const double total = 1e-9 * static_cast<double>(profile.duration());
  double outside = total;
  const auto line = [&](std::string_view name, std::string_view kind, const std::string& calls,
                        double seconds, const std::string& rate) {
    return fmt::format("{:<28} {:<8} {:>7} {:10.2f} {:7.1f} %{}\n", name, kind, calls, 1e3 * seconds,
                       total > 0 ? 100 * seconds / total : 0, rate);
  };
  std::string text = fmt::format("{:<28} {:<8} {:>7} {:>10} {:>9}{:>18} {:>7}\n", "operation", "", "calls",
                                 "ms", "share", "products", "floor");
  for (const Row& row : rows(profile)) {
    text += line(row.name, direction(row.kind), std::to_string(row.calls), row.seconds,
                 speed(row, product_speed));
    outside -= row.seconds;
  }
  text += line("outside of these", "", "", outside, "");
  text += line("total", "", "", total, "");
  return text + fmt::format("floor: {:.1f} GFLOP/s (a product of 1024 x 1024 x 1024)\n", product_speed);
}

void profile_training(const TrainingSettings& settings) {
  if (settings.scaling) set_threads(1);
  Training training(settings);
  fmt::print("{}", training.description());
  for (Index step = 0; step < settings.warmup_steps; ++step) training.step();
  const double speed = program::product_speed();
  Index tokens = 0;
  Profile profile(settings.scaling ? Profile::Loops::timed : Profile::Loops::on_all_threads);
  for (Index step = 0; step < settings.steps; ++step) tokens += training.step().size.tokens();
  profile.stop();
  const double seconds = 1e-9 * static_cast<double>(profile.duration());
  fmt::print("steps        {} after {} of warm-up, {} tokens (source + target), {:.0f} tokens/s\n\n",
             settings.steps, settings.warmup_steps, tokens, static_cast<double>(tokens) / seconds);
  fmt::print("{}", settings.scaling
                       ? scaling_tables(timed_operations(profile), loop_costs(), settings.steps, "step")
                       : profile_table(profile, speed));
}

}  // namespace regard::bench
