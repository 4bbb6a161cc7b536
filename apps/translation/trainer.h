#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "apps/translation/corpus.h"
#include "apps/translation/evaluation.h"
#include "apps/translation/model_directory.h"
#include "apps/translation/subword_regularisation.h"
#include "nn/optimisers.h"

namespace regard::translation {

/// Everything that a training reads before it begins.
struct TrainingData {
  Vocabularies vocabularies;
  ParallelCorpus training;
  std::optional<ParallelCorpus> validation;
  std::string subwords = {};  ///< tokeniser sentencepiece: where its model is from, in words
  std::shared_ptr<const SubwordRegularisation> regularisation = nullptr;  ///< null: no sampling of subwords
};

/// Reads the corpora that the settings name and makes the vocabularies from the training corpus.
TrainingData load_training_data(const Settings& settings);

/// One update of the weights.
struct StepReport {
  std::int64_t step, epoch;
  std::int64_t planned_steps;  ///< as far as it can be known; 0 before the first epoch is planned
  double loss;                 ///< with label smoothing, mean over the step's target tokens
  double learning_rate;
  double gradient_norm;
  std::int64_t tokens;  ///< source and target, </s> counted
  double seconds;       ///< of this step
};

struct ValidationReport {
  std::int64_t step, epoch;
  Evaluation evaluation;
  bool best;  ///< the lowest loss so far: its weights were saved
};

/// Hears what happens; shows it, logs it.
class TrainingObserver {
 public:
  virtual ~TrainingObserver() = default;
  virtual void on_step(const StepReport& report) = 0;
  virtual void on_validation(const ValidationReport& report) = 0;
};

/// Trains a model and keeps its best weights in a model directory.
class Trainer {
 public:
  Trainer(const Settings& settings, const TrainingData& data, const ModelDirectory& directory);

  /// Until the limit of steps or epochs. With a validation corpus, the weights with the lowest validation
  /// loss are kept, otherwise the last. Throws Error if the loss is no longer a number, saying at which step
  /// and which weights there are.
  void run(TrainingObserver& observer);

  std::int64_t parameter_count() const { return model_->parameter_count(); }

 private:
  double accumulate_gradients(std::span<const transformer::Batch> micro_batches);
  StepReport train_step(std::span<const transformer::Batch> micro_batches);
  void validate(TrainingObserver& observer);
  [[noreturn]] void fail_astray(const char* what) const;
  bool reached_step_limit() const;
  std::int64_t planned_steps(std::int64_t steps_per_epoch) const;

  const Settings& settings_;
  const TrainingData& data_;
  const ModelDirectory& directory_;
  std::unique_ptr<transformer::Transformer> model_;
  std::unique_ptr<nn::Optimiser> optimiser_;
  std::int64_t step_ = 0, epoch_ = 0, planned_steps_ = 0;
  std::int64_t validated_step_ = 0;
  std::optional<double> best_loss_;
};

}  // namespace regard::translation
