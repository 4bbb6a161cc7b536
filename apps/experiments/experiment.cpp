#include "apps/experiments/experiment.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

#include "apps/experiments/measure.h"
#include "autograd/error.h"

namespace regard::experiments {

using translation::Json;

namespace {

/// Takes the keys of an object one after another, and refuses those that nobody took.
class Fields {
 public:
  Fields(Json json, std::string name) : json_(std::move(json)), name_(std::move(name)) {
    if (!json_.is_object()) fail("{} is not an object {{\"key\": ...}}", name_);
  }

  template <class T>
  void take(const char* key, T& value) {
    known_.push_back(key);
    if (json_.contains(key)) read(key, value);
  }
  template <class T>
  void need(const char* key, T& value) {
    if (!json_.contains(key)) fail("{}: \"{}\" is missing", name_, key);
    take(key, value);
  }
  /// The value of a key, null if it is missing.
  Json part(const char* key) {
    Json value;
    take(key, value);
    return value;
  }
  void end() const {
    for (const auto& [key, value] : json_.items())
      if (std::ranges::count(known_, key) == 0) {
        std::string known;
        for (const std::string& one : known_) known += (known.empty() ? "" : ", ") + one;
        fail("{} has an unknown \"{}\"; choose one of {}", name_, key, known);
      }
  }

 private:
  template <class T>
  void read(const char* key, T& value) const {
    try {
      value = json_.at(key).get<T>();
    } catch (const Json::exception&) {
      fail("{}: the value of \"{}\" has a wrong type: {}", name_, key,
           translation::printable_value(json_.at(key)));
    }
  }

  Json json_;
  std::string name_;
  std::vector<std::string> known_;
};

Task read_task(const Json& json, const std::string& name) {
  Task task;
  Fields fields(json, name);
  fields.take("toy", task.toy);
  fields.take("letters", task.letters);
  fields.take("words", task.words);
  fields.take("train", task.train);
  fields.take("validation", task.validation);
  fields.take("test", task.test);
  fields.take("cut_every", task.cut_every);
  fields.take("beam", task.beam);
  fields.end();
  const bool of_letters = task.toy == "copy" || task.toy == "reverse" || task.toy == "recall";
  if (!task.letters.empty() && !of_letters)
    fail("{}: the toy {} has no \"letters\"; they are for copy, reverse and recall", name, task.toy);
  if (task.words != 0 && task.toy != "sentences")
    fail("{}: the toy {} has no \"words\"; they are for sentences", name, task.toy);
  if (task.train < 64 || task.validation < 1 || task.test < 1 || task.cut_every < 0 || task.beam < 1)
    fail("{}: \"train\" is at least 64, \"validation\", \"test\" and \"beam\" 1, \"cut_every\" 0", name);
  if (!task.letters.empty() && task.letters.size() != 2)
    fail("{}: \"letters\" are two numbers, [1, 12]", name);
  return task;
}

/// A variant is a list of settings, or an object with "settings" and the part of the task that is its own.
Variant read_variant(const std::string& variant, const Json& json, const Json& task,
                     const std::string& name) {
  Variant result{.name = variant};
  const std::string where = fmt::format("{}, variant \"{}\"", name, variant);
  Json own = Json::object();
  Fields fields(json.is_array() ? Json{{"settings", json}} : json, where);
  fields.take("settings", result.settings);
  fields.take("task", own);
  fields.end();
  Json whole = task.is_null() ? Json::object() : task;
  whole.update(own);
  result.task = read_task(whole, where + ", task");
  return result;
}

Column read_column(const Json& json, const std::string& name) {
  Column column;
  Fields fields(json, name);
  fields.need("title", column.title);
  fields.need("measurement", column.measurement);
  fields.take("index", column.index);
  fields.take("decimals", column.decimals);
  fields.end();
  return column;
}

/// Numbers, or {"from": 50, "to": 1000, "count": 20}.
std::vector<double> read_places(const Json& json, const std::string& name) {
  if (json.is_null()) return {};
  if (json.is_array()) return json.get<std::vector<double>>();
  double from = 0, to = 0;
  Index count = 0;
  Fields fields(json, name);
  fields.need("from", from);
  fields.need("to", to);
  fields.need("count", count);
  fields.end();
  if (count < 2 || count > 1000) fail("{}: \"count\" is 2 to 1000, not {}", name, count);
  std::vector<double> places;
  for (Index i = 0; i < count; ++i)
    places.push_back(from + (to - from) * static_cast<double>(i) / static_cast<double>(count - 1));
  return places;
}

Figure read_figure(const Json& json, const std::string& name) {
  Figure figure;
  std::string logarithmic;
  Fields fields(json, name);
  fields.need("measurement", figure.measurement);
  fields.need("y", figure.y);
  fields.take("x", figure.x);
  figure.at = read_places(fields.part("at"), name + ", \"at\"");
  fields.take("logarithmic", logarithmic);
  fields.take("map", figure.map);
  fields.take("variants", figure.variants);
  fields.end();
  figure.x_logarithmic = logarithmic.find('x') != std::string::npos;
  figure.y_logarithmic = logarithmic.find('y') != std::string::npos;
  return figure;
}

/// "bleu", or {"right_by_length": {"lengths": [5, 10], "pairs": 100}}.
MeasureCall read_measure(const Json& json, const std::string& name) {
  MeasureCall call;
  if (json.is_string()) {
    call.name = json;
  } else {
    if (!json.is_object() || json.size() != 1) fail("{}: {} is no measure", name, json.dump());
    call.name = json.begin().key();
    for (const auto& [key, value] : json.begin().value().items())
      call.options[key] =
          value.is_array() ? value.get<std::vector<double>>() : std::vector{value.get<double>()};
  }
  check_measure(call, name);
  return call;
}

void check_variants(const Experiment& experiment, const std::string& name) {
  const auto check = [&](const std::string& variant) {
    if (std::ranges::count(experiment.variants, variant, &Variant::name) == 0)
      fail("{}: there is no variant \"{}\"", name, variant);
  };
  for (const Condition& one : comparisons(experiment.decide))
    for (const Condition::Side* side : {&one.left, &one.right})
      if (!side->measurement.empty()) check(side->variant);
  for (const Figure& figure : experiment.figures)
    for (const std::string& variant : figure.variants) check(variant);
}

Experiment read(const Json& json, const std::string& name) {
  Experiment experiment;
  Fields fields(json, name);
  fields.need("id", experiment.id);
  fields.need("claim", experiment.claim);
  fields.need("source", experiment.source);
  fields.take("published", experiment.published);
  fields.need("method", experiment.method);
  fields.need("rule", experiment.rule);
  fields.take("means", experiment.means);
  fields.take("minutes", experiment.minutes);
  fields.take("alone", experiment.alone);
  fields.take("takes_corpus", experiment.takes_corpus);
  fields.take("seeds", experiment.seeds);
  fields.take("settings", experiment.settings);
  fields.take("tuning", experiment.tuning);
  const Json task = fields.part("task");
  const Json variants = fields.part("variants");
  for (const auto& [variant, of_variant] : variants.items())
    experiment.variants.push_back(read_variant(variant, of_variant, task, name));
  for (const Json& one : fields.part("measure")) experiment.measure.push_back(read_measure(one, name));
  experiment.decide = read_rule(fields.part("decide"), name);
  for (const Json& one : fields.part("columns"))
    experiment.columns.push_back(read_column(one, name + ", a column"));
  for (const Json& one : fields.part("figures"))
    experiment.figures.push_back(read_figure(one, name + ", a figure"));
  fields.end();
  if (experiment.variants.empty() || experiment.measure.empty() || experiment.columns.empty())
    fail("{} needs \"variants\", \"measure\" and \"columns\"", name);
  if (experiment.id.empty() || experiment.id.find_first_of("/\\. ") != std::string::npos)
    fail("{}: \"id\" names a directory, so it has letters and digits, not \"{}\"", name, experiment.id);
  if (experiment.seeds < 1) fail("{}: \"seeds\" is at least 1, not {}", name, experiment.seeds);
  check_variants(experiment, name);
  return experiment;
}

}  // namespace

Experiment read_experiment(const Json& json, const std::string& name) {
  try {
    return read(json, name);
  } catch (const Json::exception& error) {
    fail("{}: this is no experiment ({})", name, error.what());
  }
}

}  // namespace regard::experiments
