#include "apps/experiments/finished.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <vector>

#include "apps/translation/corpus/checksum.h"
#include "apps/translation/files/files.h"
#include "apps/translation/files/json_fields.h"
#include "apps/translation/files/version.h"
#include "apps/translation/settings/settings_json.h"
#include "autograd/machine/error.h"

namespace regard::experiments {

using translation::Fields;
using translation::Json;

namespace {

std::string result_file(const Job& job) { return job.directory + "/measurements.json"; }

/// Another text gives another name. ASCII characters that mean something to a shell become %2F.
std::string file_name(const std::string& text) {
  std::string name;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80 || std::isalnum(byte) != 0 || c == '.' || c == '_' || c == '=')
      name += c;
    else
      name += c == ' ' ? "-" : fmt::format("%{:02X}", byte);
  }
  return name;
}

/// A checksum of a file, or of the files in a directory.
std::string checksum_of(const std::string& path) {
  if (!translation::path_exists(path)) return "missing";
  translation::Checksum sum;
  if (std::filesystem::is_directory(path)) {
    std::vector<std::string> names = translation::files_in(path);
    std::ranges::sort(names);
    for (const std::string& name : names) {
      sum.add(name);
      sum.add(read_file(path + "/" + name));
    }
  } else {
    sum.add(read_file(path));
  }
  return sum.text();
}

/// The files that --corpus and the settings name.
Json checksums(const Job& job, const std::vector<std::string>& settings) {
  std::vector<std::string> paths;
  if (!job.corpus.empty())
    for (const char* const part : {"train", "validation", "test"})
      for (const char* const side : {"source", "target"})
        paths.push_back(fmt::format("{}/{}.{}", job.corpus, part, side));
  const translation::Settings all = translation::parse_settings(Json::object(), "experiment", settings);
  const translation::DataSettings& data = all.data;
  for (const translation::Paths* const of : {&data.source, &data.target, &data.tsv, &data.validation_source,
                                             &data.validation_target, &data.validation_tsv})
    paths.insert(paths.end(), of->files.begin(), of->files.end());
  for (const std::string& path : {data.subwords.model, all.training.initial_weights})
    if (!path.empty()) paths.push_back(path);
  Json sums = Json::object();
  for (const std::string& path : paths) sums[path] = checksum_of(path);
  return sums;
}

/// The first difference of two descriptions: "/task/toy was "copy" and is now "reverse""; "" without one.
std::string difference(const Json& before, const Json& now) {
  const Json one = before.flatten(), other = now.flatten(), missing = "(missing)";  // null is an empty list
  Json paths = other;
  paths.update(one);
  for (const auto& [path, any] : paths.items()) {
    const Json was = one.value(path, missing), is = other.value(path, missing);
    if (was != is)
      return fmt::format("{} was {} and is now {}", path, translation::printable_value(was),
                         translation::printable_value(is));
  }
  return "";
}

}  // namespace

std::string directory_name(const std::string& variant, Index seed, const std::vector<std::string>& tried) {
  std::string name = fmt::format("{},{}", file_name(variant), seed);  // file_name has no comma
  for (const std::string& setting : tried) name += "," + file_name(setting);
  return name;
}

Json description(const Experiment& experiment, const Job& job) {
  const auto variant = std::ranges::find(experiment.variants, job.variant, &Variant::name);
  std::vector<std::string> settings = experiment.settings;
  settings.insert(settings.end(), job.settings.begin(), job.settings.end());
  Json measures = Json::array();
  for (const MeasureCall& call : experiment.measure) measures.push_back(to_json(call));
  return {{"regard", translation::exact_version()},
          {"experiment", experiment.id},
          {"variant", job.variant},
          {"task", to_json(variant->task)},
          {"settings", settings},
          {"measure", measures},
          {"seed", job.seed},
          {"quick", job.quick},
          {"alone", experiment.alone},
          {"corpus", job.corpus},
          {"files", checksums(job, settings)}};
}

void write_finished(const Finished& finished, const Json& description, const Job& job) {
  write_json({{"format", 2},
              {"job", description},
              {"seconds", finished.seconds},
              {"processor_seconds", finished.processor_seconds},
              {"measurements", finished.run.measurements},
              {"texts", finished.run.texts}},
             2, result_file(job));
}

std::optional<Finished> read_finished(const Experiment& experiment, const Job& job) {
  const std::string path = result_file(job);
  if (!translation::path_exists(path)) return std::nullopt;
  const std::string text = read_file(path);
  Finished finished{.run = {.seed = job.seed, .measurements = {}}};
  Json before;
  try {
    const Json json = translation::parse_json(text, path);
    translation::check_format(json, 2, path);
    Fields fields(json, path);
    fields.part("format");
    before = fields.object("job");
    fields.need("seconds", finished.seconds, translation::any_number());
    fields.need("processor_seconds", finished.processor_seconds, translation::any_number());
    read_run(fields, path, finished.run);
    fields.end();
  } catch (const Error& error) {
    fail("{}; if you remove the file, the job runs again", error.what());
  }
  const std::string differs = difference(before, description(experiment, job));
  if (differs.empty()) return finished;
  fail("{} has been run with other options: {}; give another --out, or remove it", job.directory, differs);
}

}  // namespace regard::experiments
