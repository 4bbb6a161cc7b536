#include "apps/translation/training/training.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "apps/translation/files/warning.h"
#include "apps/translation/metrics/bleu_tokenisers.h"
#include "apps/translation/model/weights.h"
#include "apps/translation/processes/gradient_sum.h"
#include "apps/translation/training/epoch.h"
#include "apps/translation/training/store.h"
#include "apps/translation/training/training_data.h"
#include "autograd/error.h"
#include "autograd/graph.h"
#include "autograd/low_precision/autocast.h"
#include "nn/optimisers.h"
#include "transformer/scheduled_sampling.h"

namespace regard::translation {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// The share of the decoder's tokens that scheduled sampling replaces in this step.
double sampled_share(const TrainingSettings& training, Index step) {
  const Index steps = std::max<Index>(training.scheduled_sampling_steps, 1);
  return training.scheduled_sampling * static_cast<double>(std::min(step, steps)) /
         static_cast<double>(steps);
}

constexpr const char* against_divergence =
    "set a lower learning_rate (with schedule noam it is a factor), more warmup_steps or a "
    "gradient_clip_norm, and train in another directory or with --overwrite";

}  // namespace

/// The results of one update.
struct Training::Updated {
  Index tokens;
  double loss, learning_rate, gradient_norm, seconds;
};

bool Training::run() {
  TrainingObserver nobody;
  return run(nobody);
}

bool Training::run(TrainingObserver& observer, const std::function<bool()>& stop_wanted) {
  try {
    try {
      return train(observer, stop_wanted);
    } catch (const NotFinite&) {
      fail_not_finite("a number that the model computed");
    }
  } catch (const Error& error) {
    directory().explain(error);
  }
}

bool Training::train(TrainingObserver& observer, const std::function<bool()>& stop_wanted) {
  EpochCorpus corpora(data_->training, data_->regularisation.get(),
                      static_cast<std::uint64_t>(settings_.training.seed));
  progress_.finished = false;
  counted_ = Clock::now();
  first_step_ = progress_.step;
  first_seconds_ = progress_.seconds;
  while (!limit_reached()) {
    const Epoch epoch(corpora.at(progress_.epoch), model_->encoder(), settings_.training, progress_.epoch);
    check_epoch(progress_, epoch.steps());
    plan(epoch);
    while (progress_.epoch_steps < epoch.steps() && !limit_reached()) {
      report(observer, step(epoch.update(progress_.epoch_steps)));
      const bool validates = validation_due();
      if (validates) validate(observer);
      const bool stops = any(processes_, stop_wanted());
      if (validates || stops || progress_.step % settings_.checkpoints.save_every == 0) store_->save();
      if (stops) return false;
    }
    if (progress_.epoch_steps == epoch.steps()) {
      ++progress_.epoch;
      progress_.epoch_steps = 0;
    }
  }
  return finish(observer, stop_wanted);
}

/// One step: forward, backward, update. The parts of an update count as one batch: the loss is a sum over
/// them, divided by the number of their target tokens. Each process computes its shards, and all get the same
/// sum.
Training::Updated Training::step(const Update& update) {
  const auto begin = Clock::now();
  const TrainingSettings& training = settings_.training;
  ++progress_.step;
  ++progress_.epoch_steps;
  model_->train();
  const double share = sampled_share(training, progress_.step);
  GradientSum sum(optimiser_->gradients(), update.shards(), processes_);
  std::optional<Autocast> autocast(training.precision);  // until the update changes the weights
  for (Index shard = sum.own().first; shard < sum.own().end; ++shard) {
    double loss = 0;
    for (const Part& part : update.parts(shard)) {
      const RandomStream stream{.seed = static_cast<std::uint64_t>(training.seed),
                                .step = static_cast<std::uint32_t>(progress_.step),
                                .part = part.number};
      model_->set_random(stream.seed, stream.step, stream.part);
      transformer::Batch batch = update.batch(part);
      if (share > 0) replace_by_predictions(*model_, batch, share, stream);
      const Tensor part_loss = model_->loss(
          batch,
          {.label_smoothing = static_cast<Real>(training.label_smoothing), .divide_by = update.targets()});
      part_loss.backward();
      loss += static_cast<double>(part_loss.item());
    }
    sum.add_shard(loss);
  }
  autocast.reset();
  const double loss = sum.finish(), rate = learning_rate(progress_.step);
  const double norm = optimiser_->step({.learning_rate = rate, .clip_norm = training.gradient_clip_norm});
  if (!std::isfinite(loss)) fail_not_finite("the loss");
  if (!std::isfinite(norm)) fail_not_finite("the gradient");
  if (average_) average_->update(progress_.step);
  return {update.tokens(), loss, rate, norm, seconds_since(begin)};
}

/// Measures the weights (or their moving average) on the validation corpus, and keeps them if they are among
/// the best or the last.
void Training::validate(TrainingObserver& observer) {
  progress_.validated_step = progress_.step;
  const nn::WithAverage averaged(average_.get());
  check_weights();
  const double score = data_->validation ? measure(observer) : 0;
  store_->keep_checkpoint(score);
}

bool Training::finish(TrainingObserver& observer, const std::function<bool()>& stop_wanted) {
  if (progress_.validated_step != progress_.step) {
    validate(observer);
    store_->save();
    if (any(processes_, stop_wanted())) return false;
  }
  if (!data_->validation) {
    const nn::WithAverage averaged(average_.get());
    store_->save_weights();
  }
  try_average(observer);
  count_seconds();
  progress_.finished = true;
  store_->save();
  return true;
}

/// Validates the mean of the kept checkpoints, and saves it if it is better than the best weights. Afterwards
/// the model has its own weights again, so that the training can be resumed with more steps.
void Training::try_average(TrainingObserver& observer) {
  const std::vector<std::string> files = store_->checkpoints_to_average();
  if (files.empty()) return;
  nn::MovingAverage mean(model_->parameters(), 0);
  store_->load_average(files, mean.averages());
  const nn::WithAverage averaged(&mean);
  if (data_->validation)
    measure(observer, to_index(files.size()));
  else
    store_->save_weights();
}

/// Validates the present weights, which may be the mean of some checkpoints. Saves them if they are the best.
/// Returns their score.
double Training::measure(TrainingObserver& observer, Index averaged) {
  Validation result = validation();
  if (averaged == 0) store_->save_validation(result.translations);
  const double loss = result.evaluation.loss, score = score_of(result, settings_.validation.metric);
  const bool best = store_->save_if_best(score);
  if (averaged == 0) count_patience(progress_, settings_.validation.metric, score);
  count_seconds();
  const Index patience = settings_.validation.patience;
  observer.on_validation(
      {.step = progress_.step,
       // The epoch of the newest step, even if the next epoch has begun.
       .epoch = progress_.epoch_steps == 0 ? progress_.epoch - 1 : progress_.epoch,
       .validation = std::move(result),
       .total_seconds = progress_.seconds,
       .best = best,
       .averaged = averaged,
       .patience_left = averaged == 0 && patience > 0 ? patience - progress_.without_best : -1});
  warn_of_divergence("validation loss", loss);
  return score;
}

/// Computes the loss of the validation corpus and translates it. Each process computes a part.
Validation Training::validation() const {
  transformer::SearchOptions search = settings_.decoding;
  search.beam = settings_.validation.beam;
  Validation result;
  result.evaluation = evaluate(*model_, *data_->validation, search, deal_among(processes_));
  if (!std::isfinite(result.evaluation.loss)) fail_not_finite("the validation loss");
  for (const std::vector<std::int32_t>& ids : result.evaluation.translations)
    result.translations.push_back(data_->tokeniser->join(data_->vocabularies.target.tokens(ids)));
  result.bleu = corpus_bleu(result.translations, data_->references, settings_.validation.bleu);
  return result;
}

/// Throws Error if a weight is not finite. Without a validation corpus, also checks the loss of the first
/// training pair; with one, validation() checks the loss.
void Training::check_weights() const {
  if (!all_finite(*model_)) fail_not_finite("a weight");
  if (data_->validation) return;
  const NoGrad no_grad;
  model_->eval();
  const transformer::Batch batch = make_batch(data_->training, std::vector<std::size_t>{0});
  if (!std::isfinite(model_->loss(batch, {}).item())) fail_not_finite("the loss");
}

void Training::fail_not_finite(const char* what) const {
  fail("step {}: {} is not finite; {}; {}", progress_.step, what, against_divergence, store_->location());
}

/// Plans the rest of the training from this epoch. If the warm-up is longer than the training, the learning
/// rate rises until the last step and never reaches its peak.
void Training::plan(const Epoch& epoch) {
  const TrainingSettings& training = settings_.training;
  const BleuOptions& bleu = settings_.validation.bleu;
  if (progress_.step == 0 && data_->validation && lacks_blanks(data_->references, bleu))
    warn(
        "the validation references have no blanks between their words, so BLEU with "
        "validation.bleu_tokeniser "
        "{} compares whole phrases and says little; set it to char",
        name_of(bleu_tokenisers, bleu.tokeniser));
  steps_in_epoch_ = epoch.steps();
  steps_of_epochs_ =
      progress_.step - progress_.epoch_steps + (training.epoch_limit() - progress_.epoch + 1) * epoch.steps();
  planned_steps_ = planned_steps(training, progress_, epoch.steps(), epoch.tokens());
  const bool warms_up =
      training.schedule == nn::Schedule::noam || training.schedule == nn::Schedule::inverse_sqrt;
  if (progress_.step == 0 && warms_up && planned_steps_ > 0 && planned_steps_ < training.warmup_steps)
    warn(
        "the training has about {} updates, but training.warmup_steps is {}; the learning rate rises until "
        "the end, only to {:.1e}; set fewer warmup_steps or more updates",
        planned_steps_, training.warmup_steps, learning_rate(planned_steps_));
}

double Training::learning_rate(Index step) const {
  const TrainingSettings& training = settings_.training;
  return nn::learning_rate({.schedule = training.schedule,
                            .learning_rate = training.rate(),
                            .warmup_steps = training.warmup_steps,
                            .d_model = settings_.model.config.d_model,
                            .steps = training.steps > 0 ? training.steps : steps_of_epochs_,
                            .minimum = training.minimum_learning_rate},
                           step);
}

bool Training::validation_due() const {
  const ValidationSettings& validation = settings_.validation;
  if (validation.every_steps > 0) return progress_.step % validation.every_steps == 0;
  return progress_.epoch_steps == steps_in_epoch_ && progress_.epoch % validation.every_epochs == 0;
}

void Training::report(TrainingObserver& observer, const Updated& updated) {
  progress_.tokens += updated.tokens;
  Window& window = progress_.window;
  window = {window.steps + 1, window.tokens + updated.tokens, window.loss + updated.loss,
            window.seconds + updated.seconds};
  count_seconds();
  const bool line_due = progress_.step % settings_.training.log_every == 0 ||
                        reached_limit(settings_, progress_, steps_in_epoch_) != nullptr;
  const StepReport report{.step = progress_.step,
                          .epoch = progress_.epoch,
                          .planned_steps = planned_steps_,
                          .learning_rate = updated.learning_rate,
                          .gradient_norm = updated.gradient_norm,
                          .total_seconds = progress_.seconds,
                          .step_seconds = (progress_.seconds - first_seconds_) /
                                          static_cast<double>(progress_.step - first_step_),
                          .window = line_due ? std::exchange(window, {}) : window,
                          .line_due = line_due};
  observer.on_step(report);
  if (line_due) warn_of_divergence("training loss", report.window.mean_loss());
}

/// Warns once if the loss per target token is more than 2 log V. A model that gives each of the V tokens the
/// same probability has the loss log V, with and without label smoothing, and an untrained model is near it.
void Training::warn_of_divergence(const char* what, double loss) {
  const Index vocabulary = data_->vocabularies.target.size();
  const double of_guess = std::log(static_cast<double>(vocabulary));
  if (warned_of_divergence_ || loss <= 2 * of_guess) return;
  warned_of_divergence_ = true;
  warn(
      "warning: step {}: the {} is {:.2f}, but guessing among the {} tokens of the target vocabulary has the "
      "loss log {} = {:.2f}, so the training diverges; {}",
      progress_.step, what, loss, vocabulary, vocabulary, of_guess, against_divergence);
}

/// Adds the time since the last call to the duration of the training.
void Training::count_seconds() {
  const auto now = Clock::now();
  progress_.seconds += std::chrono::duration<double>(now - counted_).count();
  counted_ = now;
}

bool Training::limit_reached() const { return reached_limit(settings_, progress_) != nullptr; }
bool Training::finished() const { return progress_.finished && limit_reached(); }

}  // namespace regard::translation
