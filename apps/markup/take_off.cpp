#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <utility>

#include "apps/markup/markup.h"
#include "apps/markup/tags.h"
#include "apps/translation/files/utf8.h"

#ifdef REGARD_HAS_LIBXML2
#include <libxml/HTMLparser.h>
#endif

namespace regard::markup {

namespace {

using translation::character_at;
using translation::is_blank;

/// The length of {0} or {name} at the beginning of a text; 0: there is none.
std::size_t brace_length(std::string_view text) {
  if (!text.starts_with('{')) return 0;
  const std::size_t end =
      text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", 1);
  return end != text.npos && text[end] == '}' ? end + 1 : 0;
}

struct Entity {
  std::string text;  ///< "": its name is not known, or its number is no character
  std::size_t length;
};

/// The character of an entity with a name, such as "eacute".
std::string named(const std::string& name) {
#ifdef REGARD_HAS_LIBXML2
  const htmlEntityDesc* const known = htmlEntityLookup(reinterpret_cast<const xmlChar*>(name.c_str()));
  return known ? translation::encode_utf8(std::u32string(1, known->value)) : "";
#else
  constexpr std::array<std::pair<std::string_view, const char*>, 6> few{
      {{"amp", "&"}, {"lt", "<"}, {"gt", ">"}, {"quot", "\""}, {"apos", "'"}, {"nbsp", "\xC2\xA0"}}};
  for (const auto& [known, character] : few)
    if (name == known) return character;
  return "";
#endif
}

/// The entity at the beginning of a text.
std::optional<Entity> entity(std::string_view text) {
  constexpr std::size_t longest = 34;  // of HTML 5: &CounterClockwiseContourIntegral;
  const std::size_t end = text.substr(0, longest).find(';');
  if (!text.starts_with('&') || end == text.npos || end < 3) return std::nullopt;
  const std::string_view name = text.substr(1, end - 1);
  if (std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) != 0; }))
    return Entity{named(std::string(name)), end + 1};
  if (!name.starts_with('#')) return std::nullopt;
  const bool hexadecimal = name.starts_with("#x") || name.starts_with("#X");
  const std::string_view digits = name.substr(hexadecimal ? 2 : 1);
  std::uint32_t value = 0;
  const auto [read, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, hexadecimal ? 16 : 10);
  if (read != digits.data() + digits.size() || digits.empty()) return std::nullopt;
  const bool is_control = value < 0x20 && value != '\t' && value != '\n' && value != '\r';
  const bool is_character = !is_control && value <= 0x10FFFF && (value < 0xD800 || value > 0xDFFF);
  if (error != std::errc() || !is_character) return Entity{"", end + 1};
  return Entity{translation::encode_utf8(std::u32string(1, value)), end + 1};
}

/// libxml2 allows XML to be 256 deep.
constexpr std::size_t most_open = 300;

/// Reads a text from its begin to its end.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Plain read() {
    while (at_ < text_.size()) {
      const std::string_view rest = text_.substr(at_);
      if (const std::size_t length = markup_length(rest); length > 0)
        add_tag(rest.substr(0, length));
      else if (const std::optional<Entity> found = entity(rest))
        add_character(found->text, found->length);
      else
        add_character(rest.substr(0, character_at(text_, at_).size), character_at(text_, at_).size);
    }
    while (open_.size() > 1) leave_open();
    return {std::move(plain_), std::move(open_.front().content)};
  }

 private:
  void add_character(std::string_view character, std::size_t length) {
    at_ += length;
    if (is_blank(character_at(character, 0).value)) {
      blank_ = true;
      return;
    }
    if (blank_ && !plain_.empty()) plain_ += ' ';
    blank_ = false;
    plain_ += character;
    ++place_;
  }

  /// The length of a tag, an element whose content stays, a placeholder or an unknown entity that begins
  /// here.
  static std::size_t markup_length(std::string_view text) {
    if (const std::size_t length = std::max({tag_length(text), piece_length(text), brace_length(text)}))
      return length;
    const std::optional<Entity> found = entity(text);
    return found && found->text.empty() ? found->length : 0;
  }

  void add_tag(std::string_view tag) {
    const bool joined = at_ < row_end_;
    if (!joined) {  // the first one of a row
      blank_before_row_ = blank_ || plain_.empty();
      row_end_ = at_ + tag.size();
      while (const std::size_t length = markup_length(text_.substr(row_end_))) row_end_ += length;
    }
    at_ += tag.size();
    const bool blank_after = row_end_ == text_.size() || is_blank(character_at(text_, row_end_).value);
    const Element single{.open = std::string(tag),
                         .close = {},
                         .span = {place_, place_},
                         .word = blank_before_row_ && blank_after && is_single(tag),
                         .joined = joined};
    if (is_single(tag)) {
      if (name_of(tag) == "br" || name_of(tag) == "hr") blank_ = true;
      open_.back().content.push_back(single);
    } else if (!tag.starts_with("</")) {
      if (open_.size() > most_open)
        throw TooDeep(
            fmt::format("more than {} tags are open here, one in the other; close some before", most_open));
      open_.push_back(single);
    } else {
      const auto partner = std::find_if(open_.rbegin(), open_.rend() - 1,
                                        [&](const Element& e) { return name_of(e.open) == name_of(tag); });
      if (partner == open_.rend() - 1) {
        open_.back().content.push_back(single);
        open_.back().content.back().unpaired = true;
        return;
      }
      while (&open_.back() != &*partner) leave_open();
      Element element = std::move(open_.back());
      open_.pop_back();
      element.close = tag;
      element.span.end = place_;
      open_.back().content.push_back(std::move(element));
    }
  }

  /// The last tag that was opened has no partner: it becomes a single one before its content.
  void leave_open() {
    Element element = std::move(open_.back());
    open_.pop_back();
    element.unpaired = true;
    std::vector<Element> content = std::exchange(element.content, {});
    open_.back().content.push_back(std::move(element));
    std::ranges::move(content, std::back_inserter(open_.back().content));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t row_end_ = 0;  ///< of the tags that follow each other
  bool blank_before_row_ = false;
  std::string plain_;
  Place place_ = 0;
  bool blank_ = false;
  std::vector<Element> open_ = std::vector<Element>(1);  ///< the whole text, and the elements that are open
};

}  // namespace

Plain take_off(std::string_view text) { return Reader(text).read(); }

}  // namespace regard::markup
