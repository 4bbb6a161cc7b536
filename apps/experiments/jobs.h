#pragma once

#include <functional>
#include <string>
#include <vector>

#include "apps/experiments/experiment.h"
#include "apps/experiments/results.h"

namespace regard::experiments {

struct JobOptions {
  std::string directory;  ///< for the jobs of this experiment; made if it is missing
  Index seeds = 0;        ///< 0: as many as the experiment wants
  bool quick = false;
  std::string corpus;                      ///< Job::corpus
  std::vector<std::string> settings = {};  ///< of the user, for all variants
  int side_by_side = 1;                    ///< jobs at the same time
  /// Called with a line for the user after each job.
  std::function<void(const std::string&)> report = [](const std::string&) {};
  /// Asked again and again; if it returns true, the jobs that run are ended.
  std::function<bool()> stop_wanted = [] { return false; };
};

/// Runs all jobs of an experiment, each in a process of its own on one thread, and returns what they
/// measured. The measurements of each finished job are in a file in the directory; a job that has one is not
/// run again. Returns nothing in `variants` if it was stopped. Throws Error with the message of a job that
/// fails, and if the finished jobs in the directory were run with other options.
Results run_jobs(const Experiment& experiment, const JobOptions& options);

}  // namespace regard::experiments
