#include "apps/explore/deadlines.h"

#include <filesystem>
#include <fmt/format.h>
#include <netdb.h>
#include <optional>
#include <sys/socket.h>
#include <vector>

namespace regard::explore {

namespace {

constexpr std::chrono::seconds time_to_ask{10}, time_to_fetch{60};
constexpr std::chrono::milliseconds pause{500};

struct Peer {
  std::string address;
  int port;
};

/// One end of a socket; nothing if the descriptor is no connection.
std::optional<Peer> end_of(int descriptor, decltype(::getpeername)* which) {
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;
  auto* const name = reinterpret_cast<sockaddr*>(&storage);
  if (which(descriptor, name, &size) != 0) return std::nullopt;
  char host[NI_MAXHOST] = "", port[NI_MAXSERV] = "";
  if (::getnameinfo(name, size, host, sizeof host, port, sizeof port, NI_NUMERICHOST | NI_NUMERICSERV) != 0)
    return std::nullopt;
  return Peer{host, std::stoi(port)};
}

std::vector<int> open_descriptors() {
  std::vector<int> descriptors;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", ignored))
    descriptors.push_back(std::stoi(entry.path().filename().string()));
  return descriptors;
}

std::string name_of(const Peer& client) { return fmt::format("{} {}", client.address, client.port); }

}  // namespace

Deadlines::~Deadlines() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  end_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Deadlines::watch(int port) {
  thread_ = std::thread([this, port] {
    std::unique_lock lock(mutex_);
    while (!end_.wait_for(lock, pause, [&] { return ended_; })) close_late(port);
  });
}

void Deadlines::close_late(int port) {
  const Clock::time_point now = Clock::now();
  std::map<std::string, Clock::time_point> present;
  for (const int descriptor : open_descriptors()) {
    const std::optional<Peer> client = end_of(descriptor, ::getpeername);
    if (!client) continue;
    if (const auto own = end_of(descriptor, ::getsockname); !own || own->port != port) continue;
    const auto known = deadlines_.find(name_of(*client));
    const Clock::time_point deadline = known == deadlines_.end() ? now + time_to_ask : known->second;
    present.emplace(name_of(*client), deadline);
    if (deadline < now) ::shutdown(descriptor, SHUT_RDWR);
  }
  deadlines_ = std::move(present);
}

Deadlines::Answering::Answering(Deadlines& deadlines, const std::string& address, int port)
    : deadlines_(deadlines), client_(name_of({address, port})) {
  const std::lock_guard lock(deadlines_.mutex_);
  deadlines_.deadlines_[client_] = Clock::time_point::max();
}

Deadlines::Answering::~Answering() {
  const std::lock_guard lock(deadlines_.mutex_);
  deadlines_.deadlines_[client_] = Clock::now() + time_to_fetch;
}

}  // namespace regard::explore
