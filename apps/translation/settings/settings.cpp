#include "apps/translation/settings/settings.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "apps/translation/files/files.h"
#include "apps/translation/settings/settings_description.h"
#include "apps/translation/settings/settings_json.h"
#include "apps/translation/text/utf8.h"
#include "autograd/error.h"
#include "autograd/parallel.h"

namespace regard::translation {
namespace {

/// Two files or one: `prefix` is "data." or "data.validation_".
void check_corpus(const std::string& prefix, const std::string& source, const std::string& target,
                  const std::string& tsv) {
  const bool any_file = !source.empty() || !target.empty();
  if (any_file && !tsv.empty())
    fail("{0}tsv stands instead of {0}source and {0}target; give either it or those two", prefix);
  if (source.empty() && !target.empty()) fail("{0}target is given, but {0}source is not", prefix);
  if (!source.empty() && target.empty()) fail("{0}source is given, but {0}target is not", prefix);
}

void check_subwords(const Settings& settings) {
  const DataSettings& data = settings.data;
  if (data.tokeniser != "sentencepiece") {
    const auto needs_subwords = [](bool wanted, const char* setting) {
      if (wanted) fail("data.subwords.{} needs data.tokeniser \"sentencepiece\"", setting);
    };
    needs_subwords(data.subwords.sampling > 0, "sampling");
    needs_subwords(!data.subwords.model.empty(), "model");
    const SubwordSettings defaults;
    needs_subwords(data.subwords.type != defaults.type, "type");
    needs_subwords(data.subwords.size != defaults.size, "size");
    needs_subwords(data.subwords.character_coverage != defaults.character_coverage, "character_coverage");
    needs_subwords(data.subwords.sampling_n_best != defaults.sampling_n_best, "sampling_n_best");
    return;
  }
  if (!data.joint_vocabulary)
    fail(
        "data.tokeniser \"sentencepiece\" has one vocabulary for both sides; set data.joint_vocabulary to "
        "true");
  if (data.vocabulary_size != 0 || data.minimum_frequency != 1)
    fail(
        "data.vocabulary_size and data.minimum_frequency do not go with data.tokeniser \"sentencepiece\"; "
        "its vocabulary has data.subwords.size entries");
  if (data.subwords.sampling_n_best == 0 || data.subwords.sampling_n_best == 1)
    fail("data.subwords.sampling_n_best {} leaves nothing to choose; set it to -1 or at least 2",
         data.subwords.sampling_n_best);
  // Given subwords, or those of the initial weights' model, have a type of their own.
  const std::string& initial = settings.training.initial_weights;
  std::error_code ignored;
  const bool given = !data.subwords.model.empty() ||
                     (!initial.empty() && !std::filesystem::is_regular_file(initial, ignored));
  if (given || data.subwords.type != SubwordType::bpe) return;
  if (data.subwords.sampling > 1)
    fail("data.subwords.sampling {} is no probability, as which type \"bpe\" takes it; give at most 1",
         data.subwords.sampling);
  if (data.subwords.sampling_n_best != -1)
    fail("data.subwords.sampling_n_best goes with data.subwords.type \"unigram\" alone");
}

void check_data(const Settings& settings) {
  const DataSettings& data = settings.data;
  check_corpus("data.", data.source, data.target, data.tsv);
  check_corpus("data.validation_", data.validation_source, data.validation_target, data.validation_tsv);
  if (data.source.empty() && data.tsv.empty())
    fail("there is no training corpus; give data.source and data.target, or data.tsv");
  if (data.vocabulary_size != 0 && data.vocabulary_size <= special::count)
    fail("data.vocabulary_size {} leaves no room for words beside the {} special tokens; 0 means all tokens",
         data.vocabulary_size, special::count);
  check_subwords(settings);
}

void check_model(const Settings& settings) {
  transformer::Config config = settings.model.config;
  if (config.shared_embeddings == transformer::SharedEmbeddings::all && !settings.data.joint_vocabulary)
    fail(
        "model.shared_embeddings \"all\" needs data.joint_vocabulary true; choose \"target_output\" or "
        "\"none\"");
  // The sizes of the vocabularies are known only after the corpora are read; any will do to check the rest.
  config.source_vocabulary = config.target_vocabulary = special::count + 1;
  check(config);
}

void check_training(const Settings& settings) {
  const TrainingSettings& training = settings.training;
  if (training.steps == 0 && training.tokens == 0 && training.epoch_limit() == 0 &&
      settings.validation.patience == 0)
    fail(
        "nothing ends the training; set training.steps, training.tokens, training.epochs or "
        "validation.patience");
  if (training.schedule != nn::Schedule::noam && !training.learning_rate)
    fail("only training.schedule \"noam\" has a learning rate of its own; set training.learning_rate");
  if (training.momentum > 0 && training.optimiser != Optimiser::sgd)
    fail("training.momentum goes with training.optimiser \"sgd\" alone; adam has training.beta1");
  if (training.schedule != nn::Schedule::cosine) {
    if (training.minimum_learning_rate > 0)
      fail("training.minimum_learning_rate goes with training.schedule \"cosine\" alone");
    return;
  }
  if (training.steps <= training.warmup_steps)
    fail(
        "training.schedule \"cosine\" falls from step {}, training.warmup_steps, to the last of "
        "training.steps, which is {}; give more steps",
        training.warmup_steps, training.steps);
  if (training.minimum_learning_rate > training.rate())
    fail("training.minimum_learning_rate {} is above training.learning_rate {}",
         training.minimum_learning_rate, training.rate());
}

void check_validation(const Settings& settings) {
  const ValidationSettings& validation = settings.validation;
  const CheckpointSettings& checkpoints = settings.checkpoints;
  if (checkpoints.average == Averaging::last && checkpoints.keep_last < 2)
    fail("checkpoints.average \"last\" needs checkpoints.keep_last of at least 2");
  if (checkpoints.average == Averaging::best && checkpoints.keep_best < 2)
    fail("checkpoints.average \"best\" needs checkpoints.keep_best of at least 2");
  if (settings.data.has_validation()) return;
  const auto needs_corpus = [](bool wanted, const char* setting) {
    if (wanted)
      fail("{} needs data.validation_source and data.validation_target, or data.validation_tsv", setting);
  };
  needs_corpus(validation.patience > 0, "validation.patience");
  needs_corpus(validation.metric != ValidationMetric::loss, "validation.metric");
  needs_corpus(checkpoints.keep_best > 0, "checkpoints.keep_best");
}

/// One number that stands for a whole section becomes that section, so that one field of it can differ.
Json spelled_out(const Json& number, const std::string& section) {
  Json json = Json::object();
  for (const KnownSetting& known : known_settings())
    if (known.place.starts_with(section + ".")) json[known.place.substr(section.size() + 1)] = number;
  return json;
}

/// The object of a section, made with those above it where they are missing.
Json& section_at(Json& json, const std::string& section, const std::string& name) {
  Json* found = &json;
  for (std::size_t begin = 0; begin < section.size();) {
    const std::size_t end = std::min(section.find('.', begin), section.size());
    const std::string place = section.substr(0, end);
    found = &(*found)[section.substr(begin, end - begin)];
    if (found->is_null()) *found = Json::object();
    if (found->is_number() && find_setting(place)->shorthand == Shorthand::number)
      *found = spelled_out(*found, place);
    if (!found->is_object())
      fail("{}: {} must be an object with settings, got {}", name, place, words_for(*found));
    begin = end + 1;
  }
  return *found;
}

/// What messages call a setting of the command line.
std::string name_of(const std::string& assignment) {
  constexpr int longest = 1000;
  return "--set " + shown(assignment, longest);
}

}  // namespace

void check(const Settings& settings) {
  check_data(settings);
  check_model(settings);
  check_training(settings);
  check_validation(settings);
  transformer::check(settings.decoding);
}

void apply_override(Json& json, const std::string& assignment) {
  if (find_invalid_utf8(assignment)) fail("what --set gives is not UTF-8");
  const std::string name = name_of(assignment);
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos) fail("{}: expected SETTING=VALUE, such as training.steps=2000", name);
  const std::string place = assignment.substr(0, equals), value = assignment.substr(equals + 1);
  const KnownSetting* known = find_setting(place);
  if (!known) fail_unknown_setting(name, place);
  if (known->section && known->shorthand == Shorthand::none)
    fail("{}: {} is a section; set one of its settings, such as {}", name, place, (known + 1)->place);
  if (!json.is_object()) fail("{}: a configuration is a JSON object {{...}}, got {}", name, words_for(json));
  const std::size_t dot = place.rfind('.');
  section_at(json, place.substr(0, dot), name)[place.substr(dot + 1)] =
      Json::accept(value) ? parse_json(value, name) : Json(value);
}

Settings resolved(Settings settings) {
  TrainingSettings& training = settings.training;
  training.epochs = training.epoch_limit();
  training.learning_rate = training.rate();
  training.threads = threads();
  settings.model.config.final_norm = settings.model.config.has_final_norm();
  return settings;
}

Settings load_settings(const std::string& path, std::span<const std::string> overrides) {
  Json json = parse_json(read_file(path), path);
  Settings settings = parse_settings(json, path);
  for (const std::string& assignment : overrides) {
    apply_override(json, assignment);
    settings =
        parse_settings(json, name_of(assignment));  // after each, so that an error names the one at fault
  }
  check(settings);
  return settings;
}

}  // namespace regard::translation
