#include "apps/markup/transfer.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "apps/translation/files/utf8.h"
#include "apps/translation/text/parts.h"
#include "autograd/machine/error.h"

namespace regard::markup {

namespace {

using translation::character_at;

/// For each place of a text whether a word goes on there: a letter or a number stands on both sides.
std::vector<bool> inside_words(std::string_view text) {
  std::vector<bool> inside;
  bool after_letter = false;
  for (std::size_t at = 0; at < text.size();) {
    const translation::CodePoint c = character_at(text, at);
    const bool letter = translation::is_letter(c.value) || translation::is_number(c.value);
    if (!translation::is_blank(c.value)) inside.push_back(letter && after_letter);
    after_letter = letter;
    at += c.size;
  }
  inside.push_back(false);
  return inside;
}

class Transfer {
 public:
  Transfer(const Tokens& source, const Tokens& target, const translation::Alignment& links)
      : source_(source),
        target_(target),
        source_words_(inside_words(source.text)),
        target_words_(inside_words(target.text)),
        linked_(target.places.size()) {
    for (const translation::Link& link : links)
      if (link.source < to_index(source.places.size()) && link.target < to_index(target.places.size()))
        linked_[to_size(link.target)].push_back(to_size(link.source));
  }

  Place source_end() const { return source_words_.size() - 1; }
  Place target_end() const { return target_words_.size() - 1; }

  /// `source` and `target` are the spans of the parent.
  std::vector<Element> place(const std::vector<Element>& elements, const Span& source,
                             const Span& target) const {
    std::vector<Element> placed;
    for (const Element& element : elements) {  // those with content first: single tags keep out of them
      if (element.single()) continue;
      std::optional<Span> span;
      if (element.span == source && elements.size() == 1 && element.span.begin < element.span.end)
        span = target;
      else
        span = best_span(element.span, free_parts(placed, target));
      if (!span) {
        const Place at = outside(point_of(element.span.begin, source, target), placed);
        span = Span{at, at};
      }
      add(placed, element, *span);
    }
    Place last_unpaired = target.begin;  // their partners may be elsewhere, so they keep their order
    for (const Element& element : elements) {
      if (!element.single()) continue;
      Place at = outside(point_of(element.span.begin, source, target), placed);
      if (element.unpaired) last_unpaired = at = std::max(at, last_unpaired);
      add(placed, element, Span{at, at});
    }
    std::ranges::stable_sort(placed, [](const Element& a, const Element& b) {
      return std::pair(a.span.begin, a.span.end) < std::pair(b.span.begin, b.span.end);
    });
    return placed;
  }

 private:
  void add(std::vector<Element>& placed, const Element& element, const Span& span) const {
    placed.push_back({.open = element.open,
                      .close = element.close,
                      .span = span,
                      .word = element.word,
                      .joined = element.joined,
                      .unpaired = element.unpaired,
                      .content = place(element.content, element.span, span)});
  }

  /// The parts of a span that no element takes.
  static std::vector<Span> free_parts(const std::vector<Element>& placed, const Span& span) {
    std::vector<Span> parts{span};
    for (const Element& element : placed) {
      std::vector<Span> rest;
      for (const Span& part : parts) {
        if (element.span.end <= part.begin || element.span.begin >= part.end) {
          rest.push_back(part);
          continue;
        }
        if (part.begin < element.span.begin) rest.push_back({part.begin, element.span.begin});
        if (element.span.end < part.end) rest.push_back({element.span.end, part.end});
      }
      parts = std::move(rest);
    }
    return parts;
  }

  /// The nearest place that is not inside one of these elements.
  static Place outside(Place at, const std::vector<Element>& placed) {
    for (const Element& element : placed)
      if (element.span.begin < at && at < element.span.end)
        return at - element.span.begin < element.span.end - at ? element.span.begin : element.span.end;
    return at;
  }

  /// +1 for a target token with a link into the content, -1 for one with other links only, 0 for one without.
  int gain(std::size_t token, const Span& content) const {
    if (linked_[token].empty()) return 0;
    return std::ranges::any_of(linked_[token],
                               [&](std::size_t source) {
                                 const Span& place = source_.places[source];
                                 return place.begin < content.end && content.begin < place.end;
                               })
               ? 1
               : -1;
  }

  /// The span with the greatest sum of gains, the shortest of equal ones; nothing without a linked token.
  std::optional<Span> best_span(const Span& content, const std::vector<Span>& parts) const {
    int best = 0;
    std::optional<Span> found;
    for (const Span& part : parts) {
      int sum = 0;
      std::size_t begin = 0;
      for (std::size_t token = 0; token < target_.places.size(); ++token) {
        const Span& place = target_.places[token];
        if (place.begin < part.begin || place.end > part.end) continue;
        if (sum <= 0) {
          sum = 0;
          begin = token;
        }
        sum += gain(token, content);
        if (sum > best) {
          best = sum;
          found = widened({target_.places[begin].begin, place.end}, content, part);
        }
      }
    }
    return found;
  }

  /// Whole words, unless the element cuts one in the source.
  Span widened(Span span, const Span& content, const Span& within) const {
    if (!source_words_[content.begin])
      while (span.begin > within.begin && target_words_[span.begin]) --span.begin;
    if (!source_words_[content.end])
      while (span.end < within.end && target_words_[span.end]) ++span.end;
    return span;
  }

  Place point_of(Place at, const Span& source, const Span& target) const {
    if (at <= source.begin) return target.begin;
    if (at >= source.end) return target.end;
    const auto translation_of = [&](bool next) -> std::optional<Span> {
      std::optional<Span> found;
      for (std::size_t token = 0; token < linked_.size(); ++token)
        for (const std::size_t from : linked_[token]) {
          const Span& place = source_.places[from];
          const bool wanted =
              next ? place.begin <= at && at < place.end : place.begin < at && at <= place.end;
          const Span& to = target_.places[token];
          if (wanted && to.begin >= target.begin && to.end <= target.end) {
            if (!found) found = to;
            found->end = std::max(found->end, to.end);
          }
        }
      return found;
    };
    if (const auto next = translation_of(true)) return whole(next->begin, target);
    if (const auto last = translation_of(false)) return whole(last->end, target);
    const Place length = source.end - source.begin;
    return whole(token_at(target.begin + (target.end - target.begin) * (at - source.begin) / length), target);
  }
  /// The beginning of the token around a place.
  Place token_at(Place at) const {
    for (const Span& token : target_.places)
      if (token.begin < at && at < token.end) return token.begin;
    return at;
  }
  /// The beginning of the word around a place.
  Place whole(Place at, const Span& within) const {
    while (at > within.begin && target_words_[at]) --at;
    return at;
  }

  const Tokens &source_, &target_;
  std::vector<bool> source_words_, target_words_;
  std::vector<std::vector<std::size_t>> linked_;  ///< the source tokens of each target token
};

/// For each place of a text as a tokeniser reads it, the place in the text: NFKC makes three full stops of
/// one "…". The last one is the end.
std::vector<Place> places_as_read(std::string_view text, const translation::Tokeniser& tokeniser) {
  std::vector<Place> places;
  Place place = 0;
  for (std::size_t at = 0; at < text.size();) {
    const translation::CodePoint c = character_at(text, at);
    if (!translation::is_blank(c.value))
      places.insert(places.end(), places_of(tokeniser.join(tokeniser.split(text.substr(at, c.size)))),
                    place++);
    at += c.size;
  }
  places.push_back(place);
  return places;
}

}  // namespace

Tokens tokens_in(std::string_view text, const std::vector<std::string>& tokens,
                 const translation::Tokeniser& tokeniser) {
  Tokens found{.text = text, .places = {}};
  const Place end = places_of(text), end_as_read = places_of(tokeniser.join(tokens));
  std::vector<Place> in_text(end_as_read + 1);
  for (Place place = 0; place <= end_as_read; ++place) in_text[place] = std::min(place, end);
  if (end != end_as_read)
    if (std::vector<Place> read = places_as_read(text, tokeniser); read.size() == in_text.size())
      in_text = std::move(read);
  std::vector<std::string> so_far;
  Place begin = 0;
  for (const std::string& token : tokens) {
    so_far.push_back(token);
    const Place next = std::clamp(places_of(tokeniser.join(so_far)), begin, end_as_read);
    found.places.push_back(
        {in_text[begin], begin < next ? std::min(in_text[next - 1] + 1, end) : in_text[begin]});
    begin = next;
  }
  return found;
}

std::vector<Element> transferred(const std::vector<Element>& elements, const Tokens& source,
                                 const Tokens& target, const translation::Alignment& links) {
  const Transfer transfer(source, target, links);
  const Place begin = places_of(source.text.substr(0, translation::tag_end(source.text)));
  return transfer.place(elements, {begin, transfer.source_end()}, {0, transfer.target_end()});
}

}  // namespace regard::markup
