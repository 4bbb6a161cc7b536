#pragma once

#include <map>
#include <string>
#include <vector>

#include "apps/experiments/measures/job.h"

// The file of an experiment's finished jobs, OUT/ID.jsonl: one line for each. It is both what a run goes on
// from and what the book is made of.

namespace regard::experiments {

/// A finished job, as an experiment has it.
struct Line {
  std::string job;  ///< its hash (job.h)
  std::string variant;
  Index seed = 1;
  std::vector<std::string> settings = {};         ///< of the tuning
  std::vector<std::string> set = {};              ///< of the user
  std::map<std::string, std::string> files = {};  ///< Job::files
  double minutes = 0;                             ///< of a processor
  std::vector<Measured> measured = {};

  const Measured* find(const MeasureCall& call) const;
};

/// Reads a file; no lines if it does not exist. Measures that this program does not have are left out. Throws
/// Error that names the file and the line.
std::vector<Line> read_lines(const std::string& path);

/// Writes a file, whole or not at all.
void write_lines(const std::vector<Line>& lines, const std::string& path);

/// Rounds to six digits, as the file has them. Whole numbers stay.
double rounded(double number);

}  // namespace regard::experiments
