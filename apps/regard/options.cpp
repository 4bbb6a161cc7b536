#include "apps/regard/options.h"

#include <algorithm>
#include <fmt/ranges.h>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/translation/files/choices.h"
#include "apps/translation/files/utf8.h"
#include "apps/translation/model/model_directory.h"
#include "apps/translation/processes/sharing.h"
#include "apps/translation/settings/settings_description.h"
#include "apps/translation/text/patterns.h"
#include "apps/translation/translator/in_batches.h"
#include "apps/translation/translator/placeholder_rule.h"
#include "autograd/machine/error.h"
#include "autograd/machine/parallel.h"

namespace regard::program {

using translation::option_of;

void add_threads(const Command& command, std::optional<int>& threads) {
  command.option(
      "--threads", threads,
      "Number of threads to compute with; default: one per physical core, or the number in OMP_NUM_THREADS",
      {.least = 1});
}

void add_placeholders(const Command& command, std::vector<std::string>& patterns) {
  command.option(
      "--placeholders", patterns,
      "A further pattern of placeholders, a regular expression of RE2 such as '@[a-z]+@'; may be given "
      "several times",
      {.value_name = "PATTERN"});
}

void check_placeholders(const std::vector<std::string>& patterns) {
  translation::check_patterns(patterns, "--placeholders");
}

void set_given_threads(const std::optional<int>& threads) {
  if (threads) translation::use_threads(*threads, "--threads");
}

void add_precision(const Command& command, std::string& precision) {
  command.option("--precision", precision,
                 "Rounding of the operands of the products: float32, bfloat16 or int8; default: int8 for the "
                 "output of regard convert, otherwise float32");
}

translation::LoadOptions load_options(const ModelOptions& options) {
  translation::LoadOptions result{.weights = options.weights, .make_model = options.own_model};
  const translation::Choices<Precision> precisions{
      {"float32", Precision::float32}, {"bfloat16", Precision::bfloat16}, {"int8", Precision::int8}};
  if (!options.precision.empty())
    result.precision = translation::value_of(precisions, options.precision, "--precision");
  return result;
}

translation::LoadOptions load_options(const ModelOptions& options, const Search& search) {
  translation::LoadOptions result = load_options(options);
  result.shortlist = search.shortlist;
  return result;
}

void add_weights(const Command& command, std::string& weights) {
  command.option(
      "--weights", weights,
      "Use the weights of this file, not those of MODEL_DIR: a checkpoint, or the output of regard average");
}

std::vector<std::string> ModelOptions::files() const {
  std::vector<std::string> all = translation::ModelDirectory(directory).files_to_translate();
  all.push_back(weights);
  return all;
}

void add_model(const Command& command, ModelOptions& options) {
  command.option("MODEL_DIR", options.directory, "Directory that regard train wrote", required);
  add_model_options(command, options);
}

void add_model_options(const Command& command, ModelOptions& options) {
  options.own_model = command.own_model();
  add_precision(command, options.precision);
  add_weights(command, options.weights);
}

void add_settings(const Command& command, const std::vector<std::string>& places, GivenSettings& given,
                  const OptionRules& rules) {
  for (const std::string& place : places) {
    const translation::KnownSetting& setting = *translation::find_setting(place);
    const translation::Json value = setting.write();
    OptionRules its_rules = rules;
    its_rules.value_name = value.is_number_integer() ? "INT" : value.is_number_float() ? "FLOAT" : "TEXT";
    if (rules.show_default) given[place] = value.is_string() ? value.get<std::string>() : value.dump();
    command.option(option_of(place), given[place], setting.documentation, its_rules);
  }
}

translation::Settings with_given(const GivenSettings& given, const translation::Settings& settings) {
  translation::Values values = values_of(settings);
  for (const auto& [place, text] : given)
    if (!text.empty())
      translation::set_value(values, place, text, option_of(place) + " " + translation::printable(text));
  return translation::settings_with(values);
}

void add_search(const Command& command, Search& search) {
  std::vector<std::string> places;
  for (const translation::KnownSetting& setting : translation::known_settings())
    if (setting.place.starts_with("decoding.") && !setting.kind.holds(true) &&
        !setting.kind.holds(translation::Json::array()))
      places.push_back(setting.place);
  add_settings(command, places, search.given);
  command.option("--no-unk", search.no_unk, "Translate without <unk>; another word takes its place");
  command.option("--keep-placeholders", search.keep_placeholders,
                 "A translation has each placeholder and tag of its source (%s, {0}, <b>) exactly as often");
  command.option("--shortlist", search.shortlist,
                 "Faster: a translation has only tokens of its sentence's list, which regard shortlist made; "
                 "log-probabilities are then over these tokens");
  add_threads(command, search.threads);
}

transformer::SearchOptions search_options(const Search& search, const translation::TranslationModel& model) {
  set_given_threads(search.threads);
  translation::Settings settings = with_given(search.given, model.settings);
  if (search.no_unk) settings.decoding.generate_unk = !*search.no_unk;
  if (search.keep_placeholders) settings.placeholders.keep = *search.keep_placeholders;
  if (!search.placeholders.empty()) {
    check_placeholders(search.placeholders);
    settings.placeholders.patterns = search.placeholders;
  }
  return translation::decoding_of(settings, *model.tokeniser, model.vocabularies);
}

void check_search(const transformer::SearchOptions& options, translation::TranslationModel& model) {
  check(options);
  translation::check_beam("beam", options.beam, model.searched());
}

}  // namespace regard::program
