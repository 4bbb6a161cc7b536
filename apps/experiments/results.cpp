#include "apps/experiments/results.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

#include "autograd/error.h"
#include "autograd/files.h"

namespace regard::experiments {

using translation::Json;

const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::holds:
      return "holds";
    case Verdict::holds_in_part:
      return "holds in part";
    case Verdict::does_not_hold:
      return "does not hold here";
    case Verdict::cannot_be_decided:
      return "cannot be decided here";
  }
  fail("there is no verdict {}", static_cast<int>(verdict));
}

const Results::OfVariant& Results::of(const std::string& variant) const {
  const auto found = std::ranges::find(variants, variant, &OfVariant::name);
  if (found == variants.end() || found->runs.empty()) fail("there are no results of \"{}\"", variant);
  return *found;
}

namespace {
const std::vector<double>& values_of(const Results::Run& run, const std::string& measurement) {
  const auto found = run.measurements.find(measurement);
  if (found == run.measurements.end()) fail("seed {} has no measurement \"{}\"", run.seed, measurement);
  return found->second;
}
}  // namespace

Index Results::entries(const std::string& variant, const std::string& measurement) const {
  return to_index(values_of(of(variant).runs.front(), measurement).size());
}

Range Results::range(const std::string& variant, const std::string& measurement, Index index) const {
  const std::vector<Run>& runs = of(variant).runs;
  Range range{.mean = 0, .least = INFINITY, .most = -INFINITY};
  for (const Run& run : runs) {
    const std::vector<double>& values = values_of(run, measurement);
    if (index >= to_index(values.size()))
      fail("\"{}\" of \"{}\" has {} entries, not {}", measurement, variant, values.size(), index + 1);
    const double value = values[to_size(index)];
    range.mean += value / static_cast<double>(runs.size());
    range.least = std::min(range.least, value);
    range.most = std::max(range.most, value);
  }
  return range;
}

Json to_json(const Experiment& experiment, const Results& results) {
  Json variants = Json::array();
  for (const Results::OfVariant& variant : results.variants) {
    Json runs = Json::array();
    for (const Results::Run& run : variant.runs)
      runs.push_back({{"seed", run.seed}, {"measurements", run.measurements}});
    variants.push_back({{"name", variant.name}, {"tuned", variant.tuned}, {"runs", std::move(runs)}});
  }
  return {{"format", 1},
          {"experiment", experiment.id},
          {"quick", results.quick},
          {"minutes", std::round(results.minutes * 100) / 100},
          {"variants", std::move(variants)}};
}

Results read_results(const Experiment& experiment, const std::string& path) {
  const Json json = translation::parse_json(read_file(path), path);
  translation::check_format(json, 1, path);
  try {
    if (json.at("experiment") != experiment.id)
      fail("{} has the results of experiment {}, not of {}", path, json.at("experiment").get<std::string>(),
           experiment.id);
    Results results{.variants = {}, .quick = json.at("quick"), .minutes = json.at("minutes")};
    for (const Json& variant : json.at("variants")) {
      Results::OfVariant read{variant.at("name"), variant.at("tuned")};
      for (const Json& run : variant.at("runs"))
        read.runs.push_back({run.at("seed"), run.at("measurements").get<Measurements>()});
      results.variants.push_back(std::move(read));
    }
    return results;
  } catch (const Json::exception& error) {
    fail("{}: these are no results that regard experiment has written ({})", path, error.what());
  }
}

std::string text(const Range& range, int decimals) {
  const auto number = [&](double value) {
    return decimals < 0 ? fmt::format("{:.1e}", value) : fmt::format("{:.{}f}", value, decimals);
  };
  if (range.least == range.most) return number(range.mean);
  return fmt::format("{} ({} to {})", number(range.mean), number(range.least), number(range.most));
}

Decision expect_above(const Results& results, const std::string& first, const std::string& second,
                      const std::string& measurement, const std::string& unit, int decimals) {
  const Range a = results.range(first, measurement), b = results.range(second, measurement);
  return {
      above(a, b)   ? Verdict::holds
      : above(b, a) ? Verdict::does_not_hold
                    : Verdict::cannot_be_decided,
      fmt::format("{}: {}{}; {}: {}{}.", first, text(a, decimals), unit, second, text(b, decimals), unit)};
}

std::string table(const Experiment& experiment, const Results& results) {
  std::string head = "| |", line = "|---|", rows;
  for (const Column& column : experiment.columns) {
    head += fmt::format(" {} |", column.title);
    line += "---|";
  }
  for (const Results::OfVariant& variant : results.variants) {
    rows += fmt::format("| {} |", variant.name);
    for (const Column& column : experiment.columns)
      rows += fmt::format(
          " {} |", text(results.range(variant.name, column.measurement, column.index), column.decimals));
    rows += "\n";
  }
  return head + "\n" + line + "\n" + rows;
}

}  // namespace regard::experiments
