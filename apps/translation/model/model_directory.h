#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/translation/files/directory_lock.h"
#include "apps/translation/settings/settings.h"
#include "autograd/machine/real.h"

namespace regard::translation {

// A trained model is a directory:
//   config.json           all settings, with a format version
//   vocabulary.json       the vocabulary; text_encoding.h lists the other files of vocabularies and subwords
//   weights.safetensors   the weights that did best on the validation corpus, or the last ones without it
//   the files of rooms that add rules to the search (SearchRule in settings/search_rule.h)
//   metrics.jsonl         the log of the training, one JSON object per line
//   validation/STEP.txt   translations of the validation corpus after that step, line by line
//   checkpoints/STEP.safetensors   weights that were kept after a validation
//   state/STEP.safetensors         the state from which the training can be resumed
// To translate, a program needs the configuration, the files of the text encoding and weights.safetensors.

/// True if a file of this path exists and is one of the files above in the directory of a trained model or of
/// a training. A path that is a link counts as the file to which it leads.
bool is_file_of_model(const std::string& path);

/// The files STEP.suffix in one folder of a model directory.
class StepFiles {
 public:
  StepFiles(std::string folder, std::string suffix)
      : folder_(std::move(folder)), suffix_(std::move(suffix)) {}

  std::string file(Index step) const;
  /// The steps of the files, the highest first.
  std::vector<Index> steps() const;
  /// Removes the files of all other steps.
  void keep(std::span<const Index> steps) const;
  /// Removes the unfinished files of a program that was killed.
  void remove_temporary_files() const;

 private:
  /// Returns the step in the name of a file, or nothing if it is another file.
  std::optional<Index> step_of(const std::string& name) const;

  std::string folder_, suffix_;
};

/// The directory in which a training stores its results.
class ModelDirectory {
 public:
  explicit ModelDirectory(std::string path);

  const std::string& path() const { return path_; }
  std::string config() const { return config_file(path_); }
  std::string weights() const { return path_ + "/weights.safetensors"; }
  std::string metrics() const { return path_ + "/metrics.jsonl"; }
  StepFiles states, checkpoints, validations;
  /// All files that a translation may read. Not every model has all of them.
  std::vector<std::string> files_to_translate() const;
  bool has_weights() const;
  /// True if the directory has a training, or a model with all that a translation needs, and this is one of
  /// its files. Any other directory may have files of the same names, such as a configuration.
  bool has_file(const std::string& path) const;

  /// The present content of the directory.
  enum class Content {
    nothing,   ///< no file of a model, or only the files of a training that was killed before it began
    training,  ///< a training that can be resumed
    model      ///< anything else: a model, some files of a model, a training without its configuration
  };
  Content content() const;

  /// Locks the directory against other processes. Throws Error if another process holds the lock.
  void lock() { lock_ = std::make_shared<DirectoryLock>(path_); }
  bool locked() const { return lock_ != nullptr; }
  /// Throws Error if the directory is locked and its path does not lead to it any more.
  void check_in_place() const;
  /// Returns `file`, and makes its folder. Throws Error as check_in_place does; and, unless the file is the
  /// state of step 0, if the directory is locked and somebody removed the configuration: then the other files
  /// are about to be removed too.
  std::string writable(const std::string& file) const;

  /// Throws Error if a new training in this directory would replace or remove one of the `inputs`, or a file
  /// whose name contains a step and that regard did not write.
  void check_replaceable(std::span<const std::string> inputs) const;
  /// Removes the results of an earlier training, but not the state of step 0, which is written before: if the
  /// disk refuses that state, the old model is still complete. Until a configuration is written, the
  /// directory holds no training to resume.
  void remove_results() const;
  /// Removes the unfinished files of a program that was killed.
  void remove_temporary_files() const;

  /// The steps of the validations that the log names: their files are the training's.
  std::vector<Index> logged_validations() const;

 private:
  /// The files whose names contain no step.
  std::vector<std::string> fixed_files() const;
  /// The same, and all files of steps that exist.
  std::vector<std::string> files() const;

  std::string path_;
  std::shared_ptr<const DirectoryLock> lock_;
};

}  // namespace regard::translation
