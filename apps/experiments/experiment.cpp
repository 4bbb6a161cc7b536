#include "apps/experiments/experiment.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "apps/experiments/measures.h"
#include "apps/translation/files/json_fields.h"
#include "apps/translation/files/utf8.h"
#include "autograd/machine/error.h"

namespace regard::experiments {

using translation::Fields;
using translation::from_to;
using translation::Json;
using translation::Kind;
using translation::whole;

namespace {

constexpr Index most_pairs = 10'000'000;

Task read_task(const Json& json, const std::string& name) {
  Task task;
  Fields fields(json, name);
  fields.take("toy", task.toy, translation::text());
  fields.take("letters", task.letters, translation::whole_numbers(2, 1, 1000));
  fields.take("words", task.words, whole(0, 1000));
  fields.take("train", task.train, whole(64, most_pairs));
  fields.take("validation", task.validation, whole(1, most_pairs));
  fields.take("test", task.test, whole(1, most_pairs));
  fields.take("cut_every", task.cut_every, whole(0));
  fields.take("beam", task.beam, whole(1, 1000));
  fields.end();
  const bool of_letters = task.toy == "copy" || task.toy == "reverse" || task.toy == "recall";
  if (!task.letters.empty() && !of_letters)
    fail("{}: the toy {} has no \"letters\"; they are for copy, reverse and recall", name, task.toy);
  if (task.words != 0 && task.toy != "sentences")
    fail("{}: the toy {} has no \"words\"; they are for sentences", name, task.toy);
  if (task.letters.size() == 1) fail("{}: \"letters\" are two numbers, [1, 12]", name);
  return task;
}

}  // namespace

Json to_json(const Task& task) {
  return {{"toy", task.toy},
          {"letters", task.letters},
          {"words", task.words},
          {"train", task.train},
          {"validation", task.validation},
          {"test", task.test},
          {"cut_every", task.cut_every},
          {"beam", task.beam}};
}

Json to_json(const MeasureCall& call) { return {{"name", call.name}, {"options", call.options}}; }

namespace {

/// A variant is a list of settings, or an object with "settings" and the part of the task that is its own.
Variant read_variant(const std::string& variant, const Json& json, const Json& task,
                     const std::string& name) {
  Variant result{.name = variant};
  const std::string where = fmt::format("{}, variant \"{}\"", name, variant);
  Fields fields(json.is_array() ? Json{{"settings", json}} : json, where);
  fields.take("settings", result.settings, translation::list_of_texts());
  Json whole_task = task;
  whole_task.update(fields.object("task"));
  fields.end();
  result.task = read_task(whole_task, where + ", task");
  return result;
}

Column read_column(const Json& json, const std::string& name) {
  Column column;
  Fields fields(json, name);
  fields.need("measurement", column.measurement, translation::text());
  fields.take("title", column.title, translation::text());
  fields.take("index", column.index, whole(0, most_index));
  fields.take("decimals", column.decimals, whole(-1, 15));
  fields.end();
  return column;
}

/// Numbers, or {"from": 50, "to": 1000, "count": 20}.
std::vector<double> read_places(const Json& json, const std::string& name) {
  const Kind place = from_to(-1e9, 1e9);
  std::vector<double> places;
  if (json.is_null()) return places;
  if (json.is_array()) {
    Fields(Json{{"at", json}}, name).need("at", places, list_of(place));
    return places;
  }
  double from = 0, to = 0;
  Index count = 0;
  Fields fields(json, name + ", \"at\"");
  fields.need("from", from, place);
  fields.need("to", to, place);
  fields.need("count", count, whole(2, 1000));
  fields.end();
  for (Index i = 0; i < count; ++i)
    places.push_back(from + (to - from) * static_cast<double>(i) / static_cast<double>(count - 1));
  return places;
}

Figure read_figure(const Json& json, const std::string& name) {
  Figure figure;
  std::string logarithmic;
  Fields fields(json, name);
  fields.need("measurement", figure.measurement, translation::text());
  fields.take("index", figure.index, whole(0, most_index));
  fields.need("y", figure.y, translation::text());
  fields.take("x", figure.x, translation::text());
  figure.at = read_places(fields.part("at"), name);
  fields.take("logarithmic", logarithmic, translation::one_of({"x", "y", "xy"}));
  fields.take("map", figure.map, translation::flag());
  fields.take("variants", figure.variants, translation::list_of_texts());
  figure.axis = figure.measurement;
  fields.take("axis", figure.axis, translation::text());
  fields.take("line", figure.line, translation::text());
  fields.take("line_at", figure.line_at, list_of(from_to(-1e9, 1e9)));
  fields.end();
  if (figure.line.empty() != figure.line_at.empty() ||
      (!figure.line.empty() && figure.line_at.size() != figure.at.size()))
    fail("{}: \"line\" is the name of a curve, and needs a number for each place of \"at\" in \"line_at\"",
         name);
  figure.x_logarithmic = logarithmic.starts_with('x');
  figure.y_logarithmic = logarithmic.ends_with('y');
  if (figure.x_logarithmic && !std::ranges::all_of(figure.at, [](double x) { return x > 0; }))
    fail("{}: a logarithmic x needs numbers above 0 in \"at\"", name);
  return figure;
}

/// "bleu", or {"right_by_length": {"lengths": [5, 10], "pairs": 100}}.
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
  std::istringstream known(measure.options);
  for (std::string option; known >> option;)
    fields.take(option, call.options[option], translation::whole_numbers(1000, 0, 1'000'000));
  fields.end();
  return call;
}

void check_variants(const Experiment& experiment, const std::string& name) {
  const auto check = [&](const std::string& variant, const std::string& where) {
    if (std::ranges::count(experiment.variants, variant, &Variant::name) == 0)
      fail("{}: {} names the variant \"{}\"; there is none", name, where, variant);
  };
  for (const Comparison& one : comparisons(experiment.rule))
    for (const Formula& entry : measurements(one.formula)) check(entry.variant, "\"" + one.text + "\"");
  for (const Figure& figure : experiment.figures)
    for (const std::string& variant : figure.variants) check(variant, "figure \"" + figure.y + "\"");
}

/// Refuses words for what nothing shows, such as "blue" or "bleu[3".
void check_words(const Experiment& experiment, const std::string& name) {
  std::set<std::string> shown;  // measurements, and entries of them
  const auto add = [&](const std::string& measurement, Index index) {
    shown.insert({measurement, fmt::format("{}[{}]", measurement, index)});
  };
  for (const Comparison& one : comparisons(experiment.rule))
    for (const Formula& entry : measurements(one.formula)) add(entry.measurement, entry.index);
  for (const Column& column : experiment.columns) add(column.measurement, column.index);
  for (const auto& [word, text] : experiment.names)
    if (!shown.contains(word))
      fail("{}: \"names\" has \"{}\", which no comparison and no column shows", name,
           translation::printable(word));
}

/// True if a model is trained: a training needs a number of steps.
bool trains(const Experiment& experiment) {
  std::vector<std::string> settings = experiment.settings;
  for (const Variant& variant : experiment.variants)
    settings.insert(settings.end(), variant.settings.begin(), variant.settings.end());
  return std::ranges::any_of(settings, [](const auto& one) { return one.starts_with("training.steps="); });
}

}  // namespace

Experiment read_experiment(const Json& json, const std::string& name) {
  Experiment experiment;
  Fields fields(json, name);
  fields.need("id", experiment.id, translation::text());
  fields.need("claim", experiment.claim, translation::text());
  fields.need("source", experiment.source, translation::text());
  fields.take("published", experiment.published, translation::text());
  fields.need("method", experiment.method, translation::text());
  fields.take("means", experiment.means, translation::text());
  fields.take("minutes", experiment.minutes, from_to(0, 1e6));
  fields.take("alone", experiment.alone, translation::flag());
  fields.take("takes_corpus", experiment.takes_corpus, translation::flag());
  fields.take("seeds", experiment.seeds, whole(1, most_seeds));
  fields.take("settings", experiment.settings, translation::list_of_texts());
  const Json tuning = fields.object("tuning");
  for (const auto& [setting, values] : tuning.items())
    for (const Json& value : values)
      experiment.tuning.push_back({fmt::format("{}={}", setting, value.dump())});
  const Json task = fields.object("task"), variants = fields.object("variants");
  for (const auto& [variant, of_variant] : variants.items())
    experiment.variants.push_back(read_variant(variant, of_variant, task, name));
  for (const Json& one : fields.list("measure")) experiment.measure.push_back(read_measure(one, name));
  const Json needs = fields.list("needs");
  experiment.rule = read_rule(needs, fields.list("parts"), name);
  experiment.rule.exact = experiment.seeds == 1;
  experiment.names = read_map<std::string>(fields.object("names"), name + ", \"names\"", translation::text());
  fields.take("text_of", experiment.text_of, translation::text());
  fields.take("before", experiment.before, translation::text());
  for (const Json& one : fields.list("columns"))
    experiment.columns.push_back(read_column(one, name + ", a column"));
  for (const Json& one : fields.list("figures"))
    experiment.figures.push_back(read_figure(one, name + ", a figure"));
  fields.end();
  if (experiment.variants.empty() || experiment.measure.empty() || experiment.columns.empty())
    fail("{} needs \"variants\", \"measure\" and \"columns\"", name);
  if (experiment.id.empty() || experiment.id.find_first_of("/\\. ") != std::string::npos)
    fail("{}: \"id\" names a directory, so it has letters and digits, not \"{}\"", name, experiment.id);
  for (const auto& tried : experiment.tuning)
    if (std::ranges::count(experiment.tuning, tried) > 1)
      fail("{}: \"tuning\" has the settings [{}] twice", name, fmt::join(tried, ", "));
  check_variants(experiment, name);
  check_words(experiment, name);
  if (experiment.rule.needs.empty() && trains(experiment))
    fail(
        "{}: an experiment with a training has \"needs\": comparisons that are true if its models have "
        "learnt "
        "their task, such as [\"exact(attention) >= 95\"]",
        name);
  return experiment;
}

}  // namespace regard::experiments
