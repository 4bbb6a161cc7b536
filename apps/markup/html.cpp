#include "apps/markup/html.h"

#include <algorithm>
#include <array>
#include <utility>

#include "apps/markup/tags.h"
#include "apps/translation/files/utf8.h"

namespace regard::markup {

namespace {

using translation::character_at;
using translation::is_blank;

/// Elements that stand inside a sentence. All others end one.
bool is_inline(const std::string& name) {
  constexpr std::array<std::string_view, 36> names{
      "a",     "abbr", "acronym", "b",      "bdi", "bdo", "big",   "cite", "code", "del", "dfn", "em",
      "font",  "g",    "i",       "img",    "ins", "kbd", "label", "mark", "math", "q",   "s",   "samp",
      "small", "span", "strike",  "strong", "sub", "sup", "time",  "tt",   "u",    "var", "wbr", "x"};
  return std::ranges::find(names, name) != names.end();
}

/// Elements that end a sentence and whose content is not translated.
bool is_kept(const std::string& name) {
  constexpr std::array<std::string_view, 4> names{"pre", "script", "style", "textarea"};
  return std::ranges::find(names, name) != names.end();
}

/// The length of a kept element with its content and its end tag; without one, that of its own tag, which has
/// `length` bytes.
std::size_t kept_length(std::string_view text, std::size_t length, const std::string& name) {
  if (text.substr(0, length).ends_with("/>")) return length;
  for (std::size_t at = text.find("</", length); at != text.npos; at = text.find("</", at + 2))
    if (name_of(text.substr(at)) == name) return at + std::max<std::size_t>(tag_length(text.substr(at)), 2);
  return length;
}

bool has_letter(std::string_view text) {
  const std::string plain = take_off(text).text;
  for (std::size_t at = 0; at < plain.size(); at += character_at(plain, at).size)
    if (translation::is_letter(character_at(plain, at).value)) return true;
  return false;
}

/// The parts so far, and the text that a block tag has not ended yet.
class Parts {
 public:
  void keep(std::string_view text) {
    end_text();
    add(text, false);
  }
  void extend(std::string_view text) { text_ += text; }
  std::vector<Part> finish() && {
    end_text();
    return std::move(parts_);
  }

 private:
  void end_text() {
    const std::string text = std::exchange(text_, {});
    if (!has_letter(text)) return add(text, false);
    std::size_t begin = 0, end = 0;
    for (std::size_t at = 0; at < text.size();) {
      const translation::CodePoint c = character_at(text, at);
      if (!is_blank(c.value)) end = at + c.size;
      if (end == 0) begin = at + c.size;
      at += c.size;
    }
    add(text.substr(0, begin), false);
    add(text.substr(begin, end - begin), true);
    add(text.substr(end), false);
  }
  void add(std::string_view text, bool translated) {
    if (text.empty()) return;
    if (!translated && !parts_.empty() && !parts_.back().translated)
      parts_.back().text += text;
    else
      parts_.push_back({std::string(text), translated});
  }

  std::vector<Part> parts_;
  std::string text_;
};

}  // namespace

std::vector<Part> parts_of_html(std::string_view html) {
  Parts parts;
  for (std::size_t at = 0; at < html.size();) {
    const std::string_view rest = html.substr(at);
    std::size_t length =
        rest.starts_with("<!--") ? std::min(rest.find("-->", 4), rest.size() - 3) + 3 : tag_length(rest);
    if (length == 0) {
      const std::size_t next = std::min(rest.find('<', 1), rest.size());
      parts.extend(rest.substr(0, next));
      at += next;
      continue;
    }
    const std::string name = name_of(rest);
    if (is_kept(name) && rest[1] != '/')
      length = kept_length(rest, length, name);
    else
      length = std::max(length, piece_length(rest));
    if (is_inline(name))
      parts.extend(rest.substr(0, length));
    else
      parts.keep(rest.substr(0, length));
    at += length;
  }
  return std::move(parts).finish();
}

std::vector<Plain> cut(const Plain& plain, const std::vector<std::size_t>& ends) {
  std::vector<Plain> pieces;
  std::size_t begin = 0;
  Place first = 0, place = 0;
  auto element = plain.elements.begin();
  std::size_t at = 0;
  for (const std::size_t end : ends) {
    for (; at < end; at += character_at(plain.text, at).size)
      if (!is_blank(character_at(plain.text, at).value)) ++place;
    const bool is_last = end == plain.text.size();
    const bool cuts_one = std::ranges::any_of(plain.elements, [&](const Element& other) {
      return other.span.begin < place && place < other.span.end;
    });
    if (cuts_one && !is_last) continue;
    Plain piece{plain.text.substr(begin, end - begin), {}};
    while (!is_last && piece.text.ends_with(' ')) piece.text.pop_back();
    for (; element != plain.elements.end() && (is_last || element->span.end <= place); ++element)
      piece.elements.push_back(*element);
    shift(piece.elements, -static_cast<std::ptrdiff_t>(first));
    pieces.push_back(std::move(piece));
    begin = end;
    first = place;
  }
  return pieces;
}

std::string joined(std::span<const std::string> sentences) {
  std::string text;
  bool blank = false;
  for (const std::string& sentence : sentences) {
    if (sentence.empty()) continue;
    if (blank) text += ' ';
    text += sentence;
    const std::string plain = take_off(sentence).text;
    blank = !translation::is_ideographic(translation::character_before(plain, plain.size()).value);
  }
  return text;
}

}  // namespace regard::markup
