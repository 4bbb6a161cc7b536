#pragma once

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
  std::string model;
  ModelOptions loading;
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

/// What to try if memory runs out.
const char* remedy(const Translate& settings, const transformer::SamplingOptions& options);

/// Translates sources as the options say: by a search, exactly, or by sampling.
std::vector<translation::Translator::Result> translated(translation::Translator& translator,
                                                        std::vector<translation::Translator::Source> sources,
                                                        const transformer::SamplingOptions& options,
                                                        const Translate& settings);

void warn_of_incomplete_search(Index line, const Translate& settings);

/// Translates lines, or describes images, and writes the translations in the same order in the first process.
/// Returns the problem of the first line that cannot be translated, after the lines before it; empty if there
/// is none. The line lines[0] has the number `first`.
std::string translate_lines(translation::Translator& translator, const std::vector<std::string>& lines,
                            Index first, const transformer::SamplingOptions& options,
                            const Translate& settings, const translation::Processes& processes,
                            AttentionOutput& attention);

/// Translates a text and, in the first process, writes it.
class DocumentTranslation {
 public:
  /// Throws Error as documents::Document does. All arguments must outlive the object.
  DocumentTranslation(translation::Translator& translator, const transformer::SamplingOptions& options,
                      const Translate& settings, const translation::Processes& processes);

  /// Adds lines of the text and writes the paragraphs that are complete. Returns the problem of the first
  /// line that cannot be read, after writing the text before it; empty if there is none.
  std::string add(const std::vector<std::string>& lines);
  void finish();

 private:
  void write(const std::vector<documents::Paragraph>& paragraphs);

  translation::Translator& translator_;
  const transformer::SamplingOptions& options_;
  const Translate& settings_;
  const translation::Processes& processes_;
  documents::Document document_;
  Index lines_ = 0, sentences_ = 0;  ///< read so far
};

}  // namespace regard::program
