#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "apps/images/image_file.h"
#include "apps/translation/corpus/alignments.h"
#include "apps/translation/model/translation_model.h"
#include "apps/translation/processes/messages.h"
#include "autograd/real.h"
#include "transformer/batch.h"
#include "transformer/search/exact_search.h"
#include "transformer/search/sampling.h"
#include "transformer/search/search.h"
#include "transformer/teacher_forcing.h"

namespace regard::translation {

struct Translation {
  std::string text;
  /// Log-probability divided by the length penalty. An empty sentence is not searched, so it has no score.
  std::optional<double> score = {};
  std::vector<std::int32_t> ids = {};  ///< the ids of its tokens, without </s>
};

/// Translates sentences with a model. For a model that reads images, a sentence is the path of an image,
/// relative to the current directory, and its translation is a caption. Errors then name the image.
class Translator {
 public:
  /// Reads a model directory. Throws Error that names the file that is missing, damaged, of a newer format,
  /// or does not fit the others.
  static Translator load(const std::string& directory, const LoadOptions& options = {});
  explicit Translator(TranslationModel model);
  Translator(Translator&&) noexcept;
  Translator& operator=(Translator&&) noexcept;
  ~Translator();

  struct Result {
    /// The best translation first; samples are in the order drawn. An empty sentence has one empty
    /// translation.
    std::vector<Translation> n_best;
    std::vector<std::string> unknown_words = {};  ///< tokens that the model read as <unk>
    std::string difference =
        {};                ///< a clause if the sentence is unlike those of the training (TrainedSources)
    bool complete = true;  ///< false: an exact search ended at its limit of expansions
  };
  /// Translates sentences. The first one has line number `first_line` in the user's text. They are searched
  /// in batches of similar length and returned in the order given. Throws Error if a sentence is longer than
  /// the model's data.max_length. The message contains its line number.
  /// Each translation begins with `prefix`, the tokens of prefix().
  std::vector<Result> translate(const std::vector<std::string>& sentences,
                                const transformer::SearchOptions& options, Index first_line = 1,
                                const transformer::Prefix& prefix = {});
  /// The tokens of a text with which translations are to begin. Throws Error if it is too long, or if the
  /// target vocabulary does not have all of its words.
  transformer::Prefix prefix(const std::string& text) const;
  /// Translates with the search options of the model's configuration.
  std::vector<Result> translate(const std::vector<std::string>& sentences) {
    return translate(sentences, decoding());
  }
  /// The search options of the model's configuration (decoding).
  const transformer::SearchOptions& decoding() const;
  /// Searches the translation of each sentence with the greatest log-probability (exact_search.h). Its score
  /// is its log-probability.
  std::vector<Result> exact(const std::vector<std::string>& sentences,
                            const transformer::ExactOptions& options, Index first_line = 1);
  /// Draws translations instead of searching the best ones: options.search.n_best of each sentence, in the
  /// order drawn. The random numbers of a sentence depend on the seed and its line number, not on the batch.
  std::vector<Result> sample(const std::vector<std::string>& sentences,
                             const transformer::SamplingOptions& options, Index first_line = 1);
  /// The log-probabilities that the model gives to given translations, in the same order. Nothing for a pair
  /// whose source is empty. Throws Error for a sentence that is too long, as translate does.
  std::vector<std::optional<transformer::ForcedScore>> score(const std::vector<std::string>& sources,
                                                             const std::vector<std::string>& targets,
                                                             Index first_line = 1);

  /// A sentence, or the image at a path, as the numbers that the encoder reads, without </s>; nothing for an
  /// empty sentence. Throws Error that names the line if the sentence is too long. `unknown` receives the
  /// words that the vocabulary does not have unless it is null.
  std::vector<std::int32_t> source(const std::string& sentence, Index line = 1,
                                   std::vector<std::string>* unknown = nullptr) const;
  /// The same for an image in memory. Throws Error if the model reads text, or if the size does not fit.
  std::vector<std::int32_t> source(const images::Image& image) const;
  /// The translations of sources, none of which is empty, the best first.
  std::vector<std::vector<Translation>> translate_sources(
      const std::vector<std::vector<std::int32_t>>& sources, const transformer::SearchOptions& options);

  /// True if the sentence is at most as long as the model's data.max_length. True for every image.
  bool takes(const std::string& sentence) const;
  /// Throws Error if the sentence is too long, with the line number, or if the image cannot be read.
  void check_source(const std::string& sentence, Index line) const;

  /// The tokens of a sentence, and those of a translation, without </s>. Empty for an image.
  std::vector<std::string> tokens(const std::string& sentence) const;
  std::vector<std::string> target_tokens(const Translation& translation) const;

  /// The attention weights of the decoder for a translation of a sentence. The sentence must not be empty.
  struct Attention {
    std::vector<std::string> source_tokens, target_tokens;  ///< with </s>; an image has no source tokens
    Tensor weights;  ///< [target tokens, source tokens], last decoder layer, mean over the heads
    /// For an image: height and width of the plane in which the positions of the memory lie. The weights are
    /// then [target tokens, height * width], row by row.
    std::optional<Plane> plane = {};
  };
  Attention attention(const std::string& sentence, const Translation& translation);
  /// The attention weights of all layers and heads for a translation, as a JSON object in one line without a
  /// line end (the manual, apps/README.md, has its format). `line` and `rank` are the line number of the
  /// sentence and the place of the translation among its n best, both from 1. The sentence must not be empty.
  std::string attention_json(const std::string& sentence, const Translation& translation, Index line,
                             Index rank);
  /// The alignment of each translation of each sentence by the decoder's attention (align_all, alignment.h);
  /// empty for an empty sentence. Throws Error as align_all does. `results` are those of `sentences`.
  std::vector<std::vector<Alignment>> alignments(const std::vector<std::string>& sentences,
                                                 const std::vector<Result>& results);

  /// The number of sentences so far with a translation that has the greatest length (reached_limit), so that
  /// its end may be missing.
  Index cut_off() const { return cut_off_; }

  TranslationModel& model() { return *model_; }
  /// Sets the number of source tokens, with </s>, that are searched together with a beam of at most 8. Throws
  /// Error unless it is at least 1.
  void set_batch_tokens(Index tokens);
  /// Divides the work of translate(), exact() and sample() (deal_among, processes.h). All processes must call
  /// them with the same sentences. Each gets all results, with the same bits as one process.
  void set_deal(DealOut deal) { deal_ = std::move(deal); }

 private:
  transformer::Batch pair_of(const std::string& sentence, const Translation& translation) const;
  using Found = std::vector<std::vector<transformer::Hypothesis>>;
  using Sources = std::vector<std::vector<std::int32_t>>;
  /// Calls `search` with the sentences that are not empty and their line numbers, and makes the results.
  std::vector<Result> results_of(const std::vector<std::string>& sentences,
                                 const transformer::SearchOptions& options, Index first_line,
                                 const std::function<Found(const Sources&, std::span<const Index>)>& search);
  /// The tokens of a sentence. Throws Error that names the line if there are too many.
  std::vector<std::string> split(const std::string& sentence, Index line) const;
  std::vector<Translation> translations_of(const std::vector<transformer::Hypothesis>& hypotheses,
                                           const std::vector<std::int32_t>& source,
                                           const transformer::SearchOptions& options);

  std::unique_ptr<TranslationModel> model_;
  Index batch_tokens_, cut_off_ = 0;
  DealOut deal_ = compute_all;
};

}  // namespace regard::translation
