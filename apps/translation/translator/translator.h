#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/translation/corpus/alignments.h"
#include "apps/translation/model/translation_model.h"
#include "apps/translation/processes/processes.h"
#include "apps/translation/translator/in_batches.h"
#include "autograd/machine/real.h"
#include "transformer/batch.h"
#include "transformer/search/search.h"
#include "transformer/teacher_forcing.h"

// A trained model in use: translations, scores, attention and alignments.

namespace regard::translation {

struct Translation {
  std::string text;
  /// Log-probability divided by the length penalty. An empty sentence is not searched, so it has no score.
  std::optional<double> score = {};
  std::vector<std::int32_t> ids = {};  ///< the ids of its tokens, without </s>
};

/// Translates sentences with a model. For a model that reads files (corpus/source_files.h), a sentence is a
/// path, relative to the current directory. Errors then name the file.
class Translator {
 public:
  /// Reads a model directory. Throws Error that names the file that is missing, damaged, of a newer format,
  /// or does not fit the others.
  static Translator load(const std::string& directory, const LoadOptions& options = {});
  explicit Translator(TranslationModel model);
  Translator(Translator&&) noexcept;
  Translator& operator=(Translator&&) noexcept;
  ~Translator();

  /// A sentence or a file as a model reads it.
  struct Source {
    std::string text = {};                 ///< the sentence, or the path
    Index line = 1;                        ///< in the user's text
    std::vector<std::string> tokens = {};  ///< of a sentence, without </s>; none for a file
    std::vector<std::int32_t> ids = {};    ///< what the encoder reads, without </s>; none: an empty sentence
    std::vector<std::string> unknown_words = {};  ///< tokens that the model reads as <unk>
    std::string difference = {};  ///< a clause if the source is unlike those of the training (TrainedSources)
  };
  /// Reads a sentence, or the file at a path; line `line` of the user's text, for messages. Throws Error
  /// that names the line, TooLong if the sentence is longer than the model's data.max_length.
  Source read(const std::string& sentence, Index line = 1) const;
  /// Reads lines `first_line`, first_line + 1, …
  std::vector<Source> read_all(const std::vector<std::string>& sentences, Index first_line = 1) const;

  struct Result {
    Source source;
    /// The best translation first. An empty sentence has one empty translation.
    std::vector<Translation> n_best = {};
    std::string remark = {};  ///< a clause for the user about its search; empty: none
  };
  /// Translates sources. They are searched in batches of similar length; the results are in the order given.
  /// Each translation begins with `prefix`, the tokens of prefix().
  std::vector<Result> translate_sources(std::vector<Source> sources,
                                        const transformer::SearchOptions& options,
                                        const transformer::Prefix& prefix = {});
  /// Reads and translates sentences.
  std::vector<Result> translate(const std::vector<std::string>& sentences,
                                const transformer::SearchOptions& options) {
    return translate_sources(read_all(sentences), options);
  }
  /// The same with the search options of the model's configuration.
  std::vector<Result> translate(const std::vector<std::string>& sentences) {
    return translate(sentences, decoding());
  }
  /// The search options of the model's configuration (decoding).
  const transformer::SearchOptions& decoding() const;
  /// The tokens of a text with which translations are to begin. Throws Error if it is too long, or if the
  /// target vocabulary does not have all of its words.
  transformer::Prefix prefix(const std::string& text) const;
  using Ids = std::vector<std::vector<std::int32_t>>;
  /// Translates sources with a search of the caller's. It gets the ids of the sources that are not empty, and
  /// their results, which may receive a remark, and returns the hypotheses of each. `options` have its limits
  /// of length.
  std::vector<Result> translate_with(
      std::vector<Source> sources, const transformer::SearchOptions& options,
      const std::function<Hypotheses(const Ids& ids, const std::vector<Result*>& results)>& search);
  /// The log-probabilities that the model gives to given translations, in the same order. Nothing for a pair
  /// whose source is empty. Throws Error for a sentence that is too long, as read does.
  std::vector<std::optional<transformer::ForcedScore>> score(const std::vector<std::string>& sources,
                                                             const std::vector<std::string>& targets,
                                                             Index first_line = 1);

  /// The tokens of a translation, without </s>.
  std::vector<std::string> target_tokens(const Translation& translation) const;

  /// The attention weights of the decoder for a translation of a source, which must not be empty.
  struct Attention {
    std::vector<std::string> source_tokens, target_tokens;  ///< with </s>; a file has no source tokens
    Tensor weights;  ///< [target tokens, source tokens], last decoder layer, mean over the heads
    /// For a file: height and width of the plane in which the positions of the memory lie. The weights are
    /// then [target tokens, height * width], row by row.
    std::optional<Plane> plane = {};
  };
  /// Runs the decoder over the translation. Error for an empty source.
  Attention attention(const Source& source, const Translation& translation);
  /// The attention weights of all layers and heads for a translation, as a JSON object in one line without a
  /// line end (the manual, apps/README.md, has its format). `rank` is the place of the translation among its
  /// n best, from 1. The source must not be empty.
  std::string attention_json(const Source& source, const Translation& translation, Index rank);
  /// The alignment of each translation of each result by the decoder's attention (align_all, alignment.h);
  /// empty for an empty sentence. Throws Error as align_all does.
  std::vector<std::vector<Alignment>> alignments(const std::vector<Result>& results);

  /// The number of sentences so far with a translation that has the greatest length (reached_limit), so that
  /// its end may be missing.
  Index cut_off() const { return cut_off_; }

  TranslationModel& model() { return *model_; }  ///< what load() has read
  /// Sets the number of source tokens, with </s>, that are searched together with a beam of at most 8. Throws
  /// Error unless it is at least 1.
  void set_batch_tokens(Index tokens);
  Index batch_tokens() const { return batch_tokens_; }  ///< see set_batch_tokens()
  /// Divides the work of translate_sources(). All processes must call it with the same sources. Each gets all
  /// results, with the same bits as one process. The processes must outlive this.
  void set_processes(Processes& processes) { processes_ = &processes; }
  Processes& processes() const { return *processes_; }  ///< see set_processes()

 private:
  transformer::Batch pair_of(const Source& source, const Translation& translation) const;

  std::unique_ptr<TranslationModel> model_;
  Index batch_tokens_, cut_off_ = 0;
  Processes* processes_ = &one_process();
};

}  // namespace regard::translation
