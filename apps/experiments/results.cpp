#include "apps/experiments/results.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "apps/experiments/experiment.h"
#include "apps/translation/files/files.h"
#include "apps/translation/files/json_fields.h"
#include "autograd/machine/error.h"
#include "autograd/machine/files.h"

namespace regard::experiments {

using translation::Fields;
using translation::Json;

namespace {
const std::vector<double>& values_of(const Results::Run& run, const std::string& measurement) {
  const auto found = run.measurements.find(measurement);
  if (found != run.measurements.end()) return found->second;
  std::string known;
  for (const auto& [name, values] : run.measurements) known += (known.empty() ? "" : ", ") + name;
  fail("seed {} has no measurement \"{}\"; it has {}", run.seed, measurement, known);
}
}  // namespace

double Results::Run::value(const std::string& measurement, Index index) const {
  const std::vector<double>& values = values_of(*this, measurement);
  if (index < 0 || index >= to_index(values.size()))
    fail("\"{}\" has {} entries, so none with the index {}", measurement, values.size(), index);
  return values[to_size(index)];
}

const Results::OfVariant& Results::of(const std::string& variant) const {
  const auto found = std::ranges::find(variants, variant, &OfVariant::name);
  if (found == variants.end() || found->runs.empty()) fail("there are no results of \"{}\"", variant);
  return *found;
}

Index Results::entries(const std::string& variant, const std::string& measurement) const {
  return to_index(values_of(of(variant).runs.front(), measurement).size());
}

Range Results::range(const std::string& variant, const std::string& measurement, Index index) const {
  const std::vector<Run>& runs = of(variant).runs;
  Range range{.mean = 0, .least = INFINITY, .most = -INFINITY};
  for (const Run& run : runs) {
    const double value = run.value(measurement, index);
    range.mean += value / static_cast<double>(runs.size());
    range.least = std::min(range.least, value);
    range.most = std::max(range.most, value);
  }
  return range;
}

Json to_json(const Results& results) {
  Json variants = Json::array();
  for (const Results::OfVariant& variant : results.variants) {
    Json runs = Json::array();
    for (const Results::Run& run : variant.runs)
      runs.push_back({{"seed", run.seed}, {"measurements", run.measurements}, {"texts", run.texts}});
    variants.push_back({{"name", variant.name}, {"tuned", variant.tuned}, {"runs", std::move(runs)}});
  }
  return {{"format", 1},
          {"experiment", results.experiment},
          {"quick", results.quick},
          {"minutes", std::round(results.minutes * 100) / 100},
          {"variants", std::move(variants)}};
}

namespace {
std::string indented(const Json& json, int levels, const std::string& margin = "\n") {
  if (levels == 0 || !json.is_structured() || json.empty()) return json.dump();
  std::string text;
  for (const auto& [key, value] : json.items())
    text += fmt::format("{}{}  {}{}", text.empty() ? "" : ",", margin,
                        json.is_object() ? Json(key).dump() + ": " : "",
                        indented(value, levels - 1, margin + "  "));
  return json.is_object() ? "{" + text + margin + "}" : "[" + text + margin + "]";
}
}  // namespace

void write_json(const Json& json, int levels, const std::string& path) {
  try {
    translation::write_file(path, indented(json, levels) + "\n");
  } catch (const Json::exception&) {
    fail("cannot write {}: a text in it is not UTF-8", path);
  }
}

void read_run(Fields& fields, const std::string& name, Results::Run& run) {
  run.measurements = read_map<std::vector<double>>(fields.part("measurements"), name + ", \"measurements\"",
                                                   list_of(translation::any_number()));
  run.texts = read_map<std::string>(fields.object("texts"), name + ", \"texts\"", translation::text());
}

Results read_results(const std::string& experiment, const std::string& path) {
  const Json json = translation::parse_json(read_file(path), path);
  translation::check_format(json, 1, path);
  Results results;
  Fields fields(json, path);
  fields.part("format");
  fields.need("experiment", results.experiment, translation::text());
  if (results.experiment != experiment)
    fail("{} has the results of experiment {}, not of {}", path, results.experiment, experiment);
  fields.need("quick", results.quick, translation::flag());
  fields.need("minutes", results.minutes, translation::any_number());
  for (const Json& variant : fields.list("variants")) {
    Results::OfVariant& read = results.variants.emplace_back();
    Fields of_variant(variant, path + ", a variant");
    of_variant.need("name", read.name, translation::text());
    of_variant.need("tuned", read.tuned, translation::text());
    for (const Json& run : of_variant.list("runs")) {
      Fields of_run(run, fmt::format("{}, a run of \"{}\"", path, read.name));
      of_run.need("seed", read.runs.emplace_back().seed, translation::whole(1, most_seeds));
      read_run(of_run, fmt::format("{}, \"{}\"", path, read.name), read.runs.back());
      of_run.end();
    }
    of_variant.end();
    if (read.runs.empty() || read.runs.size() != results.variants.front().runs.size())
      fail("{}: \"{}\" has {} runs; each variant has a run for each seed", path, read.name, read.runs.size());
  }
  fields.end();
  if (results.variants.empty()) fail("{}: \"variants\" is missing or empty", path);
  return results;
}

Results read_results(const Experiment& experiment, const std::string& path, Index first_seed) {
  Results results{.experiment = experiment.id, .variants = {}};
  for (const Variant& variant : experiment.variants) {
    Results::OfVariant read{.name = variant.name};
    std::istringstream lines(read_file(path));
    for (std::string line; std::getline(lines, line);) {
      const Json json = translation::parse_json(line, path);
      const auto seed = json.at("seed").get<Index>();
      if (json.at("variant") != variant.name || seed < first_seed || seed > (first_seed / 100 * 100) + 90)
        continue;
      read.runs.push_back({seed, json.at("measured").get<Measurements>(), json.at("texts")});
      results.minutes += json.at("minutes").get<double>();
    }
    if (!read.runs.empty()) results.variants.push_back(std::move(read));
  }
  return results;
}

std::string text(double number, int decimals) {
  return decimals < 0 ? fmt::format("{:.1e}", number) : fmt::format("{:.{}f}", number, decimals);
}

std::string text(const Range& range, int decimals) {
  const std::string mean = text(range.mean, decimals);
  if (range.least == range.most) return mean;
  return fmt::format("{} ({} to {})", mean, text(range.least, decimals), text(range.most, decimals));
}

double exponent(const std::vector<double>& x, const std::vector<double>& y) {
  double mean_x = 0, mean_y = 0, above = 0, below = 0;
  const auto n = static_cast<double>(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    mean_x += std::log(x[i]) / n;
    mean_y += std::log(y[i]) / n;
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    above += (std::log(x[i]) - mean_x) * (std::log(y[i]) - mean_y);
    below += (std::log(x[i]) - mean_x) * (std::log(x[i]) - mean_x);
  }
  return above / below;
}

}  // namespace regard::experiments
