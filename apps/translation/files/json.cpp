#include "apps/translation/files/json.h"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "apps/translation/files/files.h"
#include "apps/translation/files/utf8.h"
#include "autograd/machine/error.h"

namespace regard::translation {
namespace {

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

/// The library's parser calls this with its events. Throws Error at the second occurrence of a key in one
/// object: the library would keep one of the two values and not report it.
class KeyCheck {
 public:
  explicit KeyCheck(const std::string& name) : name_(name) {}

  bool operator()(int depth, Json::parse_event_t event, const Json& parsed) {
    using Event = Json::parse_event_t;
    const auto level = static_cast<std::size_t>(depth);
    const bool start = event == Event::object_start || event == Event::array_start;
    // Values are copied and compared by functions that call themselves, so the depth is limited. The time of
    // the library grows with the square of the number of keys, lists and objects.
    constexpr int deepest = 100;
    constexpr Index most = 10'000;
    if (start && depth == deepest)
      fail("{}: more than {} lists and objects inside one another", name_, deepest);
    if ((start || event == Event::key) && ++size_ > most)
      fail("{}: it has more than {} keys, lists and objects; is it the right file?", name_, most);
    if (event == Event::object_start) {
      objects_.resize(level + 2);
      objects_[level + 1] = {};  // the events of its keys are one level deeper
    } else if (event == Event::key) {
      objects_.resize(level + 1);  // deeper objects have ended
      Object& object = objects_.back();
      object.newest = parsed.get<std::string>();
      if (!object.keys.insert(object.newest).second) fail("{}: the key {} occurs twice", name_, place());
    }
    return true;
  }

  /// The keys that lead to the newest key, with dots between them.
  std::string place() const {
    std::string place;
    for (const Object& object : objects_)
      if (!object.keys.empty()) place.append(place.empty() ? "" : ".").append(printable(object.newest));
    return place;
  }

 private:
  struct Object {
    std::set<std::string> keys;
    std::string newest;
  };

  const std::string& name_;
  std::vector<Object> objects_;  ///< that are open, by depth; empty for lists
  Index size_ = 0;
};

}  // namespace

Json parse_json(std::string_view text, const std::string& name) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  if (const auto position = find_invalid_utf8(text))
    fail("{}: not UTF-8 at {}", name, position_of(text, *position));
  KeyCheck keys(name);
  try {
    return Json::parse(text, std::ref(keys), /*allow_exceptions=*/true, /*ignore_comments=*/true);
  } catch (const Json::parse_error& error) {
    // `byte` is the number of the wrong byte, from 1. At the end of the text it is one past the last.
    const std::size_t byte = std::clamp<std::size_t>(error.byte, 1, text.size() + 1);
    fail("{}: not JSON at {}: {}", name, position_of(text, byte - 1), explanation(error));
  } catch (const Json::out_of_range& error) {  // a number that no double can hold
    fail("{}: not JSON after the key {}: {}", name, keys.place(), explanation(error));
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
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() <= 100) return printable(text, 100);
  return json.is_array() ? "a list"
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
