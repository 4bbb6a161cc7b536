// What a training does after a validation, and at its end: which weights it keeps.
#include <algorithm>
#include <cmath>

#include "apps/translation/model/weights.h"
#include "apps/translation/training/checkpoints.h"
#include "apps/translation/training/trainer.h"
#include "autograd/checked_cast.h"
#include "autograd/error.h"
#include "autograd/graph.h"

namespace regard::translation {

namespace {

/// Each translation in its source's line. Those of pairs that were left out are empty.
std::vector<std::string> in_lines(const std::vector<std::string>& translations,
                                  const ParallelCorpus& corpus) {
  std::vector<std::string> lines(to_size(corpus.lines_read));
  for (std::size_t i = 0; i < translations.size(); ++i) lines[to_size(corpus.lines[i])] = translations[i];
  return lines;
}

}  // namespace

void Trainer::validate(TrainingObserver& observer) {
  progress_.validated_step = progress_.step;
  {
    const nn::WithAverage averaged(average_.get());
    check_weights();
    double score = 0;
    if (data_.validation) {
      Validation validation = validation_of_model();
      directory_.save_validation(progress_.step, in_lines(validation.translations, *data_.validation));
      score = validation.score(settings_.validation.metric);
      const bool best = take_if_best(score);
      count_patience(score);
      count_time();
      const Index patience = settings_.validation.patience;
      observer.on_validation({.step = progress_.step,
                              .epoch = epoch_of_step(),
                              .validation = std::move(validation),
                              .total_seconds = progress_.seconds,
                              .best = best,
                              .patience_left = patience > 0 ? patience - progress_.without_best : -1});
    }
    keep_checkpoint(score);
  }
  save();
}

/// What the weights of now make of the validation corpus.
Validation Trainer::validation_of_model() {
  Validation validation;
  try {
    validation = translation::validate(model_, data_, settings_);
  } catch (const NotFinite&) {  // thrown by the search
    fail_astray("what the model makes of the validation corpus");
  }
  if (!std::isfinite(validation.evaluation.loss)) fail_astray("the validation loss");
  return validation;
}

/// Whether the newest weights went astray: unless a validation is going to, shows them a batch.
void Trainer::check_weights() {
  if (!all_finite(model_)) fail_astray("a weight");
  if (data_.validation) return;
  const NoGrad no_grad;
  model_.eval();
  const transformer::Batch batch = make_batch(data_.training, std::vector<std::size_t>{0});
  if (!std::isfinite(model_.loss(batch, {}).item())) fail_astray("the loss");
}

/// The mean of checkpoints may be the best so far; the patience compares single steps.
void Trainer::count_patience(double score) {
  const bool improved =
      !progress_.best_validation || better(settings_.validation.metric, score, *progress_.best_validation);
  if (improved) progress_.best_validation = score;
  progress_.without_best = improved ? 0 : progress_.without_best + 1;
}

/// Keeps the weights as the best if they are.
bool Trainer::take_if_best(double score) {
  if (progress_.best && !better(settings_.validation.metric, score, progress_.best->score)) return false;
  progress_.best = {.step = progress_.step, .score = score};
  directory_.save_weights(model_, identity_);
  return true;
}

void Trainer::keep_checkpoint(double score) {
  std::erase_if(progress_.kept, [&](const Checkpoint& kept) { return kept.step == progress_.step; });
  progress_.kept.push_back({.step = progress_.step, .score = score});
  progress_.kept = kept(progress_.kept, settings_.checkpoints, settings_.validation.metric);
  if (std::ranges::count(progress_.kept, progress_.step, &Checkpoint::step) > 0)
    directory_.save_checkpoint(progress_.step, model_, identity_);
}

Trainer::End Trainer::finish(TrainingObserver& observer, const std::function<bool()>& stop_wanted) {
  if (progress_.validated_step != progress_.step) {
    validate(observer);
    if (stop_wanted()) return End::stopped;
  }
  if (!data_.validation) {
    const nn::WithAverage averaged(average_.get());
    directory_.save_weights(model_, identity_);
  }
  take_average(observer);
  count_time();
  progress_.finished = true;
  save();
  return End::finished;
}

/// Tries the mean of the kept checkpoints. The model has its own weights again afterwards: with more steps
/// the training could go on.
void Trainer::take_average(TrainingObserver& observer) {
  const CheckpointSettings& checkpoints = settings_.checkpoints;
  if (checkpoints.average == Averaging::none) return;
  const std::vector<Index> steps =
      checkpoints.average == Averaging::last
          ? last_of(progress_.kept, checkpoints.keep_last)
          : best_of(progress_.kept, checkpoints.keep_best, settings_.validation.metric);
  std::vector<std::string> paths;
  for (const Index step : steps) paths.push_back(directory_.checkpoint(step));
  if (paths.size() < 2) return;
  nn::MovingAverage mean(model_.parameters(), 0);
  nn::copy_tensors(average_weights(paths).tensors, mean.averages(), "the mean of the checkpoints");
  const nn::WithAverage averaged(&mean);
  if (!data_.validation) return directory_.save_weights(model_, identity_);
  Validation validation = validation_of_model();
  const bool best = take_if_best(validation.score(settings_.validation.metric));
  count_time();
  observer.on_validation({.step = progress_.step,
                          .epoch = epoch_of_step(),
                          .validation = std::move(validation),
                          .total_seconds = progress_.seconds,
                          .best = best,
                          .averaged = to_index(paths.size())});
}

/// The epoch of the newest step, though the next may have begun.
Index Trainer::epoch_of_step() const {
  return progress_.epoch_steps == 0 ? progress_.epoch - 1 : progress_.epoch;
}

}  // namespace regard::translation
