#pragma once

#include <optional>
#include <string>

#include "apps/experiments/experiment.h"
#include "apps/experiments/results.h"
#include "apps/translation/files/json.h"

namespace regard::experiments {

/// The name of the directory of a job. Jobs of an experiment that differ in one of these have different ones.
std::string directory_name(const std::string& variant, Index seed, const std::vector<std::string>& tried);

/// Everything that decides what a job measures: the program, the task, the settings, the measures, the files
/// that it reads. Another description is another job, whose measurements are not taken.
translation::Json description(const Experiment& experiment, const Job& job);

/// What a job measured.
struct Finished {
  double seconds = 0, processor_seconds = 0;
  Results::Run run;
};

/// Writes measurements.json of a job with this description.
void write_finished(const Finished& finished, const translation::Json& description, const Job& job);

/// Reads it; nothing if the job has not finished. Throws Error that says what differs if it is of a job with
/// another description, and names file and key if it is damaged.
std::optional<Finished> read_finished(const Experiment& experiment, const Job& job);

}  // namespace regard::experiments
