#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "apps/explore/explorer.h"
#include "apps/http/http.h"

namespace regard::explore {

// The page and the replies to its requests:
//   GET /   GET /api/model   GET /api/runs   POST /api/translate   POST /api/head_importance
// Each request needs the token of the link that regard explore prints, ?token=..., because other users of
// this machine can reach the port, too. It is not in a cookie: browsers send the cookies of 127.0.0.1 to
// every port, and so to the servers of other users. Pages of other sites in the same browser are refused: by
// Origin and Sec-Fetch-Site, which the browser tells; and by Host, because a site can let its own name lead
// to this machine (DNS rebinding). A POST has to be JSON by its Content-Type, which a form of another site
// cannot send.

/// Returns a reply if the request is refused, before its body is read. `address` is where the server listens,
/// and `token` the one that a request needs.
std::optional<http::Reply> refusal(const http::Head& head, const std::string& address,
                                   const std::string& token);

/// True if the model computes the reply. It computes one reply at a time; other replies do not wait for it.
bool needs_model(const http::Head& head);

/// Answers a request that is not refused. Bad requests get a reply that says what is wrong.
http::Reply answer(Explorer& explorer, const http::Head& head, const std::string& body);

/// The page as one HTML document that needs no server. `data` is {"model", "translation", "request", "runs",
/// "plots"}: the replies of the server, and the request that the translation answers.
std::string saved_page(const Json& data);

/// The page and its replies as a site that http::serve serves at this address.
class PageSite : public http::Site {
 public:
  PageSite(Explorer& explorer, std::string address, std::string token)
      : explorer_(explorer), address_(std::move(address)), token_(std::move(token)) {}
  std::optional<http::Reply> refusal(const http::Head& head) override {
    return explore::refusal(head, address_, token_);
  }
  /// What needs the model is computed in a thread, one reply at a time; at most 16 more wait.
  void answer(const http::Head& head, const std::string& body, const Done& done) override;

 private:
  Explorer& explorer_;
  std::string address_, token_;
  std::mutex computing_;
  std::atomic<int> computations_ = 0;  ///< that run or wait
};

}  // namespace regard::explore
