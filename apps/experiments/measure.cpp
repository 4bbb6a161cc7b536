#include <algorithm>
#include <cmath>
#include <exception>
#include <iterator>

#include "apps/experiments/measures.h"
#include "autograd/machine/error.h"

namespace regard::experiments {

const std::vector<Measure>& all_measures() {
  static const std::vector<Measure> all = [] {
    std::vector<Measure> list;
    for (const auto of : {measures_of_quality, measures_of_weights, measures_of_explanation,
                          measures_of_gradients, measures_of_rows, measures_of_time, measures_of_search})
      std::ranges::copy(of(), std::back_inserter(list));
    return list;
  }();
  return all;
}

Trial::Trial(const Experiment& of, const Job& which)
    : experiment(of), job(which), task(std::ranges::find(of.variants, which.variant, &Variant::name)->task) {}

const toys::Corpus& Trial::corpus() {
  if (!corpus_) corpus_ = corpus_for(job, task);
  return *corpus_;
}

Trained& Trial::trained() {
  if (!trained_) {
    trained_ = trained_with({});
    measured.merge(trained_->training);
  }
  return *trained_;
}

Trained Trial::trained_with(const std::vector<std::string>& further) {
  std::vector<std::string> settings = experiment.settings;
  settings.insert(settings.end(), further.begin(), further.end());
  return train(job, corpus(), settings);
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

void Trial::measure(const MeasureCall& call) {
  call_ = &call;
  const Measurements before = measured;
  try {
    find_measure(call.name, experiment.id).run(*this);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {  // another kind of model, or a variant's name that is no number
    fail("the measure {} does not fit this model, task or variant ({})", call.name, error.what());
  }
  for (const auto& [name, values] : before)
    if (measured.at(name) != values)
      fail("the measure {} and one before it both have \"{}\"; give each an experiment of its own", call.name,
           name);
  for (const auto& [name, values] : measured)
    if (!std::ranges::all_of(values, [](double value) { return std::isfinite(value); }))
      fail("the measure {} has no number for \"{}\" with this model and task", call.name, name);
}

const Measure& find_measure(const std::string& measure, const std::string& name) {
  const auto found = std::ranges::find(all_measures(), measure, &Measure::name);
  if (found != all_measures().end()) return *found;
  fail("{}: there is no measure \"{}\"; regard experiment --measures shows them", name, measure);
}

Results::Run measure(const Experiment& experiment, const Job& job) {
  Trial trial(experiment, job);
  for (const MeasureCall& call : experiment.measure) trial.measure(call);
  return {job.seed, trial.measured, trial.texts};
}

}  // namespace regard::experiments
