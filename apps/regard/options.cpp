#include "apps/regard/options.h"

#include <algorithm>
#include <fmt/ranges.h>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/translation/files/choices.h"
#include "apps/translation/files/utf8.h"
#include "apps/translation/model/model_directory.h"
#include "apps/translation/processes/sharing.h"
#include "apps/translation/search/search_rules.h"
#include "apps/translation/settings/doors.h"
#include "apps/translation/settings/settings_description.h"
#include "apps/translation/translator/in_batches.h"
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
  result.selection = chosen(search.selections);
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

void add_selections(const Command& command, Selections& selections) {
  std::vector<std::string> others;
  for (const translation::SearchRule& rule : translation::doors().rules)
    if (rule.load) {
      command.option("--" + rule.name, selections[rule.name], rule.about, {.excludes = others});
      others.push_back("--" + rule.name);
    }
}

std::string chosen(const Selections& selections) {
  const auto found = std::ranges::find_if(selections, [](const auto& selection) { return selection.second; });
  return found == selections.end() ? "" : found->first;
}

void add_search(const Command& command, Search& search, const Command* evaluation) {
  std::vector<std::string> places;
  for (const translation::KnownSetting& setting : translation::known_settings())
    if (setting.place.starts_with("decoding.") && !setting.kind.holds(true) &&
        !setting.kind.holds(translation::Json::array()))
      places.push_back(setting.place);
  add_settings(command, places, search.given);
  command.option("--no-unk", search.no_unk, "Translate without <unk>; another word takes its place");
  for (const auto& rule : search.rules) rule->add(command, evaluation);
  add_selections(command, search.selections);
  add_threads(command, search.threads);
}

translation::Settings searched_settings(const Search& search, const translation::Settings& settings) {
  translation::Settings result = with_given(search.given, settings);
  if (search.no_unk) result.decoding.generate_unk = !*search.no_unk;
  for (const auto& rule : search.rules) rule->put_into(result);
  return result;
}

transformer::SearchOptions search_options(const Search& search, translation::TranslationModel& model) {
  set_given_threads(search.threads);
  const translation::Settings settings = searched_settings(search, model.settings);
  model.rewrite = translation::rewriting_of(settings);
  return translation::decoding_of(settings, *model.tokeniser, model.vocabularies);
}

void check_search(const transformer::SearchOptions& options, translation::TranslationModel& model) {
  check(options);
  translation::check_beam("beam", options.beam, model.searched());
}

}  // namespace regard::program
