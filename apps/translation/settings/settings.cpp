#include "apps/translation/settings/settings.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "apps/translation/files/files.h"
#include "apps/translation/model/model_directory.h"
#include "apps/translation/settings/inherited_settings.h"
#include "apps/translation/settings/settings_description.h"
#include "apps/translation/settings/settings_json.h"
#include "apps/translation/text/utf8.h"
#include "autograd/error.h"
#include "autograd/parallel.h"

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
        "data.vocabulary_size and data.minimum_frequency cannot be set with data.tokeniser "
        "\"sentencepiece\"; its vocabulary has data.subwords.size entries");
  if (data.subwords.sampling_n_best == 0 || data.subwords.sampling_n_best == 1)
    fail("data.subwords.sampling_n_best {} leaves no choice; set it to -1 or at least 2",
         data.subwords.sampling_n_best);
  // Subwords from a file, or from the model of the initial weights, have their own type.
  const std::string& initial = settings.training.initial_weights;
  std::error_code ignored;
  const bool given = !data.subwords.model.empty() ||
                     (!initial.empty() && !std::filesystem::is_regular_file(initial, ignored));
  if (given || data.subwords.type != SubwordType::bpe) return;
  if (data.subwords.sampling > 1)
    fail(
        "with data.subwords.type \"bpe\", data.subwords.sampling is a probability, but it is {}; give at "
        "most 1",
        data.subwords.sampling);
  if (data.subwords.sampling_n_best != -1)
    fail("data.subwords.sampling_n_best can only be set with data.subwords.type \"unigram\"");
}

/// Pixels of an image, in each direction, for one position of the encoder's memory.
Index pixels_per_position(const ModelSettings& model) {
  return model.encoder == EncoderKind::patches ? model.image.patch_size : model.image.reduction();
}

/// A model that reads images has text on one side only.
void check_images(const Settings& settings) {
  const DataSettings& data = settings.data;
  const ImageSettings& images = data.images;
  const ImageSettings defaults;
  if (!settings.model.reads_images()) {
    if (images.height != defaults.height || images.width != defaults.width ||
        images.resize != defaults.resize)
      fail(
          "data.images can only be set with a model that reads images: model.encoder \"convolutional\" or "
          "\"patches\"");
    return;
  }
  const Index unit = pixels_per_position(settings.model);
  if (images.height % unit != 0 || images.width % unit != 0)
    fail("data.images is {} x {} pixels, but the encoder needs multiples of {}", images.width, images.height,
         unit);
  if (!data.joint_vocabulary)
    fail("a model that reads images has one vocabulary, for the captions; set data.joint_vocabulary to true");
  if (data.subwords.sampling > 0)
    fail(
        "data.subwords.sampling cuts sentences on both sides, so it cannot be set with a model that reads "
        "images");
}

void check_data(const Settings& settings) {
  const DataSettings& data = settings.data;
  check_corpus("data.", data.source, data.target, data.tsv);
  check_corpus("data.validation_", data.validation_source, data.validation_target, data.validation_tsv);
  if (data.source.empty() && data.tsv.empty())
    fail("there is no training corpus; give data.source and data.target, or data.tsv");
  if (data.vocabulary_size != 0 && data.vocabulary_size <= special::count)
    fail("data.vocabulary_size {} has no room for words after the {} special tokens; 0 means all tokens",
         data.vocabulary_size, special::count);
  check_subwords(settings);
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
  const Index unit = model.reads_images() ? pixels_per_position(model) : 1;
  const ImageSettings& images = settings.data.images;
  const Index source =
      model.reads_images() ? (images.height / unit) * (images.width / unit) : settings.data.max_length;
  const transformer::RecurrentAttention& attention = model.recurrent.attention;
  if (model.decoder == DecoderKind::recurrent &&
      attention.kind != transformer::RecurrentAttentionKind::none &&
      attention.score == nn::ScoreKind::location) {
    if (!model.reads_images()) enough(attention.positions, "attention.positions");
    if (attention.positions < source)
      fail("model.attention.positions is {0}, but the memory of an image has {1}; set it to {1}",
           attention.positions, source);
  }
  const bool of_encoder = model.encoder == EncoderKind::transformer;
  const bool of_decoder = model.decoder == DecoderKind::transformer;
  if (model.config.positions.kind != nn::PositionKind::learned || !(of_encoder || of_decoder)) return;
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
  check_images(settings);
  check_positions(settings);
}

void check_training(const Settings& settings) {
  const TrainingSettings& training = settings.training;
  if (training.steps == 0 && training.tokens == 0 && training.epoch_limit() == 0 &&
      settings.validation.patience == 0)
    fail(
        "nothing ends the training; set training.steps, training.tokens, training.epochs or "
        "validation.patience");
  if (training.schedule != nn::Schedule::noam && !training.learning_rate)
    fail(
        "only training.schedule \"noam\" has a default for training.learning_rate; set "
        "training.learning_rate");
  const bool hard_attention =
      settings.model.decoder == DecoderKind::recurrent &&
      settings.model.recurrent.attention.kind == transformer::RecurrentAttentionKind::hard;
  if (training.shards > 1 && hard_attention)
    fail(
        "training.shards is {}, but the model has hard attention, whose baseline is a moving average from "
        "batch to batch, so the pieces of a batch cannot be computed apart; set training.shards to 1",
        training.shards);
  if (training.momentum > 0 && training.optimiser != Optimiser::sgd)
    fail("training.momentum can only be set with training.optimiser \"sgd\"; adam has training.beta1");
  if (training.schedule != nn::Schedule::cosine) {
    if (training.minimum_learning_rate > 0)
      fail("training.minimum_learning_rate can only be set with training.schedule \"cosine\"");
    return;
  }
  if (training.steps <= training.warmup_steps)
    fail(
        "with training.schedule \"cosine\" the learning rate falls from training.warmup_steps, which is {}, "
        "to training.steps, which is {}; give more steps",
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

/// Replaces one number for a whole section by the section, so that one of its fields can be changed.
Json expand_shorthand(const Json& number, const std::string& section) {
  Json json = Json::object();
  for (const KnownSetting& known : known_settings())
    if (known.place.starts_with(section + ".")) json[known.place.substr(section.size() + 1)] = number;
  return json;
}

/// Returns the object of a section. Makes it and the sections around it if they are missing.
Json& section_at(Json& json, const std::string& section, const std::string& name) {
  Json* found = &json;
  for (std::size_t begin = 0; begin < section.size();) {
    const std::size_t end = std::min(section.find('.', begin), section.size());
    const std::string place = section.substr(0, end);
    found = &(*found)[section.substr(begin, end - begin)];
    if (found->is_null()) *found = Json::object();
    if (found->is_number() && find_setting(place)->shorthand == Shorthand::number)
      *found = expand_shorthand(*found, place);
    if (!found->is_object())
      fail("{}: {} must be an object with settings, got {}", name, place, printable_value(*found));
    begin = end + 1;
  }
  return *found;
}

/// Returns the model directory whose settings complete the configuration of a training with these initial
/// weights: the training's own directory if it is resumed, otherwise the directory of the initial weights.
/// Returns an empty path if the initial weights are a file or not given.
std::string inherited_from(const std::string& initial_weights, const std::string& resumed_directory) {
  std::error_code ignored;
  if (initial_weights.empty() || std::filesystem::is_regular_file(initial_weights, ignored)) return "";
  if (!resumed_directory.empty() && path_exists(ModelDirectory(resumed_directory).config()))
    return resumed_directory;
  return std::filesystem::is_directory(initial_weights, ignored) ? initial_weights : "";
}

}  // namespace

void check(const Settings& settings) {
  check_data(settings);
  check_model(settings);
  check_training(settings);
  check_validation(settings);
  transformer::check(settings.decoding);
}

std::string override_name(const std::string& assignment) {
  constexpr int longest = 1000;
  return "--set " + printable(assignment, longest);
}

void apply_override(Json& json, const std::string& assignment) {
  if (find_invalid_utf8(assignment)) fail("the text after --set is not UTF-8");
  const std::string name = override_name(assignment);
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos) fail("{}: expected SETTING=VALUE, such as training.steps=2000", name);
  const std::string place = assignment.substr(0, equals), value = assignment.substr(equals + 1);
  const KnownSetting* known = find_setting(place);
  if (!known) fail_unknown_setting(name, place);
  if (known->section && known->shorthand == Shorthand::none)
    fail("{}: {} is a section; set one of its settings, such as {}", name, place, (known + 1)->place);
  if (!json.is_object())
    fail("{}: a configuration is a JSON object {{...}}, got {}", name, printable_value(json));
  const std::size_t dot = place.rfind('.');
  section_at(json, place.substr(0, dot), name)[place.substr(dot + 1)] =
      Json::accept(value) ? parse_json(value, name) : Json(value);
}

Settings parse_settings(Json& json, const std::string& name, std::span<const std::string> overrides) {
  Settings settings = parse_settings(json, name);
  for (const std::string& assignment : overrides) {
    apply_override(json, assignment);
    settings = parse_settings(json, override_name(assignment));  // after each, so that an error names it
  }
  return settings;
}

Settings resolved(Settings settings) {
  TrainingSettings& training = settings.training;
  training.epochs = training.epoch_limit();
  training.learning_rate = training.rate();
  training.threads = threads();
  settings.model.config.final_norm = settings.model.config.has_final_norm();
  return settings;
}

Settings load_settings(const std::string& path, std::span<const std::string> overrides,
                       const std::string& resumed_directory) {
  Json json = parse_json(read_file(path), path);
  Settings settings = parse_settings(json, path, overrides);
  const std::string& initial = settings.training.initial_weights;
  if (const std::string model = inherited_from(initial, resumed_directory); !model.empty()) {
    const Settings of_model = ModelDirectory(model).load_config();
    inherit(json, of_model);
    settings = parse_settings(json, path);
    // Another check compares the settings of a resumed training (check_resumable).
    if (model == initial) check_inherited(settings, of_model, model);
  }
  check(settings);
  return settings;
}

}  // namespace regard::translation
