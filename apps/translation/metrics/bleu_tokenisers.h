#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apps/translation/metrics/bleu.h"
#include "apps/translation/settings/choices.h"

namespace regard::translation {

/// The names of the tokenisers in sacreBLEU.
inline const Choices<BleuTokeniser> bleu_tokenisers{
    {{"13a", BleuTokeniser::mteval_13a}, {"none", BleuTokeniser::none}, {"intl", BleuTokeniser::intl}}};

/// The words that BLEU compares, equal to sacreBLEU's.
///
/// `mteval_13a`: the rules of NIST's mteval-v13a, made for ASCII. Each punctuation mark and symbol is a word
/// of its own, but for apostrophes, for points and commas between digits, and for dashes that follow no
/// digit. &quot; &amp; &lt; and &gt; are read as the characters they stand for.
///
/// `intl`: mteval-v14's international rules: Unicode's punctuation (P) and symbols (S) are words of their
/// own, but for punctuation between digits (N). A point that follows a digit at the end of a sentence stays
/// with it, as there.
///
/// `none`: what stands between blanks, for text that is tokenised already.
///
/// "Blank" is is_blank() of utf8.h. Throws Error if the text is not UTF-8.
std::vector<std::string> words_for_bleu(std::string_view sentence, const BleuOptions& options);

}  // namespace regard::translation
