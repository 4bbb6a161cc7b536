#include <algorithm>
#include <cmath>
#include <exception>
#include <fmt/format.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sstream>

#include "apps/experiments/measures/measures.h"
#include "apps/experiments/measures/no_causal_mask.h"
#include "apps/translation/files/files.h"
#include "apps/translation/files/json.h"
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

std::vector<std::string> words(const std::string& list) {
  std::istringstream stream(list);
  return {std::istream_iterator<std::string>(stream), {}};
}

std::vector<std::string> names_of(const MeasureCall& call) {
  const Measure& measure = find_measure(call.name, "");
  std::vector<std::string> names = words(measure.measurements);
  std::ranges::move(words(measure.texts), std::back_inserter(names));
  return names;
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
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

Trained Trial::trained_for(Index steps) {
  // A schedule that falls to 0 would do so within these steps.
  return train(job, corpus(), {fmt::format("training.steps={}", steps), "training.schedule=inverse_sqrt"},
               "other");
}

const Translations& Trial::translations() {
  if (!translations_) translations_ = translate(trained(), test(), {.beam = task.beam});
  return *translations_;
}

translation::ParallelCorpus Trial::first_pairs() {
  Pairs pairs = test();
  pairs.resize(std::min(pairs.size(), static_cast<std::size_t>(option("pairs", 100))));
  return encoded(trained(), pairs);
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
