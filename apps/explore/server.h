#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/explore/explorer.h"

namespace regard::explore {

// The page and the replies to its requests (site.cpp), and the server (server.cpp):
//   GET /   GET /api/model   GET /api/runs   POST /api/translate   POST /api/head_importance
// Each request needs the token of the link that regard explore prints, ?token=..., because other users of
// this machine can reach the port, too. It is not in a cookie: browsers send the cookies of 127.0.0.1 to
// every port, and so to the servers of other users. Pages of other sites in the same browser are refused: by
// Origin and Sec-Fetch-Site, which the browser tells; and by Host, because a site can let its own name lead
// to this machine (DNS rebinding). A POST has to be JSON by its Content-Type, which a form of another site
// cannot send.

/// The part of a request before its body.
struct HttpHead {
  std::string method, path;
  std::string token;         ///< of the query; empty if missing
  std::string host, origin;  ///< the headers; empty if missing
  std::string fetch_site;    ///< the header Sec-Fetch-Site, with which a browser tells who asks
  std::string content_type;
  std::optional<std::uint64_t> content_length;
};

struct HttpReply {
  int status = 200;
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers = {};
};

/// 128 bits from the random source of the system, as 32 hexadecimal digits.
std::string new_secret();

/// Returns a reply if the request is refused, before its body is read. `address` is where the server listens,
/// and `token` the one that a request needs.
std::optional<HttpReply> refusal(const HttpHead& head, const std::string& address, const std::string& token);

/// True if the model computes the reply. It computes one reply at a time; other replies do not wait for it.
bool needs_model(const HttpHead& head);

/// Answers a request that is not refused. Bad requests get a reply that says what is wrong.
HttpReply answer(Explorer& explorer, const HttpHead& head, const std::string& body);

HttpReply too_many_requests();

/// The page as one HTML document that needs no server. `data` is {"model", "translation", "request", "runs",
/// "plots"}: the replies of the server, and the request that the translation answers.
std::string saved_page(const Json& data);

struct ServerSettings {
  std::string address, token;
  int first_port, last_port;         ///< the first one that is free is used; 0: any
  std::function<void(int)> listens;  ///< called with the port as soon as requests can arrive
  std::function<bool()> stop;        ///< called a few times per second
};

/// Answers requests until `stop` returns true. If a reply is being computed then, which may take
/// minutes, the program ends at once with exit code 0. Throws Error if it cannot listen, or if the library
/// for servers is missing.
void serve(Explorer& explorer, const ServerSettings& settings);

}  // namespace regard::explore
