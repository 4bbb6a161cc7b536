#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "apps/translation/files/directory_lock.h"
#include "apps/translation/settings/settings.h"
#include "apps/translation/text/vocabulary.h"
#include "autograd/machine/error.h"
#include "autograd/machine/real.h"
#include "nn/module.h"
#include "nn/safetensors.h"

namespace regard::translation {

// A trained model is a directory:
//   config.json           all settings, with a format version
//   vocabulary.json       the joint vocabulary; or vocabulary.source.json and vocabulary.target.json
//   subwords.model        the SentencePiece model, with tokeniser sentencepiece; with tokeniser marian
//                         subwords.source.model and subwords.target.model
//   weights.safetensors   the weights that did best on the validation corpus, or the last ones without it
//   metrics.jsonl         the log of the training, one JSON object per line
//   validation/STEP.txt   translations of the validation corpus after that step, line by line
//   checkpoints/STEP.safetensors   weights that were kept after a validation
//   state/STEP.safetensors         the state from which the training can be resumed
// To translate, a program needs the configuration, the vocabulary (with subwords.model) and
// weights.safetensors.

/// True if a file of this path exists and is one of the files above in the directory of a trained model or of
/// a training. A path that is a link counts as the file to which it leads.
bool is_file_of_model(const std::string& path);

/// The directory in which a training stores its results.
class ModelDirectory {
 public:
  explicit ModelDirectory(std::string path) : path_(std::move(path)) {}

  /// Locks the directory against other processes. Throws Error if another process holds the lock. The
  /// functions that save weights, validations and states then throw Error, before they write, as
  /// check_in_place does, and if somebody removed the configuration: then the other files are about to be
  /// removed too.
  void lock() { lock_ = std::make_shared<DirectoryLock>(path_); }
  bool locked() const { return lock_ != nullptr; }
  /// Throws Error if the directory is locked and its path does not lead to it any more.
  void check_in_place() const;

  /// The present content of the directory.
  enum class Content {
    nothing,   ///< no file of a model, or only the files of a training that was killed before it began
    training,  ///< a training that can be resumed
    model      ///< anything else: a model, some files of a model, a training without its configuration
  };
  Content content() const;
  /// Throws Error if a new training in this directory would replace or remove one of the `inputs`, or a file
  /// whose name contains a step and that regard did not write.
  void check_replaceable(std::span<const std::string> inputs) const;

  /// Prepares the directory for a new training. Makes the folders that the settings need, removes the results
  /// of an earlier training, and writes the vocabularies and then the configuration. It does not remove the
  /// state of step 0. Call it after that state was written: if the disk refuses the state, the old model is
  /// still complete.
  void create(const Settings& settings, const Vocabularies& vocabularies) const;
  /// Writes the settings with a value for each default (resolved(), settings.h).
  void save_config(const Settings& settings) const;
  void save_vocabularies(const Settings& settings, const Vocabularies& vocabularies) const;
  Settings load_config() const;
  /// True if a file of a model directory, in this folder of it ("": in none), has this name.
  bool is_name(const std::string& folder, const std::string& name) const;
  /// Removes the unfinished files of a program that was killed.
  void remove_temporary_files() const;
  /// Writes weights with the identity of their model (identity_of, weights.h).
  void save_weights(nn::Module& model, const nn::Metadata& identity) const;
  void save_checkpoint(Index step, nn::Module& model, const nn::Metadata& identity) const;
  void save_state(Index step, const std::vector<nn::NamedParameter>& tensors,
                  const nn::Metadata& metadata) const;
  /// Removes all checkpoints except the ones of these steps.
  void keep_checkpoints(std::span<const Index> steps) const;
  void save_validation(Index step, std::span<const std::string> translations) const;
  /// Removes the states of later steps. A training that resumes from this step makes them again.
  void remove_states_after(Index step) const;
  /// Removes all states except the newest ones.
  void keep_states(std::size_t count) const;
  /// Shortens the log to this number of bytes if it is longer. Warns if it is shorter.
  void truncate_log(Index bytes) const;

  bool has_weights() const;
  /// True if the directory has a training, or a model with all that a translation needs. Any other directory
  /// may have files of the same names, such as a configuration.
  bool has_model() const;
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
  std::string source_subwords() const { return path_ + "/subwords.source.model"; }
  std::string target_subwords() const { return path_ + "/subwords.target.model"; }
  std::string source_vocabulary() const { return path_ + "/vocabulary.source.json"; }
  std::string target_vocabulary() const { return path_ + "/vocabulary.target.json"; }
  std::string validation(Index step) const;
  std::string checkpoint(Index step) const;
  std::string state(Index step) const;
  /// The steps of the files in checkpoints/ and state/, the highest first.
  std::vector<Index> checkpoints() const;
  std::vector<Index> states() const;
  const std::string& path() const { return path_; }

 private:
  void check_not_removed() const;
  /// Files that a new training removes, besides states and configuration.
  std::vector<std::string> results() const;
  /// The files whose names contain no step.
  std::vector<std::string> fixed_files() const;
  /// The steps of the files in validation/, and the steps of the validations that the log names.
  std::vector<Index> validations() const;
  std::vector<Index> logged_validations() const;
  /// Returns the numbers N of the files N.suffix in a folder, the highest first.
  std::vector<Index> steps_in(const std::string& folder, const char* suffix) const;

  std::string path_;
  std::shared_ptr<const DirectoryLock> lock_;
};

}  // namespace regard::translation
