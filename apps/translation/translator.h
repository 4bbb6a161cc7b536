#pragma once

#include <string>
#include <vector>

#include "apps/translation/model_directory.h"
#include "transformer/search.h"

namespace regard::translation {

struct Translation {
  std::string text;
  double score = 0;  ///< log-probability over length penalty
};

/// Sentences in, sentences out.
class Translator {
 public:
  explicit Translator(TranslationModel model) : model_(std::move(model)) {}

  struct Result {
    std::vector<Translation> n_best;         ///< best first; one empty translation for an empty sentence
    std::vector<std::string> unknown_words;  ///< read as <unk>
  };
  /// Translates `sentences`, whose first has line number `first_line` in the user's text. They are searched
  /// in batches of similar length and returned in the order given. Throws Error naming the line of a sentence
  /// that is longer than the model's data.max_length.
  std::vector<Result> translate(const std::vector<std::string>& sentences,
                                const transformer::SearchOptions& options, std::int64_t first_line = 1);

  /// Where the decoder looked while it wrote this sentence's translation.
  struct Attention {
    std::vector<std::string> source_tokens, target_tokens;  ///< </s> included
    Tensor weights;  ///< [target tokens, source tokens], last decoder layer, mean over the heads
  };
  Attention attention(const std::string& sentence, const transformer::SearchOptions& options);

  TranslationModel& model() { return model_; }

 private:
  TranslationModel model_;
};

/// Searches the translations of tokenised sentences (without </s>) in batches of similar length.
std::vector<std::vector<transformer::Hypothesis>> search_all(
    transformer::Transformer& model, const std::vector<std::vector<std::int32_t>>& sources,
    const transformer::SearchOptions& options);

/// Draws weights[target, source] as a table of shades for a terminal, one row a target token.
std::string heat_map(const Translator::Attention& attention);

}  // namespace regard::translation
