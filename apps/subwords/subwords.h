#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/subwords/subword_settings.h"
#include "apps/translation/files/choices.h"
#include "apps/translation/settings/tokeniser_kind.h"
#include "apps/translation/text/tokeniser.h"
#include "apps/translation/text/vocabulary.h"
#include "autograd/machine/real.h"

namespace sentencepiece {
class SentencePieceProcessor;
}

namespace regard::translation {

/// The sizes of vocabularies that can be learnt: at least one entry besides the special tokens.
struct SizeRange {
  Index least = special::count + 1, most = 1'000'000;
};
inline constexpr SizeRange subword_sizes{};

/// The values of character_coverage that SentencePiece accepts.
struct CoverageRange {
  double least = 0.98, most = 1;
};
inline constexpr CoverageRange character_coverages{};

/// The types that can be learnt. Models of the other types can only be read.
inline const Choices<SubwordType> subword_types{{"bpe", SubwordType::bpe}, {"unigram", SubwordType::unigram}};

std::string to_string(SubwordType type);

/// The names of SentencePiece's rules of normalisation, and `none`.
inline constexpr const char* normalisations[] = {"nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf", "none"};

/// Throws Error if no model can be learnt with these settings, whatever the text is.
void check_learnable(const SubwordSettings& settings);

/// `sentencepiece`: subwords of raw text (Kudo and Richardson 2018). First the text is normalised by the
/// rules of the model; usually by NFKC, and each blank and control character becomes a space or nothing. Then
/// each space becomes the visible ▁, and pieces of the model cover the result. So join(split(x)) is the
/// normalised x. A ▁ in the text is read as a blank, and so is a CR.
///
/// Neighbouring characters that the model does not know become one token, which is in no vocabulary; with
/// byte fallback they become pieces for their bytes, such as <0xE2>. Any number of threads may call const
/// functions of one object at the same time.
class SubwordTokeniser : public Tokeniser {
 public:
  /// Reads the bytes of a SentencePiece model. Throws Error if they are not such a model, are damaged or
  /// incomplete, if the special pieces are not <pad> 0, <s> 1, </s> 2, <unk> 3, or if a piece contains a line
  /// end. The message calls the model `name`.
  SubwordTokeniser(const std::string& bytes, const std::string& name);
  ~SubwordTokeniser() override;

  std::vector<std::string> split(std::string_view text) const override;
  /// Such as "bpe, 8000 entries" or "bpe, 8000 entries, normalisation none, blanks kept".
  std::string about() const override;
  bool cuts_words_alone() const override { return cuts_words_alone_; }
  /// `<unk>` becomes " ⁇ " (U+2047). A byte that is part of no whole character, or is a line end, becomes
  /// U+FFFD.
  std::string join(const std::vector<std::string>& tokens) const override;

  /// Cuts the text at random, the same way for the same `seed`, and returns the numbers of the pieces.
  ///
  /// bpe: BPE-dropout (Provilkov et al. 2020). Each merge is left out with the probability `sampling`.
  /// unigram: subword regularisation (Kudo 2018, section 3.2). A segmentation x is drawn with the probability
  /// P(x)^sampling, among the `n_best` most probable ones, or among all if `n_best` is negative.
  std::vector<std::int32_t> sample(std::string_view text, double sampling, Index n_best,
                                   std::uint32_t seed) const;

  SubwordType type() const { return properties_.type; }
  const SubwordProperties& properties() const { return properties_; }
  /// The vocabulary consists of the pieces. A piece has the same number in both.
  const Vocabulary& vocabulary() const { return vocabulary_; }

 private:
  SubwordProperties properties_;
  std::unique_ptr<sentencepiece::SentencePieceProcessor> processor_;
  Vocabulary vocabulary_;
  bool cuts_words_alone_;
};

/// A new SentencePiece model.
struct LearntSubwords {
  std::string bytes;    ///< content of its file
  Index lines = 0;      ///< number of lines that it was learnt from
  Index all_lines = 0;  ///< number of lines from which these were taken
  Index left_out = 0;  ///< lines of more than 4192 bytes (SentencePiece's limit) or with its mark ▅ (U+2585)
};

/// Learns subwords from the lines of all texts together. The library tells no progress in between. The result
/// does not depend on the number of threads. Throws Error if the lines do not have enough different pieces
/// for a vocabulary of this size, or if it has no room for all characters and symbols. The message contains a
/// size that is possible. Throws OutOfMemory if memory runs out, except in a thread of SentencePiece, which
/// ends the program (program.cpp says so in one sentence).
LearntSubwords learn_subwords(const std::vector<std::span<const std::string>>& texts,
                              const SubwordSettings& settings, const LearningProgress& progress = {});

/// Returns a description such as ", learnt from 58000 lines".
std::string origin(const LearntSubwords& learnt);

}  // namespace regard::translation
