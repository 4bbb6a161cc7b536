#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "apps/translation/corpus/batching.h"
#include "apps/translation/model/make_model.h"
#include "apps/translation/model/model_directory.h"
#include "apps/translation/model/translation_model.h"
#include "apps/translation/training/training.h"
#include "apps/translation/training/training_data.h"
#include "autograd/machine/real.h"
#include "tests/apps/support.h"

namespace regard::tests {

using translation::Settings;
using translation::TrainingData;

/// The words w0, w1, …
inline translation::Vocabulary numbered_words(Index count) {
  translation::TokenCounts counts;
  for (Index i = 0; i < count; ++i) counts.add("w" + std::to_string(i));
  return translation::Vocabulary::from_counts(counts);
}

/// Sentences of one to `longest` words, and their translations: each word becomes the next word.
inline translation::ParallelCorpus numbered_corpus(Index pairs, Index longest, Index words,
                                                   std::uint64_t seed = 1) {
  Random random(seed);
  translation::ParallelCorpus corpus;
  for (Index i = 0; i < pairs; ++i) {
    std::vector<std::int32_t> source, target;
    const std::uint64_t length = 1 + random.below(static_cast<std::uint64_t>(longest));
    for (std::uint64_t j = 0; j < length; ++j) {
      const auto word = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(words)));
      source.push_back(4 + word);
      target.push_back(static_cast<std::int32_t>(4 + (word + 1) % words));
    }
    corpus.source.push_back(source);
    corpus.target.push_back(target);
    corpus.lines.push_back(i);
  }
  corpus.lines_read = pairs;
  return corpus;
}

/// A training of less than a second: 60 sentences, eight words, a model of one layer without dropout.
struct SmallTraining {
  static constexpr Index words = 8;
  Settings settings;
  TrainingData data{.vocabularies = {numbered_words(words), numbered_words(words)},
                    .training = numbered_corpus(60, 6, words),
                    .tokeniser = translation::make_tokeniser("word")};

  SmallTraining() {
    transformer::Config& config = settings.model.config;
    config = {.d_model = 16, .heads = 2, .d_ff = 24, .encoder_layers = 1, .decoder_layers = 1};
    config.dropout = transformer::DropoutRates::all(0);
    settings.training.batch_tokens = 40;
    settings.training.schedule = nn::Schedule::constant;
    settings.training.learning_rate = 0.01;
    settings.training.epochs = 1;
    settings.training.log_every = 1;  // so that each report contains one step
    data.validation = numbered_corpus(12, 6, words, 2);
    for (const std::vector<std::int32_t>& target : data.validation->target)
      data.references.push_back(data.tokeniser->join(data.vocabularies.target.tokens(target)));
  }

  translation::TrainingOptions options() const { return {.data = std::make_shared<TrainingData>(data)}; }
  transformer::EncoderDecoder model() const {
    return make_model(settings, data.vocabularies,
                      regard::Random(static_cast<std::uint64_t>(settings.training.seed)));
  }
};

/// Begins or resumes the training in a directory.
inline translation::Training start(const SmallTraining& training,
                                   const translation::ModelDirectory& directory) {
  return prepare_training(training.settings, directory.path(), training.options());
}

/// Trains until a step, or (-1) until the end. Returns true at the end.
inline bool run_until(translation::Training& training, Index step = -1) {
  translation::TrainingObserver nobody;
  return run_training(training, nobody, [&] { return training.progress.step == step; });
}

/// Begins or resumes the training in a directory, and trains until a step or (-1) until the end. Returns the
/// step from which it began.
inline Index train(const SmallTraining& small, const translation::ModelDirectory& directory,
                   Index until = -1) {
  translation::Training training = start(small, directory);
  const Index begin = training.progress.step;
  run_until(training, until);
  return begin;
}

/// A learning rate that rises without end: first the model learns, then it diverges.
inline SmallTraining training_that_goes_astray() {
  SmallTraining training;
  training.settings.training.schedule = nn::Schedule::inverse_sqrt;
  training.settings.training.warmup_steps = 1000;
  training.settings.training.learning_rate = 10;
  training.settings.training.epochs.reset();
  training.settings.training.steps = 60;
  training.settings.validation.every_steps = 4;
  return training;
}

/// Keeps all reports of a training.
struct Recording : translation::TrainingObserver {
  void on_step(const translation::StepReport& report) override { steps.push_back(report); }
  void on_validation(const translation::ValidationReport& report) override { validations.push_back(report); }
  std::vector<translation::StepReport> steps;
  std::vector<translation::ValidationReport> validations;
};

/// A finished training, its reports and its results.
struct Trained : Recording {
  explicit Trained(const SmallTraining& training, std::function<void()> call = {})
      : after_validation(std::move(call)) {
    translation::Training run = start(training, directory);
    run_training(run, *this);
    progress = run.progress;
  }
  void on_validation(const translation::ValidationReport& report) override {
    Recording::on_validation(report);
    if (report.best) best_weights = content(directory.weights());
    if (after_validation) after_validation();
  }

  std::function<void()> after_validation;
  TemporaryDirectory temporary;
  translation::ModelDirectory directory{temporary / "model"};
  std::string best_weights;
  translation::Progress progress;
};

/// A training with everything that has a state: dropout, moments, averages, checkpoints, patience.
inline SmallTraining eventful_training() {
  SmallTraining training;
  training.settings.model.config.dropout = transformer::DropoutRates::all(0.2);
  training.settings.training.epochs = 3;
  training.settings.training.batch_tokens = 20;
  training.settings.training.accumulate = 2;
  training.settings.training.average_decay = 0.9;
  training.settings.training.log_every = 4;
  training.settings.validation.every_steps = 3;
  training.settings.validation.metric = translation::ValidationMetric::bleu;
  training.settings.checkpoints = {
      .save_every = 2, .keep_last = 2, .keep_best = 2, .average = translation::Averaging::last};
  return training;
}

/// The tensors of the newest state, as bytes.
inline std::string newest_state(const translation::ModelDirectory& directory) {
  const std::string file = content(directory.states.file(directory.states.steps().front()));
  std::uint64_t header = 0;
  std::copy_n(file.data(), sizeof header, reinterpret_cast<char*>(&header));
  return file.substr(8 + header);
}

/// All files of a training, without the seconds in its states.
inline std::map<std::string, std::string> results(const translation::ModelDirectory& directory) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory.path())) {
    const std::string name = std::filesystem::relative(entry.path(), directory.path()).string();
    if (entry.is_regular_file() && !name.starts_with("state/")) files[name] = content(entry.path().string());
  }
  return files;
}

}  // namespace regard::tests
