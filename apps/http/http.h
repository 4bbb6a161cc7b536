#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// A small HTTP server on GNU libmicrohttpd, and what a site needs to answer requests.

namespace regard::http {

/// The part of a request before its body.
struct Head {
  std::string method, path;
  std::string token;         ///< of the query, ?token=...; empty if missing
  std::string host, origin;  ///< the headers; empty if missing
  std::string fetch_site;    ///< the header Sec-Fetch-Site, with which a browser tells who asks
  std::string content_type;
  std::optional<std::uint64_t> content_length;
};

struct Reply {
  int status = 200;
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers = {};
};

/// What a server answers. The functions are called by the thread of serve().
class Site {
 public:
  virtual ~Site() = default;
  /// A reply if the request is refused before its body is read.
  virtual std::optional<Reply> refusal(const Head& head) = 0;
  /// Calls `done` once: at once, or later from any thread. Bad requests get a reply that says what is wrong.
  using Done = std::function<void(Reply)>;
  virtual void answer(const Head& head, const std::string& body, const Done& done) = 0;
};

/// What happens to requests that have no reply yet when the server stops.
enum class AtStop {
  leave,  ///< the program ends at once with exit code 0
  finish  ///< they get their replies; no others are taken
};

struct ServerSettings {
  std::string address;
  int first_port, last_port;         ///< the first one that is free is used; 0: any
  std::function<void(int)> listens;  ///< called with the port as soon as requests can arrive
  std::function<bool()> stop;        ///< called a few times per second
  AtStop at_stop = AtStop::leave;
};

/// Answers requests until `stop` returns true. At most 500 connections are served at once, and all bodies
/// together have at most 64 MiB. A connection that has not sent its request after 10 seconds, or not fetched
/// the reply after 60, is closed. Throws Error if it cannot listen, or if the library for servers is missing.
void serve(Site& site, const ServerSettings& settings);

/// 128 bits from the random source of the system, as 32 hexadecimal digits.
std::string new_secret();

/// Takes the same time wherever the first difference is, so that nobody can find a secret digit by digit.
bool equal_in_constant_time(const std::string& one, const std::string& other);

/// {"error": message} with this status.
Reply error(int status, const std::string& message);

/// A reply in JSON. Browsers neither store it nor guess another type.
Reply json_reply(int status, const nlohmann::ordered_json& json);

/// Refuses a body whose length is not known, or that has more bytes than `most`.
std::optional<Reply> refusal_of_length(const Head& head, std::uint64_t most);

}  // namespace regard::http
