#include "apps/translation/training/trainer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "apps/translation/files/files.h"
#include "apps/translation/files/warning.h"
#include "apps/translation/model/make_model.h"
#include "apps/translation/model/weights.h"
#include "apps/translation/subwords/subwords.h"
#include "apps/translation/training/checkpoints.h"
#include "apps/translation/training/initial_weights.h"
#include "apps/translation/training/make_optimiser.h"
#include "apps/translation/training/training_limits.h"
#include "apps/translation/translator/translator.h"
#include "autograd/checked_cast.h"
#include "autograd/error.h"
#include "nn/schedules.h"

namespace regard::translation {

namespace {

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

Trainer::Trainer(const Settings& settings, const TrainingData& data, const ModelDirectory& directory)
    : settings_(settings),
      data_(data),
      directory_(directory),
      checksums_(data.checksums()),
      identity_(identity_of(settings, data.vocabularies)),
      model_(make_model(settings, data.vocabularies, Random(static_cast<std::uint64_t>(settings.training.seed)))) {
  const Index vocabulary = data.vocabularies.target.size();
  check_beam("decoding.beam", settings.decoding.beam, vocabulary);
  check_beam("validation.beam", settings.validation.beam, vocabulary);
  freeze(model_, settings.training.freeze);
  optimiser_ = make_optimiser(settings.training, model_);
  if (settings.training.average_decay > 0)
    average_ = std::make_unique<nn::MovingAverage>(model_.parameters(), settings.training.average_decay);
}

void Trainer::take_initial_weights() {
  if (settings_.training.initial_weights.empty()) return;
  load_weights(model_, initial_weights_file(settings_), identity_);
  if (average_) average_->restart();
}

void Trainer::begin() {
  make_directories(directory_.path() + "/state");
  directory_.remove_temporary_files();
  save_state(directory_, parts(), progress_);
  directory_.create(settings_in_effect(), data_.vocabularies);
}

void Trainer::resume() {
  progress_ = load_state(directory_, parts());
  pass_over_lost_weights(directory_, progress_);
  directory_.remove_temporary_files();  // of a save that filled the disk, perhaps
  directory_.save_vocabularies(settings_, data_.vocabularies);
  if (finished()) return;  // config.json must not have what this training did not do
  warn_of_fewer_checkpoints();
  kept_before_ = progress_.kept;
  directory_.save_config(settings_in_effect());  // some may have changed since the training began
  directory_.forget_after(progress_.step);
  directory_.cut_logs(progress_.metrics_bytes, progress_.log_bytes);
}

/// Of a setting that was given when the training began, perhaps, and forgotten now.
void Trainer::warn_of_fewer_checkpoints() const {
  const std::size_t there = progress_.kept.size();
  const std::size_t stay = kept(progress_.kept, settings_.checkpoints, settings_.validation.metric).size();
  if (stay < there)
    warn(
        "{} has {} checkpoints, but checkpoints.keep_last is {} now and keep_best {}: the others will be "
        "removed",
        directory_.path(), there, settings_.checkpoints.keep_last, settings_.checkpoints.keep_best);
}

/// The rate would rise from the first step to the last, and never come near that of the settings.
void Trainer::warn_of_long_warmup() const {
  const TrainingSettings& training = settings_.training;
  const bool warms_up =
      training.schedule == nn::Schedule::noam || training.schedule == nn::Schedule::inverse_sqrt;
  if (warms_up && planned_steps_ > 0 && planned_steps_ < training.warmup_steps)
    warn(
        "the training has about {} updates, but training.warmup_steps is {}: the learning rate only rises, "
        "to "
        "{:.1e}; give fewer warmup_steps or more updates",
        planned_steps_, training.warmup_steps, rate_of(planned_steps_));
}

Trainer::End Trainer::run(TrainingObserver& observer, const std::function<bool()>& stop_wanted) {
  const TrainingSettings& training = settings_.training;
  const auto accumulate = to_size(training.accumulate);
  const auto seed = static_cast<std::uint64_t>(training.seed);
  EpochCorpus corpora(data_.training, data_.regularisation.get(), seed);
  progress_.finished = false;
  run_from_step_ = progress_.step;
  run_from_seconds_ = progress_.seconds;
  time_counted_ = std::chrono::steady_clock::now();
  while (reached_limit(settings_, progress_) == nullptr) {
    const ParallelCorpus& corpus = corpora.at(progress_.epoch);
    const std::vector<PairLength> lengths = pair_lengths(corpus);
    const BatchPlan plan = plan_epoch(lengths, training.batch, seed, progress_.epoch);
    const auto steps_in_epoch = to_index((plan.size() + accumulate - 1) / accumulate);
    steps_in_epoch_ = steps_in_epoch;
    planned_steps_ = planned_steps(training, progress_, steps_in_epoch, lengths);
    if (progress_.step == 0) warn_of_long_warmup();
    while (progress_.epoch_steps < steps_in_epoch && reached_limit(settings_, progress_) == nullptr) {
      const std::size_t first = to_size(progress_.epoch_steps) * accumulate;
      std::vector<transformer::Batch> micro_batches;
      for (std::size_t i = first; i < std::min(first + accumulate, plan.size()); ++i)
        micro_batches.push_back(make_batch(corpus, plan[i]));
      observer.on_step(train_step(micro_batches));
      const bool validated = validation_due(progress_.epoch_steps == steps_in_epoch);
      const bool saved = validated || progress_.step % settings_.checkpoints.save_every == 0;
      if (validated)
        validate(observer);
      else if (saved)
        save();
      if (!stop_wanted()) continue;
      if (!saved) save();  // twice would leave the state before without its checkpoints
      return End::stopped;
    }
    if (progress_.epoch_steps < steps_in_epoch) break;
    ++progress_.epoch;
    progress_.epoch_steps = 0;
  }
  return finish(observer, stop_wanted);
}

double Trainer::rate_of(Index step) const {
  const TrainingSettings& training = settings_.training;
  return nn::learning_rate({.schedule = training.schedule,
                            .learning_rate = training.rate(),
                            .warmup_steps = training.warmup_steps,
                            .d_model = settings_.model.config.d_model,
                            .steps = training.steps,
                            .minimum = training.minimum_learning_rate},
                           step);
}

StepReport Trainer::train_step(std::span<const transformer::Batch> micro_batches) {
  const auto begin = std::chrono::steady_clock::now();
  const TrainingSettings& training = settings_.training;
  model_.train();
  ++progress_.step;
  ++progress_.epoch_steps;
  const double loss = accumulate_gradients(micro_batches);
  const double rate = rate_of(progress_.step);
  const double norm = optimiser_->step({.learning_rate = rate, .clip_norm = training.gradient_clip_norm});
  if (!std::isfinite(loss)) fail_astray("the loss");
  if (!std::isfinite(norm)) fail_astray("the gradient");
  if (average_) average_->update(progress_.step);
  Index tokens = 0;
  for (const transformer::Batch& batch : micro_batches)
    tokens += batch.source.tokens() + batch.target_input.tokens();
  progress_.tokens += tokens;
  progress_.window.add(tokens, loss, seconds_since(begin));
  count_time();
  const bool line_due = progress_.step % training.log_every == 0 ||
                        reached_limit(settings_, progress_, steps_in_epoch_) != nullptr;
  return {.step = progress_.step,
          .epoch = progress_.epoch,
          .planned_steps = planned_steps_,
          .learning_rate = rate,
          .gradient_norm = norm,
          .total_seconds = progress_.seconds,
          .step_seconds =
              (progress_.seconds - run_from_seconds_) / static_cast<double>(progress_.step - run_from_step_),
          .window = line_due ? std::exchange(progress_.window, {}) : progress_.window,
          .line_due = line_due};
}

void Trainer::count_time() {
  progress_.seconds += seconds_since(time_counted_);
  time_counted_ = std::chrono::steady_clock::now();
}

/// The loss of all micro-batches together; the gradients add up as if they were one batch.
double Trainer::accumulate_gradients(std::span<const transformer::Batch> micro_batches) {
  Index targets = 0;
  for (const transformer::Batch& batch : micro_batches) targets += batch.target_input.tokens();
  double loss = 0;
  for (std::size_t i = 0; i < micro_batches.size(); ++i) {
    model_.set_random(static_cast<std::uint64_t>(settings_.training.seed),
                      static_cast<std::uint32_t>(progress_.step), static_cast<std::uint32_t>(i));
    const Tensor part = model_.loss(
        micro_batches[i],
        {.label_smoothing = static_cast<Real>(settings_.training.label_smoothing), .divide_by = targets});
    part.backward();
    loss += static_cast<double>(part.item());
  }
  return loss;
}

bool Trainer::validation_due(bool epoch_ended) const {
  const ValidationSettings& validation = settings_.validation;
  if (validation.every_steps > 0) return progress_.step % validation.every_steps == 0;
  return epoch_ended && progress_.epoch % validation.every_epochs == 0;
}

void Trainer::save() {
  // The logs first: after a power cut they must not be shorter than the state says.
  for (const std::string& log : {directory_.metrics(), directory_.log()}) sync_file(log);
  progress_.metrics_bytes = file_size(directory_.metrics());
  progress_.log_bytes = file_size(directory_.log());
  save_state(directory_, parts(), progress_);
  remove_old_states(directory_);
  // A checkpoint that the state before this one still names stays, too; until the same step is saved again,
  // as at the end, when there should be no more of them than were asked for.
  std::vector<Index> named;
  for (const auto* list : {&progress_.kept, &kept_before_})
    for (const Checkpoint& checkpoint : *list) named.push_back(checkpoint.step);
  directory_.keep_checkpoints(named);
  kept_before_ = progress_.kept;
}

TrainingParts Trainer::parts() {
  return {.model = model_, .optimiser = *optimiser_, .average = average_.get(), .checksums = checksums_};
}

void Trainer::fail_astray(const char* what) const {
  std::string saved = "no weights were saved yet";
  if (progress_.best)
    saved = fmt::format("the best weights so far, of step {}, are in {}", progress_.best->step,
                        directory_.weights());
  else if (!progress_.kept.empty())
    saved = "the last weights that were kept are in " + directory_.checkpoint(progress_.kept.back().step);
  else if (directory_.has_weights())
    saved = "the weights of an earlier end are in " + directory_.weights();
  fail(
      "step {}: {} is no longer a number; try a lower learning_rate, more warmup_steps or "
      "gradient_clip_norm, in another directory or with --overwrite; {}",
      progress_.step, what, saved);
}

/// With the type and size of the subwords that there are: a given model has its own.
Settings Trainer::settings_in_effect() const {
  Settings settings = settings_;
  if (const auto* subwords = dynamic_cast<const SubwordTokeniser*>(data_.tokeniser.get())) {
    settings.data.subwords.type = subwords->pieces().type;
    settings.data.subwords.size = subwords->vocabulary().size();
  }
  return settings;
}

bool Trainer::finished() const {
  return progress_.finished && reached_limit(settings_, progress_) != nullptr;
}

}  // namespace regard::translation
