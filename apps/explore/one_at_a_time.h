#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>

namespace regard::explore {

/// Does the work of many threads in one thread, one piece after another: all processors compute one request,
/// and the threads of OpenMP exist once.
class OneAtATime {
 public:
  using Work = std::function<void()>;

  /// Waits until `work` was done in the thread of run(). Returns false, and does nothing, if too many pieces
  /// of work wait already or close() was called. `work` must not throw.
  bool submit(Work work);

  /// Does the work that arrives until `stop` returns true. It asks after each piece of work, and a few times
  /// per second.
  void run(const std::function<bool()>& stop);

  /// Refuses all work from now on, also the work that waits.
  void close();

 private:
  struct Job {
    Work work;
    enum class State { waiting, done, refused } state = State::waiting;
  };

  std::mutex mutex_;
  std::condition_variable arrived_, finished_;
  std::deque<std::shared_ptr<Job>> waiting_;
  bool closed_ = false;
};

}  // namespace regard::explore
