#include "apps/explore/site.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <fmt/format.h>
#include <functional>
#include <iterator>
#include <new>
#include <nlohmann/json.hpp>
#include <string_view>
#include <thread>

#include "apps/plots/plots.h"
#include "apps/translation/files/utf8.h"
#include "autograd/machine/error.h"

namespace regard::explore {

namespace {

/// The files of page/ as one document, which the build writes.
constexpr unsigned char document[] = {
#include "page_document.inc"
};

constexpr std::uint64_t longest_body = 12 << 20;  // bytes; a photo fits

struct Route {
  std::string_view method, path;
  bool needs_model = true;
};
constexpr std::array routes{Route{"GET", "/", false}, Route{"GET", "/api/model"},
                            Route{"GET", "/api/runs", false}, Route{"POST", "/api/translate"},
                            Route{"POST", "/api/head_importance"}};

const Route* route_of(const http::Head& head) {
  const auto* const route = std::ranges::find(routes, head.path, &Route::path);
  return route == routes.end() ? nullptr : route;
}

/// "localhost" of "localhost:8642", "::1" of "[::1]:8642". Empty if the host has another form.
std::string without_port(const std::string& host) {
  const std::size_t begin = host.starts_with('[') ? 1 : 0;
  const std::size_t end = begin == 1 ? host.find(']') : std::min(host.find(':'), host.size());
  if (end == std::string::npos) return "";
  const std::string name = host.substr(begin, end - begin), port = host.substr(end + begin);
  const bool is_port =
      port.empty() || (port[0] == ':' && port.find_first_not_of("0123456789", 1) == std::string::npos);
  const bool is_version_6 = name.find(':') != std::string::npos;
  return is_port && is_version_6 == (begin == 1) ? name : "";
}

bool is_number_address(const std::string& name) {
  std::array<unsigned char, 16> bytes{};
  return ::inet_pton(AF_INET, name.c_str(), bytes.data()) == 1 ||
         ::inet_pton(AF_INET6, name.c_str(), bytes.data()) == 1;
}

/// A name other than localhost could be that of another site. A number cannot, and if the server listens
/// on all addresses, each of their numbers is its own.
bool is_own_host(const std::string& host, const std::string& address) {
  const std::string name = without_port(host);
  if (name == "localhost" || name == address) return true;
  return (address == "0.0.0.0" || address == "::") && is_number_address(name);
}

/// Replaces every occurrence of a mark such as @NONCE@.
void replace(std::string& text, std::string_view mark, std::string_view by) {
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + by.size()))
    text.replace(at, mark.size(), by);
}

/// JSON that cannot end the element <script> around it: "</script>" and "<!--" lose their "<".
std::string data_text(const Json& data) {
  std::string text = data.dump(-1, ' ', false, Json::error_handler_t::replace);
  replace(text, "<", "\\u003c");
  return text;
}

std::string content_security_policy(std::string_view nonce) {
  return fmt::format(
      "default-src 'none'; script-src 'nonce-{0}'; style-src 'nonce-{0}'; img-src data: blob:; "
      "connect-src 'self'; base-uri 'none'; form-action 'none'",
      nonce);
}

/// The page. `data` is null if a server answers its requests. The nonce marks the style and the script of
/// this document for the Content-Security-Policy.
std::string page(const Json& data, std::string_view nonce) {
  std::string text(std::begin(document), std::end(document));
  replace(text, "@POLICY@", content_security_policy(nonce));
  replace(text, "@NONCE@", nonce);
  replace(text, "@PLOTS@", pictures::plots_style());
  replace(text, "@DATA@", data_text(data));  // the last, so that nothing in the data is taken for a mark
  return text;
}

http::Reply page_reply() {
  const std::string nonce = http::new_secret();
  return {
      .body = page(nullptr, nonce),
      .headers = {{"Content-Type", "text/html; charset=utf-8"},
                  {"Content-Security-Policy", content_security_policy(nonce) + "; frame-ancestors 'none'"},
                  {"Cache-Control", "no-store"},
                  {"X-Content-Type-Options", "nosniff"},
                  {"Referrer-Policy", "no-referrer"},
                  {"Cross-Origin-Resource-Policy", "same-origin"}}};
}

/// The reply of a computation, or the reason why there is none.
http::Reply reply_to(const std::function<Json()>& compute) {
  try {
    return http::json_reply(200, compute());
  } catch (const NoModel& failure) {
    return http::error(503, failure.what());
  } catch (const NotFinite&) {
    return http::error(503,
                       "the model computes NaN or infinity with these weights, so there is nothing to show");
  } catch (const OutOfMemory& failure) {
    return http::error(503, failure.what());
  } catch (const std::bad_alloc&) {
    return http::error(503, "there is not enough memory; try a shorter sentence or a smaller beam");
  } catch (const std::exception& failure) {
    return http::error(400, failure.what());
  }
}

/// Refuses other paths and methods, and bodies that are not JSON or too long.
std::optional<http::Reply> refusal_of_route(const http::Head& head) {
  const Route* const route = route_of(head);
  if (route == nullptr)
    return http::error(404, fmt::format("there is no {} here", translation::printable(head.path)));
  if ((head.method == "HEAD" ? "GET" : head.method) != route->method)
    return http::error(
        405, fmt::format("{} cannot be asked with {}", head.path, translation::printable(head.method)));
  if (route->method == "GET") return std::nullopt;
  if (const auto refused = http::refusal_of_length(head, longest_body)) return refused;
  if (!head.content_type.starts_with("application/json"))
    return http::error(415, "the request has to be JSON, with the Content-Type application/json");
  return std::nullopt;
}

}  // namespace

std::optional<http::Reply> refusal(const http::Head& head, const std::string& address,
                                   const std::string& token) {
  if (!is_own_host(head.host, address))
    return http::error(403,
                       fmt::format("this server is not {}; open the link that regard explore has printed",
                                   translation::printable(head.host)));
  const bool own_origin = head.origin.empty() || head.origin == "http://" + head.host;
  const bool own_page =
      head.fetch_site.empty() || head.fetch_site == "same-origin" || head.fetch_site == "none";
  // A link on another page may lead here, but that page does not get the answer.
  const bool is_link = head.path == "/" && head.method == "GET" && head.origin.empty();
  if (!own_origin || (!own_page && !is_link))
    return http::error(403, "only the page of this server may ask it");
  if (!http::equal_in_constant_time(head.token, token))
    return http::error(
        403,
        "the address does not have the token of this server; open the link that regard explore has printed");
  return refusal_of_route(head);
}

bool needs_model(const http::Head& head) { return route_of(head)->needs_model; }

http::Reply answer(Explorer& explorer, const http::Head& head, const std::string& body) {
  if (head.path == "/") return page_reply();
  return reply_to([&]() -> Json {
    if (head.path == "/api/runs") return explorer.runs();
    if (head.path == "/api/model") return explorer.model();
    if (head.path == "/api/head_importance") return explorer.head_importance();
    return explorer.translate(translation::parse_json(body, "the request"));
  });
}

std::string saved_page(const Json& data) { return page(data, http::new_secret()); }

void PageSite::answer(const http::Head& head, const std::string& body, const Done& done) {
  if (!needs_model(head)) return done(explore::answer(explorer_, head, body));
  constexpr int most_waiting = 16;
  if (computations_ > most_waiting)
    return done(http::error(503, "too many requests are waiting; try again in a moment"));
  ++computations_;
  std::thread([this, &head, &body, done] {
    http::Reply reply;
    {
      const std::lock_guard one_at_a_time(computing_);  // it uses the model and all processors
      reply = explore::answer(explorer_, head, body);
    }
    --computations_;
    done(std::move(reply));
  }).detach();
}

}  // namespace regard::explore
