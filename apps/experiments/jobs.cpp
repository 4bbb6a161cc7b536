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
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "apps/experiments/measure.h"
#include "apps/translation/files/files.h"
#include "apps/translation/files/json.h"
#include "autograd/error.h"
#include "autograd/files.h"
#include "autograd/parallel.h"

namespace regard::experiments {

namespace {

using Clock = std::chrono::steady_clock;
using translation::Json;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// What a job was asked to do; its file says so, and results of other options are not taken for its own.
Json description(const Experiment& experiment, const Job& job) {
  return {{"experiment", experiment.id}, {"variant", job.variant},
          {"settings", job.settings},    {"seed", job.seed},
          {"quick", job.quick},          {"corpus", job.corpus}};
}

std::string result_file(const Job& job) { return job.directory + "/measurements.json"; }
std::string message_file(const Job& job) { return job.directory + "/messages.txt"; }

/// In the process of the job: runs it and writes its file. Never returns.
[[noreturn]] void run_here(const Experiment& experiment, const Job& job) {
  std::signal(SIGINT, SIG_IGN);  // Ctrl-C reaches all processes; the parent ends this one
  int code = EXIT_FAILURE;
  try {
    const int messages = ::open(message_file(job).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (messages < 0) fail("cannot write {}: {}", message_file(job), std::strerror(errno));
    ::dup2(messages, STDOUT_FILENO);
    ::dup2(messages, STDERR_FILENO);
    set_threads(1);
    const auto begin = Clock::now();
    const Results::Run run = measure(experiment, job);
    const Json json{{"format", 1},
                    {"job", description(experiment, job)},
                    {"seconds", seconds_since(begin)},
                    {"processor_seconds", static_cast<double>(std::clock()) / CLOCKS_PER_SEC},
                    {"measurements", run.measurements},
                    {"texts", run.texts}};
    translation::write_file(result_file(job), translation::dump_json(json, result_file(job)));
    code = EXIT_SUCCESS;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
  }
  std::fflush(nullptr);
  ::_exit(code);
}

struct Finished {
  double seconds = 0, processor_seconds = 0;
  Results::Run run;
};

/// What a job measured in an earlier run; nothing if it has not finished.
std::optional<Finished> finished(const Experiment& experiment, const Job& job) {
  if (!translation::path_exists(result_file(job))) return std::nullopt;
  const Json json = translation::parse_json(read_file(result_file(job)), result_file(job));
  if (json.at("job") != description(experiment, job))
    fail("{} has been run with other options; give another --out, or remove it", job.directory);
  return Finished{json.at("seconds"),
                  json.at("processor_seconds"),
                  {job.seed, json.at("measurements").get<Measurements>(),
                   json.at("texts").get<std::map<std::string, std::string>>()}};
}

/// Runs jobs side by side. While it exists, no other children of this process may end.
class Runner {
 public:
  Runner(const Experiment& experiment, const JobOptions& options)
      : experiment_(experiment), options_(options) {}

  /// Runs these jobs; about `later` others will follow. False if it was stopped.
  bool run(std::vector<Job> jobs, std::size_t later) {
    std::erase_if(jobs, [&](const Job& job) { return finished(experiment_, job).has_value(); });
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
    const pid_t child = ::fork();
    if (child < 0) fail("cannot start a process: {}", std::strerror(errno));
    if (child == 0) run_here(experiment_, job);
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
    const double seconds = finished(experiment_, job).value().seconds;
    done_seconds_ += seconds;
    ++done_;
    const double left = done_seconds_ / static_cast<double>(done_) * static_cast<double>(left_) /
                        (experiment_.alone ? 1 : options_.side_by_side);
    options_.report(fmt::format("{}  {}, seed {}: {:.0f} s; {} jobs left, about {:.0f} min", experiment_.id,
                                job.variant, job.seed, seconds, left_, left / 60));
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

/// A name for a directory: letters and digits of `text`, everything else as '-'.
std::string file_name(const std::string& text) {
  std::string name = text;
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '-';
  return name;
}

Job make_job(const Experiment& experiment, const JobOptions& options, const Variant& variant, Index seed,
             const std::vector<std::string>& tried = {}) {
  Job job{.variant = variant.name,
          .settings = variant.settings,
          .seed = seed,
          .quick = options.quick,
          .directory = fmt::format("{}/{}-{}{}", options.directory, file_name(variant.name), seed,
                                   tried.empty() ? "" : file_name(fmt::format("-{}", fmt::join(tried, "-")))),
          .corpus = options.corpus};
  job.settings.insert(job.settings.end(), tried.begin(), tried.end());
  job.settings.insert(job.settings.end(), options.settings.begin(), options.settings.end());
  if (experiment.tuning.empty() && !tried.empty()) fail("{} has no tuning", experiment.id);
  return job;
}

/// Of the settings that were tried with the first seed, those with the least loss of validation.
std::vector<std::string> best_of(const Experiment& experiment, const JobOptions& options,
                                 const Variant& variant) {
  const auto loss = [&](const std::vector<std::string>& tried) {
    const Job job = make_job(experiment, options, variant, 1, tried);
    return finished(experiment, job).value().run.value("validation_loss");
  };
  return *std::ranges::min_element(experiment.tuning, {}, loss);
}

}  // namespace

Results run_jobs(const Experiment& experiment, const JobOptions& options) {
  const Index seeds = experiment.seeds == 1 ? 1 : options.seeds > 0 ? options.seeds : experiment.seeds;
  Runner runner(experiment, options);

  std::vector<Job> jobs;
  for (const Variant& variant : experiment.variants) {
    if (experiment.tuning.empty()) jobs.push_back(make_job(experiment, options, variant, 1));
    for (const std::vector<std::string>& tried : experiment.tuning)
      jobs.push_back(make_job(experiment, options, variant, 1, tried));
  }
  if (!runner.run(jobs, experiment.variants.size() * to_size(seeds - 1))) return {};
  double seconds = 0;
  for (const Job& job : jobs) seconds += finished(experiment, job).value().processor_seconds;

  Results results{.experiment = experiment.id, .variants = {}, .quick = options.quick};
  jobs.clear();
  for (const Variant& variant : experiment.variants) {
    const std::vector<std::string> best =
        experiment.tuning.empty() ? std::vector<std::string>() : best_of(experiment, options, variant);
    results.variants.push_back({variant.name, fmt::format("{}", fmt::join(best, " "))});
    for (Index seed = 1; seed <= seeds; ++seed)
      jobs.push_back(make_job(experiment, options, variant, seed, best));
  }
  if (!runner.run(jobs, 0)) return {};
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const Finished job = finished(experiment, jobs[i]).value();
    if (jobs[i].seed > 1) seconds += job.processor_seconds;
    results.variants[i / to_size(seeds)].runs.push_back(job.run);
  }
  results.minutes = seconds / 60;
  return results;
}

}  // namespace regard::experiments
