#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/explore/explorer.h"

namespace regard::explore {

// The page and the replies to its requests:
//   GET /   GET /api/model   GET /api/runs   POST /api/translate   POST /api/head_importance
// Only the page itself gets replies. Pages of other sites in the same browser are refused: by Origin and
// Sec-Fetch-Site, which the browser tells; and by Host, because a site can let its own name lead to this
// machine (DNS rebinding). A POST has to be JSON by its Content-Type, which a form of another site cannot
// send.

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
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers = {};
};

/// Returns a reply if the request is refused, before its body is read. `address` is where the server listens.
std::optional<HttpReply> refusal(const HttpHead& head, const std::string& address);

/// True if the model computes the reply. It computes one reply at a time; other replies do not wait for it.
bool needs_model(const HttpHead& head);

/// Answers a request that is not refused. Bad requests get a reply that says what is wrong.
HttpReply answer(Explorer& explorer, const HttpHead& head, const std::string& body);

HttpReply too_many_requests();

/// A random text that marks the parts of one page (page.h).
std::string new_nonce();

}  // namespace regard::explore
