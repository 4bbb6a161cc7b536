#include "apps/pictures/heat_map.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <vector>

#include "apps/translation/files/utf8.h"
#include "apps/translation/text/xml.h"
#include "autograd/machine/real.h"

namespace regard::pictures {

namespace {

using translation::display_width;
using translation::printable;
using translation::xml_text;

/// Returns the beginning of a token that takes at most `width` columns. Blanks fill the rest.
std::string cell(const std::string& token, std::size_t width) {
  std::u32string result;
  for (const char32_t c : translation::decode_utf8(token)) {
    if (display_width(c) > width) break;
    width -= display_width(c);
    result += c;
  }
  return translation::encode_utf8(result) + std::string(width, ' ');
}

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
  const std::size_t fewest = ceil_divide(columns, with(narrowest).per_table);
  for (std::size_t width = usual; width > narrowest; --width)
    if (ceil_divide(columns, with(width).per_table) == fewest) return with(width);
  return with(narrowest);
}

/// Draws the columns from `begin` to `end`.
std::string table(const Attention& attention, std::size_t width, std::size_t begin, std::size_t end) {
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

constexpr double square = 22, letter = 7.2, gap = 6;

/// The length of the longest token on the image.
double longest(const std::vector<std::string>& tokens) {
  std::size_t columns = 0;
  for (const std::string& token : tokens) columns = std::max(columns, display_width(printable(token)));
  return letter * static_cast<double>(columns);
}

}  // namespace

Drawing draw(const Attention& attention) {
  const std::vector<std::string>&sources = attention.source_tokens, &targets = attention.target_tokens;
  const double left = gap + longest(targets) + gap;
  // The source tokens rise at an angle of 60 degrees.
  const double top = longest(sources) * 0.87 + 2 * gap, lean = longest(sources) * 0.5 + gap;
  std::string labels, squares;
  for (std::size_t j = 0; j < sources.size(); ++j)
    labels += fmt::format("<text transform=\"translate({:.1f} {:.1f}) rotate(-60)\">{}</text>\n",
                          left + square * (static_cast<double>(j) + 0.6), top - gap,
                          xml_text(printable(sources[j])));
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const double y = top + square * static_cast<double>(i);
    labels += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", left - gap,
                          y + 16, xml_text(printable(targets[i])));
    for (std::size_t j = 0; j < sources.size(); ++j) {
      const double weight =
          std::clamp(static_cast<double>(attention.weights.at({to_index(i), to_index(j)})), 0.0, 1.0);
      squares += fmt::format(
          "<rect class=\"fill\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" style=\"fill-opacity: "
          "{:.3f}\"><title>{} - {}: {:.3f}</title></rect>\n",
          left + square * static_cast<double>(j), y, square, square, weight, xml_text(printable(targets[i])),
          xml_text(printable(sources[j])), weight);
    }
  }
  return {labels + "<g class=\"colour-0\" fill=\"#08306b\" stroke=\"#ccc\">\n" + squares + "</g>\n",
          left + square * static_cast<double>(sources.size()) + lean,
          top + square * static_cast<double>(targets.size()) + gap};
}

std::string heat_map_svg(const Attention& attention) {
  const Drawing map = draw(attention);
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
      "{1:.0f}\" font-family=\"sans-serif\" font-size=\"13\" role=\"img\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n{2}</svg>\n",
      map.width, map.height, map.svg);
}

std::string heat_map(const Attention& attention, std::size_t width) {
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

}  // namespace regard::pictures
