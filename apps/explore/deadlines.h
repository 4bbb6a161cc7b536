#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <thread>

namespace regard::explore {

/// Closes connections of a server that take too long. cpp-httplib limits only the time between two bytes, so
/// a client that sends one byte per second would hold its connection for hours. A thread of this class looks
/// through the open sockets of the program.
class Deadlines {
 public:
  Deadlines() = default;
  Deadlines(const Deadlines&) = delete;
  Deadlines& operator=(const Deadlines&) = delete;
  ~Deadlines();

  /// Begins to watch the connections that came in on this port.
  void watch(int port);

  /// While this object exists, the request of a client is being answered, and its connection has no deadline.
  class Answering {
   public:
    Answering(Deadlines& deadlines, const std::string& address, int port);
    Answering(const Answering&) = delete;
    Answering& operator=(const Answering&) = delete;
    ~Answering();

   private:
    Deadlines& deadlines_;
    std::string client_;
  };

 private:
  using Clock = std::chrono::steady_clock;

  void close_late(int port);

  std::mutex mutex_;
  std::condition_variable end_;
  bool ended_ = false;
  std::map<std::string, Clock::time_point> deadlines_;  ///< of each client, "address port"
  std::thread thread_;
};

}  // namespace regard::explore
