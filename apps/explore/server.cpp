// The server. This is the only file that includes GNU libmicrohttpd.
#include "apps/explore/server.h"

#include "autograd/machine/error.h"
#include "autograd/machine/shared_library.h"

#ifndef REGARD_HAS_SERVER

void regard::explore::serve(Explorer&, const ServerSettings&) {
  fail(
      "cannot serve a page: this program was built without libmicrohttpd; install libmicrohttpd-dev and "
      "build "
      "regard again");
}

#else

#include <atomic>
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
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace regard::explore {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int most_waiting = 16;                     // for the model; the others are refused
constexpr unsigned most_connections = 500;           // the others wait
constexpr std::size_t connection_memory = 32 << 10;  // for the head of a request; longer ones are refused
constexpr std::size_t most_body_bytes = 64 << 20;    // of all requests together
constexpr std::chrono::seconds time_to_ask{10}, time_to_fetch{60};

/// The functions of libmicrohttpd. The program does not link with it: the library loads GnuTLS, and each
/// command would start 2 ms later.
class Library {
 private:
  template <class Function>
  Function* find(const char* name) const {
    Function* const function = file_.find<Function>(name);
    if (function == nullptr)
      fail("cannot serve a page: {}; install libmicrohttpd-dev",
           file_.loaded() ? fmt::format("the library has no {}", name) : file_.fault());
    return function;
  }
  SharedLibrary file_{"libmicrohttpd.so.12"};

 protected:
#define REGARD_FUNCTION(name) decltype(::name)* const name = find<decltype(::name)>(#name)
  REGARD_FUNCTION(MHD_start_daemon);
  REGARD_FUNCTION(MHD_run_wait);
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
  HttpHead head;
  std::string body = {};
  std::optional<HttpReply> reply = {};
};

/// All functions of the library, and so all callbacks, run in the thread of run(). The threads that compute
/// call only MHD_resume_connection.
class Server : Library {
 public:
  /// Takes over a socket that listens.
  Server(Explorer& explorer, const ServerSettings& settings, int socket)
      : explorer_(explorer), address_(settings.address), token_(settings.token) {
    daemon_ = MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, nullptr, nullptr, on_request,
                               this, MHD_OPTION_LISTEN_SOCKET, socket, MHD_OPTION_CONNECTION_LIMIT,
                               most_connections, MHD_OPTION_CONNECTION_MEMORY_LIMIT, connection_memory,
                               MHD_OPTION_NOTIFY_CONNECTION, on_connection, this, MHD_OPTION_NOTIFY_COMPLETED,
                               on_completion, this, MHD_OPTION_END);
    if (daemon_ == nullptr) fail("cannot serve a page: {}", std::strerror(errno));
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server() { MHD_stop_daemon(daemon_); }

  int port() const { return MHD_get_daemon_info(daemon_, MHD_DAEMON_INFO_BIND_PORT)->port; }

  void run(const std::function<bool()>& stop) {
    constexpr int pause = 100;  // milliseconds
    while (!stop()) {
      MHD_run_wait(daemon_, pause);
      for (const auto& [connection, deadline] : deadlines_)
        if (deadline < Clock::now())
          ::shutdown(MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd,
                     SHUT_RDWR);
    }
    if (computations_ > 0) std::quick_exit(0);
  }

 private:
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
    if (exchange) static_cast<Server*>(server)->body_bytes_ -= exchange->body.size();
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

  MHD_Result begin(MHD_Connection* connection, HttpHead head, void** state) {
    const std::optional<HttpReply> refused = refusal(head, address_, token_);
    *state = new Exchange{std::move(head)};
    return refused ? send(connection, *refused) : MHD_YES;
  }

  MHD_Result answer(MHD_Connection* connection, Exchange& exchange) {
    const auto compute = [&] { exchange.reply = explore::answer(explorer_, exchange.head, exchange.body); };
    if (!exchange.reply && !needs_model(exchange.head)) compute();
    if (exchange.reply) return send(connection, *exchange.reply);
    if (computations_ > most_waiting) return send(connection, too_many_requests());
    ++computations_;
    deadlines_[connection] = Clock::time_point::max();
    MHD_suspend_connection(connection);
    std::thread([this, connection, compute] {
      {
        const std::lock_guard one_at_a_time(computing_);  // it uses the model and all processors
        compute();
      }
      MHD_resume_connection(connection);
      --computations_;  // the last, because then the server may end
    }).detach();
    return MHD_YES;
  }

  MHD_Result send(MHD_Connection* connection, const HttpReply& reply) {
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

  HttpHead head_of(MHD_Connection* connection, const char* method, const char* path) const {
    const auto header = [&](const char* name) { return value_of(connection, MHD_HEADER_KIND, name); };
    const auto text = [&](const char* name) { return header(name).value_or(""); };
    HttpHead head{.method = method,
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

  Explorer& explorer_;
  std::string address_, token_;
  std::map<MHD_Connection*, Clock::time_point> deadlines_;  ///< when a connection is closed
  std::size_t body_bytes_ = 0;                              ///< of the requests that are not answered yet
  MHD_Daemon* daemon_;
  std::mutex computing_;
  std::atomic<int> computations_ = 0;  ///< that run or wait
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

void serve(Explorer& explorer, const ServerSettings& settings) {
  for (int port = settings.first_port; port <= settings.last_port; ++port) {
    const std::optional<int> socket = listening_socket(settings.address, port);
    if (!socket) continue;
    Server server(explorer, settings, *socket);
    settings.listens(server.port());
    return server.run(settings.stop);
  }
  if (settings.first_port == settings.last_port)
    fail("another program uses port {} of {}; give another --port, or none for the next free one",
         settings.first_port, settings.address);
  fail("other programs use the ports {} to {} of {}; give a --port", settings.first_port, settings.last_port,
       settings.address);
}

}  // namespace regard::explore

#endif
