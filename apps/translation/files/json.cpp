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

/// Builds a value from the events of the library's parser. (The library's own builder compares each key of an
/// object with all earlier keys, so its time is quadratic in their number.) Throws Error at the second
/// occurrence of a key in one object. The library would keep one of the two values and not report it.
class Builder {
 public:
  Builder(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  Json result;

  // The events. The parser goes on as long as they return true.
  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(Json::number_integer_t value) { return add(value); }
  bool number_unsigned(Json::number_unsigned_t value) { return add(value); }
  bool number_float(Json::number_float_t value, const std::string&) { return add(value); }
  bool string(std::string& value) { return add(std::move(value)); }
  bool binary(Json::binary_t& value) { return add(std::move(value)); }  // never in a text
  bool start_array(std::size_t) { return open(Json::array()); }
  bool end_array() { return close(); }
  bool start_object(std::size_t) { return open(Json::object()); }
  bool end_object() { return close(); }

  bool key(const std::string& key) {
    Container& object = open_.back();
    const bool is_new = object.keys.insert(key).second;
    members(*object.value).emplace_back(key, nullptr);
    if (!is_new) fail("{}: the key {} occurs twice", name_, place());
    return true;
  }

  /// `byte` is the number of the wrong byte, from 1. At the end of the text it is one past the last.
  bool parse_error(std::size_t byte, const std::string&, const Json::exception& error) {
    byte = std::clamp<std::size_t>(byte, 1, text_.size() + 1);
    fail("{}: not JSON at {}: {}", name_, position_of(text_, byte - 1), explanation(error));
  }

 private:
  /// An array or an object whose end was not read yet.
  struct Container {
    Json* value;
    std::set<std::string> keys;  ///< of an object
  };

  /// The keys and values of an object in their order.
  static Json::object_t& members(Json& object) { return object.get_ref<Json::object_t&>(); }

  Json& place_for_value() {
    if (open_.empty()) return result;
    Json& container = *open_.back().value;
    return container.is_array() ? container.get_ref<Json::array_t&>().emplace_back()
                                : members(container).back().second;
  }

  bool add(Json value) {
    place_for_value() = std::move(value);
    return true;
  }

  /// Values are copied and compared by functions that call themselves, so the depth is limited.
  bool open(Json empty) {
    constexpr std::size_t deepest = 100;
    if (open_.size() == deepest)
      fail("{}: more than {} lists and objects inside one another", name_, deepest);
    Json& container = place_for_value();
    container = std::move(empty);
    open_.push_back({.value = &container, .keys = {}});
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  /// The keys that lead to the key that was read last, with dots between them.
  std::string place() const {
    std::string place;
    for (const Container& container : open_)
      if (container.value->is_object())
        place.append(place.empty() ? "" : ".").append(printable(members(*container.value).back().first));
    return place;
  }

  std::string_view text_;
  const std::string& name_;
  std::vector<Container> open_;
};

}  // namespace

Json parse_json(std::string_view text, const std::string& name) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  if (const auto position = find_invalid_utf8(text))
    fail("{}: not UTF-8 at {}", name, position_of(text, *position));
  Builder builder(text, name);
  Json::sax_parse(text, &builder, Json::input_format_t::json, /*strict=*/true, /*ignore_comments=*/true);
  return std::move(builder.result);
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
