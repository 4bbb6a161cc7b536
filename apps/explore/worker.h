#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace regard::explore {

/// Does work in a thread of its own, one piece after another: all processors compute one request, and the
/// threads of OpenMP exist once.
class Worker {
 public:
  Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker();  ///< waits for the piece that is being done, and forgets the others

  /// Returns false, and forgets the work, if too many pieces wait. The work must not throw.
  bool add(std::function<void()> work);
  /// True if everything was done.
  bool idle();

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  bool working_ = false, ended_ = false;
  std::thread thread_;  // the last member, because it uses the others
};

}  // namespace regard::explore
