#include "apps/explore/one_at_a_time.h"

#include <chrono>
#include <utility>

namespace regard::explore {

namespace {
constexpr std::size_t most_waiting = 16;
}

bool OneAtATime::submit(Work work) {
  std::unique_lock lock(mutex_);
  if (closed_ || waiting_.size() >= most_waiting) return false;
  const auto job = std::make_shared<Job>(Job{std::move(work)});
  waiting_.push_back(job);
  arrived_.notify_one();
  finished_.wait(lock, [&] { return job->state != Job::State::waiting; });
  return job->state == Job::State::done;
}

void OneAtATime::run(const std::function<bool()>& stop) {
  constexpr std::chrono::milliseconds pause{100};
  std::unique_lock lock(mutex_);
  while (!stop()) {
    if (!arrived_.wait_for(lock, pause, [&] { return !waiting_.empty(); })) continue;
    const std::shared_ptr<Job> job = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    job->work();
    lock.lock();
    job->state = Job::State::done;
    finished_.notify_all();
  }
}

void OneAtATime::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  for (const std::shared_ptr<Job>& job : waiting_) job->state = Job::State::refused;
  waiting_.clear();
  finished_.notify_all();
}

}  // namespace regard::explore
