#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/translation/corpus/batch_settings.h"
#include "apps/translation/corpus/image_settings.h"
#include "apps/translation/corpus/paths.h"
#include "apps/translation/metrics/bleu.h"
#include "apps/translation/settings/model_settings.h"
#include "apps/translation/subwords/subword_settings.h"
#include "autograd/real.h"
#include "nn/optimisers.h"
#include "transformer/search/search_options.h"

namespace regard::translation {

enum class Optimiser { adam, sgd };

/// The score that compares validations. Perplexity is exp(loss), so it needs no entry of its own.
enum class ValidationMetric { loss, bleu, exact_match };

/// The kept checkpoints that are averaged when the training ends.
enum class Averaging { none, last, best };

// settings_description.h documents each setting and its range. The defaults are below. They are
// written nowhere else; `regard train --print-config` prints all of them.

struct DataSettings {
  Paths source, target, tsv;
  Paths validation_source, validation_target, validation_tsv;
  std::string tokeniser = "word";
  Index max_length = 256;
  bool joint_vocabulary = true;
  Index vocabulary_size = 0;
  Index minimum_frequency = 1;
  SubwordSettings subwords;
  ImageSettings images;

  bool has_validation() const { return !validation_source.empty() || !validation_tsv.empty(); }
};

struct TrainingSettings {
  Index steps = 0;
  std::optional<Index> epochs;
  Index tokens = 0;
  BatchSettings batch;
  double label_smoothing = 0.1;
  Optimiser optimiser = Optimiser::adam;
  std::optional<double> learning_rate;
  nn::Schedule schedule = nn::Schedule::noam;
  Index warmup_steps = 4000;
  double minimum_learning_rate = 0;
  double beta1 = 0.9;
  double beta2 = 0.98;
  double epsilon = 1e-9;
  double momentum = 0;
  double gradient_clip_norm = 0;
  Index accumulate = 1;
  Index shards = 1;
  Index seed = 1;
  std::optional<Index> threads;
  bool unequal_kernels = false;
  Index log_every = 50;
  double average_decay = 0;
  std::string initial_weights;
  std::vector<std::string> freeze;

  /// The limit on epochs; 0: no limit. If `epochs` is not set, the limit is 10, or none if the steps or
  /// tokens are limited.
  Index epoch_limit() const { return epochs.value_or(steps > 0 || tokens > 0 ? 0 : 10); }

  /// With noam: a factor, 1 if it is not set. With the other schedules: the highest rate, which must be set.
  double rate() const { return learning_rate.value_or(1.0); }
};

struct ValidationSettings {
  Index every_steps = 0;
  Index every_epochs = 1;
  Index beam = 1;
  BleuOptions bleu;
  ValidationMetric metric = ValidationMetric::loss;
  Index patience = 0;
};

struct CheckpointSettings {
  Index save_every = 500;
  Index keep_last = 0;
  Index keep_best = 0;
  Averaging average = Averaging::none;
};

/// The configuration of a training run.
struct Settings {
  DataSettings data;
  ModelSettings model;
  TrainingSettings training;
  ValidationSettings validation;
  CheckpointSettings checkpoints;
  transformer::SearchOptions decoding;  ///< n_best is not a setting

  /// How the model reads images; null if it reads text.
  const ImageSettings* images() const { return model.reads_images() ? &data.images : nullptr; }
  SourceKind source_kind() const {
    return model.reads_images() ? SourceKind::image_paths : SourceKind::sentences;
  }
};

/// Returns the settings with a value for each setting that may be null: the limit on epochs, the learning
/// rate, the final norm and the number of threads. Some of them depend on other settings.
Settings resolved(Settings settings);

/// Reads a configuration file, applies the overrides ("training.steps=2000"), and checks the result. If
/// training.initial_weights is a model directory, the model's settings complete the configuration
/// (inherited_settings.h). A training that is resumed from `resumed_directory` has a copy of them there, so
/// the other directory may be missing. Throws Error if a file cannot be read, if a setting is unknown or
/// wrong, if settings contradict each other or that model, or if a necessary one is missing.
Settings load_settings(const std::string& path, std::span<const std::string> overrides = {},
                       const std::string& resumed_directory = "");

/// Throws Error if the settings contradict each other or a necessary one is missing: no corpus, nothing that
/// ends the training, ... parse_settings checks each single setting.
void check(const Settings& settings);

}  // namespace regard::translation
