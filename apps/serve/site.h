#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "apps/http/http.h"
#include "apps/serve/fields.h"
#include "apps/serve/queue.h"

namespace regard::serve {

struct SiteSettings {
  std::string api_key = {};              ///< that a request needs; empty: none
  std::size_t most_characters = 20'000;  ///< of one request, in bytes
  Queue::Limits queue = {};
};

/// The replies, in LibreTranslate's form:
///   POST /translate   {"q": text or list, "source", "target", "format": "text" or "html", "api_key"}
///   GET or POST /languages   [{"code", "name", "targets"}, ...]
///   GET /health   {"status": "ok"}
/// A page of another site may not ask (its Origin is not this Host).
class TranslateSite : public http::Site {
 public:
  TranslateSite(std::vector<Model>& models, const SiteSettings& settings)
      : models_(models), settings_(settings), queue_(settings.queue) {}

  std::optional<http::Reply> refusal(const http::Head& head) override;
  void answer(const http::Head& head, const std::string& body, const Done& done) override;

 private:
  void translate(Fields fields, const Done& done);
  Model& model_for(const Fields& fields) const;

  std::vector<Model>& models_;
  SiteSettings settings_;
  Queue queue_;
};

}  // namespace regard::serve
