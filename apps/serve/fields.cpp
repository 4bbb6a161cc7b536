#include "apps/serve/fields.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/translation/files/json.h"
#include "apps/translation/files/utf8.h"
#include "autograd/machine/error.h"

namespace regard::serve {

namespace {

using translation::Json;

/// "a+b%20c" is "a b c".
std::string decoded(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      result += text[i] == '+' ? ' ' : text[i];
      continue;
    }
    unsigned byte = 0;
    const char* const digits = text.data() + i + 1;
    const char* const end = text.data() + std::min(i + 3, text.size());
    if (std::from_chars(digits, end, byte, 16).ptr != digits + 2)
      fail("the request is no form: after % at byte {} there are no two hexadecimal digits", i + 1);
    result += static_cast<char>(byte);
    i += 2;
  }
  if (translation::find_invalid_utf8(result)) fail("the form has bytes that are no text in UTF-8");
  return result;
}

std::string text_of(const Json& json, const std::string& name) {
  if (!json.is_string()) fail("{} is {}; give a text", name, translation::printable_value(json));
  return json.get<std::string>();
}

Fields from_json(const std::string& body) {
  const Json json = translation::parse_json(body, "the request");
  if (!json.is_object()) fail("the request is no JSON object");
  Fields fields;
  const std::array<std::pair<const char*, std::string*>, 4> texts{{{"source", &fields.source},
                                                                   {"target", &fields.target},
                                                                   {"format", &fields.format},
                                                                   {"api_key", &fields.api_key}}};
  for (const auto& [name, text] : texts)
    if (json.contains(name) && !json[name].is_null())
      *text = text_of(json[name], fmt::format("\"{}\"", name));
  if (!json.contains("q")) fail("the text to translate, \"q\", is missing");
  fields.is_list = json["q"].is_array();
  if (!fields.is_list)
    fields.q = {text_of(json["q"], "\"q\"")};
  else
    for (const Json& text : json["q"])
      fields.q.push_back(text_of(text, fmt::format("entry {} of \"q\"", fields.q.size() + 1)));
  return fields;
}

Fields from_form(const std::string& body) {
  const std::multimap<std::string, std::string> form = read_form(body);
  const auto text = [&](const char* name, const std::string& otherwise) {
    if (form.count(name) > 1) fail("the form has \"{}\" {} times; give it once", name, form.count(name));
    const auto found = form.find(name);
    return found == form.end() ? otherwise : found->second;
  };
  Fields fields{.q = {},
                .source = text("source", ""),
                .target = text("target", ""),
                .format = text("format", "text"),
                .api_key = text("api_key", "")};
  const auto [first, last] = form.equal_range("q");
  for (auto field = first; field != last; ++field) fields.q.push_back(field->second);
  if (fields.q.empty()) fail("the text to translate, \"q\", is missing");
  fields.is_list = fields.q.size() > 1;
  return fields;
}

}  // namespace

bool has_type(const http::Head& head, std::string_view type) {
  return std::ranges::equal(head.content_type.substr(0, type.size()), type, {},
                            [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
}

std::multimap<std::string, std::string> read_form(const std::string& body) {
  std::multimap<std::string, std::string> form;
  for (std::size_t begin = 0; begin < body.size();) {
    const std::size_t end = std::min(body.find('&', begin), body.size());
    const std::string field = body.substr(begin, end - begin);
    const std::size_t equals = std::min(field.find('='), field.size());
    form.emplace(decoded(field.substr(0, equals)),
                 equals < field.size() ? decoded(field.substr(equals + 1)) : "");
    begin = end + 1;
  }
  return form;
}

Fields read_fields(const http::Head& head, const std::string& body) {
  return has_type(head, "application/json") ? from_json(body) : from_form(body);
}

}  // namespace regard::serve
