#pragma once

#include <map>
#include <string>
#include <vector>

#include "apps/experiments/jobs/lines.h"
#include "apps/experiments/measures/job.h"
#include "apps/experiments/rules/experiment.h"
#include "apps/experiments/rules/results.h"

// Which jobs an experiment needs, and what it has of them.

namespace regard::experiments {

/// All finished jobs that are known, by their hashes, whichever experiments they are of.
class Store {
 public:
  /// What a job has already from the same measure is replaced.
  void add(const Line& line);
  /// Null if there is no such job, or if it has not this measure.
  const Measured* find(const std::string& job, const MeasureCall& call) const;
  double minutes(const std::string& job) const;

 private:
  std::map<std::string, Line> jobs_;
};

struct PlanOptions {
  Index first_seed = 1;
  Index seeds = 0;                                ///< 0: as many as the experiment wants
  bool quick = false;                             ///< finished jobs are not kept
  std::string corpus = {};                        ///< Job::corpus
  std::vector<std::string> settings = {};         ///< of the user, for all variants
  std::map<std::string, std::string> files = {};  ///< Job::files
  std::string models = {};                        ///< the directory of kept models
};

struct Plan {
  std::vector<Job> missing = {};  ///< that can run now
  std::size_t later = 0;          ///< others will follow: about so many
  std::vector<Line> lines = {};   ///< of the finished jobs
  Results results = {};           ///< complete if nothing is missing
};

/// The jobs of an experiment: for each variant, those of the tuning, and then one for each seed with the best
/// value. A tuning tries its values with two seeds. If the best one is the least or the greatest, it goes on
/// in this direction with the same ratio, at most three times. --quick tries nothing and takes the first
/// value.
Plan plan(const Experiment& experiment, const PlanOptions& options, const Store& store);

/// True if a line is of a job that the experiment would run, with any seed. The plan is complete.
bool wants(const Experiment& experiment, const PlanOptions& options, const Plan& plan, const Line& line);

/// Reads the results of a block of seeds, such as 1 to 8 or 101 to 108, from a file of finished jobs
/// (lines.h): all seeds from `first_seed` on without a gap. Returns nothing in `variants` if the file has not
/// this seed. Throws Error that names the file if it is malformed, or if something is missing in it because
/// the experiment has changed since.
Results read_results(const Experiment& experiment, const std::string& path, Index first_seed = 1);

}  // namespace regard::experiments
