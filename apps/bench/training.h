#pragma once

#include <string>

#include "apps/translation/corpus/batching.h"
#include "apps/translation/text/vocabulary.h"
#include "autograd/index.h"
#include "nn/optimisers.h"
#include "transformer/self_attention/make_transformer.h"

namespace regard::bench {

/// What is trained while we measure.
struct TrainingSettings {
  std::string preset = "tiny";
  std::string source, target;  ///< the corpus, one sentence a line, words between blanks
  std::string batches;         ///< lists of line numbers, one batch a line; empty: our own batches
  Index batch_tokens = 4096;
  Index steps = 20;
  Index warmup_steps = 3;  ///< before them, left out of the figures
  double dropout = 0.3;
  bool final_norm = true;
};

/// A model in training, one step at a time, over the batches again and again.
class Training {
 public:
  /// Reads the corpus and makes the model. Throws Error for settings that are impossible.
  explicit Training(const TrainingSettings& settings);

  struct Step {
    Index source_tokens = 0, target_tokens = 0;
    double batching_seconds = 0;  ///< of putting the batch together from the corpus's sentences
    Tensor loss;
  };
  /// One batch, its loss, the gradients, the update.
  Step step();

  /// Two lines: the model; the machine that it is trained on.
  std::string description();
  const transformer::Config& config() const { return config_; }

 private:
  struct Corpus {
    translation::Vocabulary vocabulary;
    translation::ParallelCorpus pairs;
  };
  static Corpus load(const TrainingSettings& settings);
  static transformer::Config make_config(const TrainingSettings& settings, const Corpus& corpus);
  static transformer::EncoderDecoder make_model(const transformer::Config& config);
  static translation::BatchPlan make_plan(const TrainingSettings& settings, const Corpus& corpus);

  TrainingSettings settings_;
  Corpus corpus_;
  transformer::Config config_;
  transformer::EncoderDecoder model_;
  nn::Adam optimiser_;
  translation::BatchPlan plan_;
  Index steps_ = 0;
};

}  // namespace regard::bench
