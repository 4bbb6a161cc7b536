#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "apps/translation/files/json.h"

namespace regard::experiments {

/// Raise it when the program measures other numbers than before: then no finished job is used again.
inline constexpr int measured_version = 2;

inline constexpr Index most_seed = 1'000'000;

/// The seeds of the tuning, which no verdict uses.
inline constexpr std::array<Index, 2> tuning_seeds{91, 92};

/// What a model learns.
struct Task {
  std::string toy = "sentences";    ///< a toy of `regard toy`
  std::vector<Index> letters = {};  ///< least and most, for the toys copy, reverse and recall
  Index words = 0;                  ///< most words of the toy sentences; 0: sentences of one clause
  std::int64_t train = 20000, validation = 100, test = 400;  ///< pairs
  Index forms = 1;         ///< each target word has so many forms, of which one is drawn: a, a*, a** for 3
  Index target_words = 0;  ///< most words of a target in the training and the validation; 0: any number
  Index beam = 1;          ///< of the translations of the test pairs
  Index average = 0;       ///< the model gets the mean of its last checkpoints, so many; 0: its best weights
  std::string maps = {};   ///< other maps of queries, keys and values (maps.h)
};

/// A measure of measures.h, and what it is told.
struct MeasureCall {
  std::string name;
  std::map<std::string, std::vector<double>> options = {};

  bool operator==(const MeasureCall&) const = default;
};

/// Numbers that a job measured, by name. A single number is a list of one.
using Measurements = std::map<std::string, std::vector<double>>;

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

/// The part "task" of the file of an experiment.
Task read_task(const translation::Json& json, const std::string& name);
/// All that a task says, and the defaults.
translation::Json to_json(const Task& task);
/// A measure as the file of an experiment has it: "bleu", or {"right_by_length": {"lengths": [5, 10]}}.
MeasureCall read_measure(const translation::Json& json, const std::string& name);
translation::Json to_json(const MeasureCall& call);

/// All that decides what a job measures, but the measures. Jobs of equal descriptions are one job, whichever
/// experiments want them. Throws Error for a setting that does not exist.
translation::Json description(const Job& job);

/// 16 hexadecimal digits of the description.
std::string hash_of(const Job& job);

/// The checksums of the files that --corpus and these settings name.
std::map<std::string, std::string> checksums(const std::string& corpus,
                                             const std::vector<std::string>& settings);

}  // namespace regard::experiments
