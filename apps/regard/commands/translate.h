#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apps/regard/options.h"
#include "apps/regard/output/attention_output.h"
#include "apps/regard/ways_to_translate.h"

namespace regard::program {

/// The options of `regard translate`.
struct Translate {
  ModelOptions model;
  std::vector<std::string> files;  ///< empty: the sources come from standard input
  std::string prefix;
  AttentionOptions attention;
  Search search;
  Index n_best = 1;
  bool scores = false;
  bool alignments = false;
  bool skip_too_long = false;
  std::vector<std::shared_ptr<TranslateWay>> ways = all_ways();
};

/// Translates lines, or describes images, and writes the translations in the same order in the first process.
class LineTranslation {
 public:
  /// The arguments must outlive the object.
  LineTranslation(const TranslateRun& run, const Translate& settings, AttentionOutput& attention)
      : run_(run), settings_(settings), attention_(attention) {}

  /// Translates further lines. Returns the problem of the first one that cannot be translated, after the
  /// lines before it; empty if there is none.
  std::string add(const std::vector<std::string>& lines);

 private:
  TranslateWay::Sources read(const std::vector<std::string>& lines, std::string& problem);
  void write(TranslateWay::Sources sources);

  const TranslateRun& run_;
  const Translate& settings_;
  AttentionOutput& attention_;
  Index lines_ = 0;  ///< read so far
};

}  // namespace regard::program
