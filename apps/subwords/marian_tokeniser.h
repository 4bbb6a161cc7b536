#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apps/translation/text/tokeniser.h"

namespace sentencepiece {
class SentencePieceProcessor;
}

namespace regard::translation {

/// `marian`: two SentencePiece models, one for each side, as MarianTokenizer of Hugging Face's transformers.
/// The vocabulary has its own order and may lack pieces of the models; these are unknown words. A text may
/// begin with the code of a language, such as ">>fra<<", which is one token (also after blanks, unlike
/// there). Any number of threads may call const functions of one object at the same time.
class MarianTokeniser : public Tokeniser {
 public:
  /// Reads the bytes of the models. Throws Error if they are no SentencePiece models, or are damaged or
  /// incomplete. The message calls the models by the names.
  MarianTokeniser(const std::string& source, const std::string& name_of_source, const std::string& target,
                  const std::string& name_of_target);
  ~MarianTokeniser() override;

  std::vector<std::string> split(std::string_view text) const override;
  std::vector<std::string> split_target(std::string_view text) const override;
  /// Joins pieces of the target. `<unk>` becomes " ⁇ " (U+2047).
  std::string join(const std::vector<std::string>& tokens) const override;

 private:
  std::unique_ptr<sentencepiece::SentencePieceProcessor> source_, target_;
};

/// The pieces of a SentencePiece model in the order of their ids. Throws Error that names the model.
std::vector<std::string> pieces_of(const std::string& bytes, const std::string& name);

}  // namespace regard::translation
