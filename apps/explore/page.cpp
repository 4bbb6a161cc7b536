#include "apps/explore/page.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/explore/page_files.h"

namespace regard::explore {

namespace {

/// Replaces every occurrence of a mark such as @STYLE@.
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

}  // namespace

std::string content_security_policy(std::string_view nonce) {
  return fmt::format(
      "default-src 'none'; script-src 'nonce-{0}'; style-src 'nonce-{0}'; img-src data: blob:; "
      "connect-src 'self'; base-uri 'none'; form-action 'none'",
      nonce);
}

std::string page(const Json& data, std::string_view nonce) {
  std::string script;
  for (const std::string_view file : page_scripts) script += file;
  std::string text(page_html);
  replace(text, "@POLICY@", content_security_policy(nonce));
  replace(text, "@NONCE@", nonce);
  // The data come last, so that nothing in them is taken for a mark.
  replace(text, "@STYLE@", page_style);
  replace(text, "@SCRIPT@", script);
  replace(text, "@DATA@", data_text(data));
  return text;
}

}  // namespace regard::explore
