// The settings of a training: read from its configuration, completed from the model with which it begins,
// compared with those with which it began; and what does not fit together.
#include <algorithm>
#include <filesystem>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "apps/translation/files/files.h"
#include "apps/translation/files/utf8.h"
#include "apps/translation/settings/settings_description.h"
#include "apps/translation/settings/settings_json.h"
#include "autograd/machine/error.h"

namespace regard::translation {
namespace {

/// Returns the model directory whose settings complete the configuration of a training with these initial
/// weights: the training's own directory if it is resumed, otherwise the directory of the initial weights.
/// Returns an empty path if the initial weights are a file or not given.
std::string inherited_from(const std::string& initial_weights, const std::string& resumed_directory) {
  std::error_code ignored;
  if (initial_weights.empty() || std::filesystem::is_regular_file(initial_weights, ignored)) return "";
  if (!resumed_directory.empty() && path_exists(config_file(resumed_directory))) return resumed_directory;
  return std::filesystem::is_directory(initial_weights, ignored) ? initial_weights : "";
}

/// Adds to the values of a configuration each inherited setting that it does not give. If it gives another
/// preset than the model's, that preset gives the section `model`.
void inherit(Values& values, const Settings& of_model) {
  const Values theirs = values_of(of_model);
  const auto preset = values.find("model.preset");
  const bool other_preset = preset != values.end() && preset->second != of_model.model.preset;
  for (const KnownSetting& setting : known_settings())
    if (!setting.section && setting.inheritance != Inheritance::none && has(theirs, setting.need) &&
        !(other_preset && is_in(setting.place, "model")))
      values.emplace(setting.place, theirs.at(setting.place));
}

/// True if one of these trainings reads a setting.
bool has_effect(const KnownSetting& setting, const Values& begun, const Values& now) {
  const Need& other = setting.replaced_by;
  if (!other.empty() && (has(begun, other) || has(now, other))) return false;
  return is_read(setting, begun) || is_read(setting, now);
}

/// Returns a value as it is written in a configuration.
std::string text_of(const Json& json) {
  return json.is_array() ? printable(json.dump(), 100) : printable_value(json);
}

}  // namespace

std::string config_file(const std::string& directory) { return directory + "/config.json"; }

Settings load_config(const std::string& directory) {
  const std::string path = config_file(directory);
  return parse_settings(parse_json(read_file(path), path), path);
}

void save_config(const std::string& directory, const Settings& settings) {
  const std::string path = config_file(directory);
  write_file(path, dump_json(to_json(resolved(settings)), path));
}

Settings load_settings(const std::string& path, std::span<const std::string> overrides,
                       const std::string& resumed_directory) {
  return training_settings(parse_json(read_file(path), path), path, overrides, resumed_directory);
}

Settings training_settings(const Json& configuration, const std::string& name,
                           std::span<const std::string> overrides, const std::string& resumed_directory) {
  Values values = values_of(configuration, name);
  for (const std::string& assignment : overrides) apply_override(values, assignment);
  Settings settings = settings_with(values);
  const std::string& initial = settings.training.initial_weights;
  if (const std::string model = inherited_from(initial, resumed_directory); !model.empty()) {
    const Settings of_model = load_config(model);
    inherit(values, of_model);
    settings = settings_with(values);
    // Another check compares the settings of a resumed training (check_resumable).
    if (model == initial) check_inherited(settings, of_model, model);
  }
  check(settings);
  return settings;
}

std::optional<ChangedSetting> changed_setting(const Settings& begun, const Settings& now) {
  const Values before = values_of(resolved(begun)), after = values_of(resolved(now));
  for (const KnownSetting& setting : known_settings()) {
    if (setting.section || setting.may_change(now) || !has_effect(setting, before, after)) continue;
    const Json &one = before.at(setting.place), &other = after.at(setting.place);
    if (one != other) return ChangedSetting{setting.place, text_of(one), text_of(other)};
  }
  return std::nullopt;
}

void check_resumable(const Settings& begun, const Settings& now, const std::string& directory) {
  if (const auto changed = changed_setting(begun, now))
    fail(
        "{} was {} when the training in {} began, and is {} now; give {} again to resume, another "
        "directory, or --overwrite to start a new training",
        changed->place, changed->begun, directory, changed->now, changed->begun);
}

std::vector<std::string> contradictions(const Settings& settings, const Settings& of_model) {
  const Values here = values_of(resolved(settings)), there = values_of(resolved(of_model));
  std::vector<std::string> found;
  const auto compare = [&](const std::string& place) {
    const Json &one = there.at(place), &other = here.at(place);
    if (one != other)
      found.push_back(
          fmt::format("{} is {} there and {} here", place, printable_value(one), printable_value(other)));
  };
  for (const KnownSetting& setting : known_settings())
    if (!setting.section &&
        (setting.inheritance == Inheritance::equal || setting.inheritance == Inheritance::learnt) &&
        (has(here, setting.need) || has(there, setting.need)))
      compare(setting.place);
  // Another preset alone is no contradiction, but it may be the source of one.
  const auto of_shape = [](const std::string& text) { return text.starts_with("model."); };
  if (std::ranges::any_of(found, of_shape)) compare("model.preset");
  return found;
}

void check_inherited(const Settings& settings, const Settings& of_model, const std::string& directory) {
  const std::vector<std::string> found = contradictions(settings, of_model);
  if (!found.empty())
    fail(
        "{}, the model of training.initial_weights, has other settings: {}; leave them out of the "
        "configuration, and they are taken from there",
        directory, fmt::join(found, "; "));
}

namespace {

/// Checks how the learning rate changes.
void check_schedule(const Settings& settings) {
  const TrainingSettings& training = settings.training;
  const bool cosine = training.schedule == nn::Schedule::cosine;
  if (cosine && training.steps == 0 && training.epoch_limit() == 0)
    fail(
        "with training.schedule \"cosine\" the learning rate falls to the last update, which training.tokens "
        "and training.minutes do not tell; set training.steps or training.epochs");
  if (cosine && training.steps > 0 && training.steps <= training.warmup_steps)
    fail(
        "with training.schedule \"cosine\" the learning rate falls from training.warmup_steps, which is {}, "
        "to training.steps, which is {}; give more steps",
        training.warmup_steps, training.steps);
  if (training.schedule == nn::Schedule::plateau) {
    if (!settings.data.has_validation())
      fail("training.schedule \"plateau\" follows the validations, but there is no validation corpus");
    if (const Index patience = settings.validation.patience;
        patience > 0 && patience <= training.plateau_patience)
      fail(
          "validation.patience {} ends the training before training.plateau_patience {} can lower the "
          "learning rate; set more patience, or 0",
          patience, training.plateau_patience);
  }
  if (training.minimum_learning_rate > training.rate())
    fail("training.minimum_learning_rate {} is above training.learning_rate {}",
         training.minimum_learning_rate, training.rate());
}

}  // namespace

void check_training(const Settings& settings) {
  const TrainingSettings& training = settings.training;
  if (training.steps == 0 && training.tokens == 0 && training.minutes == 0 && training.epoch_limit() == 0 &&
      settings.validation.patience == 0)
    fail(
        "nothing ends the training; set training.steps, training.tokens, training.minutes, training.epochs "
        "or validation.patience");
  if (training.schedule != nn::Schedule::noam && !training.learning_rate)
    fail(
        "only training.schedule \"noam\" has a default for training.learning_rate; set "
        "training.learning_rate");
  if (training.scheduled_sampling_steps > 0 && training.scheduled_sampling == 0)
    fail(
        "training.scheduled_sampling_steps is {}, but training.scheduled_sampling is 0, so there is no share "
        "that rises; set it, or set training.scheduled_sampling_steps to 0",
        training.scheduled_sampling_steps);
  check_schedule(settings);
}

void check_checkpoints(const Settings& settings) {
  const CheckpointSettings& checkpoints = settings.checkpoints;
  if (checkpoints.average == Averaging::last && checkpoints.keep_last < 2)
    fail("checkpoints.average \"last\" needs checkpoints.keep_last of at least 2");
  if (checkpoints.average == Averaging::best && checkpoints.keep_best < 2)
    fail("checkpoints.average \"best\" needs checkpoints.keep_best of at least 2");
}

}  // namespace regard::translation
