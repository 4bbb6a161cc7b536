// The server, as a module (http.cpp). This is the only file that includes cpp-httplib.
#include <cerrno>
#include <cstring>
#include <exception>
#include <fmt/format.h>
#include <httplib.h>
#include <thread>

#include "apps/explore/deadlines.h"
#include "apps/explore/http.h"
#include "autograd/error.h"

namespace regard::explore { namespace {

constexpr std::size_t most_connections = 128;   // the others wait
constexpr std::size_t longest_body = 12 << 20;  // bytes; HttpSite::refusal refuses shorter ones
constexpr int seconds_of_silence = 2;           // in the middle of a request or of a reply

std::optional<std::uint64_t> content_length(const httplib::Request& request) {
  if (!request.has_header("Content-Length")) return std::nullopt;
  return request.get_header_value<std::uint64_t>("Content-Length");
}

HttpHead head_of(const httplib::Request& request) {
  HttpHead head{request.method,
                request.path,
                request.get_header_value("Host"),
                request.get_header_value("Origin"),
                request.get_header_value("Sec-Fetch-Site"),
                request.get_header_value("Content-Type"),
                content_length(request)};
  // A length that is not there in advance cannot be refused in advance.
  if (request.has_header("Transfer-Encoding")) head.content_length.reset();
  return head;
}

void write(HttpReply reply, httplib::Response& response) {
  response.status = reply.status;
  for (const auto& [name, value] : reply.headers) response.set_header(name.c_str(), value);
  // A plain body would be compressed, which takes longer than to send it to the same machine.
  const std::size_t size = reply.body.size();
  if (size == 0) return;
  response.set_content_provider(
      size, reply.type,
      [body = std::move(reply.body)](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
        return sink.write(body.data() + offset, length);
      });
}

class Server : public HttpServer {
 public:
  explicit Server(HttpSite& site) : site_(site) {
    server_.new_task_queue = [] { return new httplib::ThreadPool(most_connections); };
    // The library's own option lets two programs listen on one port.
    server_.set_socket_options([this](socket_t socket) {
      listening_ = socket;
      const int yes = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    server_.set_keep_alive_max_count(1);
    server_.set_read_timeout(seconds_of_silence);
    server_.set_write_timeout(seconds_of_silence);
    server_.set_payload_max_length(longest_body);
    server_.set_expect_100_continue_handler(
        [this](const httplib::Request& request, httplib::Response& response) {
          return refuse(request, response) ? response.status : 100;
        });
    server_.set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      return refuse(request, response) ? httplib::Server::HandlerResponse::Handled
                                       : httplib::Server::HandlerResponse::Unhandled;
    });
    server_.set_error_handler([](const httplib::Request&, httplib::Response& response) {
      if (response.has_header("Content-Type")) return;  // a reply of the site
      response.set_content(R"({"error":"this is not a request that the server can read"})",
                           "application/json");
    });
    const auto answer = [this](const httplib::Request& request, httplib::Response& response) {
      const Deadlines::Answering answering(deadlines_, request.remote_addr, request.remote_port);
      write(site_.answer(head_of(request), request.body), response);
    };
    server_.Get(".*", answer);
    server_.Post(".*", answer);
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server() override {
    if (!thread_.joinable()) return;
    server_.stop();
    thread_.join();
  }

  /// Returns false if another program uses the port.
  bool listen(const HttpSettings& settings) {
    errno = 0;
    port_ = settings.port;
    const bool bound = settings.port == 0 ? (port_ = server_.bind_to_any_port(settings.address)) > 0
                                          : server_.bind_to_port(settings.address, settings.port);
    if (!bound && errno == EADDRINUSE) return false;
    if (!bound)
      fail("cannot listen on {}, port {}: {}", settings.address, settings.port,
           errno == 0 ? "this is not an address of this machine" : std::strerror(errno));
    // The library lets 5 connections wait. A sixth would try again only after a second.
    ::listen(listening_, SOMAXCONN);
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();
    deadlines_.watch(port_);
    return true;
  }

  int port() const override { return port_; }

 private:
  bool refuse(const httplib::Request& request, httplib::Response& response) {
    std::optional<HttpReply> reply = site_.refusal(head_of(request));
    if (!reply) return false;
    write(std::move(*reply), response);
    return true;
  }

  HttpSite& site_;
  httplib::Server server_;
  Deadlines deadlines_;
  int port_ = 0;
  socket_t listening_ = INVALID_SOCKET;
  std::thread thread_;
};

}  // namespace

}  // namespace regard::explore

extern "C" {

// http.cpp finds this function by its name. Both sides are built by one compiler, so C++ types may pass.
regard::explore::HttpServer* regard_listen_http(const regard::explore::HttpSettings& settings,
                                                regard::explore::HttpSite& site) {
  auto server = std::make_unique<regard::explore::Server>(site);
  return server->listen(settings) ? server.release() : nullptr;
}
}
