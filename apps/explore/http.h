#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace regard::explore {

/// The part of a request before its body.
struct HttpHead {
  std::string method, path;
  std::string host, origin;  ///< the headers; empty if missing
  std::string fetch_site;    ///< the header Sec-Fetch-Site, with which a browser tells who asks
  std::string content_type;
  std::optional<std::uint64_t> content_length;
};

struct HttpReply {
  int status = 200;
  std::string type;
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers = {};
};

/// The content of a server. Several threads call its functions.
class HttpSite {
 public:
  virtual ~HttpSite() = default;

  /// Returns a reply if the request is refused. Called before the body is read.
  virtual std::optional<HttpReply> refusal(const HttpHead& head) = 0;
  virtual HttpReply answer(const HttpHead& head, const std::string& body) = 0;
};

/// A server that listens as long as it exists. Its end waits for the requests that are being answered.
class HttpServer {
 public:
  virtual ~HttpServer() = default;
  virtual int port() const = 0;
};

struct HttpSettings {
  std::string address;
  int port;  ///< 0: any free port
};

/// Begins to listen. Returns null if another program uses the port. Throws Error if the address cannot be
/// used, or if the program was built without the library for servers. The site must outlive the server.
std::unique_ptr<HttpServer> listen_http(const HttpSettings& settings, HttpSite& site);

// What the module with the server (http_module.cpp) offers to http.cpp: listen_http without the unique_ptr.
using ListenFunction = HttpServer*(const HttpSettings& settings, HttpSite& site);
inline constexpr const char* listen_function = "regard_listen_http";

}  // namespace regard::explore
