#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "apps/translation/files/json.h"

namespace regard::explore {

using translation::Json;

/// Lines of one kind in a log, in their order, by column: "step", "loss", …; NaN where a line has no number.
using LogTable = std::map<std::string, std::vector<double>>;

/// The log of a training.
struct TrainingRun {
  std::string name;       ///< run_name()
  std::string directory;  ///< as given; safe to print
  LogTable points;        ///< step, loss, learning_rate, gradient_norm, tokens_per_second, seconds
  /// step, loss, bleu, exact_match, seconds, and averaged: the number of checkpoints if these are the numbers
  /// of their mean, otherwise 0.
  LogTable validations;
};

/// The last part of a path, also for "model/" and "."; safe to print.
std::string run_name(const std::string& directory);

/// Returns run_name() of each path, or the whole path, safe to print, if this name occurs twice.
std::vector<std::string> run_names(std::span<const std::string> paths);

/// Reads metrics.jsonl of a model directory. A training may be writing it: text after the last line end is
/// ignored. Without this file, both tables are empty. Throws Error if the directory does not exist, and names
/// file and line if a line is not as `regard train` writes it.
TrainingRun read_run(const std::string& directory);

/// Reads several runs. Their names are run_names().
std::vector<TrainingRun> read_runs(std::span<const std::string> directories);

/// Returns [{"name", "directory", "points": {"step": [...], "loss": [...], ...}, "validations": {...}}, ...]
/// with null for NaN.
Json runs_json(std::span<const TrainingRun> runs);

}  // namespace regard::explore
