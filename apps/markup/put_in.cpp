#include <algorithm>
#include <utility>

#include "apps/markup/markup.h"
#include "apps/markup/tags.h"
#include "apps/translation/files/utf8.h"

namespace regard::markup {

Place places_of(std::string_view text) {
  Place count = 0;
  for (std::size_t at = 0; at < text.size();) {
    const translation::CodePoint c = translation::character_at(text, at);
    if (!translation::is_blank(c.value)) ++count;
    at += c.size;
  }
  return count;
}

void shift(std::vector<Element>& elements, std::ptrdiff_t by) {
  const auto moved = [by](Place place) {
    return static_cast<Place>(static_cast<std::ptrdiff_t>(place) + by);
  };
  for (Element& element : elements) {
    element.span = {moved(element.span.begin), moved(element.span.end)};
    shift(element.content, by);
  }
}

namespace {

/// True if an element without text has a tag that stands between blanks.
bool is_word(const Element& element) { return element.word || std::ranges::any_of(element.content, is_word); }

/// An element without text.
std::string markup_of(const Element& element) {
  std::string result = element.open;
  bool after_word = false;
  for (const Element& part : element.content) {
    if (after_word && is_word(part) && !part.joined) result += ' ';
    result += markup_of(part);
    after_word = is_word(part);
  }
  return result + element.close;
}

class Writer {
 public:
  explicit Writer(std::string_view text) : text_(text) {}

  /// Writes the text up to the end of a span, with the elements in it.
  void write(const std::vector<Element>& elements, Place end) {
    for (const Element& element : elements) {
      write_text(element.span.begin);
      if (element.span.begin == element.span.end) {
        write_without_text(element);
      } else {
        write_blanks();
        result_ += element.open;
        write(element.content, element.span.end);
        result_ += element.close;
      }
    }
    write_text(end);
  }
  void write_rest() { write_text(places_of(text_)); }
  std::string result() && { return std::move(result_); }

 private:
  /// Writes characters until this place, without the blanks at its end.
  void write_text(Place end) {
    while (place_ < end && at_ < text_.size()) {
      write_blanks();
      const std::size_t size = translation::character_at(text_, at_).size;
      result_ += escaped(text_.substr(at_, size));
      at_ += size;
      ++place_;
    }
  }
  void write_blanks() {
    const bool has_blank =
        at_ < text_.size() && translation::is_blank(translation::character_at(text_, at_).value);
    if (std::exchange(after_word_, false) && !has_blank) result_ += ' ';
    while (at_ < text_.size() && translation::is_blank(translation::character_at(text_, at_).value)) {
      const std::size_t size = translation::character_at(text_, at_).size;
      result_ += text_.substr(at_, size);
      at_ += size;
    }
  }
  /// A tag that stands between blanks keeps them.
  void write_without_text(const Element& element) {
    const bool word = is_word(element);
    const bool touches = element.joined && after_word_;
    if (word && !touches && (at_ > 0 || after_word_)) result_ += ' ';
    result_ += markup_of(element);
    after_word_ = word;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Place place_ = 0;
  bool after_word_ = false;  ///< a blank has to follow
  std::string result_;
};

}  // namespace

std::string put_in(std::string_view text, const std::vector<Element>& elements) {
  Writer writer(text);
  writer.write(elements, 0);
  writer.write_rest();
  return std::move(writer).result();
}

}  // namespace regard::markup
