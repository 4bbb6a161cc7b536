#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "autograd/index.h"
#include "transformer/search/sampling.h"
#include "transformer/search/scoring.h"
#include "transformer/search/search.h"

namespace regard::translation {

struct TranslationModel;

struct Translation {
  std::string text;
  /// Log-probability over length penalty. Nothing for an empty sentence, because nothing was searched.
  std::optional<double> score = {};
  std::vector<std::int32_t> ids = {};  ///< of its tokens, without </s>
};

/// Sentences in, sentences out.
class Translator {
 public:
  /// Reads a model directory. `weights` names a file that replaces its weights.safetensors. Throws Error that
  /// names the file that is missing, damaged, of a newer format, or does not fit the others.
  static Translator load(const std::string& directory, const std::string& weights = "");
  explicit Translator(TranslationModel model);
  Translator(Translator&&) noexcept;
  Translator& operator=(Translator&&) noexcept;
  ~Translator();

  struct Result {
    /// Best first, or in the order drawn. One empty translation for an empty sentence.
    std::vector<Translation> n_best;
    std::vector<std::string> unknown_words;  ///< the model read them as <unk>
  };
  /// Translates sentences and returns the results in the same order. `first_line` is the line number of the
  /// first sentence in the user's text. Throws Error that names the line of a sentence that is longer than
  /// the model's data.max_length.
  std::vector<Result> translate(const std::vector<std::string>& sentences,
                                const transformer::SearchOptions& options, Index first_line = 1);
  /// The same with the options of the model's configuration.
  std::vector<Result> translate(const std::vector<std::string>& sentences) {
    return translate(sentences, decoding());
  }
  /// The search options of the model's configuration (decoding).
  const transformer::SearchOptions& decoding() const;
  /// Draws options.search.n_best translations of each sentence instead of searching the best. The random
  /// numbers of a sentence depend on the seed and its line number, not on the batch.
  std::vector<Result> sample(const std::vector<std::string>& sentences,
                             const transformer::SamplingOptions& options, Index first_line = 1);
  /// The log-probabilities that the model gives to given translations, in the same order. Nothing for a pair
  /// whose source is empty. Throws Error for a sentence that is too long, as translate does.
  std::vector<std::optional<transformer::ForcedScore>> score(const std::vector<std::string>& sources,
                                                             const std::vector<std::string>& targets,
                                                             Index first_line = 1);

  /// True if the sentence is at most data.max_length long.
  bool takes(const std::string& sentence) const;
  /// Throws Error that names the line if the sentence is longer.
  void check_length(const std::string& sentence, Index line) const;

  /// Where the decoder looks when it writes a translation of a sentence that is not empty.
  struct Attention {
    std::vector<std::string> source_tokens, target_tokens;  ///< </s> included
    Tensor weights;  ///< [target tokens, source tokens], last decoder layer, mean over the heads
  };
  Attention attention(const std::string& sentence, const Translation& translation);

  TranslationModel& model() { return *model_; }
  /// Sets how many source tokens, </s> counted, are searched together with a beam of up to 8. Throws Error
  /// unless at least 1.
  void set_batch_tokens(Index tokens);

 private:
  using Found = std::vector<std::vector<transformer::Hypothesis>>;
  using Sources = std::vector<std::vector<std::int32_t>>;
  /// The results for what `search` finds, given the sentences that are not empty and their line numbers.
  std::vector<Result> results_of(const std::vector<std::string>& sentences, Index first_line,
                                 const std::function<Found(const Sources&, std::span<const Index>)>& search);
  /// The tokens of a sentence. Throws Error that names the line if there are too many.
  std::vector<std::string> split(const std::string& sentence, Index line) const;

  std::unique_ptr<TranslationModel> model_;
  Index batch_tokens_;
};

/// Draws weights[target, source] as a table of shades for a terminal, one row per target token.
std::string heat_map(const Translator::Attention& attention);

}  // namespace regard::translation
