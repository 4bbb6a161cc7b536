#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/regard/command_line.h"
#include "apps/regard/rule_options.h"
#include "apps/translation/model/translation_model.h"
#include "apps/translation/settings/settings_json.h"

// Options that several commands have.

namespace regard::program {

/// Adds --threads. Without the option, the program uses all physical cores or the number in OMP_NUM_THREADS.
void add_threads(const Command& command, std::optional<int>& threads);

/// Sets the number of threads if --threads was given. Warns if there are fewer processors.
void set_given_threads(const std::optional<int>& threads);

/// The model of a command, and how it is loaded.
struct ModelOptions {
  std::string directory = {};
  std::string weights = {};               ///< a file; empty: the model's own
  std::string precision = {};             ///< empty: that of the weights
  translation::MakeModel own_model = {};  ///< makes the program's own models; empty: there are none

  /// The source of the weights, for messages.
  const std::string& origin() const { return weights.empty() ? directory : weights; }
  /// The files that may be read, and one that is empty if --weights was not given.
  std::vector<std::string> files() const;
};

/// Adds MODEL_DIR, --precision and --weights.
void add_model(const Command& command, ModelOptions& options);
/// Adds --precision and --weights.
void add_model_options(const Command& command, ModelOptions& options);
/// Adds --weights.
void add_weights(const Command& command, std::string& weights);
/// Adds --precision.
void add_precision(const Command& command, std::string& precision);

/// For each selection of the vocabulary (SearchRule) whether the command line asks for it.
using Selections = std::map<std::string, bool>;
/// Adds their options.
void add_selections(const Command& command, Selections& selections);
/// The one that was chosen; empty: none.
std::string chosen(const Selections& selections);

struct Search;
/// Throws Error for a precision that there is not. `search` names a selection of the vocabulary.
translation::LoadOptions load_options(const ModelOptions& options, const Search& search);
translation::LoadOptions load_options(const ModelOptions& options);

/// Settings that are options of a command, too: the value on the command line for the place of the setting.
/// "": not given.
using GivenSettings = std::map<std::string, std::string>;

/// Adds an option for each of these settings, with the meaning and the range of the setting. The option of
/// "decoding.max_length" is --max-length.
void add_settings(const Command& command, const std::vector<std::string>& places, GivenSettings& given,
                  const OptionRules& rules = {});

/// Returns the settings with the given values. Throws Error that names the option of a wrong value.
translation::Settings with_given(const GivenSettings& given, const translation::Settings& settings);

/// The options of a search on the command line. The model's configuration supplies the values that were not
/// given.
struct Search {
  GivenSettings given;
  std::optional<bool> no_unk;
  std::vector<std::shared_ptr<RuleOptions>> rules = all_rules();
  Selections selections;
  std::optional<int> threads;
};

/// Adds all options of a search, and --threads. `evaluation` as in RuleOptions::add.
void add_search(const Command& command, Search& search, const Command* evaluation = nullptr);

/// Returns the settings of a model with the values of the command line where given.
translation::Settings searched_settings(const Search& search, const translation::Settings& settings);

/// Returns the model's search options, with the values of the command line where given. Also sets the number
/// of threads, and how the model reads its sources.
transformer::SearchOptions search_options(const Search& search, translation::TranslationModel& model);

/// Throws Error for options with which this model cannot search, such as a beam wider than its vocabulary.
void check_search(const transformer::SearchOptions& options, translation::TranslationModel& model);

}  // namespace regard::program
