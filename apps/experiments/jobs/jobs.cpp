#include "apps/experiments/jobs/jobs.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <exception>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "apps/experiments/measures/measures.h"
#include "apps/translation/files/directory_lock.h"
#include "apps/translation/files/files.h"
#include "apps/translation/text/counted.h"
#include "autograd/machine/error.h"
#include "autograd/machine/parallel.h"

namespace regard::experiments {

namespace {

std::string message_file(const Job& job) { return job.directory + "/messages.txt"; }
std::string result_file(const Job& job) { return job.directory + "/measured.jsonl"; }

/// In the process of the job: runs it and writes its file. Never returns.
[[noreturn]] void run_here(const Job& job, pid_t parent) {
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
    std::vector<Line> lines;  // one for each measure: two may have measurements of the same name
    for (const Measured& one : measure(job))
      lines.push_back({.job = job.hash, .variant = {}, .seed = job.seed, .measured = {one}});
    lines.front().minutes = static_cast<double>(std::clock()) / CLOCKS_PER_SEC / 60;
    write_lines(lines, result_file(job));
    code = EXIT_SUCCESS;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
  }
  std::fflush(nullptr);
  ::_exit(code);
}

/// An experiment while its jobs run.
struct Work {
  const Experiment& experiment;
  std::string path;              ///< of its file of lines
  std::vector<Line> lines = {};  ///< that this file had before
  PlanOptions options = {};
  Plan plan = {};

  bool wants(const std::string& job) const { return std::ranges::count(plan.missing, job, &Job::hash) > 0; }
};

/// Runs the jobs of experiments side by side. While it exists, no other children of this process may end.
class Runner {
 public:
  Runner(const std::vector<Experiment>& experiments, const RunOptions& options) : options_(options) {
    for (const Experiment& experiment : experiments) add(experiment);
    if (!options.plan.quick)
      for (const std::string& name : translation::files_in(options.directory))
        if (name.ends_with(".jsonl"))
          for (const Line& line : read_lines(options.directory + "/" + name)) store_.add(line);
  }

  /// False if it was stopped.
  bool run() {
    for (Work& work : works_) make_plan(work);
    while (true) {
      if (options_.stop_wanted()) return end_all();
      if (const Job* const job = next())
        start(*job);
      else if (!running_.empty())
        wait_for_one();
      else
        return true;
    }
  }

  ~Runner() {
    end_all();
    std::error_code ignored;
    std::filesystem::remove(models(), ignored);  // if it is empty
  }
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

 private:
  std::string models() const { return options_.directory + "/models"; }

  void add(const Experiment& experiment) {
    if (std::ranges::any_of(works_, [&](const Work& work) { return work.experiment.id == experiment.id; }))
      fail("two experiments have the id {}; run one after the other", experiment.id);
    Work work{.experiment = experiment,
              .path = fmt::format("{}/{}.jsonl", options_.directory, experiment.id)};
    std::vector<std::string> settings = experiment.settings;
    for (const Variant& variant : experiment.variants)
      settings.insert(settings.end(), variant.settings.begin(), variant.settings.end());
    settings.insert(settings.end(), options_.plan.settings.begin(), options_.plan.settings.end());
    work.options = options_.plan;
    if (work.options.quick) work.options.seeds = 1;
    work.options.files = checksums(work.options.corpus, settings);
    work.options.models = models();
    if (!work.options.quick) work.lines = read_lines(work.path);
    for (const Line& line : work.lines)
      if (line.set != work.options.settings || line.files != work.options.files)
        fail(
            "{} has results with another --set, another --corpus or other files; give another --out, or "
            "remove it",
            work.path);
    works_.push_back(std::move(work));
  }

  /// Plans, writes what is there, and says so if it is complete.
  void make_plan(Work& work) {
    work.plan = plan(work.experiment, work.options, store_);
    const bool complete = work.plan.missing.empty();
    std::vector<Line> lines = work.plan.lines;
    for (const Line& line : work.lines)  // of other seeds; other ones go when the experiment is complete
      if (std::ranges::count_if(work.plan.lines, [&](const Line& one) {
            return one.job == line.job && one.variant == line.variant;
          }) == 0)
        if (!complete || wants(work.experiment, work.options, work.plan, line)) lines.push_back(line);
    if (!options_.plan.quick && !lines.empty()) write_lines(lines, work.path);
    if (complete) options_.finished(work.experiment, work.plan.results);
  }

  /// The next job; null if there is none that can run now.
  const Job* next() const {
    if (running_.size() >= to_size(options_.side_by_side) || alone_) return nullptr;
    for (const bool alone : {false, true}) {
      if (alone && !running_.empty()) return nullptr;
      for (const Work& work : works_)
        for (const Job& job : work.plan.missing)
          if (job.alone == alone && !is_running(job.hash)) return &job;
    }
    return nullptr;
  }

  bool is_running(const std::string& job) const {
    return std::ranges::any_of(running_, [&](const auto& one) { return one.second.hash == job; });
  }

  /// Starts a job, with the measures of all experiments that want it.
  void start(Job job) {
    for (const Work& work : works_)
      for (const Job& same : work.plan.missing)
        for (const MeasureCall& call : same.measures)
          if (same.hash == job.hash && std::ranges::count(job.measures, call) == 0)
            job.measures.push_back(call);
    translation::make_directories(job.directory);
    if (translation::path_exists(kept_training(job.directory))) kept_.insert(job.hash);
    alone_ = job.alone;
    const pid_t parent = ::getpid(), child = ::fork();
    if (child < 0) fail("cannot start a process: {}", std::strerror(errno));
    if (child == 0) run_here(job, parent);
    running_.emplace(child, std::move(job));
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
    alone_ = false;
    std::vector<std::string> ids;
    for (const Work& work : works_)
      if (work.wants(job.hash)) ids.push_back(work.experiment.id);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
      const std::string message = read_file(message_file(job));
      remove_files(job);
      fail("experiment {}, {}: {}", fmt::join(ids, ", "), job.name,
           message.empty() ? "the process of the job was killed; perhaps memory ran out"
                           : message.substr(0, message.find_last_not_of('\n') + 1));
    }
    take(job);
    for (Work& work : works_)
      if (work.wants(job.hash)) make_plan(work);
    report(job, ids);
  }

  /// Takes what a job measured, and removes its files.
  void take(const Job& job) {
    std::vector<Line> lines = read_lines(result_file(job));
    done_minutes_ += lines.front().minutes;
    ++done_;
    if (kept_.contains(job.hash)) lines.front().minutes += store_.minutes(job.hash);
    for (const Line& line : lines) store_.add(line);
    if (!options_.keep_models) remove_files(job);
  }

  /// Removes the directory of a job, unless it had a kept model before.
  void remove_files(const Job& job) const {
    std::error_code ignored;
    if (!kept_.contains(job.hash)) std::filesystem::remove_all(job.directory, ignored);
  }

  void report(const Job& job, const std::vector<std::string>& ids) const {
    std::set<std::string> missing;
    std::size_t left = 0;
    for (const Work& work : works_) {
      left += work.plan.later;
      for (const Job& one : work.plan.missing) missing.insert(one.hash);
    }
    left += missing.size();
    options_.report(fmt::format(
        "{}  {}: {:.0f} s; {} left, about {:.0f} min", fmt::join(ids, ", "), job.name,
        store_.minutes(job.hash) * 60, translation::counted(to_index(left), "job"),
        done_minutes_ / static_cast<double>(done_) * static_cast<double>(left) / options_.side_by_side));
  }

  /// Ends all processes. Returns false.
  bool end_all() {
    for (const auto& [child, job] : running_) ::kill(child, SIGKILL);
    for (const auto& [child, job] : running_) {
      ::waitpid(child, nullptr, 0);
      remove_files(job);
    }
    running_.clear();
    return false;
  }

  const RunOptions& options_;
  std::vector<Work> works_;
  Store store_;
  std::map<pid_t, Job> running_;
  std::set<std::string> kept_;  ///< jobs whose models were there before
  bool alone_ = false;          ///< such a job runs
  std::size_t done_ = 0;
  double done_minutes_ = 0;
};

}  // namespace

bool run_jobs(const std::vector<Experiment>& experiments, const RunOptions& options) {
  const PlanOptions& of = options.plan;
  const Index last = of.first_seed + std::max<Index>(of.seeds, 1) - 1;
  for (const Index seed : tuning_seeds)
    if (of.first_seed <= seed && seed <= last)
      fail("seed {} belongs to the tuning; begin at 1, 101, 201 and so on", seed);
  translation::make_directories(options.directory);
  const translation::DirectoryLock lock(options.directory);
  return Runner(experiments, options).run();
}

}  // namespace regard::experiments
