#include "apps/translation/metrics/bleu_tokenisers.h"

#include <algorithm>
#include <utf8proc.h>
#include <utility>

#include "apps/translation/files/utf8.h"
#include "apps/translation/metrics/separate.h"

namespace regard::translation {

std::u32string replaced(std::u32string_view text, std::u32string_view old, std::u32string_view with) {
  std::u32string result;
  for (std::size_t at = text.find(old); at != text.npos; at = text.find(old)) {
    result.append(text.substr(0, at)).append(with);
    text.remove_prefix(at + old.size());
  }
  return result.append(text);
}

std::u32string without_entities(std::u32string_view text) {
  std::u32string result = replaced(text, U"&quot;", U"\"");
  result = replaced(result, U"&amp;", U"&");
  result = replaced(result, U"&lt;", U"<");
  return replaced(result, U"&gt;", U">");
}

bool is_ascii_mark(char32_t c) {
  return (c >= U' ' && c <= U'&') || (c >= U'(' && c <= U'+') || c == U'/' || (c >= U':' && c <= U'@') ||
         (c >= U'[' && c <= U'`') || (c >= U'{' && c <= U'~');
}

std::u32string separate_points(std::u32string_view text) {
  const auto digit = [](char32_t c) { return c >= U'0' && c <= U'9'; };
  const auto no_digit = [](char32_t c) { return c < U'0' || c > U'9'; };
  const auto point = [](char32_t c) { return c == U'.' || c == U','; };
  const auto dash = [](char32_t c) { return c == U'-'; };
  std::u32string result = separate(text, no_digit, point, Blank::around_second);
  result = separate(result, point, no_digit, Blank::around_first);
  return separate(result, digit, dash, Blank::around_second);
}

std::vector<std::string> words_between_blanks(std::u32string_view text) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t begin = i;
    while (i < text.size() && !is_blank(text[i])) ++i;
    if (i > begin)
      words.push_back(encode_utf8(text.substr(begin, i - begin)));
    else
      ++i;
  }
  return words;
}

namespace {

std::u32string separate_13a(std::u32string text) {
  text = replaced(text, U"<skipped>", U"");
  text = replaced(text, U"-\n", U"");
  text = without_entities(replaced(text, U"\n", U" "));
  return separate_points(separate(U' ' + text + U' ', is_ascii_mark));
}

/// Chinese characters and marks, by the blocks that sacreBLEU names. Its first block is a slip of the pen for
/// U+20000 to U+2A6D6, but scores must be comparable.
bool is_chinese(char32_t c) {
  constexpr std::pair<char32_t, char32_t> blocks[] = {
      {0x2001, 0x2A6D}, {0x2E80, 0x2EFF}, {0x2F00, 0x2FDF}, {0x2FF0, 0x303F},
      {0x3100, 0x312F}, {0x31A0, 0x31BF}, {0x31C0, 0x31EF}, {0x3200, 0x33FF},
      {0x3400, 0x4DB5}, {0x4E00, 0x9FBB}, {0xF900, 0xFA2D}, {0xFA30, 0xFA6A},
      {0xFA70, 0xFAD9}, {0xFE10, 0xFE1F}, {0xFE30, 0xFE4F}, {0xFF00, 0xFFEF}};
  return std::ranges::any_of(blocks, [&](auto block) { return c >= block.first && c <= block.second; });
}

std::u32string separate_chinese(std::u32string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  return separate_points(separate(separate(text, is_chinese), is_ascii_mark));
}

/// True if the category of a character is in the group from `first` to `last`. The members of a group are
/// neighbours in the enumeration.
bool in_group(char32_t c, utf8proc_category_t first, utf8proc_category_t last) {
  const utf8proc_category_t category = utf8proc_category(static_cast<utf8proc_int32_t>(c));
  return category >= first && category <= last;
}

std::u32string separate_international(std::u32string text) {
  const auto no_number = [](char32_t c) { return !in_group(c, UTF8PROC_CATEGORY_ND, UTF8PROC_CATEGORY_NO); };
  const auto punctuation = [](char32_t c) { return in_group(c, UTF8PROC_CATEGORY_PC, UTF8PROC_CATEGORY_PO); };
  const auto symbol = [](char32_t c) { return in_group(c, UTF8PROC_CATEGORY_SM, UTF8PROC_CATEGORY_SO); };
  text = separate(text, no_number, punctuation, Blank::around_second);
  text = separate(text, punctuation, no_number, Blank::around_first);
  return separate(text, symbol);
}

std::vector<std::string> single_characters(std::u32string_view text) {
  std::vector<std::string> words;
  for (const char32_t c : text)
    if (!is_blank(c)) words.push_back(encode_utf8({&c, 1}));
  return words;
}

/// True for a letter of Thai, Lao, Burmese, Khmer, Chinese or Japanese.
bool is_without_blanks(char32_t c) {
  return is_letter(c) && ((c >= 0xE00 && c <= 0xEFF) || (c >= 0x1000 && c <= 0x109F) ||
                          (c >= 0x1780 && c <= 0x17FF) || is_ideographic(c));
}

}  // namespace

std::vector<std::string> words_for_bleu(std::string_view sentence, const BleuOptions& options) {
  std::u32string text = decode_utf8(sentence);
  if (options.lowercase) text = lowercase(text);
  while (!text.empty() && is_blank(text.back())) text.pop_back();
  switch (options.tokeniser) {
    case BleuTokeniser::mteval_13a:
      return words_between_blanks(separate_13a(std::move(text)));
    case BleuTokeniser::intl:
      return words_between_blanks(separate_international(std::move(text)));
    case BleuTokeniser::character:
      return single_characters(text);
    case BleuTokeniser::chinese:
      return words_between_blanks(separate_chinese(text));
    case BleuTokeniser::none:
      break;
  }
  return words_between_blanks(text);
}

bool lacks_blanks(const std::vector<std::string>& sentences, const BleuOptions& options) {
  Index letters = 0, without_blanks = 0, words = 0;
  for (const std::string& sentence : sentences)
    for (const std::string& word : words_for_bleu(sentence, options)) {
      const std::u32string all = decode_utf8(word);
      const Index count = std::ranges::count_if(all, is_without_blanks);
      letters += std::ranges::count_if(all, is_letter);
      without_blanks += count;
      words += count > 0;
    }
  return 2 * without_blanks > letters && without_blanks > 5 * words;
}

bool looks_tokenised(const std::vector<std::string>& hypotheses, const BleuOptions& options) {
  const bool for_plain_text =
      options.tokeniser == BleuTokeniser::mteval_13a || options.tokeniser == BleuTokeniser::intl;
  const auto ends_tokenised = [](const std::string& sentence) { return sentence.ends_with(" ."); };
  return for_plain_text && std::ranges::count_if(hypotheses, ends_tokenised) >= 100;
}

}  // namespace regard::translation
