#include "apps/explore/runs.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "apps/translation/files/files.h"
#include "apps/translation/files/utf8.h"
#include "apps/translation/model/model_directory.h"
#include "apps/translation/training/progress.h"
#include "autograd/machine/error.h"
#include "autograd/machine/real.h"

namespace regard::explore {

namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

LogTable with_columns(std::initializer_list<const char*> names) {
  LogTable table;
  for (const char* name : names) table[name];
  return table;
}

/// A line of the log, and its place for messages.
struct Line {
  Json entry;
  const std::string& path;
  Index number;

  /// Returns a number of the line, or NaN if it is null or not there.
  double at(const std::string& key) const {
    const auto value = entry.find(key);
    if (value == entry.end() || value->is_null()) return missing;
    if (!value->is_number())
      fail("{}: line {}: \"{}\" must be a number, got {}", path, number, key,
           translation::printable_value(*value));
    return value->get<double>();
  }
};

Line parse(std::string_view text, const std::string& path, Index number) {
  Line line{.entry = Json::parse(text, nullptr, /*allow_exceptions=*/false), .path = path, .number = number};
  if (!line.entry.is_object())
    fail("{}: line {} is no JSON object, so regard train did not write it: {}", path, number,
         translation::printable(text));
  if (!line.entry.contains("step") || line.entry.at("step").is_null())
    fail("{}: line {} has no \"step\", so regard train did not write it", path, number);
  if (const double step = line.at("step");
      step < 0 || step > static_cast<double>(translation::most_counted) || step != std::floor(step))
    fail("{}: line {}: \"step\" must be a whole number from 0 to {}, got {}", path, number,
         translation::most_counted, translation::printable_value(line.entry.at("step")));
  return line;
}

/// The log calls the loss of a validation "validation_loss"; everything else has the name of its column.
std::string key_of(const std::string& column, bool validation) {
  return validation && column == "loss" ? "validation_loss" : column;
}

void append(LogTable& table, const Line& line, bool validation) {
  for (auto& [column, values] : table) {
    const double value = line.at(key_of(column, validation));
    values.push_back(column == "averaged" && std::isnan(value) ? 0 : value);
  }
}

std::string printable_path(const std::string& path) { return translation::printable(path, 1000); }

}  // namespace

std::string run_name(const std::string& directory) {
  std::error_code ignored;
  std::filesystem::path path = std::filesystem::weakly_canonical(directory, ignored);
  if (!path.has_filename()) path = path.parent_path();
  return translation::printable(path.filename().string(), 60);
}

std::vector<std::string> run_names(std::span<const std::string> paths) {
  std::vector<std::string> names;
  for (const std::string& path : paths) names.push_back(run_name(path));
  const std::vector<std::string> before = names;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (std::ranges::count(before, names[i]) > 1) names[i] = printable_path(paths[i]);
  return names;
}

TrainingRun read_run(const std::string& directory) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(directory, ignored))
    fail("{}: there is no such directory; give a directory that regard train has written", directory);
  TrainingRun run{
      .name = run_name(directory),
      .directory = printable_path(directory),
      .points =
          with_columns({"step", "loss", "learning_rate", "gradient_norm", "tokens_per_second", "seconds"}),
      .validations = with_columns({"step", "loss", "bleu", "exact_match", "seconds", "averaged"})};
  const std::string path = translation::ModelDirectory(directory).metrics();
  if (!translation::path_exists(path)) return run;
  if (!std::filesystem::is_regular_file(path, ignored))
    fail("{}: this is not a regular file", path);  // a pipe would block
  const std::string text = read_file(path);
  std::string_view rest = text;
  Index number = 0;
  for (std::size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
    const Line line = parse(rest.substr(0, end), path, ++number);
    const bool validation = line.entry.contains("validation_loss");
    append(validation ? run.validations : run.points, line, validation);
    rest.remove_prefix(end + 1);
  }
  return run;
}

std::vector<TrainingRun> read_runs(std::span<const std::string> directories) {
  std::vector<TrainingRun> runs;
  const std::vector<std::string> names = run_names(directories);
  for (std::size_t i = 0; i < names.size(); ++i) {
    runs.push_back(read_run(directories[i]));
    runs.back().name = names[i];
  }
  return runs;
}

Json runs_json(std::span<const TrainingRun> runs) {
  Json json = Json::array();
  for (const TrainingRun& run : runs)
    json.push_back({{"name", run.name},
                    {"directory", run.directory},
                    {"points", run.points},
                    {"validations", run.validations}});
  return json;
}

}  // namespace regard::explore
