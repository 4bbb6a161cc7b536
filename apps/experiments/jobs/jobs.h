#pragma once

#include <functional>
#include <string>
#include <vector>

#include "apps/experiments/jobs/plan.h"

namespace regard::experiments {

struct RunOptions {
  PlanOptions plan = {};       ///< of each experiment; `files` and `models` are found here
  std::string directory = {};  ///< for the files of finished jobs, ID.jsonl; made if it is missing
  bool keep_models = false;    ///< in models/HASH, with their trainings
  int side_by_side = 1;        ///< jobs at the same time
  /// Called with a line for the user after each job.
  std::function<void(const std::string&)> report = [](const std::string&) {};
  /// Called when an experiment is complete.
  std::function<void(const Experiment&, const Results&)> finished = [](const Experiment&, const Results&) {};
  /// Asked again and again; if it returns true, the jobs that run are ended.
  std::function<bool()> stop_wanted = [] { return false; };
};

/// Runs the jobs of experiments, each in a process of its own on one thread. A job that is finished, in the
/// file of any experiment in the directory, does not run again, and one that several want runs once.
/// Experiments that measure time come last, one job after another. Returns false if it was stopped. Throws
/// Error with the message of a job that fails; for experiments with the same id; if another process runs
/// experiments in this directory; and if an experiment has results there with other settings of the user or
/// other files.
bool run_jobs(const std::vector<Experiment>& experiments, const RunOptions& options);

}  // namespace regard::experiments
