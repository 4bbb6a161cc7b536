#include "apps/translation/translator/heat_map.h"

#include <algorithm>
#include <array>

#include "apps/translation/text/utf8.h"
#include "autograd/error.h"

namespace regard::translation {

namespace {

/// Returns the beginning of a token that takes at most `width` columns. Blanks fill the rest.
std::string cell(const std::string& token, std::size_t width) {
  std::u32string result;
  for (const char32_t c : decode_utf8(token)) {
    if (display_width(c) > width) break;
    width -= display_width(c);
    result += c;
  }
  return encode_utf8(result) + std::string(width, ' ');
}

/// Divides a number into equal parts; the last may be smaller. Returns the number of parts.
std::size_t parts(std::size_t number, std::size_t size) { return (number + size - 1) / size; }

/// The columns of a table.
struct Columns {
  std::size_t width;      ///< of a column, without the blank after it
  std::size_t per_table;  ///< number of columns side by side
};

/// Returns the widest columns that make the fewest tables.
Columns fit(std::size_t columns, std::size_t available) {
  constexpr std::size_t narrowest = 3, usual = 6;
  const auto with = [&](std::size_t width) {
    return Columns{width, std::clamp<std::size_t>(available / (width + 1), 1, columns)};
  };
  const std::size_t fewest = parts(columns, with(narrowest).per_table);
  for (std::size_t width = usual; width > narrowest; --width)
    if (parts(columns, with(width).per_table) == fewest) return with(width);
  return with(narrowest);
}

/// Draws the columns from `begin` to `end`.
std::string table(const Translator::Attention& attention, std::size_t width, std::size_t begin,
                  std::size_t end) {
  constexpr std::array<const char*, 5> shades{" ", "░", "▒", "▓", "█"};
  std::string text;
  for (std::size_t source = begin; source < end; ++source)
    text += cell(attention.source_tokens[source], width) + " ";
  text += "\n";
  for (std::size_t target = 0; target < attention.target_tokens.size(); ++target) {
    for (std::size_t source = begin; source < end; ++source) {
      const Real weight = attention.weights.at({to_index(target), to_index(source)});
      const auto level = static_cast<std::size_t>(weight * Real(shades.size()));
      for (std::size_t i = 0; i < width; ++i) text += shades[std::min(level, shades.size() - 1)];
      text += " ";
    }
    text += attention.target_tokens[target] + "\n";
  }
  return text;
}

}  // namespace

std::string heat_map(const Translator::Attention& attention, std::size_t width) {
  std::size_t label = 0;
  for (const std::string& token : attention.target_tokens) label = std::max(label, display_width(token));
  const std::size_t columns = attention.source_tokens.size();
  const Columns fitting = fit(columns, width - std::min(width, label));
  std::string text;
  for (std::size_t begin = 0; begin < columns; begin += fitting.per_table) {
    if (begin > 0) text += "\n";
    text += table(attention, fitting.width, begin, std::min(begin + fitting.per_table, columns));
  }
  return text;
}

}  // namespace regard::translation
