// Pieces that are never cut: placeholders, tags.
#include "apps/subwords/symbols.h"

#include <algorithm>
#include <set>

#include "apps/subwords/sentencepiece_file.h"
#include "apps/translation/files/utf8.h"
#include "apps/translation/text/parts.h"
#include "apps/translation/text/patterns.h"
#include "apps/translation/text/tokeniser.h"
#include "apps/translation/text/vocabulary.h"
#include "autograd/machine/error.h"

namespace regard::translation {

namespace {

/// A symbol as the model writes it, with a visible blank for each blank.
std::string as_piece(std::string_view symbol) {
  std::string piece;
  for (const char c : symbol) c == ' ' ? piece += visible_blank : piece += c;
  return piece;
}

/// True if the text is the name of another kind of piece: a special token, or a byte such as <0x0A>.
bool is_reserved(std::string_view text) {
  const bool byte = text.size() == 6 && text.starts_with("<0x") && text.ends_with('>');
  return byte || is_special(text);
}

/// The reason why a text cannot be a symbol; null if it can.
const char* fault_of(std::string_view symbol) {
  if (symbol.empty()) return "is empty";
  if (symbol.find_first_of(std::string_view("\n\r\0", 3)) != std::string_view::npos)
    return "contains a line end or NUL";
  if (symbol.find(sign_of_unknown) != std::string_view::npos)
    return "contains ▅ (U+2585), which SentencePiece uses itself";
  if (symbol == visible_blank || symbol.find_first_not_of(' ') == std::string_view::npos) return "is a blank";
  if (is_reserved(symbol)) return "is the name of a special token or of a byte";
  return nullptr;
}

/// The matches in the lines that are frequent enough, the most frequent first.
std::vector<std::string> frequent_matches(std::span<const std::string* const> lines,
                                          const SubwordSettings& settings) {
  const Patterns patterns(settings.symbol_patterns);
  if (patterns.empty()) return {};
  const PartCounts counts = count_parts(lines, [&](std::string_view line, const auto& add) {
    for (const std::string_view match : patterns.matches(line)) add(match);
  });
  std::vector<std::pair<Index, std::string_view>> found;
  for (const auto& [match, count] : counts)
    if (count >= settings.symbol_frequency && fault_of(match) == nullptr) found.emplace_back(-count, match);
  std::ranges::sort(found);
  std::vector<std::string> matches;
  for (const auto& [count, match] : found) matches.emplace_back(match);
  return matches;
}

}  // namespace

void check_symbols(const SubwordSettings& settings) {
  for (const std::string& symbol : settings.symbols)
    if (const char* const fault = fault_of(symbol))
      fail("data.subwords.symbols: \"{}\" {}, so it cannot be a symbol", printable(symbol), fault);
  check_patterns(settings.symbol_patterns, "data.subwords.symbol_patterns");
  if (settings.symbol_patterns.empty() && settings.symbol_frequency != SubwordSettings().symbol_frequency)
    fail("data.subwords.symbol_frequency has no effect here; it needs data.subwords.symbol_patterns");
}

std::vector<std::string> symbols_for(std::span<const std::string* const> lines,
                                     const SubwordSettings& settings) {
  check_symbols(settings);
  std::vector<std::string> pieces;
  std::set<std::string> known;
  for (const std::vector<std::string>& some : {settings.symbols, frequent_matches(lines, settings)})
    for (const std::string& symbol : some)
      if (std::string piece = as_piece(symbol); known.insert(piece).second)
        pieces.push_back(std::move(piece));
  // The library ends a piece at a tab, so a tab that normalisation keeps has to be a symbol.
  const auto has_tab = [](const std::string* line) { return line->find('\t') != std::string::npos; };
  if (keeps_tabs(settings.normalisation) && std::ranges::any_of(lines, has_tab) && known.insert("\t").second)
    pieces.emplace_back("\t");
  if (to_index(pieces.size()) > settings.size / 2)
    fail(
        "data.subwords.symbols and symbol_patterns give {} symbols, more than half of data.subwords.size "
        "({}); raise data.subwords.symbol_frequency, narrow the patterns, or raise the size",
        pieces.size(), settings.size);
  return pieces;
}

}  // namespace regard::translation
