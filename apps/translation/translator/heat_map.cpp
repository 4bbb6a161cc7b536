#include "apps/translation/translator/heat_map.h"

#include <algorithm>
#include <array>

#include "autograd/error.h"

namespace regard::translation {

namespace {

/// Returns the first `width` characters of a token. Blanks fill the rest.
std::string cell(const std::string& token, std::size_t width) {
  std::string result;
  std::size_t characters = 0;
  for (std::size_t i = 0; i < token.size(); ++i) {
    const bool begins_character = (static_cast<unsigned char>(token[i]) & 0xC0) != 0x80;
    if (begins_character && characters++ == width) return result;
    result += token[i];
  }
  return result + std::string(width - std::min(characters, width), ' ');
}

}  // namespace

std::string heat_map(const Translator::Attention& attention) {
  constexpr std::array<const char*, 5> shades{" ", "░", "▒", "▓", "█"};
  constexpr std::size_t width = 6;
  std::string text;
  for (const std::string& token : attention.source_tokens) text += cell(token, width) + " ";
  text += "\n";
  const Tensor& weights = attention.weights;
  for (Index target = 0; target < weights.size(0); ++target) {
    for (Index source = 0; source < weights.size(1); ++source) {
      const auto level = static_cast<std::size_t>(weights.at({target, source}) * Real(shades.size()));
      for (std::size_t i = 0; i < width; ++i) text += shades[std::min(level, shades.size() - 1)];
      text += " ";
    }
    // The target token comes last, because the program does not know the width of its characters on the
    // screen.
    text += attention.target_tokens[static_cast<std::size_t>(target)] + "\n";
  }
  return text;
}

}  // namespace regard::translation
