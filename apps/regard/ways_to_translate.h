#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "apps/regard/command_line.h"
#include "apps/translation/translator/translator.h"

// The parts of `regard translate` that rooms can add to.

namespace regard::program {

struct TranslateRun;

/// A way to translate. This class searches the best translations of lines. An option of a derived class,
/// which a room names after WAYS in its CMakeLists.txt, chooses another search, or reads standard input as a
/// whole text.
class TranslateWay {
 public:
  using Sources = std::vector<translation::Translator::Source>;
  using Results = std::vector<translation::Translator::Result>;

  virtual ~TranslateWay() = default;

  /// Adds the option that chooses this way, and those that need it. The options of all searches are
  /// alternatives (OptionRules).
  virtual void add_options(const Command&) {}
  /// A line of examples for --help.
  virtual std::string example() const { return ""; }

  /// True if the command line chose this search.
  virtual bool searches() const { return false; }
  /// Throws Error for options with which it cannot search.
  virtual void check(const transformer::SearchOptions& options, translation::TranslationModel& model) const;
  virtual Results search(const TranslateRun& run, Sources sources) const;
  /// The advice if memory runs out.
  virtual const char* remedy(const transformer::SearchOptions& options) const;

  /// True if the command line chose to translate a whole text.
  virtual bool reads_text() const { return false; }
  /// Translates standard input.
  virtual void translate_text(const TranslateRun&) const {}

  /// Reads a line of the input (Translator::read), whose number is `number`.
  virtual translation::Translator::Source read(translation::Translator& translator, const std::string& line,
                                               Index number) const {
    return translator.read(line, number);
  }
};

/// Those of the rooms that are built; commands/CMakeLists.txt.
std::vector<std::shared_ptr<TranslateWay>> all_ways();

/// A run of `regard translate`: what all its parts need.
struct TranslateRun {
  const TranslateWay& way;    ///< which searches
  const std::string& origin;  ///< of the weights, for messages
  translation::Translator& translator;
  const transformer::SearchOptions& options;
  const transformer::Prefix& prefix;
  translation::Processes& processes;

  /// Translates sources. Throws Error as run_model does. `also` runs with the results under the same guard.
  TranslateWay::Results translate(
      TranslateWay::Sources sources,
      const std::function<void(const TranslateWay::Results& results)>& also = {}) const;
};

/// Warns if words of a line are unknown, or if its search has a remark.
void warn_of(const translation::Translator::Result& result, Index line);

/// Translates lines and returns the problem of the line after them; empty if there is none.
using TranslateBlock = std::function<std::string(const std::vector<std::string>& lines)>;
/// Reads standard input. `unit` is the content of a line, for a person who types it.
void translate_stream(const TranslateBlock& translate_block, const char* unit,
                      translation::Processes& processes);

}  // namespace regard::program
