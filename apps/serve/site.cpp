#include "apps/serve/site.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "apps/translation/files/json.h"
#include "apps/translation/files/utf8.h"
#include "autograd/machine/error.h"

namespace regard::serve {

namespace {

using translation::Json;

http::Reply try_again(const std::string& message) {
  http::Reply reply = http::error(503, message);
  reply.headers.emplace_back("Retry-After", "5");
  return reply;
}

Json languages(const std::vector<Model>& models) {
  // Of each source. A target without a model is a language, too.
  std::map<std::string, std::set<std::string>> targets;
  for (const Model& model : models) {
    targets[model.served.source].insert(model.served.targets.begin(), model.served.targets.end());
    for (const std::string& target : model.served.targets) targets[target];
  }
  Json list = Json::array();
  for (const auto& [code, others] : targets)
    list.push_back({{"code", code}, {"name", code}, {"targets", others}});
  return list;
}

}  // namespace

std::optional<http::Reply> TranslateSite::refusal(const http::Head& head) {
  using Methods = std::vector<std::string_view>;
  static const std::map<std::string_view, Methods> routes{
      {"/translate", {"POST"}}, {"/languages", {"GET", "POST"}}, {"/health", {"GET"}}};
  if (!head.origin.empty() && head.origin != "http://" + head.host && head.origin != "https://" + head.host)
    return http::error(403, "a page of another site may not ask");
  const auto route = routes.find(head.path);
  if (route == routes.end())
    return http::error(404, fmt::format("there is no {} here; there are /translate, /languages and /health",
                                        translation::printable(head.path)));
  const std::string method = head.method == "HEAD" ? "GET" : head.method;
  if (std::ranges::find(route->second, method) == route->second.end())
    return http::error(405, fmt::format("ask {} with {}", head.path, fmt::join(route->second, " or ")));
  if (head.path != "/translate") return std::nullopt;
  // A character may be written as six bytes: \u00e9 in JSON, %C3%A9 in a form.
  if (const auto refused = http::refusal_of_length(head, 6 * settings_.most_characters + 1000))
    return refused;
  if (!has_type(head, "application/json") && !has_type(head, "application/x-www-form-urlencoded"))
    return http::error(415,
                       "the request has to be JSON or a form, with the Content-Type application/json or "
                       "application/x-www-form-urlencoded");
  return std::nullopt;
}

void TranslateSite::answer(const http::Head& head, const std::string& body, const Done& done) {
  if (head.path == "/health") return done(http::json_reply(200, {{"status", "ok"}}));
  if (head.path == "/languages") return done(http::json_reply(200, languages(models_)));
  try {
    Fields fields = read_fields(head, body);
    if (!settings_.api_key.empty() && !http::equal_in_constant_time(fields.api_key, settings_.api_key))
      return done(http::error(403, "the request does not have the \"api_key\" of this server"));
    translate(std::move(fields), done);
  } catch (const std::exception& error) {
    done(http::error(400, error.what()));
  }
}

/// The first model for these languages. The source may be "auto" if all models for the target have the same
/// one.
Model& TranslateSite::model_for(const Fields& fields) const {
  Model* found = nullptr;
  for (Model& model : models_) {
    const bool writes = std::ranges::find(model.served.targets, fields.target) != model.served.targets.end();
    if (!writes || (fields.source != "auto" && fields.source != model.served.source)) continue;
    if (found == nullptr) found = &model;
    if (found->served.source != model.served.source)
      fail("\"source\" is auto, but this server does not find out languages; give {} or {}",
           found->served.source, model.served.source);
  }
  if (found == nullptr)
    fail("there is no model from the \"source\" {} to the \"target\" {}; /languages lists what there is",
         translation::printable(fields.source), translation::printable(fields.target));
  return *found;
}

void TranslateSite::translate(Fields fields, const Done& done) {
  std::size_t characters = 0;
  for (const std::string& text : fields.q) characters += text.size();
  if (characters > settings_.most_characters)
    return done(http::error(413, fmt::format("\"q\" has {} bytes of text; send at most {}", characters,
                                             settings_.most_characters)));
  if (fields.format != "text" && fields.format != "html")
    fail("\"format\" is \"{}\"; give text or html", translation::printable(fields.format));
  if (fields.source.empty() || fields.target.empty())
    fail("\"{}\" is missing; give the code of a language", fields.source.empty() ? "source" : "target");
  Model& model = model_for(fields);
  const bool is_list = fields.is_list, is_auto = fields.source == "auto";
  const auto reply = [done, is_list, is_auto, source = model.served.source](Job::Result result) {
    if (result.status == 503) return done(try_again(result.error));
    if (!result.error.empty()) return done(http::error(result.status, result.error));
    Json json;
    if (is_auto) json["detectedLanguage"] = {{"confidence", 0}, {"language", source}};
    if (is_list)
      json["translatedText"] = result.translations;
    else
      json["translatedText"] = result.translations.front();
    done(http::json_reply(200, json));
  };
  if (!queue_.add({.model = &model,
                   .target = fields.target,
                   .html = fields.format == "html",
                   .texts = std::move(fields.q),
                   .done = reply}))
    done(try_again("too many requests are waiting"));
}

}  // namespace regard::serve
