#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apps/translation/files/choices.h"
#include "apps/translation/metrics/bleu.h"

namespace regard::translation {

/// The names of the tokenisers in sacreBLEU.
inline const Choices<BleuTokeniser> bleu_tokenisers{{"13a", BleuTokeniser::mteval_13a},
                                                    {"none", BleuTokeniser::none},
                                                    {"intl", BleuTokeniser::intl},
                                                    {"char", BleuTokeniser::character},
                                                    {"zh", BleuTokeniser::chinese}};

/// Returns the words that BLEU compares. They are equal to sacreBLEU's.
///
/// `mteval_13a`: the rules of NIST's mteval-v13a, made for ASCII. Each punctuation mark and symbol is a
/// separate word, except apostrophes, points and commas between digits, and dashes that follow no digit.
/// &quot; &amp; &lt; and &gt; are read as the characters that they encode.
///
/// `intl`: mteval-v14's international rules. Unicode's punctuation (P) and symbols (S) are separate words,
/// except punctuation between digits (N). As in mteval-v14, a point after a digit at the end of a sentence is
/// not separated.
///
/// `character`: each character is a word, and blanks are left out. Use it for languages that are written
/// without blanks.
///
/// `chinese`: each character of the blocks that Chinese uses is a word (but for those above U+FFFF); what is
/// left is cut by the rules of mteval-v13a.
///
/// `none`: blanks separate the words. Use it for text that is tokenised already.
///
/// is_blank() in utf8.h defines "blank". Throws Error if the text is not UTF-8.
std::vector<std::string> words_for_bleu(std::string_view sentence, const BleuOptions& options);

// Two signs that a tokeniser does not fit a text.

/// True if the text is in a script that has no blanks between words (Chinese, Japanese, Thai, Lao, Khmer,
/// Burmese) and its words are longer than 5 letters on average. They are whole phrases, and few can match.
bool lacks_blanks(const std::vector<std::string>& sentences, const BleuOptions& options);

/// True if at least 100 translations end in " .", as in text that is tokenised already, but the tokeniser is
/// made for plain text. sacreBLEU warns at the same number.
bool looks_tokenised(const std::vector<std::string>& hypotheses, const BleuOptions& options);

}  // namespace regard::translation
