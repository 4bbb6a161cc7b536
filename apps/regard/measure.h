#pragma once

#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "apps/regard/command_line.h"
#include "apps/translation/corpus/corpus.h"
#include "apps/translation/files/json.h"
#include "apps/translation/metrics/bleu.h"
#include "apps/translation/metrics/exact_match.h"
#include "apps/translation/model/translation_model.h"

// What rooms add to regard evaluate, which itself measures loss, token accuracy, exact match and BLEU.

namespace regard::program {

/// What is there before a model translates.
struct Evaluated {
  const translation::ParallelText& text;
  const std::vector<std::string>& sources;  ///< as plain text; none if there are none, or if they are files
  const std::string& references_file;
  const translation::Settings& settings;       ///< of the search, with the values of the command line
  const translation::TranslationModel* model;  ///< null: the translations are those of a file
  const std::string& model_directory;
};

/// The translations of all lines of a text. Each vector has an entry for each line.
struct Outputs {
  std::vector<std::string> hypotheses;
  translation::References references;  ///< of each reference file
  translation::ExactMatches exact;
  translation::BleuOptions options = {};
  std::vector<translation::BleuCounts> bleu = {};
};

/// Figures, for a reader and for --scores-json.
struct Measured {
  std::string lines = {};  ///< for the list of figures, each line with its end
  std::string table = {};  ///< for below this list
  translation::Json json = translation::Json::object();
};

/// Measures something in an evaluation, which calls its functions in this order. A room names MEASURES in its
/// CMakeLists.txt. The measure NAME stands in NAME_measure.cpp, with std::shared_ptr<Measure> make_NAME().
class Measure {
 public:
  virtual ~Measure() = default;
  /// Adds options to every evaluation, or to those of a model only.
  virtual void add_options(const Command& /*every*/, const Command& /*of_model*/) {}
  /// Lines with an example of these options, for --help.
  virtual std::string example() const { return {}; }
  /// The files that it reads; the evaluation does not write to them. "" is no file.
  virtual std::vector<std::string> files() const { return {}; }
  /// Reads its files. Throws Error for what it cannot measure: here, before a search that takes minutes.
  virtual void read(const Evaluated&) {}
  /// Measures the model. Of the pairs of the text, `pairs` has those that are not left out.
  virtual Measured of_model(translation::TranslationModel&, const translation::ParallelCorpus& /*pairs*/) {
    return {};
  }
  /// Measures the translations.
  virtual Measured of_outputs(const Outputs&) { return {}; }
};

/// Those of the rooms that are built; commands/CMakeLists.txt.
std::vector<std::shared_ptr<Measure>> all_measures();

/// A share as text: "12.34 %", or another text if there is none.
inline std::string percent(const std::optional<double>& share, const char* otherwise) {
  return share ? fmt::format("{:.2f} %", 100 * *share) : otherwise;
}

/// Returns the number, or null.
translation::Json or_null(const auto& value) {
  return value ? translation::Json(*value) : translation::Json(nullptr);
}

}  // namespace regard::program
