#include "apps/translation/metrics/bleu_tokenisers.h"

#include <algorithm>
#include <utf8proc.h>

#include "apps/translation/files/utf8.h"

namespace regard::translation {
namespace {

// Both sets of rules put blanks around each future word. A rule reads the sentence from left to right. It
// does not read a character again after it has changed it or has read it as one of a pair.

enum class Blank { around_second, around_first };

/// If one character is a `First` and the next is a `Second`, puts blanks around one of them.
template <class First, class Second>
std::u32string separate(std::u32string_view text, First first, Second second, Blank blank) {
  std::u32string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i + 1 == text.size() || !first(text[i]) || !second(text[i + 1])) {
      result += text[i];
      continue;
    }
    const char32_t a = text[i], b = text[++i];
    if (blank == Blank::around_second)
      result += {a, U' ', b, U' '};
    else
      result += {U' ', a, U' ', b};
  }
  return result;
}

/// Puts blanks around every character that is a `Kind`.
template <class Kind>
std::u32string separate(std::u32string_view text, Kind kind) {
  std::u32string result;
  for (const char32_t c : text) {
    if (kind(c))
      result += {U' ', c, U' '};
    else
      result += c;
  }
  return result;
}

/// Replaces every `old` from left to right. Does not search again in text that a replacement has formed.
std::u32string replaced(std::u32string_view text, std::u32string_view old, std::u32string_view with) {
  std::u32string result;
  for (std::size_t at = text.find(old); at != text.npos; at = text.find(old)) {
    result.append(text.substr(0, at)).append(with);
    text.remove_prefix(at + old.size());
  }
  return result.append(text);
}

/// True for ASCII's punctuation and symbols except ' , - and .
bool is_ascii_mark(char32_t c) {
  return (c >= U' ' && c <= U'&') || (c >= U'(' && c <= U'+') || c == U'/' || (c >= U':' && c <= U'@') ||
         (c >= U'[' && c <= U'`') || (c >= U'{' && c <= U'~');
}

std::u32string separate_13a(std::u32string text) {
  text = replaced(text, U"<skipped>", U"");
  text = replaced(text, U"-\n", U"");
  text = replaced(text, U"\n", U" ");
  text = replaced(text, U"&quot;", U"\"");
  text = replaced(text, U"&amp;", U"&");
  text = replaced(text, U"&lt;", U"<");
  text = replaced(text, U"&gt;", U">");
  const auto digit = [](char32_t c) { return c >= U'0' && c <= U'9'; };
  const auto no_digit = [](char32_t c) { return c < U'0' || c > U'9'; };
  const auto point = [](char32_t c) { return c == U'.' || c == U','; };
  const auto dash = [](char32_t c) { return c == U'-'; };
  text = separate(U' ' + text + U' ', is_ascii_mark);
  text = separate(text, no_digit, point, Blank::around_second);
  text = separate(text, point, no_digit, Blank::around_first);
  return separate(text, digit, dash, Blank::around_second);
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
