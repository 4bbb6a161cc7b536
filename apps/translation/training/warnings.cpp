#include "apps/translation/training/warnings.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "apps/translation/files/warning.h"
#include "apps/translation/metrics/bleu_tokenisers.h"
#include "apps/translation/training/step.h"
#include "autograd/graph.h"
#include "transformer/batch.h"

namespace regard::translation {
namespace {

constexpr const char* against_unused_source =
    "what helps: see that line i of the target translates line i of the source; train longer; set a lower "
    "learning_rate, more warmup_steps, or model.norm pre";

/// The loss per target token of the first pairs of a corpus, each with the source of a pair `further` on.
double loss_with_source(transformer::EncoderDecoder& model, const ParallelCorpus& corpus, std::size_t pairs,
                        std::size_t further) {
  const NoGrad no_grad;
  model.eval();
  transformer::Batch batch;
  for (std::size_t i = 0; i < pairs; ++i)
    batch.append(corpus.source[(i + further) % pairs], corpus.target[i]);
  return static_cast<double>(model.loss(batch, {}).item());
}

template <class Items>
bool all_alike(const Items& items, std::size_t count) {
  return std::all_of(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(count),
                     [&](const auto& item) { return item == items.front(); });
}

}  // namespace

void TrainingWarnings::of_divergence(const char* what, double loss) {
  const Index vocabulary = training_.data->vocabularies.target.size();
  const double of_guess = std::log(static_cast<double>(vocabulary));
  if (warned_of_divergence_ || loss <= 2 * of_guess) return;
  warned_of_divergence_ = true;
  warn(
      "step {}: the {} is {:.2f}, but guessing among the {} tokens of the target vocabulary has the "
      "loss log {} = {:.2f}, so the training diverges; {}",
      training_.progress.step, what, loss, vocabulary, vocabulary, of_guess, against_divergence);
}

void TrainingWarnings::after_step(const StepReport& report, const TrainingPlan& plan) {
  if (!report.line_due) return;
  of_divergence("training loss", report.window.mean_loss());
  if (training_.settings.training.minutes > 0) of_long_warmup(plan, report.step_seconds);
}

void TrainingWarnings::of_references() const {
  const BleuOptions& bleu = training_.settings.validation.bleu;
  if (training_.progress.step > 0 || !training_.data->validation ||
      !lacks_blanks(training_.data->references, bleu))
    return;
  remark(
      "the validation references have no blanks between their words, so BLEU with validation.bleu_tokeniser "
      "{} compares whole phrases and says little; set it to char",
      name_of(bleu_tokenisers, bleu.tokeniser));
}

void TrainingWarnings::of_long_warmup(const TrainingPlan& plan, double step_seconds) {
  const TrainingSettings& training = training_.settings.training;
  const Index planned = plan.steps(step_seconds);
  const bool warms_up = training.schedule != nn::Schedule::constant;
  if (warned_of_long_warmup_ || !warms_up || planned == 0 || planned >= training.warmup_steps) return;
  warned_of_long_warmup_ = true;
  remark(
      "the training has about {} updates, but training.warmup_steps is {}; the learning rate rises until "
      "the end, only to {:.1e}; set fewer warmup_steps or more updates",
      planned, training.warmup_steps, plan.learning_rate(planned));
}

void TrainingWarnings::of_unused_source(const std::vector<std::string>& translations) {
  constexpr std::size_t most_pairs = 32;  // two forward passes over them cost less than one update
  constexpr double least_gain = 0.02;     // of the loss per target token
  const ParallelCorpus& corpus = *training_.data->validation;
  const TrainingSettings& settings = training_.settings.training;
  const Index learnt =
      std::max<Index>(100, settings.schedule == nn::Schedule::constant ? 0 : settings.warmup_steps);
  ++validations_;
  if (looked_at_source_ || validations_ < 3 || training_.progress.step < learnt) return;
  looked_at_source_ = true;
  const std::size_t pairs = std::min(most_pairs, corpus.source.size());
  if (all_alike(corpus.source, pairs) || all_alike(corpus.target, pairs)) return;
  const double own = loss_with_source(*training_.model, corpus, pairs, 0),
               other = loss_with_source(*training_.model, corpus, pairs, 1);
  const bool alike = all_alike(translations, translations.size());
  if (alike)
    warn("step {}: all {} translations of the validation corpus are the same so far; {}",
         training_.progress.step, translations.size(), against_unused_source);
  else if (other - own < least_gain)
    warn(
        "step {}: {} validation pairs have the loss {:.3f} with their own sources and {:.3f} with "
        "those of other pairs, so the model ignores its source so far; {}",
        training_.progress.step, pairs, own, other, against_unused_source);
}

}  // namespace regard::translation
