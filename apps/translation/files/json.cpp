#include "apps/translation/files/json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "apps/translation/files/files.h"
#include "apps/translation/text/utf8.h"
#include "autograd/error.h"

namespace regard::translation {
namespace {

/// Throws Error at the second occurrence of a key in one object. The library would keep one of the two values
/// and not report it.
class DuplicateKeys {
 public:
  explicit DuplicateKeys(const std::string& name) : name_(name) {}

  void begin_object() { objects_.emplace_back(); }
  void end_object() { objects_.pop_back(); }

  void key(const std::string& key) {
    Object& object = objects_.back();
    object.current = key;
    if (!object.keys.insert(key).second) fail("{}: the key {} occurs twice", name_, place());
  }

 private:
  struct Object {
    std::set<std::string> keys;
    std::string current;
  };

  std::string place() const {
    std::string place;
    for (const Object& object : objects_)
      place.append(place.empty() ? "" : ".").append(printable(object.current));
    return place;
  }

  const std::string& name_;
  std::vector<Object> objects_;
};

/// Line and column (from 1) of a byte.
std::string position_of(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, byte);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0
  return fmt::format("line {}, column {}", line, byte - line_begin + 1);
}

/// Returns the library's message without its prefix "[json.exception...] parse error at line 1, column 2: ".
/// The message contains the text that was read last, which may be long.
std::string explanation(const nlohmann::json::exception& error) {
  constexpr int longest = 200;
  std::string_view message = error.what();
  for (const std::string_view end_of_prefix : {": ", "] "}) {
    const std::size_t position = message.find(end_of_prefix);
    if (position == std::string_view::npos) continue;
    message.remove_prefix(position + end_of_prefix.size());
    break;
  }
  return printable(message, longest);
}

}  // namespace

Json parse_json(std::string_view text, const std::string& name) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  if (const auto position = find_invalid_utf8(text))
    fail("{}: not UTF-8 at {}", name, position_of(text, *position));
  DuplicateKeys keys(name);
  const auto watch = [&keys](int, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) keys.begin_object();
    if (event == Json::parse_event_t::object_end) keys.end_object();
    if (event == Json::parse_event_t::key) keys.key(parsed.get<std::string>());
    return true;
  };
  try {
    return Json::parse(text, watch, /*allow_exceptions=*/true, /*ignore_comments=*/true);
  } catch (const Json::parse_error& error) {
    // error.byte is the number of the wrong byte, from 1. At the end of the text it is one past the last.
    const std::size_t byte = std::min(error.byte, text.size() + 1);
    fail("{}: not JSON at {}: {}", name, position_of(text, byte == 0 ? 0 : byte - 1), explanation(error));
  } catch (const Json::exception& error) {
    fail("{}: not JSON: {}", name, explanation(error));
  }
}

std::string dump_json(const Json& json, const std::string& name) {
  try {
    return json.dump(2) + "\n";
  } catch (const Json::exception&) {
    fail("cannot write {}: a text in it is not UTF-8", name);
  }
}

std::string printable_value(const Json& json) {
  if (json.is_object()) return "an object";
  if (json.is_array()) return "a list";
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  return text.size() <= 100
             ? printable(text, 100)
             : fmt::format("{} of {} bytes", json.is_string() ? "text" : "a number", text.size());
}

void check_format(const Json& json, Index newest, const std::string& name) {
  if (!json.is_object()) fail("{}: expected a JSON object, got {}", name, printable_value(json));
  const auto format = json.find("format");
  if (format == json.end()) fail("{}: the key \"format\" with the version of the format is missing", name);
  if (!format->is_number_integer() || *format < 1)
    fail("{}: \"format\" must be a whole number from 1 to {}, got {}", name, newest,
         printable_value(*format));
  if (*format > newest)
    fail("{}: the file has format {}, this program knows formats up to {}; use a newer version of regard",
         name, format->dump(), newest);
}

}  // namespace regard::translation
