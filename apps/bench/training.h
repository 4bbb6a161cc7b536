#pragma once

#include <string>
#include <vector>

#include "apps/bench/floor.h"
#include "apps/translation/corpus/batching.h"
#include "apps/translation/settings/settings.h"
#include "apps/translation/text/vocabulary.h"
#include "autograd/machine/profile.h"
#include "autograd/machine/real.h"
#include "nn/optimisers.h"
#include "transformer/encoder_decoder.h"

namespace regard::bench {

/// The model and data of a training that is measured.
struct TrainingSettings {
  std::string preset = "tiny";
  std::string source = {}, target = {};  ///< the corpus, one sentence per line, words separated by blanks
  std::string batches = {};  ///< file with a list of line numbers per line; empty: regard makes the batches
  Index batch_tokens = 4096;
  // For a model that reads images; instead of the corpus and its batches.
  Index image_size = 64;    ///< height and width of random images
  Index batch_images = 32;  ///< images per batch
  Index steps = 20;
  Index warmup_steps = 3;  ///< before the measured steps
  double dropout = 0.3;
  bool final_norm = true;  ///< of a model with Transformer layers
  bool scaling = false;    ///< a profile predicts what more threads would gain
  /// Further settings, "model.d_model=64". They take precedence over the others.
  std::vector<std::string> overrides = {};
};

/// Returns the settings of the model, and the limit on the norm of its gradients
/// (training.gradient_clip_norm), and their precision. Throws Error for settings that are unknown, that
/// contradict each other, or that a benchmark does not use.
translation::Settings model_to_train(const TrainingSettings& settings);

/// Trains a model step by step. After the last batch, the first one follows.
class Training {
 public:
  /// Reads the corpus and makes the model. Throws Error for impossible settings.
  explicit Training(const TrainingSettings& settings);

  struct Step {
    BatchSize size;
    double batching_seconds = 0;  ///< to make the batch from the sentences of the corpus
    Tensor loss;
  };
  /// Makes a batch, computes the loss and the gradients, and updates the weights.
  Step step();

  /// Returns two lines that describe the model and the machine.
  std::string description();
  /// Returns the products of a step on such a batch.
  std::vector<Product> products(const BatchSize& batch) {
    return step_products(model_.parameters(), model_settings_.model, batch);
  }

 private:
  struct Corpus {
    translation::Vocabulary vocabulary;
    translation::ParallelCorpus pairs;
  };
  static Corpus load(const TrainingSettings& settings, bool images);
  static Corpus random_captions(const TrainingSettings& settings);
  static translation::BatchPlan make_plan(const TrainingSettings& settings, const Corpus& corpus,
                                          bool images);

  TrainingSettings settings_;
  translation::Settings model_settings_;
  Corpus corpus_;
  transformer::EncoderDecoder model_;
  nn::Adam optimiser_;
  translation::BatchPlan plan_;
  Index steps_ = 0;
};

/// Trains. After each measured step, computes only the matrix products of the same step (the floor). Prints
/// tokens/s, GFLOP/s, the floor, the share of the floor in the time of training, and the peak memory.
void bench_training(const TrainingSettings& settings);

/// Returns the largest number of bytes that this process has held.
double peak_memory();

/// Trains and prints the profile of the steps after the warm-up.
void profile_training(const TrainingSettings& settings);

/// Returns a table: one row per operation and direction, the longest time first; then the time outside of all
/// rows, the total, and the speed of a large product in GFLOP/s. The floor of a row is the time of its matrix
/// products at that speed; the row shows the share of the floor in its time.
std::string profile_table(const Profile& profile, double product_speed);

}  // namespace regard::bench
