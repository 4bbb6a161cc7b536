#include "apps/experiments/jobs/plan.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <set>

#include "apps/experiments/measures/measures.h"
#include "apps/translation/files/files.h"
#include "autograd/machine/error.h"

namespace regard::experiments {

void Store::add(const Line& line) {
  Line& known = jobs_[line.job];
  known.minutes = std::max(known.minutes, line.minutes);
  for (const Measured& one : line.measured)
    if (const auto old = std::ranges::find(known.measured, one.call, &Measured::call);
        old != known.measured.end())
      *old = one;
    else
      known.measured.push_back(one);
}

const Measured* Store::find(const std::string& job, const MeasureCall& call) const {
  const auto known = jobs_.find(job);
  return known == jobs_.end() ? nullptr : known->second.find(call);
}

double Store::minutes(const std::string& job) const {
  const auto known = jobs_.find(job);
  return known == jobs_.end() ? 0 : known->second.minutes;
}

namespace {

constexpr std::size_t most_further_values = 3;

/// The settings of the tuning: none or one.
using Tuned = std::vector<std::string>;

Tuned setting_of(const Tuning& tuning, double value) { return {fmt::format("{}={}", tuning.setting, value)}; }

Job make_job(const Experiment& experiment, const PlanOptions& options, const Variant& variant, Index seed,
             const Tuned& tuned) {
  Job job{.name = fmt::format("{}, seed {}", variant.name, seed),
          .task = variant.task,
          .settings = experiment.settings,
          .seed = seed,
          .quick = options.quick,
          .alone = experiment.alone,
          .files = options.files,
          .measures = variant.measure,
          .corpus = options.corpus};
  for (const auto* const more : {&variant.settings, &tuned, &options.settings})
    job.settings.insert(job.settings.end(), more->begin(), more->end());
  if (std::ranges::count(tuning_seeds, seed) > 0) {  // only what the tuning compares
    job.name += ", " + fmt::format("{}", fmt::join(tuned, ""));
    std::erase_if(job.measures, [](const MeasureCall& call) {
      return std::ranges::count(names_of(call), "validation_loss") == 0;
    });
  }
  job.hash = hash_of(job);
  job.directory = options.models + "/" + job.hash;
  return job;
}

/// Makes the plan of one experiment.
class Planner {
 public:
  Planner(const Experiment& experiment, const PlanOptions& options, const Store& store)
      : experiment_(experiment), options_(options), store_(store) {}

  Plan make() {
    for (const Variant& variant : experiment_.variants) add(variant);
    std::set<std::string> counted;  // variants may share a job
    for (const Line& line : plan_.lines)
      if (counted.insert(line.job).second) plan_.results.minutes += line.minutes;
    return std::move(plan_);
  }

 private:
  void add(const Variant& variant) {
    Results::OfVariant& results = plan_.results.variants.emplace_back();
    results.name = variant.name;
    const Index seeds = experiment_.seeds == 1 ? 1 : options_.seeds > 0 ? options_.seeds : experiment_.seeds;
    const std::optional<Tuned> tuned = tune(variant, results);
    if (!tuned) plan_.later += to_size(seeds);
    for (Index seed = options_.first_seed; tuned && seed < options_.first_seed + seeds; ++seed)
      if (const Line* const line = find(variant, seed, *tuned)) {
        Results::Run& run = results.runs.emplace_back(Results::Run{.seed = seed, .measurements = {}});
        for (const Measured& one : line->measured) {
          run.measurements.insert(one.measurements.begin(), one.measurements.end());
          run.texts.insert(one.texts.begin(), one.texts.end());
        }
      }
  }

  /// The best setting; nothing if jobs are missing.
  std::optional<Tuned> tune(const Variant& variant, Results::OfVariant& results) {
    const Tuning& tuning = experiment_.tuning;
    const bool chosen = std::ranges::any_of(variant.settings, [&](const std::string& setting) {
      return setting.starts_with(tuning.setting + "=");
    });
    if (tuning.setting.empty() || chosen) return Tuned{};
    if (options_.quick) return setting_of(tuning, tuning.values.front());
    std::vector<double> values = tuning.values;
    std::map<double, double> losses;
    while (true) {
      bool complete = true;
      for (const double value : values) {
        if (losses.contains(value)) continue;
        double loss = 0;
        for (const Index seed : tuning_seeds) {
          const Line* const line = find(variant, seed, setting_of(tuning, value));
          complete = complete && line;
          if (line) loss += line->measured.at(0).measurements.at("validation_loss").at(0);
        }
        losses[value] = loss;
      }
      if (!complete) return std::nullopt;
      const double best =
          std::ranges::min_element(losses, {}, [](const auto& tried) { return tried.second; })->first;
      const bool least = best == values.front(), greatest = best == values.back();
      if ((!least && !greatest) || values.size() == tuning.values.size() + most_further_values) {
        const Tuned tuned = setting_of(tuning, best);
        results.tuned = tuned.front();
        results.tried = values;
        results.at_edge = least || greatest;
        return tuned;
      }
      if (least)
        values.insert(values.begin(), rounded(values[0] * values[0] / values[1]));
      else
        values.push_back(rounded(best * best / values.end()[-2]));
    }
  }

  /// The line of a job, which is added to the plan. Null if the job has to run.
  const Line* find(const Variant& variant, Index seed, const Tuned& tuned) {
    Job job = make_job(experiment_, options_, variant, seed, tuned);
    Line line{.job = job.hash,
              .variant = variant.name,
              .seed = seed,
              .settings = tuned,
              .set = options_.settings,
              .files = options_.files,
              .minutes = store_.minutes(job.hash)};
    std::vector<MeasureCall> missing;
    for (const MeasureCall& call : job.measures)
      if (const Measured* const one = store_.find(job.hash, call))
        line.measured.push_back(*one);
      else
        missing.push_back(call);
    if (missing.empty()) return &plan_.lines.emplace_back(std::move(line));
    // With its model, a job measures only what is missing.
    if (!options_.models.empty() && translation::path_exists(kept_training(job.directory)))
      job.measures = missing;
    plan_.missing.push_back(std::move(job));
    return nullptr;
  }

  const Experiment& experiment_;
  const PlanOptions& options_;
  const Store& store_;
  Plan plan_;
};

}  // namespace

Plan plan(const Experiment& experiment, const PlanOptions& options, const Store& store) {
  return Planner(experiment, options, store).make();
}

bool wants(const Experiment& experiment, const PlanOptions& options, const Plan& plan, const Line& line) {
  const auto variant = std::ranges::find(experiment.variants, line.variant, &Variant::name);
  if (variant == experiment.variants.end()) return false;
  const Results::OfVariant& results = plan.results.of(line.variant);
  std::vector<Tuned> settings;
  if (std::ranges::count(tuning_seeds, line.seed) > 0)
    for (const double value : results.tried) settings.push_back(setting_of(experiment.tuning, value));
  else if (results.tuned.empty())
    settings.emplace_back();
  else
    settings.push_back({results.tuned});
  return std::ranges::count(settings, line.settings) > 0 &&
         make_job(experiment, options, *variant, line.seed, line.settings).hash == line.job;
}

Results read_results(const Experiment& experiment, const std::string& path, Index first_seed) {
  const std::vector<Line> lines = read_lines(path);
  const auto has = [&](Index seed) {  // of an interrupted run, the seeds count that all variants have
    return std::ranges::count(tuning_seeds, seed) == 0 &&
           std::ranges::all_of(experiment.variants, [&](const Variant& variant) {
             return std::ranges::any_of(
                 lines, [&](const Line& line) { return line.seed == seed && line.variant == variant.name; });
           });
  };
  PlanOptions options{.first_seed = first_seed};
  while (has(first_seed + options.seeds)) ++options.seeds;
  if (options.seeds == 0) return {};
  options.settings = lines.front().set;
  options.files = lines.front().files;
  Store store;
  for (const Line& line : lines) store.add(line);
  Plan found = plan(experiment, options, store);
  if (found.missing.empty()) return std::move(found.results);
  fail("{}: {} is not as experiment {} now wants it; run regard experiment {} again", path,
       found.missing.front().name, experiment.id, experiment.id);
}

}  // namespace regard::experiments
