#include "apps/translation/training/training.h"

#include <chrono>
#include <cmath>
#include <utility>

#include "apps/translation/model/weights.h"
#include "apps/translation/processes/sharing.h"
#include "apps/translation/search/search_rules.h"
#include "apps/translation/training/plan.h"
#include "apps/translation/training/step.h"
#include "apps/translation/training/store.h"
#include "apps/translation/training/warnings.h"
#include "autograd/graph.h"
#include "autograd/machine/error.h"

namespace regard::translation {

namespace {

using Clock = std::chrono::steady_clock;

/// Runs a training.
class Loop {
 public:
  Loop(Training& training, TrainingObserver& observer, const std::function<bool()>& stop_wanted)
      : training_(training), observer_(observer), stop_wanted_(stop_wanted) {}

  bool run();

 private:
  void next_step(const Epoch& epoch, const TrainingPlan& plan);
  StepReport report_of(const StepResult& result, double rate, const TrainingPlan& plan, Index epoch_steps);
  void validate();
  bool finish();
  void try_average();

  bool limit_reached() const { return reached_limit(settings_, progress_) != nullptr; }
  bool stop_wanted() const { return any(training_.processes, stop_wanted_()); }
  double measure(Index averaged = 0);
  Validation validation() const;
  void check_weights() const;
  void count_seconds();

  Training& training_;
  TrainingObserver& observer_;
  const std::function<bool()>& stop_wanted_;
  const Settings& settings_ = training_.settings;
  const TrainingData& data_ = *training_.data;
  transformer::EncoderDecoder& model_ = *training_.model;
  Progress& progress_ = training_.progress;

  TrainingWarnings warnings_{training_};
  Clock::time_point counted_ = Clock::now();  ///< Progress::seconds contains the time until here
  /// The progress before this run of the program. The speed counts only this run, because earlier runs may
  /// have used another machine.
  const Index first_step_ = progress_.step;
  const double first_seconds_ = progress_.seconds;
};

bool Loop::run() {
  EpochCorpus corpora(data_.training, data_.cut_again, static_cast<std::uint64_t>(settings_.training.seed));
  progress_.finished = false;
  warnings_.of_references();
  while (!limit_reached()) {
    const Epoch epoch(corpora.at(progress_.epoch), model_.encoder(), settings_.training, progress_.epoch,
                      data_.mixture);
    check_epoch(progress_, epoch.steps());
    const TrainingPlan plan(settings_, progress_, epoch.steps(), epoch.tokens());
    if (progress_.step == 0) warnings_.of_long_warmup(plan);
    while (progress_.epoch_steps < epoch.steps() && !limit_reached()) {
      next_step(epoch, plan);
      const bool validates = validation_due(settings_.validation, progress_, epoch.steps());
      if (validates) validate();
      const bool stops = stop_wanted();
      if (validates || stops || progress_.step % settings_.checkpoints.save_every == 0) save(training_);
      if (stops) return false;
    }
    if (progress_.epoch_steps == epoch.steps()) {
      ++progress_.epoch;
      progress_.epoch_steps = 0;
    }
  }
  return finish();
}

void Loop::next_step(const Epoch& epoch, const TrainingPlan& plan) {
  const auto begin = Clock::now();
  const StepBatches batches = epoch.step(progress_.epoch_steps++);
  const double rate = plan.learning_rate(++progress_.step);
  const StepResult result = step(training_, epoch, batches, rate);
  progress_.tokens += result.tokens;
  Window& window = progress_.window;
  ++window.steps;
  window.tokens += result.tokens;
  window.loss += result.loss;
  window.seconds += std::chrono::duration<double>(Clock::now() - begin).count();
  count_seconds();
  const StepReport report = report_of(result, rate, plan, epoch.steps());
  observer_.on_step(report);
  warnings_.after_step(report, plan);
}

/// What the observer is told of a step. The numbers of a line of the log are counted anew after that line.
StepReport Loop::report_of(const StepResult& result, double rate, const TrainingPlan& plan,
                           Index epoch_steps) {
  const bool line_due = progress_.step % settings_.training.log_every == 0 ||
                        reached_limit(settings_, progress_, epoch_steps) != nullptr;
  const double step_seconds =
      (progress_.seconds - first_seconds_) / static_cast<double>(progress_.step - first_step_);
  return {.step = progress_.step,
          .epoch = progress_.epoch,
          .planned_steps = plan.steps(step_seconds),
          .learning_rate = rate,
          .gradient_norm = result.gradient_norm,
          .total_seconds = progress_.seconds,
          .step_seconds = step_seconds,
          .window = line_due ? std::exchange(progress_.window, {}) : progress_.window,
          .line_due = line_due};
}

/// Measures the weights (or their moving average) on the validation corpus, and keeps them if they are among
/// the best or the last.
void Loop::validate() {
  progress_.validated_step = progress_.step;
  const nn::WithAverage averaged(training_.average.get());
  check_weights();
  const double score = data_.validation ? measure() : 0;
  keep_checkpoint(training_, score);
}

bool Loop::finish() {
  if (progress_.validated_step != progress_.step) {
    validate();
    save(training_);
    if (stop_wanted()) return false;
  }
  if (!data_.validation) {
    const nn::WithAverage averaged(training_.average.get());
    save_weights(training_);
  }
  try_average();
  count_seconds();
  progress_.finished = true;
  save(training_);
  return true;
}

/// Validates the mean of the kept checkpoints, and saves it if it is better than the best weights. Afterwards
/// the model has its own weights again, so that the training can be resumed with more steps.
void Loop::try_average() {
  const std::vector<std::string> files = checkpoints_to_average(training_);
  if (files.empty()) return;
  nn::MovingAverage mean(model_.parameters(), 0);
  load_average(training_, files, mean.averages());
  const nn::WithAverage averaged(&mean);
  if (data_.validation)
    measure(to_index(files.size()));
  else
    save_weights(training_);
}

/// Validates the present weights, which may be the mean of some checkpoints. Saves them if they are the best.
/// Returns their score.
double Loop::measure(Index averaged) {
  Validation result = validation();
  const double loss = result.evaluation.loss, score = score_of(result, settings_.validation.metric);
  const bool best = save_if_best(training_, score);
  if (averaged == 0) {
    count_patience(progress_, settings_.validation.metric, score);
    reduce_on_plateau(progress_, settings_.training);
    warnings_.of_unused_source(result.translations);
  }
  count_seconds();
  const Index patience = settings_.validation.patience;
  const ValidationReport report{
      .step = progress_.step,
      // The epoch of the newest step, even if the next epoch has begun.
      .epoch = progress_.epoch_steps == 0 ? progress_.epoch - 1 : progress_.epoch,
      .validation = std::move(result),
      .total_seconds = progress_.seconds,
      .best = best,
      .averaged = averaged,
      .patience_left = averaged == 0 && patience > 0 ? patience - progress_.without_best : -1};
  observer_.on_validation(report);
  // After the line in the log, which shows that the file is the training's.
  if (averaged == 0) save_validation(training_, report.validation.translations);
  warnings_.of_divergence("validation loss", loss);
  return score;
}

/// Computes the loss of the validation corpus and translates it. Each process computes a part.
Validation Loop::validation() const {
  transformer::SearchOptions search = decoding_of(settings_, *data_.tokeniser, data_.vocabularies);
  search.beam = settings_.validation.beam;
  Validation result;
  result.evaluation = evaluate(model_, *data_.validation, search, training_.processes);
  if (!std::isfinite(result.evaluation.loss)) fail_not_finite(training_, "the validation loss");
  for (const std::vector<std::int32_t>& ids : result.evaluation.translations)
    result.translations.push_back(data_.tokeniser->join(data_.vocabularies.target.tokens(ids)));
  result.bleu = corpus_bleu(result.translations, data_.references, settings_.validation.bleu);
  return result;
}

/// Throws Error if a weight is not finite. Without a validation corpus, also checks the loss of the first
/// training pair; with one, validation() checks the loss.
void Loop::check_weights() const {
  if (!all_finite(model_)) fail_not_finite(training_, "a weight");
  if (data_.validation) return;
  const NoGrad no_grad;
  model_.eval();
  const transformer::Batch batch = make_batch(data_.training, std::vector<std::size_t>{0});
  if (!std::isfinite(model_.loss(batch, {}).item())) fail_not_finite(training_, "the loss");
}

/// Adds the time since the last call to the duration of the training. With a limit on it, the first process
/// tells the time, so that all end at the same step.
void Loop::count_seconds() {
  const auto now = Clock::now();
  progress_.seconds += std::chrono::duration<double>(now - counted_).count();
  counted_ = now;
  if (settings_.training.minutes > 0)
    progress_.seconds = of_first(training_.processes, [&] { return progress_.seconds; });
}

}  // namespace

bool run_training(Training& training, TrainingObserver& observer, const std::function<bool()>& stop_wanted) {
  try {
    return Loop(training, observer, stop_wanted).run();
  } catch (const NotFinite&) {
    fail_not_finite(training, "a number that the model computed");
  }
}

bool run_training(Training& training) {
  TrainingObserver nobody;
  return run_training(training, nobody);
}

bool finished(const Training& training) {
  return training.progress.finished && reached_limit(training.settings, training.progress) != nullptr;
}

}  // namespace regard::translation
