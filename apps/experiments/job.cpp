#include "apps/experiments/job.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/translation/corpus/checksum.h"
#include "apps/translation/files/files.h"
#include "apps/translation/settings/settings_json.h"

namespace regard::experiments {

using translation::Json;

namespace {

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

}  // namespace

std::map<std::string, std::string> checksums(const std::string& corpus,
                                             const std::vector<std::string>& settings) {
  std::map<std::string, std::string> sums;
  if (!corpus.empty())
    for (const char* const part : {"train", "validation", "test"})
      for (const char* const side : {"source", "target"}) {
        const std::string file = fmt::format("{}.{}", part, side);
        sums[file] = checksum_of(corpus + "/" + file);
      }
  const translation::Settings all = translation::parse_settings(Json::object(), "experiment", settings);
  const translation::DataSettings& data = all.data;
  std::vector<std::string> paths{data.subwords.model, all.training.initial_weights};
  for (const translation::Paths* const of : {&data.source, &data.target, &data.tsv, &data.validation_source,
                                             &data.validation_target, &data.validation_tsv})
    paths.insert(paths.end(), of->files.begin(), of->files.end());
  for (const std::string& path : paths)
    if (!path.empty()) sums[path] = checksum_of(path);
  return sums;
}

Json description(const Job& job) {
  translation::Values settings;  // by place: the order in which they were written does not count
  for (const std::string& setting : job.settings) translation::apply_override(settings, setting);
  return {
      {"version", measured_version}, {"task", to_json(job.task)}, {"settings", settings}, {"seed", job.seed},
      {"quick", job.quick},          {"alone", job.alone},        {"files", job.files}};
}

std::string hash_of(const Job& job) {
  std::uint64_t sum = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : description(job).dump()) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{:016x}", sum);
}

}  // namespace regard::experiments
