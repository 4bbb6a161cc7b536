#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/translation/settings/choices.h"
#include "apps/translation/subwords/subword_pieces.h"
#include "apps/translation/subwords/subword_settings.h"
#include "apps/translation/text/tokeniser.h"
#include "apps/translation/text/vocabulary.h"
#include "autograd/index.h"

namespace sentencepiece {
class SentencePieceProcessor;
}

namespace regard::translation {

/// The vocabularies that can be learnt: from one entry beside the special tokens.
struct SizeRange {
  Index least = special::count + 1, most = 1'000'000;
};
inline constexpr SizeRange subword_sizes{};

/// The share of the corpus' characters that SentencePiece agrees to know.
struct CoverageRange {
  double least = 0.98, most = 1;
};
inline constexpr CoverageRange character_coverages{};

/// Those that can be learnt; others can be read.
inline const Choices<SubwordType> subword_types{
    {{"bpe", SubwordType::bpe}, {"unigram", SubwordType::unigram}}};

/// `sentencepiece`: subwords of raw text (Kudo and Richardson 2018). The text is normalised first (NFKC, and
/// what is blank or a control character becomes a space or nothing), each space becomes the visible ▁, and
/// pieces of the model cover the result: so join(split(x)) is x as it was normalised. A ▁ in the text is read
/// as a blank.
///
/// Characters that the model does not know make one token, which is in no vocabulary. Any number of threads
/// may call a const function of one object at the same time.
class SubwordTokeniser : public Tokeniser {
 public:
  /// From the bytes of a SentencePiece model. Throws Error calling it `name` if it cannot be used.
  SubwordTokeniser(const std::string& bytes, const std::string& name);
  ~SubwordTokeniser() override;

  std::vector<std::string> split(std::string_view text) const override;
  /// `<unk>` becomes " ⁇ " (U+2047).
  std::string join(const std::vector<std::string>& tokens) const override;

  /// The text that the pieces cover: normalised, with ▁ for a blank.
  std::string normalise(std::string_view text) const;

  const SubwordPieces& pieces() const { return pieces_; }
  /// The pieces are the vocabulary: each has the same number here and there.
  const Vocabulary& vocabulary() const { return vocabulary_; }

 private:
  SubwordPieces pieces_;
  Vocabulary vocabulary_;
  std::unique_ptr<sentencepiece::SentencePieceProcessor> processor_;
};

/// A SentencePiece model that was just learnt.
struct LearntSubwords {
  std::string bytes;   ///< of its file
  Index lines = 0;     ///< from which it was learnt
  Index left_out = 0;  ///< of more than 4192 bytes (SentencePiece's limit), or with its sign ▅ (U+2585)
};

/// Learns subwords from the lines of all texts together: the same from the same lines, whatever the number of
/// threads. Throws Error if the vocabulary should be larger than these lines allow, or has no room for their
/// characters, saying what would fit.
LearntSubwords learn_subwords(const std::vector<std::span<const std::string>>& texts,
                              const SubwordSettings& settings);

/// "bpe, 8000 entries, learnt from 58000 lines"
std::string summary(const LearntSubwords& learnt, const SubwordSettings& settings);

}  // namespace regard::translation
