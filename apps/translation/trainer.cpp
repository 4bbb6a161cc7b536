#include "apps/translation/trainer.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "apps/translation/batching.h"
#include "autograd/error.h"
#include "nn/schedules.h"

namespace regard::translation {

namespace {

std::unique_ptr<nn::Optimiser> make_optimiser(const TrainingSettings& settings,
                                              transformer::Transformer& model) {
  if (settings.optimiser == Optimiser::sgd) return std::make_unique<nn::Sgd>(model.parameters());
  return std::make_unique<nn::Adam>(
      model.parameters(),
      nn::Adam::Settings{.beta1 = settings.beta1, .beta2 = settings.beta2, .epsilon = settings.epsilon});
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

Trainer::Trainer(const Settings& settings, const TrainingData& data, const ModelDirectory& directory)
    : settings_(settings),
      data_(data),
      directory_(directory),
      model_(make_model(settings, data.vocabularies,
                        Random(static_cast<std::uint64_t>(settings.training.seed)))),
      optimiser_(make_optimiser(settings.training, *model_)) {}

void Trainer::run(TrainingObserver& observer) {
  const TrainingSettings& training = settings_.training;
  const auto accumulate = static_cast<std::size_t>(training.accumulate);
  const auto seed = static_cast<std::uint64_t>(training.seed);
  const std::int64_t epochs = training.epoch_limit();
  EpochCorpus corpora(data_.training, data_.regularisation.get(), seed);
  while (!reached_step_limit() && (epochs == 0 || epoch_ < epochs)) {
    const ParallelCorpus& corpus = corpora.at(++epoch_);
    const BatchPlan plan = plan_epoch(pair_lengths(corpus), training.batch, seed, epoch_);
    planned_steps_ = planned_steps(static_cast<std::int64_t>((plan.size() + accumulate - 1) / accumulate));
    for (std::size_t first = 0; first < plan.size() && !reached_step_limit(); first += accumulate) {
      std::vector<transformer::Batch> micro_batches;
      for (std::size_t i = first; i < std::min(first + accumulate, plan.size()); ++i)
        micro_batches.push_back(make_batch(corpus, plan[i]));
      observer.on_step(train_step(micro_batches));
      if (training.validate_every > 0 && step_ % training.validate_every == 0) validate(observer);
    }
    if (training.validate_every == 0) validate(observer);
  }
  if (validated_step_ != step_) validate(observer);
  if (data_.validation) return;
  if (!all_finite(*model_)) fail_astray("a weight");
  directory_.save_weights(*model_);
}

StepReport Trainer::train_step(std::span<const transformer::Batch> micro_batches) {
  const auto begin = std::chrono::steady_clock::now();
  const TrainingSettings& training = settings_.training;
  model_->train();
  ++step_;
  const double loss = accumulate_gradients(micro_batches);
  const double rate = nn::learning_rate({.schedule = training.schedule,
                                         .learning_rate = training.rate(),
                                         .warmup_steps = training.warmup_steps,
                                         .d_model = settings_.model.config.d_model},
                                        step_);
  const double norm = optimiser_->step({.learning_rate = rate, .clip_norm = training.gradient_clip_norm});
  if (!std::isfinite(loss)) fail_astray("the loss");
  if (!std::isfinite(norm)) fail_astray("the gradient");
  std::int64_t tokens = 0;
  for (const transformer::Batch& batch : micro_batches)
    tokens += batch.source.tokens() + batch.target_input.tokens();
  return {.step = step_,
          .epoch = epoch_,
          .planned_steps = planned_steps_,
          .loss = loss,
          .learning_rate = rate,
          .gradient_norm = norm,
          .tokens = tokens,
          .seconds = seconds_since(begin)};
}

/// The loss of all micro-batches together; the gradients add up as if they were one batch.
double Trainer::accumulate_gradients(std::span<const transformer::Batch> micro_batches) {
  std::int64_t targets = 0;
  for (const transformer::Batch& batch : micro_batches) targets += batch.target_input.tokens();
  double loss = 0;
  for (std::size_t i = 0; i < micro_batches.size(); ++i) {
    model_->set_random(static_cast<std::uint64_t>(settings_.training.seed), static_cast<std::uint32_t>(step_),
                       static_cast<std::uint32_t>(i));
    const Tensor part = model_->loss(
        micro_batches[i],
        {.label_smoothing = static_cast<Real>(settings_.training.label_smoothing), .divide_by = targets});
    part.backward();
    loss += static_cast<double>(part.item());
  }
  return loss;
}

void Trainer::validate(TrainingObserver& observer) {
  validated_step_ = step_;
  if (!data_.validation) return;
  // Greedy: validation is there to compare weights, not searches.
  transformer::SearchOptions greedy = settings_.decoding;
  greedy.beam = 1;
  const Evaluation evaluation = evaluate(*model_, *data_.validation, greedy);
  if (!std::isfinite(evaluation.loss)) fail_astray("the validation loss");
  const bool best = !best_loss_ || evaluation.loss < *best_loss_;
  if (best) {
    best_loss_ = evaluation.loss;
    directory_.save_weights(*model_);
  }
  observer.on_validation({.step = step_, .epoch = epoch_, .evaluation = evaluation, .best = best});
}

void Trainer::fail_astray(const char* what) const {
  fail(
      "step {}: {} is no longer a number; try a lower learning_rate, more warmup_steps or "
      "gradient_clip_norm; {}",
      step_, what,
      best_loss_ ? fmt::format("the best weights so far, with validation loss {:.4f}, are in {}", *best_loss_,
                               directory_.weights())
                 : "no weights were saved yet");
}

bool Trainer::reached_step_limit() const {
  return settings_.training.steps > 0 && step_ >= settings_.training.steps;
}

std::int64_t Trainer::planned_steps(std::int64_t steps_per_epoch) const {
  const std::int64_t steps = settings_.training.steps, epochs = settings_.training.epoch_limit();
  const std::int64_t by_epochs = epochs * steps_per_epoch;
  if (steps > 0 && epochs > 0) return std::min(steps, by_epochs);
  return steps > 0 ? steps : by_epochs;
}

}  // namespace regard::translation
