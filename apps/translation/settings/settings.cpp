#include "apps/translation/settings/settings.h"

#include <algorithm>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "apps/translation/settings/doors.h"
#include "apps/translation/settings/settings_description.h"
#include "apps/translation/settings/settings_json.h"
#include "apps/translation/text/counted.h"
#include "apps/translation/text/vocabulary.h"
#include "autograd/machine/error.h"
#include "autograd/machine/parallel.h"

namespace regard::translation {
namespace {

/// Checks that a corpus is given as files of both sides, or as files that hold both. `prefix` is "data." or
/// "data.validation_".
void check_corpus(const std::string& prefix, const Paths& source, const Paths& target, const Paths& tsv) {
  const bool any_file = !source.empty() || !target.empty();
  if (any_file && !tsv.empty())
    fail("{0}tsv replaces {0}source and {0}target; give either {0}tsv or the other two", prefix);
  if (source.empty() && !target.empty()) fail("{0}target is given, but {0}source is not", prefix);
  if (!source.empty() && target.empty()) fail("{0}source is given, but {0}target is not", prefix);
  if (source.files.size() != target.files.size())
    fail(
        "{0}source has {1} files, but {0}target has {2}; give one target file for each source file, in the "
        "same order",
        prefix, source.files.size(), target.files.size());
}

void check_mixture(const DataSettings& data) {
  const std::size_t files = data.files().size();
  if (!data.shares.empty() && data.shares.size() != files)
    fail(
        "data.shares has {}, but the training corpus has {} files (on each side); give one number "
        "for each file",
        counted(to_index(data.shares.size()), "number"), files);
  if (data.temperature == 1) return;
  if (!data.shares.empty()) fail("data.temperature computes what data.shares says; give one of them");
  if (files < 2)
    fail("data.temperature {} is for a training corpus of several files, but there is one", data.temperature);
}

void check_data(const Settings& settings) {
  const DataSettings& data = settings.data;
  check_corpus("data.", data.source, data.target, data.tsv);
  check_corpus("data.validation_", data.validation_source, data.validation_target, data.validation_tsv);
  if (data.source.empty() && data.tsv.empty())
    fail("there is no training corpus; give data.source and data.target, or data.tsv");
  check_mixture(data);
  if (data.validation_share > 0 && data.has_validation_files())
    fail(
        "data.validation_share holds pairs of the training corpus out, but there is a validation corpus; "
        "give one of them");
  if (data.validation_share > 0 && settings.model.reads_files())
    fail("data.validation_share compares sentences, but the sources are {}s; give a validation corpus",
         encoder_of(settings.model).words->name);
  if (data.vocabulary_size != 0 && data.vocabulary_size <= special::count)
    fail("data.vocabulary_size {} has no room for words after the {} special tokens; 0 means all tokens",
         data.vocabulary_size, special::count);
  if (const auto check_tokeniser = tokeniser_of(data).check) check_tokeniser(settings);
}

/// The model must have a position for each token of the longest sentence that it is trained on, and of the
/// longest translation.
void check_positions(const Settings& settings) {
  const ModelSettings& model = settings.model;
  const Index longest = settings.data.max_length + 1;  // with </s>, or <s>
  const auto enough = [longest](Index positions, const char* setting) {
    if (positions < longest)
      fail(
          "model.{0} is {1}, but a sentence of training may have {2} tokens with its end (data.max_length + "
          "1); set model.{0} to {2}, or data.max_length to {3}",
          setting, positions, longest, positions - 1);
  };
  const std::shared_ptr<const SourceFiles> files = settings.source_files();
  const Index source = files ? files->positions() : settings.data.max_length;
  const DecoderKind& decoder = decoder_of(model);
  if (const auto known = decoder.source_positions ? decoder.source_positions(model) : std::nullopt) {
    if (!files) enough(known->most, known->setting);
    if (known->most < source)
      fail("model.{0} is {1}, but the memory of {2} has {3}; set it to {3}", known->setting, known->most,
           files->words().one, source);
  }
  const bool of_decoder = model.learns_target_positions();
  if (!(model.learns_source_positions() || of_decoder)) return;
  const Index known = model.config.positions.most;
  enough(known, "positions.most");
  // The search of a translation goes as far as its limit, whatever the lengths of the references are.
  const Index searched = greatest_length(settings.decoding, source) + 1;
  if (of_decoder && known < searched)
    fail(
        "model.positions.most is {0}, but a search may come to {1} tokens with their end "
        "(decoding.max_length_ratio and the other limits); set model.positions.most to {1}, or "
        "decoding.max_length to {2}",
        known, searched, known - 1);
}

void check_model(const Settings& settings) {
  if (settings.model.config.shared_embeddings == transformer::SharedEmbeddings::all &&
      !settings.data.joint_vocabulary)
    fail(
        "model.shared_embeddings \"all\" needs data.joint_vocabulary true; choose \"target_output\" or "
        "\"none\"");
  check(settings.model);
  check_positions(settings);
}

/// True if this setting is in a section whose settings all have one value, as if one number set them.
bool one_for_all(const Values& values, const KnownSetting& setting) {
  const std::string_view section = section_and_key(setting.place).first;
  return find_setting(section)->takes_number && std::ranges::all_of(values, [&](const auto& other) {
           return !is_in(other.first, section) || other.second == values.at(setting.place);
         });
}

/// Refuses settings that nothing reads, unless they have the default value of the preset. Names those that
/// need the same together.
void check_effects(const Settings& settings) {
  Settings defaults;
  defaults.model = model_preset(settings.model.preset);
  const Values given = values_of(settings), unchanged = values_of(defaults),
               in_full = values_of(resolved(defaults));
  std::vector<std::string> unread;
  std::string needed;
  for (const KnownSetting& known : known_settings()) {
    if (known.section || has(given, known.need) || one_for_all(given, known) ||
        given.at(known.place) == unchanged.at(known.place) ||
        given.at(known.place) == in_full.at(known.place))
      continue;
    if (unread.empty()) needed = to_string(known.need);
    if (to_string(known.need) == needed) unread.push_back(known.place);
  }
  if (unread.empty()) return;
  const bool one = unread.size() == 1;
  fail("{} {} no effect here; {} {}", fmt::join(unread, ", "), one ? "has" : "have",
       one ? "it needs" : "they need", needed);
}

}  // namespace

bool has(const Values& all, const Need& need) {
  const auto holds = [&](const Condition& condition) {
    const Json& value = all.find(condition.place)->second;
    if (condition.values.empty()) return value != "" && value != 0;
    return fmt::format(" {} ", condition.values).find(fmt::format(" {} ", value.get<std::string>())) !=
           std::string::npos;
  };
  return need.empty() ||
         std::ranges::any_of(need, [&](const auto& one) { return std::ranges::all_of(one, holds); });
}

bool is_read(const KnownSetting& setting, const Values& all) {
  return setting.inheritance == Inheritance::none || has(all, setting.need);
}

std::string to_string(const Need& need) {
  std::string text;
  for (const std::vector<Condition>& alternative : need)
    for (const Condition& condition : alternative) {
      const bool first = &condition == &alternative.front();
      text += fmt::format("{}{}", text.empty() ? "" : first ? ", or " : " and ", condition.place);
      if (condition.values.empty()) continue;
      std::string values(condition.values);
      for (std::size_t i = 0; (i = values.find(' ', i)) != std::string::npos; i += 6)
        values.replace(i, 1, "\" or \"");
      text += fmt::format(" \"{}\"", values);
    }
  return text;
}

void check(const Settings& settings) {
  for (const auto& [place, value] : values_of(settings))
    check_value(*find_setting(place), value, place, "the settings");
  check_data(settings);
  check_model(settings);
  check_training(settings);
  check_checkpoints(settings);
  transformer::check(settings.decoding);
  for (const SettingsDoor& door : doors().settings)
    if (door.check) door.check(settings);
  check_effects(settings);
}

Settings resolved(Settings settings) {
  TrainingSettings& training = settings.training;
  training.epochs = training.epoch_limit();
  training.learning_rate = training.rate();
  training.threads = threads();
  settings.model.config.final_norm = settings.model.config.has_final_norm();
  return settings;
}

}  // namespace regard::translation
