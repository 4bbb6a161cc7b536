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
//   metrics.jsonl         the log of the training, one JSON object per line
//   train.log             the same log as text, as it was printed
//   validation/STEP.txt   translations of the validation corpus after that step, line by line
//   checkpoints/STEP.safetensors   weights that were kept after a validation
//   state/STEP.safetensors         the state from which the training can be resumed
// To translate, a program needs the configuration, the vocabulary (with subwords.model) and
// weights.safetensors.

/// The directory in which a training stores its results.
class ModelDirectory {
 public:
  explicit ModelDirectory(std::string path) : path_(std::move(path)) {}

  /// The present content of the directory.
  enum class Content {
    nothing,   ///< no file of a model, or only the files of a training that was killed before it began
    training,  ///< a training that can be resumed
    model      ///< anything else: a model, some files of a model, a training without its configuration
  };
  Content content() const;

  /// Prepares the directory for a new training. Makes the folders that the settings need, removes the results
  /// of an earlier training, and writes the vocabularies and then the configuration. It does not remove the
  /// state of step 0. Call it after that state was written: if the disk refuses the state, the old model is
  /// still complete.
  void create(const Settings& settings, const Vocabularies& vocabularies) const;
  /// Writes the settings with a value for each default (resolved(), settings.h).
  void save_config(const Settings& settings) const;
  void save_vocabularies(const Settings& settings, const Vocabularies& vocabularies) const;
  Settings load_config() const;
  /// Removes the unfinished files of a program that was killed.
  void remove_temporary_files() const;
  /// Writes weights with the identity of their model (identity_of, weights.h).
  void save_weights(nn::Module& model, const nn::Metadata& identity) const;
  void save_checkpoint(Index step, nn::Module& model, const nn::Metadata& identity) const;
  /// Removes all checkpoints except the ones of these steps.
  void keep_checkpoints(std::span<const Index> steps) const;
  void save_validation(Index step, std::span<const std::string> translations) const;
  /// Removes the states of later steps. A training that resumes from this step makes them again.
  void remove_states_after(Index step) const;
  /// Shortens each log to this number of bytes if it is longer. Warns if it is shorter.
  void truncate_logs(Index metrics_bytes, Index log_bytes) const;

  bool has_weights() const;
  /// Returns `file`, which belongs to this directory. Throws Error if it is missing.
  const std::string& present(const std::string& file) const;
  /// True if all files exist that load_text_encoding reads.
  bool has_text_encoding(const Settings& settings) const;
  /// All files that a translation may read. Not every model has all of them.
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
