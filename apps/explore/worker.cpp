#include "apps/explore/worker.h"

#include <utility>

namespace regard::explore {

namespace {
constexpr std::size_t most_waiting = 16;
}

Worker::Worker() : thread_([this] { run(); }) {}

Worker::~Worker() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

bool Worker::add(std::function<void()> work) {
  const std::lock_guard lock(mutex_);
  if (waiting_.size() >= most_waiting) return false;
  waiting_.push_back(std::move(work));
  changed_.notify_all();
  return true;
}

bool Worker::idle() {
  const std::lock_guard lock(mutex_);
  return waiting_.empty() && !working_;
}

void Worker::run() {
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

}  // namespace regard::explore
