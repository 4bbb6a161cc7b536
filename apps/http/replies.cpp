#include <array>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "apps/http/http.h"
#include "autograd/machine/error.h"

namespace regard::http {

std::string new_secret() {
  std::array<unsigned char, 16> bytes{};
  if (::getentropy(bytes.data(), bytes.size()) != 0)
    fail("the system gives no random bytes: {}", std::strerror(errno));
  return fmt::format("{:02x}", fmt::join(bytes, ""));
}

bool equal_in_constant_time(const std::string& one, const std::string& other) {
  if (one.size() != other.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < one.size(); ++i)
    difference |= static_cast<unsigned char>(one[i]) ^ static_cast<unsigned char>(other[i]);
  return difference == 0;
}

Reply json_reply(int status, const nlohmann::ordered_json& json) {
  return {.status = status,
          .body = json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace),
          .headers = {{"Content-Type", "application/json"},
                      {"Cache-Control", "no-store"},
                      {"X-Content-Type-Options", "nosniff"},
                      {"Cross-Origin-Resource-Policy", "same-origin"}}};
}

Reply error(int status, const std::string& message) { return json_reply(status, {{"error", message}}); }

std::optional<Reply> refusal_of_length(const Head& head, std::uint64_t most) {
  if (!head.content_length) return error(411, "the request has no Content-Length");
  if (*head.content_length > most)
    return error(413, fmt::format("the request has {} bytes; send at most {}", *head.content_length, most));
  return std::nullopt;
}

}  // namespace regard::http
