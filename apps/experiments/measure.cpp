#include <algorithm>
#include <cmath>
#include <exception>
#include <fmt/ranges.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "apps/experiments/measures.h"
#include "apps/experiments/no_causal_mask.h"
#include "apps/translation/files/files.h"
#include "apps/translation/files/json_fields.h"
#include "apps/translation/training/training.h"
#include "autograd/machine/error.h"

namespace regard::experiments {

const std::vector<Measure>& all_measures() {
  static const std::vector<Measure> all = [] {
    std::vector<Measure> list;
    for (const auto of : {measures_of_quality, measures_of_weights, measures_of_explanation,
                          measures_of_gradients, measures_of_rows, measures_of_context, measures_of_pronouns,
                          measures_of_maps, measures_of_time, measures_of_search, measures_of_costs})
      std::ranges::copy(of(), std::back_inserter(list));
    return list;
  }();
  return all;
}

const Measure& find_measure(const std::string& measure, const std::string& name) {
  const auto found = std::ranges::find(all_measures(), measure, &Measure::name);
  if (found != all_measures().end()) return *found;
  fail("{}: there is no measure \"{}\"; regard experiment --measures shows them", name, measure);
}

std::vector<std::string> words(const char* list) {
  std::istringstream stream(list);
  return {std::istream_iterator<std::string>(stream), {}};
}

std::vector<std::string> names_of(const MeasureCall& call) {
  const Measure& measure = find_measure(call.name, "");
  std::vector<std::string> names = words(measure.measurements);
  std::ranges::move(words(measure.texts), std::back_inserter(names));
  return names;
}

namespace {

template <class Of>
auto find_variant(Of& experiment, const std::string& variant, const std::string& name) {
  const auto found = std::ranges::find(experiment.variants, variant, &Variant::name);
  if (found == experiment.variants.end()) fail("{}: there is no variant \"{}\"", name, variant);
  return found;
}

bool has(const Experiment& experiment, const std::string& variant, const std::string& name,
         const char* Measure::*list) {
  const auto& measures = find_variant(experiment, variant, experiment.id)->measure;
  return std::ranges::any_of(measures, [&](const MeasureCall& call) {
    return std::ranges::count(words(find_measure(call.name, "").*list), name) > 0;
  });
}

}  // namespace

bool has_measurement(const Experiment& experiment, const std::string& variant,
                     const std::string& measurement) {
  return has(experiment, variant, measurement, &Measure::measurements);
}

bool has_text(const Experiment& experiment, const std::string& variant, const std::string& text) {
  return has(experiment, variant, text, &Measure::texts);
}

bool trains(const Experiment& experiment) {
  return std::ranges::any_of(experiment.variants, [](const Variant& variant) {
    return std::ranges::any_of(variant.measure, [](const MeasureCall& call) {
      return find_measure(call.name, "").model != Model::none;
    });
  });
}

void use(Experiment& experiment, const std::string& variant, const std::string& measurement,
         const std::string& name) {
  std::vector<MeasureCall>& measures = find_variant(experiment, variant, name)->measure;
  if (has_measurement(experiment, variant, measurement)) return;
  const bool curve =
      measurement == "loss" || measurement == "gradient_norm" || measurement == "validation_curve";
  if (curve && std::ranges::count(measures, "training", &MeasureCall::name) > 0) {
    measures.push_back({measurement});
    return;
  }
  std::vector<std::string> known;
  for (const MeasureCall& call : measures) std::ranges::move(names_of(call), std::back_inserter(known));
  fail("{}: \"{}\" of \"{}\" is not measured; its measures have {}", name, measurement, variant,
       fmt::join(known, ", "));
}

const toys::Corpus& Trial::corpus() {
  if (!corpus_) corpus_ = corpus_for(job, task);
  return *corpus_;
}

Trained& Trial::trained() {
  if (trained_) return *trained_;
  const std::string kept = kept_training(job.directory);
  if (translation::path_exists(kept)) {
    trained_ = Trained{translation::Translator::load(model_directory(job), {.make_model = own_model(job)}),
                       translation::parse_json(read_file(kept), kept).get<Measurements>()};
  } else {
    trained_ = train(job, corpus());
    translation::write_file(kept, translation::Json(trained_->training).dump());
  }
  if (task.average > 0) average_checkpoints(job, *trained_);
  return *trained_;
}

Trained Trial::trained_with(const std::vector<std::string>& further) {
  return train(job, corpus(), further, "other");
}

const Translations& Trial::translations() {
  if (!translations_) translations_ = translate(trained(), test(), {.beam = task.beam});
  return *translations_;
}

double Trial::option(const std::string& name, double otherwise) const {
  const auto found = call_->options.find(name);
  return found == call_->options.end() || found->second.empty() ? otherwise : found->second.front();
}

const std::vector<double>& Trial::options(const std::string& name) const {
  const auto found = call_->options.find(name);
  if (found == call_->options.end() || found->second.empty())
    fail("the measure {0} needs \"{1}\": write {{\"{0}\": {{\"{1}\": [1, 2, 4]}}}}", call_->name, name);
  return found->second;
}

Measured Trial::measure(const MeasureCall& call) {
  call_ = &call;
  measured.clear();
  texts.clear();
  try {
    find_measure(call.name, job.name).run(*this);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {  // another kind of model
    fail("the measure {} does not fit this model, task or variant ({})", call.name, error.what());
  }
  Measured result{.call = call};
  for (const std::string& name : names_of(call)) {
    const std::vector<double>& values = measured[name];
    if (texts.contains(name))
      result.texts[name] = texts[name];
    else if (values.empty() ||
             !std::ranges::all_of(values, [](double value) { return std::isfinite(value); }))
      fail("the measure {} has no number for \"{}\" with this model and task", call.name, name);
    else
      result.measurements[name] = values;
  }
  return result;
}

std::vector<Measured> measure(const Job& job) {
  Trial trial(job);
  std::vector<Measured> all;
  for (const MeasureCall& call : job.measures) try {
      all.push_back(trial.measure(call));
    } catch (const translation::Diverged&) {
      if (std::ranges::count(tuning_seeds, job.seed) == 0) throw;
      all.push_back({.call = call});
      for (const std::string& name : names_of(call)) all.back().measurements[name] = {diverged_loss};
    }
  return all;
}

}  // namespace regard::experiments
