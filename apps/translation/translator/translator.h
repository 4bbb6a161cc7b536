#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/translation/model/translation_model.h"
#include "apps/translation/translator/in_batches.h"
#include "autograd/index.h"

namespace regard::translation {

struct Translation {
  std::string text;
  /// Log-probability over length penalty; none for an empty sentence, with which nothing was searched.
  std::optional<double> score = {};
  std::vector<std::int32_t> ids = {};  ///< of its tokens, without </s>
};

/// Sentences in, sentences out.
class Translator {
 public:
  explicit Translator(TranslationModel model) : model_(std::move(model)) {}

  struct Result {
    /// Best first, or in the order drawn. One empty translation for an empty sentence.
    std::vector<Translation> n_best;
    std::vector<std::string> unknown_words;  ///< read as <unk>
  };
  /// Translates `sentences`, whose first has line number `first_line` in the user's text. They are searched
  /// in batches of similar length and returned in the order given. Throws Error naming the line of a sentence
  /// that is longer than the model's data.max_length.
  std::vector<Result> translate(const std::vector<std::string>& sentences,
                                const transformer::SearchOptions& options, Index first_line = 1);
  /// Draws translations instead of searching the best: options.search.n_best of each sentence, in the order
  /// drawn. The random numbers of a sentence depend on the seed and its line number, not on the batch.
  std::vector<Result> sample(const std::vector<std::string>& sentences,
                             const transformer::SamplingOptions& options, Index first_line = 1);
  /// Whether the sentence is no longer than the model's data.max_length.
  bool takes(const std::string& sentence) const;
  /// Throws Error naming the line if it does not take the sentence.
  void check_length(const std::string& sentence, Index line) const;

  /// Where the decoder looks when it writes a translation of a sentence that is not empty.
  struct Attention {
    std::vector<std::string> source_tokens, target_tokens;  ///< </s> included
    Tensor weights;  ///< [target tokens, source tokens], last decoder layer, mean over the heads
  };
  Attention attention(const std::string& sentence, const Translation& translation);

  TranslationModel& model() { return model_; }
  /// How many source tokens, </s> counted, are searched together, with a beam of up to 8. Throws Error unless
  /// at least 1.
  void set_batch_tokens(Index tokens);

 private:
  using Found = std::vector<std::vector<transformer::Hypothesis>>;
  using Sources = std::vector<std::vector<std::int32_t>>;
  /// The results for what `search` finds, given the sentences that are not empty and their line numbers.
  std::vector<Result> results_of(const std::vector<std::string>& sentences, Index first_line,
                                 const std::function<Found(const Sources&, std::span<const Index>)>& search);

  TranslationModel model_;
  Index batch_tokens_ = default_search_tokens;
};

}  // namespace regard::translation
