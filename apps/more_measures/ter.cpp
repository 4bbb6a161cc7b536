#include "apps/more_measures/ter.h"

#include <algorithm>
#include <fmt/ranges.h>

#include "apps/translation/files/utf8.h"
#include "apps/translation/files/version.h"
#include "apps/translation/metrics/separate.h"
#include "autograd/machine/error.h"

namespace regard::translation {
namespace {

bool is_between(char32_t first, char32_t c, char32_t last) { return c >= first && c <= last; }

bool is_western_mark(char32_t c) {
  return std::u32string_view(U".,?:;!\"()").find(c) != std::u32string_view::npos;
}

/// Marks of Chinese and Japanese, as far as Tercom knows them.
bool is_asian_mark(char32_t c) {
  return is_between(0x3001, c, 0x3002) || is_between(0x3008, c, 0x3011) || is_between(0x3014, c, 0x301F) ||
         is_between(0xFF61, c, 0xFF65) || c == 0x30FB ||
         std::u32string_view(U"．，？：；！＂（）").find(c) != std::u32string_view::npos;
}

/// Characters that are words by themselves. (sacreBLEU's range for enclosed characters, from U+3200, ends at
/// U+3F22. Kana stay together.)
bool is_asian_word(char32_t c) {
  return is_between(0x4E00, c, 0x9FFF) || is_between(0x3400, c, 0x4DBF) || is_between(0x31C0, c, 0x31EF) ||
         is_between(0x2E80, c, 0x2EFF) || is_between(0x3200, c, 0x3F22) || is_between(0xF900, c, 0xFAFF) ||
         is_between(0xFE30, c, 0xFE4F) || is_asian_mark(c);
}

std::u32string separate_as_tercom(std::u32string_view sentence, bool asian) {
  std::u32string text = replaced(replaced(sentence, U"\n-", U""), U"\n", U" ");
  text = separate(U' ' + without_entities(text) + U' ', is_ascii_mark);
  text = separate_points(replaced(text, U"'s ", U" 's "));
  return asian ? separate(text, is_asian_word) : text;
}

/// sacreBLEU cuts a reference twice. With `normalized` that can change it: "John's." has "'s" only before the
/// point, and with `no_punct` the point is gone.
std::vector<std::string> words_of_reference(const std::string& sentence, const TerOptions& options) {
  return words_for_ter(fmt::format("{}", fmt::join(words_for_ter(sentence, options), " ")), options);
}

}  // namespace

TerCounts& TerCounts::operator+=(const TerCounts& other) {
  edits += other.edits;
  reference_length += other.reference_length;
  return *this;
}

std::vector<std::string> words_for_ter(std::string_view sentence, const TerOptions& options) {
  std::u32string text = decode_utf8(sentence);
  if (!options.case_sensitive) text = lowercase(text);
  if (options.normalized) text = separate_as_tercom(text, options.asian_support);
  if (options.no_punct)
    std::erase_if(
        text, [&](char32_t c) { return is_western_mark(c) || (options.asian_support && is_asian_mark(c)); });
  return words_between_blanks(text);
}

std::vector<TerCounts> ter_counts(const std::vector<std::string>& hypotheses, const References& references,
                                  const TerOptions& options) {
  check_references(hypotheses, references, "TER");
  std::vector<TerCounts> counts;
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    const std::vector<std::string> hypothesis = words_for_ter(hypotheses[i], options);
    std::vector<Index> edits;
    Index length = 0;
    for (const std::vector<std::string>& lines : references) {
      const std::vector<std::string> reference = words_of_reference(lines[i], options);
      edits.push_back(translation_edits(hypothesis, reference));
      length += to_index(reference.size());
    }
    counts.push_back(
        {.edits = std::ranges::min(edits),
         .reference_length = static_cast<double>(length) / static_cast<double>(references.size())});
  }
  return counts;
}

double ter(const TerCounts& counts) {
  if (counts.reference_length == 0) return counts.edits > 0 ? 100 : 0;
  return 100 * (static_cast<double>(counts.edits) / counts.reference_length);
}

std::string signature(const TerOptions& options, std::size_t references) {
  const auto yes = [](bool is) { return is ? "yes" : "no"; };
  return fmt::format("nrefs:{}|case:{}|tok:tercom|norm:{}|punct:{}|asian:{}|version:regard-{}", references,
                     options.case_sensitive ? "mixed" : "lc", yes(options.normalized), yes(!options.no_punct),
                     yes(options.asian_support), exact_version());
}

}  // namespace regard::translation
