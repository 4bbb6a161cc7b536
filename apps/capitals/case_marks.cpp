#include "apps/capitals/case_marks.h"

#include <algorithm>
#include <cstddef>

#include "apps/translation/files/utf8.h"
#include "autograd/machine/error.h"

namespace regard::translation {
namespace {

constexpr char32_t first_mark = U'⇧', all_mark = U'⇪', none = 0;

bool is_mark(char32_t c) { return c == first_mark || c == all_mark; }

/// Tokenisers read ▁ as a blank.
bool separates(char32_t c) { return is_blank(c) || c == U'▁'; }

std::u32string with_capitals(char32_t mark, std::u32string_view word) {
  std::u32string result;
  for (const char32_t c : word) {
    if (c == U'ß') {
      result += mark == all_mark ? U"SS" : U"ß";
      continue;
    }
    const char32_t capital = uppercase(c);
    result += mark == none ? c : capital;
    if (mark == first_mark && (capital != c || lowercase(c) != c)) mark = none;
  }
  return result;
}

/// True if a piece that has no end of a word is the last one.
bool ends_inside_word(std::u32string_view pieces) {
  while (!pieces.empty() && is_blank(pieces.back())) pieces.remove_suffix(1);
  return pieces.ends_with(U"@@");
}

bool is_ascii(std::u32string_view text) {
  return std::ranges::all_of(text, [](char32_t c) { return c < 0x80; });
}

/// True if the mark gives the word back, as it is and as a tokeniser with NFKC reads it: as one word.
bool gives_back(char32_t mark, const std::u32string& small, const std::u32string& word,
                CaseMarks::Words words) {
  if (with_capitals(mark, small) != word) return false;
  if (is_ascii(word) || words == CaseMarks::Words::pieces) return true;
  const std::u32string read = as_read(encode_utf8(small));
  return std::ranges::none_of(read, separates) && with_capitals(mark, read) == as_read(encode_utf8(word));
}

/// Appends a word in its new form.
void append_marked(std::u32string& text, const std::u32string& word, CaseMarks::Words words) {
  const std::u32string small = lowercase(std::u32string_view(word));
  const std::u32string* written = &word;
  if (small != word)
    for (const char32_t mark : {first_mark, all_mark})
      if (written == &word && gives_back(mark, small, word, words)) {
        text += {mark, U' '};
        written = &small;
      }
  for (const char32_t c : *written) text.append(is_mark(c) ? 2 : 1, c);
}

}  // namespace

std::string CaseMarks::to(std::string_view text) const {
  std::u32string result, word;
  const auto finish_word = [&] {
    append_marked(result, word, words_);
    word.clear();
  };
  for (const char32_t c : decode_utf8(text)) {
    const bool goes_on = words_ == Words::pieces && is_blank(c) && ends_inside_word(word);
    if (goes_on || !separates(c)) {
      word += c;
      continue;
    }
    finish_word();
    result += c;
  }
  finish_word();
  return encode_utf8(result);
}

std::string CaseMarks::from(std::string_view text) const {
  const std::u32string all = decode_utf8(text);
  std::u32string result, word;
  char32_t mark = none;
  const auto finish_word = [&] {
    result += with_capitals(word == U"<unk>" ? none : mark, word);
    if (!word.empty()) mark = none;
    word.clear();
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    const char32_t next = i + 1 < all.size() ? all[i + 1] : none;
    if (is_mark(all[i]) && next == all[i]) {
      word += all[i++];
    } else if (is_mark(all[i])) {
      finish_word();
      mark = all[i];
      if (separates(next)) ++i;
    } else if (separates(all[i])) {
      finish_word();
      result += all[i];
    } else {
      word += all[i];
    }
  }
  finish_word();
  return encode_utf8(result);
}

void CaseMarks::check_given(const Vocabulary& vocabulary, const std::string& file) const {
  const std::string mark = encode_utf8(std::u32string_view(&first_mark, 1));
  for (Index id = 0; id < vocabulary.size(); ++id)
    if (vocabulary.token(id).find(mark) != std::string::npos) return;
  fail(
      "data.case \"tokens\": {} has no piece with the mark {}, which stands for a capital; give the "
      "subwords.model of a training with data.case \"tokens\", or leave it out, and one is learnt",
      file, mark);
}

}  // namespace regard::translation
