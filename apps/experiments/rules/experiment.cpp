#include "apps/experiments/rules/experiment.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "apps/experiments/measures/measures.h"
#include "apps/translation/files/json_fields.h"
#include "autograd/machine/error.h"

namespace regard::experiments {

using translation::Fields;
using translation::from_to;
using translation::Json;
using translation::Kind;
using translation::whole;

namespace {

/// The measures of a variant: those of all variants, with its own options, and its own ones.
std::vector<MeasureCall> read_measures(const Json& all, const Json& own, const std::string& name) {
  std::vector<MeasureCall> calls;
  for (const Json* const list : {&all, &own})
    for (const Json& json : *list) {
      MeasureCall call = read_measure(json, name);
      const auto same = std::ranges::find(calls, call.name, &MeasureCall::name);
      if (same == calls.end())
        calls.push_back(std::move(call));
      else if (list == &own)
        for (const auto& [option, values] : call.options) same->options[option] = values;
      else
        fail("{}: \"measure\" has {} twice", name, call.name);
    }
  const auto trained = [](const MeasureCall& call) {
    return find_measure(call.name, "").model == Model::trained;
  };
  if (std::ranges::any_of(calls, trained) && std::ranges::count(calls, "training", &MeasureCall::name) == 0)
    calls.insert(calls.begin(), {"training"});
  std::map<std::string, std::string> owners;
  for (const MeasureCall& call : calls)
    for (const std::string& measurement : names_of(call))
      if (const auto [owner, is_new] = owners.emplace(measurement, call.name); !is_new)
        fail("{}: the measures {} and {} both have \"{}\"; give each an experiment of its own", name,
             owner->second, call.name, measurement);
  return calls;
}

/// A variant is a list of settings, or an object with "settings", the part of the task that is its own, and
/// its options of measures.
Variant read_variant(const std::string& variant, const Json& json, const Json& task, const Json& measure,
                     const std::string& name) {
  Variant result{.name = variant};
  const std::string where = fmt::format("{}, variant \"{}\"", name, variant);
  Fields fields(json.is_array() ? Json{{"settings", json}} : json, where);
  fields.take("settings", result.settings, translation::list_of_texts());
  Json whole_task = task;
  whole_task.update(fields.object("task"));
  result.measure = read_measures(measure, fields.list("measure"), where);
  fields.end();
  result.task = read_task(whole_task, where + ", task");
  return result;
}

/// {"training.learning_rate": [0.001, 0.002, 0.004, 0.008]}
Tuning read_tuning(const Json& json, const std::string& name) {
  Tuning tuning;
  if (json.empty()) return tuning;
  if (json.size() != 1) fail("{}: \"tuning\" has one setting, not {}", name, json.size());
  tuning.setting = json.begin().key();
  Fields fields(json, name + ", \"tuning\"");
  fields.take(tuning.setting, tuning.values, list_of(translation::above(0)));
  if (tuning.values.size() < 4 ||
      std::ranges::adjacent_find(tuning.values, std::greater_equal<>()) != tuning.values.end())
    fail("{}: \"tuning\" needs at least four values of {}, in rising order", name, tuning.setting);
  return tuning;
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

const Variant& find_variant(const Experiment& experiment, const std::string& variant,
                            const std::string& name) {
  const auto found = std::ranges::find(experiment.variants, variant, &Variant::name);
  if (found == experiment.variants.end()) fail("{}: there is no variant \"{}\"", name, variant);
  return *found;
}

/// The names of the numbers that a measure adds; names_of has its texts, too.
std::vector<std::string> numbers_of(const MeasureCall& call) {
  return words(find_measure(call.name, "").measurements);
}

/// Throws Error if none of the measures of a variant adds this measurement. `names` is numbers_of, or
/// names_of where a text will do.
void check_measured(const Variant& variant, const std::string& measurement, const std::string& name,
                    std::vector<std::string> (*names)(const MeasureCall& call)) {
  std::vector<std::string> known;
  for (const MeasureCall& call : variant.measure) std::ranges::move(names(call), std::back_inserter(known));
  if (std::ranges::count(known, measurement) == 0)
    fail("{}: \"{}\" of \"{}\" is not measured; its measures have {}", name, measurement, variant.name,
         fmt::join(known, ", "));
}

/// Checks that the rule, the columns and the figures name what is measured.
void check_names(const Experiment& experiment, const std::string& name) {
  for (const Comparison& one : comparisons(experiment.rule))
    for (const Formula& entry : measurements(one.formula)) {
      const std::string where = fmt::format("{}, \"{}\"", name, one.text);
      check_measured(find_variant(experiment, entry.variant, where), entry.measurement, where, numbers_of);
    }
  std::vector<std::string> all;
  for (const Variant& variant : experiment.variants) {
    all.push_back(variant.name);
    for (const Column& column : experiment.columns)
      check_measured(variant, column.measurement, name + ", a column", names_of);
    if (!experiment.tuning.setting.empty())
      check_measured(variant, "validation_loss", name + ", \"tuning\"", numbers_of);
  }
  for (const Figure& figure : experiment.figures)
    for (const std::string& of : figure.variants.empty() ? all : figure.variants) {
      const Variant& variant = find_variant(experiment, of, name + ", a figure");
      check_measured(variant, figure.measurement, name + ", a figure", numbers_of);
      for (const char* const text : {"reference", "source"})
        if (figure.map)
          check_measured(variant, text, name + ", a map, which one_sentence measures", names_of);
    }
}

}  // namespace

bool trains(const Experiment& experiment) {
  return std::ranges::any_of(experiment.variants, [](const Variant& variant) {
    return std::ranges::any_of(variant.measure, [](const MeasureCall& call) {
      return find_measure(call.name, "").model != Model::none;
    });
  });
}

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
  experiment.tuning = read_tuning(fields.object("tuning"), name);
  const Json task = fields.object("task"), variants = fields.object("variants"),
             measure = fields.list("measure");
  for (const auto& [variant, of_variant] : variants.items())
    experiment.variants.push_back(read_variant(variant, of_variant, task, measure, name));
  const Json needs = fields.list("needs");
  experiment.rule = read_rule(needs, fields.list("parts"), name);
  experiment.rule.exact = experiment.seeds == 1;
  fields.take("text_of", experiment.text_of, translation::text());
  fields.take("before", experiment.before, translation::text());
  for (const Json& one : fields.list("columns"))
    experiment.columns.push_back(read_column(one, name + ", a column"));
  for (const Json& one : fields.list("figures"))
    experiment.figures.push_back(read_figure(one, name + ", a figure"));
  fields.end();
  if (experiment.variants.empty() || measure.empty() || experiment.columns.empty())
    fail("{} needs \"variants\", \"measure\" and \"columns\"", name);
  if (experiment.id.empty() || experiment.id.find_first_of("/\\. ") != std::string::npos)
    fail("{}: \"id\" names a directory, so it has letters and digits, not \"{}\"", name, experiment.id);
  check_names(experiment, name);
  if (experiment.rule.needs.empty() && trains(experiment) &&
      std::ranges::any_of(experiment.rule.parts, [](const Part& part) { return part.needs.empty(); }))
    fail(
        "{}: an experiment with a training has \"needs\", its own or of each part: comparisons that are true "
        "if its models have learnt their task, such as [\"exact(attention) >= 95\"]",
        name);
  return experiment;
}

}  // namespace regard::experiments
