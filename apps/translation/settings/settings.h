#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/translation/corpus/sources.h"
#include "apps/translation/metrics/bleu.h"
#include "apps/translation/settings/parts.h"
#include "autograd/machine/real.h"
#include "autograd/precision.h"
#include "nn/optimisers.h"
#include "transformer/search/search_options.h"
#include "transformer/self_attention/transformer_config.h"

namespace regard::translation {

class SourceFiles;

// settings_description.cpp, model_description.cpp and training_description.cpp document each setting, its
// range and its rules. The defaults are below. They are written nowhere else; `regard train --print-config`
// prints all of them.

/// The most tokens that a sentence may have on each side, without </s>.
struct SentenceLimits {
  Index source = std::numeric_limits<Index>::max(), target = source;
};

struct ModelSettings {
  std::string preset = "tiny";
  std::string encoder = "transformer", decoder = "transformer";  ///< kinds (settings/architecture.h)
  transformer::Config config = transformer::preset("tiny");      ///< the vocabulary sizes are not settings
  /// Tokens with lower ids never come next: they have the bias transformer::never_predicted. 0, 1 or 2.
  Index first_predicted = 0;
  /// The name of a model that a program makes by itself (MakeModel in model/make_model.h). Empty: regard's.
  std::string own = {};
  Parts parts = Parts("model");  ///< of other kinds of encoders and decoders

  bool has_transformer() const;  ///< true if the encoder or the decoder is one
  /// True if the sources are files (corpus/source_files.h) and not sentences.
  bool reads_files() const;
  /// True if the model learns a vector for each position of the source, or of the target.
  bool learns_source_positions() const;
  bool learns_target_positions() const;  ///< see learns_source_positions()
  /// The longest sentences for which the model has positions of its own.
  SentenceLimits longest_sentences() const;
};

enum class OptimiserKind { adam, sgd };

/// The score that compares validations. Perplexity is exp(loss), so it needs no entry of its own.
enum class ValidationMetric { loss, bleu, exact_match };

/// The kept checkpoints that are averaged when the training ends.
enum class Averaging { none, last, best };

struct DataSettings {
  Paths source, target, tsv;
  std::vector<double> shares;
  double temperature = 1;
  Paths validation_source, validation_target, validation_tsv;
  double validation_share = 0;
  std::string tokeniser = "word";
  Index max_length = 256;
  bool joint_vocabulary = true;
  Index vocabulary_size = 0;
  Index minimum_frequency = 1;
  Parts parts = Parts("data");  ///< of tokenisers, and of encoders that read something else than sentences

  /// The files of the training corpus; of the source side if each side has its own.
  const std::vector<std::string>& files() const { return tsv.empty() ? source.files : tsv.files; }
  /// Whether pairs of some files come more often than others.
  bool is_mixture() const { return !shares.empty() || temperature != 1; }
  /// True if the settings name a validation corpus.
  bool has_validation_files() const { return !validation_source.empty() || !validation_tsv.empty(); }
  /// True if there are such files, or a share of the training.
  bool has_validation() const { return has_validation_files() || validation_share > 0; }
};

struct TrainingSettings {
  Index steps = 0;
  std::optional<Index> epochs;
  Index tokens = 0;
  double minutes = 0;
  Index batch_tokens = 4096;
  double label_smoothing = 0.1;
  double scheduled_sampling = 0;
  Index scheduled_sampling_steps = 0;
  OptimiserKind optimiser = OptimiserKind::adam;
  std::optional<double> learning_rate;
  nn::Schedule schedule = nn::Schedule::noam;
  Index warmup_steps = 4000;
  double minimum_learning_rate = 0;
  double plateau_factor = 0.5;
  Index plateau_patience = 3;
  double beta1 = 0.9;
  double beta2 = 0.98;
  double epsilon = 1e-9;
  double weight_decay = 0;
  double momentum = 0;
  double gradient_clip_norm = 0;
  Index accumulate = 1;
  Precision precision = Precision::float32;
  Index shards = 1;
  Index seed = 1;
  std::optional<Index> threads;
  bool unequal_kernels = false;
  Index log_every = 50;
  double average_decay = 0;
  std::string initial_weights;
  std::vector<std::string> freeze;

  /// The limit on epochs; 0: no limit. If `epochs` is not set, the limit is 10, or none if steps,
  /// tokens or minutes are limited.
  Index epoch_limit() const { return epochs.value_or(steps > 0 || tokens > 0 || minutes > 0 ? 0 : 10); }

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
  transformer::SearchOptions decoding;  ///< n_best and make_rule are not settings
  Parts rules = Parts("decoding");      ///< of the search, which rooms add

  /// How the model reads files; null if it reads sentences.
  std::shared_ptr<const SourceFiles> source_files() const;
};

/// The names of all presets.
std::vector<std::string> preset_names();

/// The settings of a preset. Throws Error for any other name.
ModelSettings model_preset(const std::string& name);

/// Throws Error if the settings of the model contradict each other. The sizes of the vocabularies do not
/// matter.
void check(const ModelSettings& model);

/// Returns the settings with a value for each setting that may be null: the limit on epochs, the learning
/// rate, the final norm and the number of threads. Some of them depend on other settings.
Settings resolved(Settings settings);

/// The configuration file of a model directory, and the settings in it. save_config writes a value for each
/// default (resolved()).
std::string config_file(const std::string& directory);
Settings load_config(const std::string& directory);  ///< Error if it is missing or wrong
void save_config(const std::string& directory, const Settings& settings);  ///< Error if it cannot be written

/// Reads a configuration file, applies the overrides ("training.steps=2000"), and checks the result. If
/// training.initial_weights is a model directory, the model's settings complete the configuration (see
/// Inheritance in settings_description.h). A training that is resumed from `resumed_directory` has a copy of
/// them there, so the other directory may be missing. Throws Error if a file cannot be read, if a setting is
/// unknown or wrong, if settings contradict each other or that model, or if a necessary one is missing.
Settings load_settings(const std::string& path, std::span<const std::string> overrides = {},
                       const std::string& resumed_directory = "");

/// Throws Error if a setting is out of range, if settings contradict each other, if one of them has no effect
/// beside the others, or if a necessary one is missing: no corpus, nothing that ends the training, ...
void check(const Settings& settings);

/// A setting with two values, as they are written in a configuration.
struct ChangedSetting {
  std::string place, begun, now;
};

/// Returns the first setting that differs and that may not change when a training is resumed (see Rules in
/// settings_description.h); nothing if there is none.
std::optional<ChangedSetting> changed_setting(const Settings& begun, const Settings& now);

/// Throws Error that names this setting, with both values, if there is one. `directory` is for the message.
void check_resumable(const Settings& begun, const Settings& now, const std::string& directory);

/// Returns the inherited settings that must be equal but differ, each as "model.d_model is 64 there and 128
/// here". "There" is the model with which a training begins (training.initial_weights).
std::vector<std::string> contradictions(const Settings& settings, const Settings& of_model);

/// Throws Error that names all contradictions with the model in this directory.
void check_inherited(const Settings& settings, const Settings& of_model, const std::string& directory);

}  // namespace regard::translation
