#pragma once

#include <span>
#include <string>
#include <vector>

#include "apps/translation/files/json.h"

namespace regard::explore {

using translation::Json;

/// One number of each line of a log; NaN where the line has none or null.
struct Column {
  std::string name;
  std::vector<double> values;
};

/// Lines of one kind in a log, in their order.
struct LogTable {
  std::vector<double> steps;
  std::vector<Column> columns;
};

/// The log of a training.
struct TrainingRun {
  std::string name;       ///< the last part of the directory's path; safe to print
  std::string directory;  ///< as given; safe to print
  LogTable points;        ///< loss, learning_rate, gradient_norm, tokens_per_second, seconds
  /// loss, bleu, exact_match, seconds, and averaged: the number of checkpoints if these are the numbers of
  /// their mean, otherwise 0.
  LogTable validations;
};

/// Reads metrics.jsonl of a model directory. A training may be writing it: text after the last line end is
/// ignored. Without this file, both tables are empty. Throws Error if the directory does not exist, and names
/// file and line if a line is not as `regard train` writes it.
TrainingRun read_run(const std::string& directory);

/// Reads several runs. A name that occurs twice is replaced by the path of its directory.
std::vector<TrainingRun> read_runs(std::span<const std::string> directories);

/// Returns [{"name", "directory", "points": {"step": [...], "loss": [...], ...}, "validations": {...}}, ...]
/// with null for NaN.
Json runs_json(std::span<const TrainingRun> runs);

}  // namespace regard::explore
