#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace regard::explore {

/// Does work in a thread of its own, one piece after another: all processors compute one request, and the
/// threads of OpenMP exist once.
class Worker {
 public:
  Worker() : thread_([this] { run(); }) {}
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Waits for the piece that is being done, and forgets the others.
  ~Worker() {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  /// Returns false, and forgets the work, if too many pieces wait. The work must not throw.
  bool add(std::function<void()> work) {
    constexpr std::size_t most_waiting = 16;
    const std::lock_guard lock(mutex_);
    if (waiting_.size() >= most_waiting) return false;
    waiting_.push_back(std::move(work));
    changed_.notify_all();
    return true;
  }

  /// True if everything was done.
  bool idle() {
    const std::lock_guard lock(mutex_);
    return waiting_.empty() && !working_;
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return ended_ || !waiting_.empty(); });
      if (ended_) return;
      const std::function<void()> work = std::move(waiting_.front());
      waiting_.pop_front();
      working_ = true;
      lock.unlock();
      work();
      lock.lock();
      working_ = false;
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  bool working_ = false, ended_ = false;
  std::thread thread_;  // the last member, because it uses the others
};

}  // namespace regard::explore
