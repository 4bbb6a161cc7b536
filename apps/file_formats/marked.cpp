#include "apps/file_formats/marked.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <utility>

#include "apps/markup/tags.h"

namespace regard::files {

namespace {

/// Stands in the tag of a hidden piece, before its number.
constexpr std::string_view mark = " regard-piece=\"";

constexpr std::array<std::pair<std::string_view, char>, 3> entities{
    {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}}};

}  // namespace

std::string as_it_is(std::string_view text) { return std::string(text); }

Marked Marked::of(std::string text) {
  Marked marked(as_it_is);
  marked.text_ = std::move(text);
  return marked;
}

void Marked::hide(std::string bytes, Kind kind, bool readable) {
  constexpr std::array<std::pair<const char*, const char*>, 4> forms{
      {{"<x", "/>"}, {"<g", ">"}, {"</g", ">"}, {"<n", "/>"}}};
  const auto& [begin, end] = forms[static_cast<std::size_t>(kind)];
  text_ += fmt::format("{}{}{}\"{}", begin, mark, pieces_.size(), end);
  pieces_.push_back({std::move(bytes), readable});
}

void Marked::add(std::string_view text, bool has_lines) {
  const std::vector<std::string_view> matches = directives_.matches(text);
  auto match = matches.begin();
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    while (match != matches.end() && match->data() < rest.data()) ++match;  // it is in a tag
    std::size_t size = 0;
    if (match != matches.end() && match->data() == rest.data()) {
      size = match->size();
      if (*match == "''")
        text_ += '\'';  // Java's; restored() doubles it again
      else
        hide(std::string(*match), Kind::single, true);
    } else if (has_lines && (rest.front() == '\n' || rest.front() == '\t')) {
      hide(std::string(rest.substr(0, 1)), Kind::line_end, true);
    } else if (size = markup::tag_length(rest); size > 0) {
      text_ += rest.substr(0, size);
    } else {
      text_ += markup::escaped(rest.substr(0, 1));
    }
    at += std::max<std::size_t>(size, 1);
  }
}

const Marked::Piece* Marked::piece(std::string_view tag) const {
  const std::size_t at = tag.find(mark), name = tag.starts_with("</") ? 2 : 1;
  std::size_t number = pieces_.size();
  if (at == name + 1) std::from_chars(tag.data() + at + mark.size(), tag.data() + tag.size(), number);
  return number < pieces_.size() ? &pieces_[number] : nullptr;
}

std::string Marked::readable() const {
  Marked plain = *this;
  plain.escape_ = as_it_is;
  for (Piece& hidden : plain.pieces_)
    if (!hidden.readable) hidden.bytes.clear();
  return plain.restored(text_);
}

std::string Marked::restored(std::string_view translation) const {
  std::string result;
  for (std::size_t at = 0; at < translation.size();) {
    const std::string_view rest = translation.substr(at);
    if (const std::size_t size = markup::tag_length(rest); size > 0) {
      const std::string_view tag = rest.substr(0, size);
      const Piece* const hidden = piece(tag);
      result += hidden && !hidden->readable ? hidden->bytes : escape_(hidden ? hidden->bytes : tag);
      at += size;
      continue;
    }
    const auto* const entity =
        std::ranges::find_if(entities, [&](const auto& known) { return rest.starts_with(known.first); });
    const char c = entity == entities.end() ? rest.front() : entity->second;
    at += entity == entities.end() ? 1 : entity->first.size();
    result += escape_(std::string_view(&c, 1));
    if (directives_.is_doubled(c)) result += c;  // what the model wrote would begin a directive
  }
  return result;
}

}  // namespace regard::files
