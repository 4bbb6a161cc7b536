#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "apps/experiments/experiment.h"
#include "apps/experiments/results.h"
#include "apps/translation/files/json.h"

namespace regard::experiments {

/// Raise it when the program measures other numbers than before: then no finished job is used again.
inline constexpr int measured_version = 2;

inline constexpr Index most_seed = 1'000'000;

/// The seeds of the tuning, which no verdict uses.
inline constexpr std::array<Index, 2> tuning_seeds{91, 92};

/// One training (or none) of one variant with one seed, and what is measured on it. Jobs run side by side,
/// each in a process of its own on one thread.
struct Job {
  std::string name = {};  ///< for messages: "no attention, seed 1"
  Task task = {};
  /// Of the experiment, of the variant, of the tuning, and of the user; the later ones are stronger.
  std::vector<std::string> settings = {};
  Index seed = 1;
  bool quick = false;
  bool alone = false;                             ///< no other job runs at the same time
  std::map<std::string, std::string> files = {};  ///< checksums of the files that it reads
  std::vector<MeasureCall> measures = {};
  std::string corpus = {};     ///< --corpus: a directory; "": the toy of the task
  std::string hash = {};       ///< hash_of the job
  std::string directory = {};  ///< for its files; it exists while the job runs

  /// A number of steps, sentences or repetitions: `all`, or with --quick at most `few`.
  Index many(Index all, Index few = 4) const { return quick && few < all ? few : all; }
};

/// What one measure found in one job.
struct Measured {
  MeasureCall call;
  Measurements measurements = {};
  std::map<std::string, std::string> texts = {};
};

/// All that decides what a job measures, but the measures. Jobs of equal descriptions are one job, whichever
/// experiments want them. Throws Error for a setting that does not exist.
translation::Json description(const Job& job);

/// 16 hexadecimal digits of the description.
std::string hash_of(const Job& job);

/// The checksums of the files that --corpus and these settings name.
std::map<std::string, std::string> checksums(const std::string& corpus,
                                             const std::vector<std::string>& settings);

}  // namespace regard::experiments
