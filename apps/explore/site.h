#pragma once

#include <mutex>
#include <string>

#include "apps/explore/explorer.h"
#include "apps/explore/http.h"
#include "apps/explore/one_at_a_time.h"

namespace regard::explore {

/// The page and the replies to its questions:
///   GET /   GET /api/model   GET /api/runs   POST /api/translate   POST /api/head_importance
/// Only the page itself gets replies. Pages of other sites in the same browser are refused: by Origin and
/// Sec-Fetch-Site, which the browser tells; and by Host, because a site can let its own name lead to this
/// machine (DNS rebinding). A question has to be JSON by its Content-Type, which a form of another site
/// cannot send.
class Site : public HttpSite {
 public:
  /// `address` is where the server listens. `work` computes the replies; both must outlive the site.
  Site(Explorer& explorer, OneAtATime& work, std::string address)
      : explorer_(explorer), work_(work), address_(std::move(address)) {}

  std::optional<HttpReply> refusal(const HttpHead& head) override;
  HttpReply answer(const HttpHead& head, const std::string& body) override;

 private:
  bool is_own_host(const std::string& host) const;
  HttpReply computed(const std::function<Json()>& compute);
  HttpReply runs();

  Explorer& explorer_;
  OneAtATime& work_;
  std::string address_;
  std::mutex runs_;
};

/// A random text that marks the parts of one page (page.h).
std::string new_nonce();

}  // namespace regard::explore
