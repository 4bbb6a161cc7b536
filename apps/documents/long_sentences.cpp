#include "apps/documents/long_sentences.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "apps/translation/files/utf8.h"
#include "apps/translation/model/translation_model.h"
#include "autograd/machine/error.h"

namespace regard::documents {

namespace {

using translation::character_at;
using translation::is_blank;

/// A place at which a text may be cut, and how good it is: a lower rank is better.
struct Place {
  std::size_t position;
  std::size_t rank;
};
constexpr std::size_t ranks = 4;

/// The rank of a place after these two characters, of which `mark` is the last one that is no blank.
std::size_t rank_after(char32_t mark, char32_t last) {
  constexpr std::u32string_view ends = U";:–—…；：؛·!?。！？", commas = U",.，、،)]»”）」』";
  if (ends.find(mark) != ends.npos) return 0;
  if (commas.find(mark) != commas.npos) return 1;
  return is_blank(last) ? 2 : 3;
}

/// All places with text on both sides.
std::vector<Place> places_in(std::string_view text, const Boundaries& boundaries) {
  std::vector<Place> places;
  std::size_t at = 0;
  char32_t mark = 0, last = 0;
  for (const std::size_t position : boundaries.line_breaks(text)) {
    while (at < position) {
      const translation::CodePoint c = character_at(text, at);
      last = c.value;
      if (!is_blank(last)) mark = last;
      at += c.size;
    }
    if (mark != 0 && position < text.size()) places.push_back({position, rank_after(mark, last)});
  }
  return places;
}

std::size_t distance(std::size_t one, std::size_t other) { return one < other ? other - one : one - other; }

/// The best place near the middle of the text, which has at least two characters.
std::size_t best_place(std::string_view text, const Boundaries& boundaries) {
  const std::size_t middle = text.size() / 2;
  std::array<std::size_t, ranks> best{};  // of each rank, the nearest to the middle; 0: none
  std::size_t nearest = 0;
  const auto take = [&](std::size_t& place, std::size_t position) {
    if (place == 0 || distance(position, middle) < distance(place, middle)) place = position;
  };
  for (const Place& place : places_in(text, boundaries)) {
    if (distance(place.position, middle) <= text.size() / 4) take(best[place.rank], place.position);
    take(nearest, place.position);
  }
  for (const std::size_t place : best)
    if (place > 0) return place;
  if (nearest > 0) return nearest;
  std::size_t place = middle;
  while (place > 0 && translation::decode_utf8(text, place).size == 0) --place;
  return place > 0 ? place : character_at(text, 0).size;
}

void cut_into(std::vector<std::string_view>& pieces, std::string_view text, const Boundaries& boundaries,
              const Limit& limit) {
  const Index tokens = limit.tokens(std::string(text));
  if (tokens <= limit.most) return pieces.push_back(text);
  if (character_at(text, 0).size == text.size())
    fail("the character {} has {} tokens, but this model takes at most {}; remove it",
         translation::printable(text), tokens, limit.most);
  const std::size_t place = best_place(text, boundaries);
  cut_into(pieces, text.substr(0, place), boundaries, limit);
  cut_into(pieces, text.substr(place), boundaries, limit);
}

}  // namespace

Limit limit_of(const translation::TranslationModel& model) {
  const Index longest = model.sources.longest, most = model.settings.data.max_length;
  return {longest > 0 ? std::min(longest, most) : most,
          [&](const std::string& text) { return to_index(model.tokeniser->split(text).size()); }};
}

Limit with_first_word(const Limit& limit, const std::string& word) {
  if (word.empty()) return limit;
  return {limit.most,
          [tokens = limit.tokens, word](const std::string& text) { return tokens(word + ' ' + text); }};
}

std::vector<std::string_view> cut(std::string_view text, const Boundaries& boundaries, const Limit& limit) {
  std::vector<std::string_view> pieces;
  cut_into(pieces, text, boundaries, limit);
  return pieces;
}

std::vector<std::size_t> sentence_ends(std::string_view text, const Boundaries& boundaries,
                                       const Limit& limit) {
  std::vector<std::size_t> ends;
  std::size_t begin = 0;
  for (const std::size_t end : boundaries.sentences(text))
    for (const std::string_view piece : cut(text.substr(begin, end - begin), boundaries, limit))
      ends.push_back(begin += piece.size());
  return ends;
}

}  // namespace regard::documents
