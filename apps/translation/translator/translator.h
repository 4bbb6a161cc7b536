#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/translation/model/translation_model.h"
#include "autograd/index.h"
#include "transformer/search/sampling.h"
#include "transformer/search/search.h"

namespace regard::translation {

struct Translation {
  std::string text;
  /// Log-probability over length penalty; none for an empty sentence, with which nothing was searched.
  std::optional<double> score = {};
  std::vector<std::int32_t> ids = {};  ///< of its tokens, without </s>
};

/// Throws Error, calling it `name`, for a beam wider than the target vocabulary.
void check_beam(const char* name, Index beam, Index vocabulary);

/// Source tokens searched together, unless said otherwise, with a beam of up to 8.
constexpr Index default_search_tokens = 2048;

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

/// Searches the translations of tokenised sentences (without </s>) in batches of similar length, each of up
/// to `batch_tokens` source tokens; a longer sentence makes a batch of its own. As memory goes with the
/// hypotheses, a beam of more than 8 makes batches so much smaller.
std::vector<std::vector<transformer::Hypothesis>> search_all(
    transformer::EncoderDecoder& model, const std::vector<std::vector<std::int32_t>>& sources,
    const transformer::SearchOptions& options, Index batch_tokens = default_search_tokens);

/// The same for samples (transformer/search/sampling.h), in batches so much smaller as there are more of a
/// sentence; of one alone, 1,024 are drawn at a time. `numbers` are the numbers of the sentences; empty: 0,
/// 1, 2, …
std::vector<std::vector<transformer::Hypothesis>> sample_all(
    transformer::EncoderDecoder& model, const std::vector<std::vector<std::int32_t>>& sources,
    const transformer::SamplingOptions& options, std::span<const Index> numbers = {},
    Index batch_tokens = default_search_tokens);

/// Draws weights[target, source] as a table of shades for a terminal, one row a target token.
std::string heat_map(const Translator::Attention& attention);

}  // namespace regard::translation
