#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apps/translation/settings/settings.h"
#include "apps/translation/text/tokeniser.h"
#include "apps/translation/text/vocabulary.h"
#include "transformer/search/search_options.h"

namespace sentencepiece {
class SentencePieceProcessor;
}

namespace regard::translation {

/// The codes of two languages, such as eng_Latn and fra_Latn. Each is a token of the vocabulary.
struct Direction {
  std::string source, target;

  /// The content of the file: a code in each line.
  std::string text() const { return source + "\n" + target + "\n"; }
  /// Reads the content. Throws Error that names the file unless it has two codes.
  static Direction of(const std::string& text, const std::string& file);
};

/// `nllb`: one SentencePiece model for both sides, as NllbTokenizer of Hugging Face's transformers (NLLB Team
/// 2022, "No Language Left Behind", section 6). The first token of a sentence is the code of its language, on
/// both sides; a text that is joined is without it. Any number of threads may call const functions of one
/// object at the same time.
class NllbTokeniser : public Tokeniser {
 public:
  /// Reads the bytes of the model, which messages call `name`. Throws Error if it is damaged.
  NllbTokeniser(const std::string& bytes, const std::string& name, Direction direction);
  ~NllbTokeniser() override;

  const Direction& direction() const { return direction_; }
  /// No token if the text has none, so that an empty line is not translated.
  std::vector<std::string> split(std::string_view text) const override;
  std::vector<std::string> split_target(std::string_view text) const override;
  std::string join(const std::vector<std::string>& tokens) const override;

 private:
  std::vector<std::string> pieces(std::string_view text) const;

  std::unique_ptr<sentencepiece::SentencePieceProcessor> model_;
  Direction direction_;
};

/// With tokeniser nllb: the rule that the first token of each translation is the code of the target language.
transformer::MakeTokenRule begin_with_language(const Settings& settings, const Tokeniser& tokeniser,
                                               const Vocabularies& vocabularies);

}  // namespace regard::translation
