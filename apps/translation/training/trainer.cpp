#include "apps/translation/training/trainer.h"

#include <chrono>
#include <cmath>
#include <utility>

#include "apps/translation/files/files.h"
#include "apps/translation/files/warning.h"
#include "apps/translation/model/make_model.h"
#include "apps/translation/model/weights.h"
#include "apps/translation/training/freeze.h"
#include "apps/translation/training/initial_weights.h"
#include "apps/translation/training/make_optimiser.h"
#include "apps/translation/training/sharded_loss.h"
#include "apps/translation/training/training_limits.h"
#include "apps/translation/translator/in_batches.h"
#include "autograd/error.h"
#include "autograd/graph.h"
#include "nn/optimisers.h"

namespace regard::translation {

Trainer::Trainer(const Settings& settings, const TrainingData& data, const ModelDirectory& directory,
                 Processes& processes)
    : settings_(settings),
      in_effect_(settings_in_effect(settings, data)),
      data_(data),
      directory_(directory),
      processes_(processes),
      checksums_(data.checksums()),
      model_(make_model(settings, data.vocabularies,
                        Random(static_cast<std::uint64_t>(settings.training.seed)))),
      kept_(settings, directory, identity_of(settings, data.vocabularies), model_, progress_,
            processes.first()),
      divergence_(data.vocabularies.target.size()) {
  const Index vocabulary = data.vocabularies.target.size();
  check_beam("decoding.beam", settings.decoding.beam, vocabulary);
  check_beam("validation.beam", settings.validation.beam, vocabulary);
  freeze(model_, settings.training.freeze);
  optimiser_ = make_optimiser(settings.training, model_);
  if (settings.training.average_decay > 0)
    average_ = std::make_unique<nn::MovingAverage>(model_.parameters(), settings.training.average_decay);
}

void Trainer::take_initial_weights() {
  load_initial_weights(model_, settings_, data_.vocabularies);
  if (average_) average_->restart();
}

void Trainer::begin() {
  if (processes_.first()) {
    directory_.check_in_place();
    make_directories(directory_.path());
    directory_.remove_temporary_files();
    save_state(directory_, parts(), progress_);
    directory_.create(in_effect_, data_.vocabularies);
  }
  share_state(processes_, parts(), progress_);  // the initial weights, which only the first process may have
}

void Trainer::resume() {
  if (processes_.first()) read_state();
  share_state(processes_, parts(), progress_);
}

void Trainer::read_state() {
  progress_ = load_state(directory_, parts());
  forget_missing_weights(directory_, progress_);
  directory_.check_in_place();          // so these files were read from this directory
  directory_.remove_temporary_files();  // a save may have left some when the disk was full
  directory_.save_vocabularies(settings_, data_.vocabularies);
  if (finished()) return;  // config.json must not hold settings that this training did not follow
  kept_.resume();
  directory_.save_config(in_effect_);  // some settings may have changed
  directory_.remove_states_after(progress_.step);
  directory_.truncate_logs(progress_.metrics_bytes, progress_.log_bytes);
}

void Trainer::save() {
  if (processes_.first()) write_state();
  // Unequal kernels round the updates differently. This keeps the weights of the processes together.
  if (settings_.training.unequal_kernels) share_state(processes_, parts(), progress_);
}

void Trainer::write_state() {
  const std::string metrics = directory_.open_path(directory_.metrics());
  const std::string log = directory_.open_path(directory_.log());
  // Save the logs first: after a power cut they must not be shorter than the state says.
  sync_file(metrics);
  sync_file(log);
  progress_.metrics_bytes = file_size(metrics);
  progress_.log_bytes = file_size(log);
  save_state(directory_, parts(), progress_);
  kept_.remove_old();
  directory_.check_in_place();
}

Trainer::End Trainer::run(TrainingObserver& observer, const std::function<bool()>& stop_wanted) {
  const TrainingSettings& training = settings_.training;
  EpochCorpus corpora(data_.training, data_.regularisation.get(), static_cast<std::uint64_t>(training.seed));
  progress_.finished = false;
  clock_.start(progress_);
  while (!limit_reached()) {
    const Epoch epoch(corpora.at(progress_.epoch), model_.encoder(), training, progress_.epoch);
    steps_in_epoch_ = epoch.steps();
    planned_steps_ = planned_steps(training, progress_, epoch.steps(), epoch.lengths());
    if (progress_.step == 0 && processes_.first()) warn_of_long_warmup();
    while (progress_.epoch_steps < epoch.steps() && !limit_reached()) {
      const StepReport step = train_step(epoch.update(progress_.epoch_steps));
      observer.on_step(step);
      if (step.line_due && processes_.first())
        divergence_.look_at(step.step, "training loss", step.window.mean_loss());
      const bool validated = validation_due(progress_.epoch_steps == epoch.steps());
      if (validated) validate(observer);
      const bool saved = validated || progress_.step % settings_.checkpoints.save_every == 0;
      if (saved) save();
      if (!any(processes_, stop_wanted())) continue;
      // Only once per step: a second save would remove the checkpoints that the state before it needs
      // (KeptWeights::remove_old).
      if (!saved) save();
      return End::stopped;
    }
    if (progress_.epoch_steps < epoch.steps()) break;
    ++progress_.epoch;
    progress_.epoch_steps = 0;
  }
  return finish(observer, stop_wanted);
}

/// One step: forward, backward, update.
StepReport Trainer::train_step(const Update& update) {
  const auto begin = std::chrono::steady_clock::now();
  const TrainingSettings& training = settings_.training;
  ++progress_.step;
  ++progress_.epoch_steps;
  model_.train();
  const double loss =
      loss_and_gradient(model_, optimiser_->gradients(), update, progress_.step, training, processes_);
  const double rate = learning_rate(progress_.step);
  const double norm = optimiser_->step({.learning_rate = rate, .clip_norm = training.gradient_clip_norm});
  if (!std::isfinite(loss)) fail_not_finite("the loss");
  if (!std::isfinite(norm)) fail_not_finite("the gradient");
  if (average_) average_->update(progress_.step);

  progress_.tokens += update.tokens();
  progress_.window.add(update.tokens(), loss,
                       std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  clock_.count(progress_);
  const bool line_due = progress_.step % training.log_every == 0 ||
                        reached_limit(settings_, progress_, steps_in_epoch_) != nullptr;
  return {.step = progress_.step,
          .epoch = progress_.epoch,
          .planned_steps = planned_steps_,
          .learning_rate = rate,
          .gradient_norm = norm,
          .total_seconds = progress_.seconds,
          .step_seconds = clock_.step_seconds(progress_),
          .window = line_due ? std::exchange(progress_.window, {}) : progress_.window,
          .line_due = line_due};
}

/// Measures the weights (or their moving average) on the validation corpus, and keeps them if they are among
/// the best or the last.
void Trainer::validate(TrainingObserver& observer) {
  progress_.validated_step = progress_.step;
  const nn::WithAverage averaged(average_.get());
  check_weights();
  double score = 0;
  if (data_.validation) {
    Validation validation = validation_of_model();
    if (processes_.first()) directory_.save_validation(progress_.step, validation.lines(*data_.validation));
    score = validation.score(settings_.validation.metric);
    const bool best = kept_.save_if_best(score);
    kept_.count_patience(score);
    report(observer, std::move(validation), best);
  }
  kept_.keep_checkpoint(score);
}

Trainer::End Trainer::finish(TrainingObserver& observer, const std::function<bool()>& stop_wanted) {
  if (progress_.validated_step != progress_.step) {
    validate(observer);
    save();
    if (any(processes_, stop_wanted())) return End::stopped;
  }
  if (!data_.validation) {
    const nn::WithAverage averaged(average_.get());
    kept_.save();
  }
  try_average(observer);
  clock_.count(progress_);
  progress_.finished = true;
  save();
  return End::finished;
}

/// Validates the mean of the kept checkpoints, and saves it if it is better than the best weights. Afterwards
/// the model has its own weights again, so that the training can be resumed with more steps.
void Trainer::try_average(TrainingObserver& observer) {
  const std::vector<std::string> files = kept_.files_to_average();
  if (files.empty()) return;
  nn::MovingAverage mean(model_.parameters(), 0);
  if (processes_.first()) {
    nn::copy_tensors(average_weights(files).tensors, mean.averages(), "the mean of the checkpoints");
    directory_.check_in_place();  // so the checkpoints were read from this directory
  }
  for (const nn::NamedParameter& parameter : mean.averages()) processes_.broadcast(parameter.tensor.values());
  const nn::WithAverage averaged(&mean);
  if (!data_.validation) return kept_.save();
  Validation validation = validation_of_model();
  const bool best = kept_.save_if_best(validation.score(settings_.validation.metric));
  report(observer, std::move(validation), best, to_index(files.size()));
}

void Trainer::report(TrainingObserver& observer, Validation validation, bool best, Index averaged) {
  clock_.count(progress_);
  // The epoch of the newest step, even if the next epoch has begun.
  const Index epoch = progress_.epoch_steps == 0 ? progress_.epoch - 1 : progress_.epoch;
  const double loss = validation.evaluation.loss;
  observer.on_validation({.step = progress_.step,
                          .epoch = epoch,
                          .validation = std::move(validation),
                          .total_seconds = progress_.seconds,
                          .best = best,
                          .averaged = averaged,
                          .patience_left = averaged > 0 ? -1 : kept_.patience_left()});
  if (processes_.first()) divergence_.look_at(progress_.step, "validation loss", loss);
}

/// Validates the present weights of the model.
Validation Trainer::validation_of_model() {
  Validation validation;
  try {
    validation = translation::validate(model_, data_, settings_, processes_);
  } catch (const NotFinite&) {  // thrown by the search
    fail_not_finite("an output of the model on the validation corpus");
  }
  if (!std::isfinite(validation.evaluation.loss)) fail_not_finite("the validation loss");
  return validation;
}

/// Throws Error if a weight is not finite. Without a validation corpus, also checks the loss of the first
/// training pair; with one, validation_of_model() checks the loss.
void Trainer::check_weights() {
  if (!all_finite(model_)) fail_not_finite("a weight");
  if (data_.validation) return;
  const NoGrad no_grad;
  model_.eval();
  const transformer::Batch batch = make_batch(data_.training, std::vector<std::size_t>{0});
  if (!std::isfinite(model_.loss(batch, {}).item())) fail_not_finite("the loss");
}

void Trainer::fail_not_finite(const char* what) const {
  fail("step {}: {} is not finite; {}; {}", progress_.step, what, against_divergence, kept_.location());
}

double Trainer::learning_rate(Index step) const {
  const TrainingSettings& training = settings_.training;
  return nn::learning_rate({.schedule = training.schedule,
                            .learning_rate = training.rate(),
                            .warmup_steps = training.warmup_steps,
                            .d_model = settings_.model.config.d_model,
                            .steps = training.steps,
                            .minimum = training.minimum_learning_rate},
                           step);
}

bool Trainer::limit_reached() const { return reached_limit(settings_, progress_) != nullptr; }

bool Trainer::finished() const { return progress_.finished && limit_reached(); }

bool Trainer::validation_due(bool epoch_ended) const {
  const ValidationSettings& validation = settings_.validation;
  if (validation.every_steps > 0) return progress_.step % validation.every_steps == 0;
  return epoch_ended && progress_.epoch % validation.every_epochs == 0;
}

/// If the warm-up is longer than the training, the learning rate rises until the last step and never reaches
/// its peak.
void Trainer::warn_of_long_warmup() const {
  const TrainingSettings& training = settings_.training;
  const bool warms_up =
      training.schedule == nn::Schedule::noam || training.schedule == nn::Schedule::inverse_sqrt;
  if (warms_up && planned_steps_ > 0 && planned_steps_ < training.warmup_steps)
    warn(
        "the training has about {} updates, but training.warmup_steps is {}; the learning rate rises until "
        "the end, only to {:.1e}; set fewer warmup_steps or more updates",
        planned_steps_, training.warmup_steps, learning_rate(planned_steps_));
}

TrainingParts Trainer::parts() {
  return {.model = model_,
          .optimiser = *optimiser_,
          .average = average_.get(),
          .checksums = checksums_,
          .settings = in_effect_};
}

}  // namespace regard::translation
