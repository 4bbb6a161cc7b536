#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "autograd/machine/error.h"

namespace regard::markup {

/// A place in a text: the number of characters before it that are no blanks, which tokenisers may change.
using Place = std::size_t;

/// From the place `begin` to the place `end`.
struct Span {
  Place begin = 0, end = 0;
  bool operator==(const Span&) const = default;
};

/// A piece of markup: an element with its content, or a single tag, comment or placeholder such as {0}, which
/// stands at one place.
struct Element {
  std::string open, close;  ///< "<b>" and "</b>"; `close` is empty for a single tag
  Span span = {};           ///< of its content; of a single tag, begin == end
  bool word = false;      ///< a single tag in a row of tags with a blank or an end of the text on both sides
  bool joined = false;    ///< it touches the tag before it
  bool unpaired = false;  ///< a tag such as <b> or </b> whose partner is missing
  std::vector<Element> content = {};
  bool single() const { return close.empty(); }
};

/// Thrown for elements that stand in each other deeper than anybody writes them: each level takes stack.
class TooDeep : public Error {
 public:
  using Error::Error;
};

/// A text without its markup, as a model reads it: the characters of entities such as &amp; stand for
/// themselves, and one blank between words. `elements` do not overlap and are in the order of the text.
struct Plain {
  std::string text;
  std::vector<Element> elements;
};

/// The number of characters of a text that are no blanks.
Place places_of(std::string_view text);

/// Moves the places of elements, because their text begins earlier or later.
void shift(std::vector<Element>& elements, std::ptrdiff_t by);

/// Takes the markup off: tags and comments of HTML and XML, and placeholders in braces, {0} or {name}. A tag
/// whose partner is missing is a single one, and so is an entity with a name that is not one of HTML 4. A "<"
/// that begins no tag is text. Throws TooDeep.
Plain take_off(std::string_view text);

/// Puts elements into a text, in the order of their places; < > & in the text become entities. Each element's
/// content lies inside it, so the result is well-formed.
std::string put_in(std::string_view text, const std::vector<Element>& elements);

}  // namespace regard::markup
