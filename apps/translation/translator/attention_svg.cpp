#include "apps/translation/translator/attention_svg.h"

#include <algorithm>
#include <fmt/format.h>

#include "apps/translation/text/utf8.h"
#include "apps/translation/text/xml.h"
#include "autograd/error.h"

namespace regard::translation {

namespace {

// Sizes in pixels.
constexpr double square = 22, letter = 7.2, gap = 6;

/// The length of the longest token on the image.
double longest(const std::vector<std::string>& tokens) {
  std::size_t columns = 0;
  for (const std::string& token : tokens) columns = std::max(columns, display_width(printable(token)));
  return letter * static_cast<double>(columns);
}

}  // namespace

std::string attention_svg(const Translator::Attention& attention) {
  const std::vector<std::string>&sources = attention.source_tokens, &targets = attention.target_tokens;
  const double left = gap + longest(targets) + gap;
  // The source tokens rise at an angle of 60 degrees.
  const double top = longest(sources) * 0.87 + 2 * gap, lean = longest(sources) * 0.5 + gap;
  const double width = left + square * static_cast<double>(sources.size()) + lean;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
      "{1:.0f}\" font-family=\"sans-serif\" font-size=\"13\" role=\"img\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
      width, top + square * static_cast<double>(targets.size()) + gap);
  for (std::size_t j = 0; j < sources.size(); ++j) {
    const double x = left + square * (static_cast<double>(j) + 0.6);
    svg += fmt::format("<text transform=\"translate({:.1f} {:.1f}) rotate(-60)\">{}</text>\n", x, top - gap,
                       xml_text(printable(sources[j])));
  }
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const double y = top + square * static_cast<double>(i);
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", left - gap, y + 16,
                       xml_text(printable(targets[i])));
    for (std::size_t j = 0; j < sources.size(); ++j) {
      const double weight =
          std::clamp(static_cast<double>(attention.weights.at({to_index(i), to_index(j)})), 0.0, 1.0);
      svg += fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" fill=\"#08306b\" "
          "fill-opacity=\"{:.3f}\" stroke=\"#ccc\"><title>{} - {}: {:.3f}</title></rect>\n",
          left + square * static_cast<double>(j), y, square, square, weight, xml_text(printable(targets[i])),
          xml_text(printable(sources[j])), weight);
    }
  }
  return svg + "</svg>\n";
}

}  // namespace regard::translation
