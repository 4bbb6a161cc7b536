#include "apps/experiments/measures/job.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/experiments/measures/measures.h"
#include "apps/translation/corpus/checksum.h"
#include "apps/translation/files/files.h"
#include "apps/translation/files/json_fields.h"
#include "apps/translation/files/utf8.h"
#include "apps/translation/settings/settings_description.h"
#include "apps/translation/settings/settings_json.h"
#include "autograd/machine/error.h"
#include "autograd/machine/hash.h"

namespace regard::experiments {

using translation::Fields;
using translation::Json;
using translation::whole;

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

/// Calls f(key, member, type) for each member of a task.
template <class T, class F>
void each_of(T& task, const F& f) {
  constexpr Index most_pairs = 10'000'000;
  f("toy", task.toy, translation::text());
  f("letters", task.letters, translation::whole_numbers(2, 1, 1000));
  f("words", task.words, whole(0, 1000));
  f("train", task.train, whole(64, most_pairs));
  f("validation", task.validation, whole(1, most_pairs));
  f("test", task.test, whole(1, most_pairs));
  f("forms", task.forms, whole(1, 10));
  f("target_words", task.target_words, whole(0, 1000));
  f("beam", task.beam, whole(1, 1000));
  f("average", task.average, whole(0, 1000));
  f("maps", task.maps, translation::one_of({"small queries", "identity"}));
}

}  // namespace

Task read_task(const Json& json, const std::string& name) {
  Task task;
  Fields fields(json, name);
  each_of(task, [&](const char* key, auto& value, const auto& type) { fields.take(key, value, type); });
  fields.end();
  const bool of_letters = task.toy == "copy" || task.toy == "reverse" || task.toy == "recall";
  if (!task.letters.empty() && !of_letters)
    fail("{}: the toy {} has no \"letters\"; they are for copy, reverse and recall", name, task.toy);
  if (task.words != 0 && task.toy != "sentences")
    fail("{}: the toy {} has no \"words\"; they are for sentences", name, task.toy);
  if (task.letters.size() == 1) fail("{}: \"letters\" are two numbers, [1, 12]", name);
  return task;
}

Json to_json(const Task& task) {
  Json json;
  each_of(task, [&](const char* key, const auto& value, const auto&) { json[key] = value; });
  return json;
}

Json to_json(const MeasureCall& call) {
  return call.options.empty() ? Json(call.name) : Json{{call.name, call.options}};
}

MeasureCall read_measure(const Json& json, const std::string& name) {
  MeasureCall call;
  if (!json.is_string() && (!json.is_object() || json.size() != 1))
    fail("{}: {} is no measure", name, translation::printable(json.dump(), 100));
  call.name = json.is_string() ? json.get<std::string>() : json.begin().key();
  const Measure& measure = find_measure(call.name, name);
  if (json.is_string()) return call;
  Json options = Json::object();
  for (const auto& [option, value] : json.begin().value().items())
    options[option] = value.is_array() ? value : Json::array({value});
  Fields fields(options, fmt::format("{}, measure {}", name, call.name));
  for (const std::string& option : words(measure.options))
    if (options.contains(option))
      fields.take(option, call.options[option], translation::whole_numbers(1000, 0, 1'000'000));
    else
      fields.part(option);
  fields.end();
  return call;
}

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
  const translation::Values values = translation::values_of(all);
  for (const translation::KnownSetting& setting : translation::known_settings()) {
    if (setting.section || !setting.kind.allowed.starts_with("a path")) continue;
    const Json& value = values.at(setting.place);
    for (const Json& path : value.is_array() ? value : Json::array({value}))
      if (path != "") sums[path.get<std::string>()] = checksum_of(path.get<std::string>());
  }
  return sums;
}

Json description(const Job& job) {
  translation::Values settings;  // by place: the order in which they were written does not count
  for (const std::string& setting : job.settings) translation::apply_override(settings, setting);
  return {
      {"version", measured_version}, {"task", to_json(job.task)}, {"settings", settings}, {"seed", job.seed},
      {"quick", job.quick},          {"alone", job.alone},        {"files", job.files}};
}

std::string hash_of(const Job& job) { return fmt::format("{:016x}", fnv_1a(description(job).dump())); }

}  // namespace regard::experiments
