#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "apps/documents/document.h"
#include "apps/serve/languages.h"
#include "apps/translation/translator/translator.h"

namespace regard::serve {

/// A model that is loaded, and how it searches.
struct Model {
  Served served;
  std::shared_ptr<translation::Translator> translator;
  transformer::SearchOptions options;
  bool has_tags;  ///< a source begins with a word that names the target, such as >>fr<<
};

/// Texts that are translated together, and who wants to know.
struct Job {
  Model* model;
  std::string target;              ///< one of the model's targets
  bool html = false;               ///< the texts are HTML
  std::vector<std::string> texts;  ///< each is cut into sentences
  /// Called once, by the thread of the queue: with the translations, or with the sentence that says what is
  /// wrong.
  struct Result {
    std::vector<std::string> translations = {};
    std::string error = {};
    int status = 400;  ///< of an error: 400, the text is wrong; 500, the server; 503, it has waited too long
  };
  std::function<void(Result)> done;
};

/// Jobs of many clients. A thread translates texts of one model in one batch, those of the jobs with the
/// least work left first. So a long job holds up a short one for one batch at most, and when there is too
/// much to do, some jobs are finished in time and not all of them begun.
class Queue {
 public:
  struct Limits {
    std::size_t characters = 1'000'000;     ///< of all texts that wait, in bytes
    std::chrono::seconds longest_wait{60};  ///< until a job whose turn has not come is given up
    std::size_t batch_work = 8192;          ///< of the texts that are translated together, in bytes
  };
  explicit Queue(const Limits& limits);
  /// Translates what waits, and ends.
  ~Queue();
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  /// False if the limit is reached; then the job is not done.
  bool add(Job job);

 private:
  using Clock = std::chrono::steady_clock;
  struct Waiting {
    Job job;
    Clock::time_point since;
    std::size_t left;      ///< the work for its texts that are not translated yet
    std::size_t next = 0;  ///< the first of them
    Job::Result result = {};
    bool complete() const { return !result.error.empty() || next == job.texts.size(); }
  };
  /// Which text of which job.
  struct Place {
    Waiting* waiting;
    std::size_t text;
  };
  void work();
  std::vector<Place> next_batch();
  void translate(const std::vector<Place>& batch);
  void answer_complete();

  const Limits limits_;
  const documents::Boundaries boundaries_;  ///< for the thread alone
  std::mutex mutex_;                        ///< of the members below
  std::condition_variable changed_;
  std::deque<std::unique_ptr<Waiting>> waiting_;
  std::size_t characters_ = 0;
  bool ends_ = false;
  std::thread thread_;  ///< the last member: it uses the others
};

}  // namespace regard::serve
