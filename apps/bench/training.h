#pragma once

#include <string>

#include "apps/translation/corpus/batching.h"
#include "apps/translation/text/vocabulary.h"
#include "autograd/index.h"
#include "nn/optimisers.h"
#include "transformer/self_attention/make_transformer.h"

namespace regard::bench {

/// The model and data of a training that is measured.
struct TrainingSettings {
  std::string preset = "tiny";
  std::string source, target;  ///< the corpus, one sentence per line, words separated by blanks
  std::string batches;         ///< file with a list of line numbers per line; empty: regard makes the batches
  Index batch_tokens = 4096;
  Index steps = 20;
  Index warmup_steps = 3;  ///< before the measured steps
  double dropout = 0.3;
  bool final_norm = true;
};

/// Trains a model step by step. After the last batch, the first one follows.
class Training {
 public:
  /// Reads the corpus and makes the model. Throws Error for impossible settings.
  explicit Training(const TrainingSettings& settings);

  struct Step {
    Index source_tokens = 0, target_tokens = 0;
    double batching_seconds = 0;  ///< to make the batch from the sentences of the corpus
    Tensor loss;
  };
  /// Makes a batch, computes the loss and the gradients, and updates the weights.
  Step step();

  /// Returns two lines that describe the model and the machine.
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
