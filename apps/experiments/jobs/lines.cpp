#include "apps/experiments/jobs/lines.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sstream>

#include "apps/experiments/measures/job.h"
#include "apps/experiments/measures/measures.h"
#include "apps/translation/files/files.h"
#include "apps/translation/files/json_fields.h"
#include "autograd/machine/error.h"

namespace regard::experiments {

using translation::Fields;
using translation::Json;

namespace {

std::vector<Measured> take_measured(Fields& fields, const std::string& name) {
  const auto numbers = read_map<std::vector<double>>(fields.object("measured"), name + ", \"measured\"",
                                                     list_of(translation::any_number()));
  const auto texts = read_map<std::string>(fields.object("texts"), name + ", \"texts\"", translation::text());
  std::vector<Measured> all;
  for (const Json& json : fields.list("measures")) {
    const std::string measure = json.is_object() && json.size() == 1 ? json.begin().key()
                                : json.is_string()                   ? json.get<std::string>()
                                                                     : "";
    if (std::ranges::count(all_measures(), measure, &Measure::name) == 0) continue;
    Measured one{.call = read_measure(json, name)};
    for (const std::string& known : names_of(one.call)) {
      if (const auto text = texts.find(known); text != texts.end())
        one.texts.insert(*text);
      else if (const auto values = numbers.find(known); values != numbers.end() && !values->second.empty())
        one.measurements.insert(*values);
      else
        fail("{}: \"{}\" of the measure {} is missing; if you remove the line, the job runs again", name,
             known, measure);
    }
    all.push_back(std::move(one));
  }
  return all;
}

Line read_line(const std::string& text, const std::string& name) {
  Line line;
  Fields fields(translation::parse_json(text, name), name);
  fields.need("job", line.job, translation::text());
  fields.need("variant", line.variant, translation::text());
  fields.need("seed", line.seed, translation::whole(1, most_seed));
  fields.take("settings", line.settings, translation::list_of_texts());
  fields.take("set", line.set, translation::list_of_texts());
  line.files = read_map<std::string>(fields.object("files"), name + ", \"files\"", translation::text());
  fields.need("minutes", line.minutes, translation::any_number());
  line.measured = take_measured(fields, name);
  fields.end();
  return line;
}

Json to_json(const Line& line) {
  Json json{{"job", line.job}, {"variant", line.variant}, {"seed", line.seed}, {"settings", line.settings}};
  if (!line.set.empty()) json["set"] = line.set;
  if (!line.files.empty()) json["files"] = line.files;
  json["minutes"] = std::round(line.minutes * 100) / 100;
  Measurements numbers;
  std::map<std::string, std::string> texts;
  json["measures"] = Json::array();
  for (const Measured& one : line.measured) {
    json["measures"].push_back(to_json(one.call));
    for (const auto& [name, values] : one.measurements)
      std::ranges::transform(values, std::back_inserter(numbers[name]), rounded);
    texts.insert(one.texts.begin(), one.texts.end());
  }
  json["measured"] = numbers;
  if (!texts.empty()) json["texts"] = texts;
  return json;
}

std::string dump(const Json& json, const std::string& name) {
  try {
    return json.dump();
  } catch (const Json::exception&) {
    fail("cannot write {}: a text in it is not UTF-8", name);
  }
}

}  // namespace

const Measured* Line::find(const MeasureCall& call) const {
  const auto found = std::ranges::find(measured, call, &Measured::call);
  return found == measured.end() ? nullptr : &*found;
}

std::vector<Line> read_lines(const std::string& path) {
  std::vector<Line> lines;
  if (!translation::path_exists(path)) return lines;
  std::istringstream file(read_file(path));
  std::string text;
  for (Index number = 1; std::getline(file, text); ++number)
    lines.push_back(read_line(text, fmt::format("{}, line {}", path, number)));
  return lines;
}

void write_lines(const std::vector<Line>& lines, const std::string& path) {
  std::string text;
  for (const Line& line : lines) text += dump(to_json(line), path) + "\n";
  translation::write_file(path, text);
}

double rounded(double number) {
  if (number == std::round(number)) return number;
  return std::strtod(fmt::format("{:.6g}", number).c_str(), nullptr);
}

}  // namespace regard::experiments
