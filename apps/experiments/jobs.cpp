#include "apps/experiments/jobs.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <ctime>
#include <exception>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <nlohmann/json.hpp>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "apps/experiments/finished.h"
#include "apps/experiments/measures.h"
#include "apps/translation/files/files.h"
#include "apps/translation/files/json.h"
#include "apps/translation/text/counted.h"
#include "autograd/machine/error.h"
#include "autograd/machine/files.h"
#include "autograd/machine/parallel.h"

namespace regard::experiments {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::string message_file(const Job& job) { return job.directory + "/messages.txt"; }

/// In the process of the job: runs it and writes its file. Never returns.
[[noreturn]] void run_here(const Experiment& experiment, const Job& job, pid_t parent) {
#ifdef __linux__
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // a parent that is killed cannot end its jobs
#endif
  if (::getppid() != parent) ::_exit(EXIT_FAILURE);  // it was killed before
  std::signal(SIGINT, SIG_IGN);                      // Ctrl-C reaches all processes; the parent ends this one
  int code = EXIT_FAILURE;
  try {
    const int messages = ::open(message_file(job).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (messages < 0) fail("cannot write {}: {}", message_file(job), std::strerror(errno));
    ::dup2(messages, STDOUT_FILENO);
    ::dup2(messages, STDERR_FILENO);
    set_threads(1);
    const auto begin = Clock::now();
    const translation::Json asked = description(experiment, job);  // before a file changes
    const Results::Run run = measure(experiment, job);
    write_finished({seconds_since(begin), static_cast<double>(std::clock()) / CLOCKS_PER_SEC, run}, asked,
                   job);
    code = EXIT_SUCCESS;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
  }
  std::fflush(nullptr);
  ::_exit(code);
}

/// Runs jobs side by side. While it exists, no other children of this process may end.
class Runner {
 public:
  Runner(const Experiment& experiment, const JobOptions& options)
      : experiment_(experiment), options_(options) {}

  /// Runs these jobs; about `later` others will follow. False if it was stopped.
  bool run(std::vector<Job> jobs, std::size_t later) {
    std::erase_if(jobs, [&](const Job& job) { return read_finished(experiment_, job).has_value(); });
    left_ = jobs.size() + later;
    std::size_t next = 0;
    while (next < jobs.size() || !running_.empty()) {
      if (options_.stop_wanted()) return end_all();
      const auto most = experiment_.alone ? 1 : to_size(options_.side_by_side);
      if (next < jobs.size() && running_.size() < most) {
        start(jobs[next++]);
      } else {
        wait_for_one();
      }
    }
    return true;
  }

 private:
  void start(const Job& job) {
    translation::make_directories(job.directory);
    const pid_t parent = ::getpid(), child = ::fork();
    if (child < 0) fail("cannot start a process: {}", std::strerror(errno));
    if (child == 0) run_here(experiment_, job, parent);
    running_.emplace(child, job);
  }

  void wait_for_one() {
    int status = 0;
    const pid_t child = ::waitpid(-1, &status, WNOHANG);
    const auto found = running_.find(child);
    if (found == running_.end()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      return;
    }
    const Job job = found->second;
    running_.erase(found);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
      end_all();
      const std::string message = read_file(message_file(job));
      fail("experiment {}, {}, seed {}: {}", experiment_.id, job.variant, job.seed,
           message.empty() ? "the process of the job was killed; perhaps memory ran out"
                           : message.substr(0, message.find_last_not_of('\n') + 1));
    }
    --left_;
    const double seconds = read_finished(experiment_, job).value().seconds;
    done_seconds_ += seconds;
    ++done_;
    const double left = done_seconds_ / static_cast<double>(done_) * static_cast<double>(left_) /
                        (experiment_.alone ? 1 : options_.side_by_side);
    options_.report(fmt::format("{}  {}, seed {}: {:.0f} s; {} left, about {:.0f} min", experiment_.id,
                                job.variant, job.seed, seconds, translation::counted(to_index(left_), "job"),
                                left / 60));
  }

  /// Ends all processes. Returns false.
  bool end_all() {
    for (const auto& [child, job] : running_) ::kill(child, SIGKILL);
    for (const auto& [child, job] : running_) ::waitpid(child, nullptr, 0);
    running_.clear();
    return false;
  }

  const Experiment& experiment_;
  const JobOptions& options_;
  std::map<pid_t, Job> running_;
  std::size_t left_ = 0, done_ = 0;
  double done_seconds_ = 0;
};

Job make_job(const JobOptions& options, const Variant& variant, Index seed,
             const std::vector<std::string>& tried = {}) {
  Job job{.variant = variant.name,
          .settings = variant.settings,
          .seed = seed,
          .quick = options.quick,
          .directory = options.directory + "/" + directory_name(variant.name, seed, tried),
          .corpus = options.corpus};
  job.settings.insert(job.settings.end(), tried.begin(), tried.end());
  job.settings.insert(job.settings.end(), options.settings.begin(), options.settings.end());
  return job;
}

/// Of the settings that were tried with the first seed, those with the least loss of validation.
std::vector<std::string> best_of(const Experiment& experiment, const JobOptions& options,
                                 const Variant& variant) {
  const auto loss = [&](const std::vector<std::string>& tried) {
    const Job job = make_job(options, variant, 1, tried);
    return read_finished(experiment, job).value().run.value("validation_loss");
  };
  return *std::ranges::min_element(experiment.tuning, {}, loss);
}

}  // namespace

Results run_jobs(const Experiment& experiment, const JobOptions& options) {
  const Index seeds = experiment.seeds == 1 ? 1 : options.seeds > 0 ? options.seeds : experiment.seeds;
  Runner runner(experiment, options);

  std::vector<Job> jobs;
  for (const Variant& variant : experiment.variants) {
    if (experiment.tuning.empty()) jobs.push_back(make_job(options, variant, 1));
    for (const std::vector<std::string>& tried : experiment.tuning)
      jobs.push_back(make_job(options, variant, 1, tried));
  }
  if (!runner.run(jobs, experiment.variants.size() * to_size(seeds - 1))) return {};
  double seconds = 0;
  for (const Job& job : jobs) seconds += read_finished(experiment, job).value().processor_seconds;

  Results results{.experiment = experiment.id, .variants = {}, .quick = options.quick};
  jobs.clear();
  for (const Variant& variant : experiment.variants) {
    const std::vector<std::string> best =
        experiment.tuning.empty() ? std::vector<std::string>() : best_of(experiment, options, variant);
    results.variants.push_back({variant.name, fmt::format("{}", fmt::join(best, " "))});
    for (Index seed = 1; seed <= seeds; ++seed) jobs.push_back(make_job(options, variant, seed, best));
  }
  if (!runner.run(jobs, 0)) return {};
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const Finished job = read_finished(experiment, jobs[i]).value();
    if (jobs[i].seed > 1) seconds += job.processor_seconds;
    results.variants[i / to_size(seeds)].runs.push_back(job.run);
  }
  results.minutes = seconds / 60;
  return results;
}

}  // namespace regard::experiments
