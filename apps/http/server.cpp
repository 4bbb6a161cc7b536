// The server. This is the only file that includes GNU libmicrohttpd.
#include "apps/http/http.h"
#include "autograd/machine/error.h"
#include "autograd/machine/shared_library.h"

#ifndef REGARD_HAS_SERVER

void regard::http::serve(Site&, const ServerSettings&) {
  fail(
      "cannot serve: this program was built without libmicrohttpd; install libmicrohttpd-dev and build "
      "regard again");
}

#else

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <microhttpd.h>
#include <mutex>
#include <netdb.h>
#include <optional>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace regard::http {

namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned most_connections = 500;           // the others wait
constexpr std::size_t connection_memory = 32 << 10;  // for the head of a request; longer ones are refused
constexpr std::size_t most_body_bytes = 64 << 20;    // of all requests together
constexpr std::chrono::seconds time_to_ask{10}, time_to_fetch{60};
constexpr unsigned long long longest_pause = 100;  // milliseconds

/// The functions of libmicrohttpd. The program does not link with it: the library loads GnuTLS, and each
/// command would start 2 ms later.
class Library {
 private:
  template <class Function>
  Function* find(const char* name) const {
    Function* const function = file_.find<Function>(name);
    if (function == nullptr)
      fail("cannot serve: {}; install libmicrohttpd-dev",
           file_.loaded() ? fmt::format("the library has no {}", name) : file_.fault());
    return function;
  }
  SharedLibrary file_{"libmicrohttpd.so.12"};

 protected:
#define REGARD_FUNCTION(name) decltype(::name)* const name = find<decltype(::name)>(#name)
  REGARD_FUNCTION(MHD_start_daemon);
  REGARD_FUNCTION(MHD_run);
  REGARD_FUNCTION(MHD_get_timeout);
  REGARD_FUNCTION(MHD_quiesce_daemon);
  REGARD_FUNCTION(MHD_stop_daemon);
  REGARD_FUNCTION(MHD_get_daemon_info);
  REGARD_FUNCTION(MHD_get_connection_info);
  REGARD_FUNCTION(MHD_lookup_connection_value);
  REGARD_FUNCTION(MHD_suspend_connection);
  REGARD_FUNCTION(MHD_resume_connection);
  REGARD_FUNCTION(MHD_create_response_from_buffer);
  REGARD_FUNCTION(MHD_add_response_header);
  REGARD_FUNCTION(MHD_queue_response);
  REGARD_FUNCTION(MHD_destroy_response);
#undef REGARD_FUNCTION
};

/// A request and, as soon as there is one, its reply.
struct Exchange {
  Head head;
  std::string body = {};
  bool asked = false;      ///< the site has the request
  std::mutex mutex = {};   ///< of the rest, which the site's threads change
  bool suspended = false;  ///< the connection waits for the reply
  std::optional<Reply> reply = {};
};

/// All functions of the library, and so all callbacks, run in the thread of run(). The threads of the site
/// call only MHD_resume_connection, and wake that thread (the library does so only for threads of its own).
class Server : Library {
 public:
  /// Takes over a socket that listens.
  Server(Site& site, int socket) : site_(site) {
    daemon_ = MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, nullptr, nullptr, on_request,
                               this, MHD_OPTION_LISTEN_SOCKET, socket, MHD_OPTION_CONNECTION_LIMIT,
                               most_connections, MHD_OPTION_CONNECTION_MEMORY_LIMIT, connection_memory,
                               MHD_OPTION_NOTIFY_CONNECTION, on_connection, this, MHD_OPTION_NOTIFY_COMPLETED,
                               on_completion, this, MHD_OPTION_END);
    if (daemon_ == nullptr || replies_ < 0) fail("cannot serve: {}", std::strerror(errno));
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server() {
    MHD_stop_daemon(daemon_);
    ::close(replies_);
  }

  int port() const { return MHD_get_daemon_info(daemon_, MHD_DAEMON_INFO_BIND_PORT)->port; }

  void run(const std::function<bool()>& stop, AtStop at_stop) {
    while (!stop()) turn();
    if (at_stop == AtStop::leave) {
      if (waiting_ > 0) std::quick_exit(0);
      return;
    }
    if (const MHD_socket socket = MHD_quiesce_daemon(daemon_); socket != MHD_INVALID_SOCKET) ::close(socket);
    while (exchanges_ > 0) turn();
  }

 private:
  /// Waits a moment for something to happen, and closes the connections that take too long.
  void turn() {
    unsigned long long pause = 0;  // milliseconds; none if the library has something to do
    if (MHD_get_timeout(daemon_, &pause) == MHD_NO) pause = longest_pause;
    pollfd events[]{{MHD_get_daemon_info(daemon_, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd, POLLIN, 0},
                    {replies_, POLLIN, 0}};
    ::poll(events, std::size(events), static_cast<int>(std::min(pause, longest_pause)));
    eventfd_t count = 0;
    ::eventfd_read(replies_, &count);
    MHD_run(daemon_);
    for (const auto& [connection, deadline] : deadlines_)
      if (deadline < Clock::now())
        ::shutdown(MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd,
                   SHUT_RDWR);
  }

  static void on_connection(void* server, MHD_Connection* connection, void**,
                            MHD_ConnectionNotificationCode code) {
    auto& deadlines = static_cast<Server*>(server)->deadlines_;
    if (code == MHD_CONNECTION_NOTIFY_STARTED)
      deadlines[connection] = Clock::now() + time_to_ask;
    else
      deadlines.erase(connection);
  }

  static void on_completion(void* server, MHD_Connection*, void** state, MHD_RequestTerminationCode) {
    const std::unique_ptr<Exchange> exchange(static_cast<Exchange*>(*state));
    Server& self = *static_cast<Server*>(server);
    if (!exchange) return;
    { const std::lock_guard lock(exchange->mutex); }  // who has replied may still hold it
    self.body_bytes_ -= exchange->body.size();
    --self.exchanges_;
  }

  /// Called when the head of a request has arrived, then for each part of its body, then at its end, and
  /// after each suspension. MHD_NO closes the connection.
  static MHD_Result on_request(void* server, MHD_Connection* connection, const char* path, const char* method,
                               const char*, const char* data, std::size_t* size, void** state) {
    Server& self = *static_cast<Server*>(server);
    try {
      if (*state == nullptr) return self.begin(connection, self.head_of(connection, method, path), state);
      Exchange& exchange = *static_cast<Exchange*>(*state);
      if (*size == 0) return self.answer(connection, exchange);
      if (self.body_bytes_ + *size > most_body_bytes) return MHD_NO;
      exchange.body.append(data, *size);
      self.body_bytes_ += std::exchange(*size, 0);
      return MHD_YES;
    } catch (const std::exception&) {  // no memory
      return MHD_NO;
    }
  }

  MHD_Result begin(MHD_Connection* connection, Head head, void** state) {
    const std::optional<Reply> refused = site_.refusal(head);
    *state = new Exchange{.head = std::move(head)};
    ++exchanges_;
    return refused ? send(connection, *refused) : MHD_YES;
  }

  /// Gives the request to the site, which may reply at once. Otherwise the connection is suspended until it
  /// does.
  MHD_Result answer(MHD_Connection* connection, Exchange& exchange) {
    if (!exchange.asked) {
      exchange.asked = true;
      site_.answer(exchange.head, exchange.body, [this, connection, &exchange](Reply reply) {
        const std::lock_guard lock(exchange.mutex);
        exchange.reply = std::move(reply);
        if (!exchange.suspended) return;
        MHD_resume_connection(connection);
        ::eventfd_write(replies_, 1);
      });
    }
    const std::lock_guard lock(exchange.mutex);
    if (exchange.reply) {
      if (exchange.suspended) --waiting_;
      return send(connection, *exchange.reply);
    }
    ++waiting_;
    deadlines_[connection] = Clock::time_point::max();
    exchange.suspended = true;
    MHD_suspend_connection(connection);
    return MHD_YES;
  }

  MHD_Result send(MHD_Connection* connection, const Reply& reply) {
    MHD_Response* const response = MHD_create_response_from_buffer(
        reply.body.size(), const_cast<char*>(reply.body.data()), MHD_RESPMEM_MUST_COPY);
    if (response == nullptr) return MHD_NO;
    for (const auto& [name, value] : reply.headers)
      MHD_add_response_header(response, name.c_str(), value.c_str());
    MHD_add_response_header(response, "Connection", "close");
    const MHD_Result result = MHD_queue_response(connection, static_cast<unsigned>(reply.status), response);
    MHD_destroy_response(response);
    deadlines_[connection] = Clock::now() + time_to_fetch;
    return result;
  }

  /// The value of a header or of a part of the query, or nothing.
  std::optional<std::string> value_of(MHD_Connection* connection, MHD_ValueKind kind,
                                      const char* name) const {
    const char* const value = MHD_lookup_connection_value(connection, kind, name);
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  }

  Head head_of(MHD_Connection* connection, const char* method, const char* path) const {
    const auto header = [&](const char* name) { return value_of(connection, MHD_HEADER_KIND, name); };
    const auto text = [&](const char* name) { return header(name).value_or(""); };
    Head head{.method = method,
              .path = path,
              .token = value_of(connection, MHD_GET_ARGUMENT_KIND, "token").value_or(""),
              .host = text("Host"),
              .origin = text("Origin"),
              .fetch_site = text("Sec-Fetch-Site"),
              .content_type = text("Content-Type"),
              .content_length = {}};
    const std::string length = text("Content-Length");
    std::uint64_t bytes = 0;
    const auto [end, error] = std::from_chars(length.data(), length.data() + length.size(), bytes);
    // The length of a body in chunks is not known in advance, so it could not be refused.
    if (error == std::errc() && !header("Transfer-Encoding")) head.content_length = bytes;
    return head;
  }

  Site& site_;
  std::map<MHD_Connection*, Clock::time_point> deadlines_;  ///< when a connection is closed
  std::size_t body_bytes_ = 0;                              ///< of the requests that are not answered yet
  int exchanges_ = 0, waiting_ = 0;  ///< that are open; of these, that wait for the site
  /// Can be read when an exchange that waits has its reply.
  int replies_ = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  MHD_Daemon* daemon_;
};

/// Returns a socket that listens, or nothing if another program uses the port.
std::optional<int> listening_socket(const std::string& address, int port) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  if (::getaddrinfo(address.c_str(), std::to_string(port).c_str(), &wanted, &list) != 0)
    fail("cannot listen on {}, port {}: this is not an address of this machine", address, port);
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> found(list, ::freeaddrinfo);
  const int socket = ::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int yes = 1;  // a port that a program has just left is free
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (::bind(socket, found->ai_addr, found->ai_addrlen) == 0 && ::listen(socket, SOMAXCONN) == 0)
    return socket;
  const int error = errno;
  ::close(socket);
  if (error == EADDRINUSE) return std::nullopt;
  fail("cannot listen on {}, port {}: {}", address, port, std::strerror(error));
}

}  // namespace

void serve(Site& site, const ServerSettings& settings) {
  for (int port = settings.first_port; port <= settings.last_port; ++port) {
    const std::optional<int> socket = listening_socket(settings.address, port);
    if (!socket) continue;
    Server server(site, *socket);
    settings.listens(server.port());
    return server.run(settings.stop, settings.at_stop);
  }
  if (settings.first_port == settings.last_port)
    fail("another program uses port {} of {}; give another --port", settings.first_port, settings.address);
  fail("other programs use the ports {} to {} of {}; give a --port", settings.first_port, settings.last_port,
       settings.address);
}

}  // namespace regard::http

#endif
