#pragma once

#include <functional>
#include <string>
#include <vector>

#include "apps/documents/document.h"
#include "apps/regard/options.h"
#include "apps/regard/output/attention_output.h"
#include "apps/translation/translator/translator.h"
#include "transformer/search/exact_search.h"
#include "transformer/search/sampling.h"

namespace regard::program {

/// The options of `regard translate`.
struct Translate {
  ModelOptions model;
  std::vector<std::string> images;  ///< empty: the sources come from standard input
  std::string prefix;
  AttentionOptions attention;
  Search search;
  Index n_best = 1;
  bool scores = false;
  bool alignments = false;
  bool sample = false;
  bool exact = false;
  Index most_expansions = transformer::ExactOptions().most_expansions;
  bool skip_too_long = false;
  transformer::SamplingOptions sampling;  ///< run() sets its `search`
  bool document = false;
  documents::DocumentSettings text;  ///< of --document
};

/// A run of `regard translate`: what all its parts need.
struct TranslateRun {
  const Translate& settings;
  translation::Translator& translator;
  const transformer::SamplingOptions& options;
  translation::Processes& processes;
  AttentionOutput& attention;

  /// Translates sources as the options say: by a search, exactly, or by sampling. Throws Error as run_model
  /// does. `also` runs with the results under the same guard.
  std::vector<translation::Translator::Result> translate(
      std::vector<translation::Translator::Source> sources,
      const std::function<void(const std::vector<translation::Translator::Result>&)>& also = {}) const;

  /// Warns if words are unknown or the exact search did not come to its end.
  void warn_of(const translation::Translator::Result& result, Index line) const;
};

/// Translates lines, or describes images, and writes the translations in the same order in the first process.
/// Returns the problem of the first line that cannot be translated, after the lines before it; empty if there
/// is none. The line lines[0] has the number `first`.
std::string translate_lines(const TranslateRun& run, const std::vector<std::string>& lines, Index first);

/// Translates a text and, in the first process, writes it.
class DocumentTranslation {
 public:
  /// Throws Error as documents::Document does. The run must outlive the object.
  explicit DocumentTranslation(const TranslateRun& run);

  /// Adds lines of the text and writes the paragraphs that are complete. Returns the problem of the first
  /// line that cannot be read, after writing the text before it; empty if there is none.
  std::string add(const std::vector<std::string>& lines);
  void finish() { write(document_.finish()); }

 private:
  void write(const std::vector<documents::Paragraph>& paragraphs);

  const TranslateRun& run_;
  documents::Document document_;
  Index lines_ = 0, sentences_ = 0;  ///< read so far
};

}  // namespace regard::program
