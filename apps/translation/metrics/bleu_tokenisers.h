#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apps/translation/metrics/bleu.h"
#include "apps/translation/settings/choices.h"

namespace regard::translation {

/// The names of the tokenisers in sacreBLEU.
inline const Choices<BleuTokeniser> bleu_tokenisers{
    {"13a", BleuTokeniser::mteval_13a}, {"none", BleuTokeniser::none}, {"intl", BleuTokeniser::intl}};

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
/// `none`: blanks separate the words. Use it for text that is tokenised already.
///
/// is_blank() in utf8.h defines "blank". Throws Error if the text is not UTF-8.
std::vector<std::string> words_for_bleu(std::string_view sentence, const BleuOptions& options);

}  // namespace regard::translation
