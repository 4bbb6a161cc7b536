#pragma once

#include <random>
#include <string>

#include "apps/translation/files/utf8.h"

namespace regard::tests {

/// Lines of words in which anything may stand beside capitals: other alphabets, letters whose capitals are
/// special, combining marks, blanks, marks of data.case, pieces of subword-nmt.
class RandomText {
 public:
  explicit RandomText(unsigned seed) : random_(seed) {}

  std::string line() {
    std::u32string text;
    for (int words = below(7); words >= 0; --words) {
      text += word();
      text += below(8) == 0 ? any_of(U"\t\u00a0\u3000▁") : U' ';
    }
    return translation::encode_utf8(text);
  }

 private:
  int below(int end) { return std::uniform_int_distribution(0, end - 1)(random_); }
  char32_t any_of(std::u32string_view choices) {
    return choices[static_cast<std::size_t>(below(static_cast<int>(choices.size())))];
  }

  std::u32string word() {
    const int kind = below(5);  // small, first letter, all capitals, mixed, anything
    const std::u32string_view letters =
        below(2) == 0
            ? U"abcdefghij"
            : U"aäéßσςжѓıſǆǰﬁⅷａ\u0307\u030c\u0345ⓐ𐐨ꭰა'-.9@⇧⇪\u00ad\u200b漢";
    std::u32string result;
    for (int i = below(6); i >= 0; --i) {
      char32_t c = kind == 4 ? static_cast<char32_t>(1 + below(0x2FFF)) : any_of(letters);
      if (c == U'\n' || c == U'\r') c = U'X';
      const bool capital = kind == 2 || (kind == 1 && result.empty()) || (kind == 3 && below(2) == 0);
      result += capital ? translation::uppercase(c) : c;
    }
    if (below(10) == 0) result = std::u32string(1, any_of(U"⇧⇪İẞǅΣA"));
    return below(8) == 0 ? result + U"@@" : result;
  }

  std::mt19937 random_;
};

}  // namespace regard::tests
