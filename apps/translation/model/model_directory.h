#pragma once

#include <span>
#include <string>
#include <vector>

#include "apps/translation/settings/settings.h"
#include "apps/translation/text/vocabularies.h"
#include "autograd/index.h"
#include "nn/module.h"
#include "nn/safetensors.h"

namespace regard::translation {

// A trained model is a directory:
//   config.json           all settings, with a format version
//   vocabulary.json       the joint vocabulary; or vocabulary.source.json and vocabulary.target.json
//   subwords.model        the SentencePiece model, with tokeniser sentencepiece
//   weights.safetensors   the weights that did best on the validation corpus
//   metrics.jsonl         what the training logged, one JSON object a line
//   train.log             the same as the lines that were shown
//   validation/STEP.txt   translations of the validation corpus after that step, line by line
//   checkpoints/STEP.safetensors   weights that were kept after a validation
//   state/STEP.safetensors         from where the training can go on
// Configuration, vocabulary (and subwords.model) and weights.safetensors are enough to translate.

/// Where a training run keeps its results.
class ModelDirectory {
 public:
  explicit ModelDirectory(std::string path) : path_(std::move(path)) {}

  /// What is there already: nothing of ours, or what a training leaves that was killed before it began; a
  /// training that can go on; or something that cannot: a model, files of one, a training without its
  /// configuration.
  enum class Content { nothing, training, model };
  Content content() const;

  /// Makes the folders that the settings need, removes the results of an earlier training, all but the state
  /// of step 0, which has been written by then (where nothing can be written, the old model stays whole), and
  /// writes vocabularies and, at last, the configuration.
  void create(const Settings& settings, const Vocabularies& vocabularies) const;
  /// Every default is resolved.
  void save_config(const Settings& settings) const;
  void save_vocabularies(const Settings& settings, const Vocabularies& vocabularies) const;
  Settings load_config() const;
  /// What writers that were killed have left.
  void remove_temporary_files() const;
  /// Write weights with what else identifies their model (identity_of, weights.h).
  void save_weights(nn::Module& model, const nn::Metadata& identity) const;
  void save_checkpoint(Index step, nn::Module& model, const nn::Metadata& identity) const;
  /// Removes all checkpoints but those of these steps.
  void keep_checkpoints(std::span<const Index> steps) const;
  void save_validation(Index step, std::span<const std::string> translations) const;
  /// Removes states of later steps: a training that goes on from this one makes them again.
  void forget_after(Index step) const;
  /// Cuts both logs to so many bytes, where they are longer.
  void cut_logs(Index metrics_bytes, Index log_bytes) const;

  bool has_weights() const;
  /// Returns `file`, which belongs to this directory. Throws Error if it is missing.
  const std::string& present(const std::string& file) const;
  /// Whether all files are there that load_text_encoding reads.
  bool has_text_encoding(const Settings& settings) const;
  /// All files that a model may have of those that a translation reads.
  std::vector<std::string> files_to_translate() const;

  std::string config() const { return path_ + "/config.json"; }
  std::string weights() const { return path_ + "/weights.safetensors"; }
  std::string metrics() const { return path_ + "/metrics.jsonl"; }
  std::string vocabulary() const { return path_ + "/vocabulary.json"; }
  std::string subwords() const { return path_ + "/subwords.model"; }
  std::string source_vocabulary() const { return path_ + "/vocabulary.source.json"; }
  std::string target_vocabulary() const { return path_ + "/vocabulary.target.json"; }
  std::string log() const { return path_ + "/train.log"; }
  std::string validation(Index step) const;
  std::string checkpoint(Index step) const;
  std::string state(Index step) const;
  /// The steps of the files in checkpoints/ and state/, the highest first.
  std::vector<Index> checkpoints() const;
  std::vector<Index> states() const;
  const std::string& path() const { return path_; }

 private:
  /// Files that a new training removes, besides states and configuration.
  std::vector<std::string> results() const;

  std::string path_;
};

}  // namespace regard::translation
