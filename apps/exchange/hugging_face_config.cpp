// transformers' configuration_marian.py, configuration_m2m_100.py and generation/configuration_utils.py say
// what the keys mean.
#include "apps/exchange/hugging_face_config.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "apps/translation/files/utf8.h"
#include "apps/translation/files/warning.h"
#include "apps/translation/settings/settings_description.h"
#include "autograd/machine/error.h"

namespace regard::exchange {

namespace {

using transformer::Config;
using transformer::LengthPenalty;
using transformer::SearchOptions;
using transformer::SharedEmbeddings;
using translation::Settings;
using translation::warn;

using SizeKey = std::pair<const char*, Index Config::*>;

constexpr SizeKey size_keys[]{{"d_model", &Config::d_model},
                              {"encoder_layers", &Config::encoder_layers},
                              {"decoder_layers", &Config::decoder_layers}};
/// With encoder_ and decoder_ before them, two keys that must agree.
constexpr SizeKey sizes_of_both_sides[]{{"attention_heads", &Config::heads}, {"ffn_dim", &Config::d_ff}};

/// Forms of a Transformer that regard does not have, or does not have together with the others.
constexpr std::pair<const char*, bool> fixed_keys[]{{"add_final_layer_norm", false},
                                                    {"normalize_before", false},
                                                    {"normalize_embedding", false},
                                                    {"static_position_embeddings", true}};

/// The first name of an activation is the one that is written.
const translation::Choices<nn::Activation> activations{{"swish", nn::Activation::silu},
                                                       {"silu", nn::Activation::silu},
                                                       {"relu", nn::Activation::relu},
                                                       {"gelu", nn::Activation::gelu}};

/// A key and the setting that says the same.
struct SearchKey {
  const char* theirs;
  const char* ours;
  Index extra = 0;     ///< tokens that theirs counts and ours does not: <pad> at the beginning, and </s>
  bool other = false;  ///< another key for the same setting; it takes precedence, and is never written
};

constexpr SearchKey search_keys[]{{"num_beams", "decoding.beam"},
                                  {"length_penalty", "decoding.alpha"},
                                  {"no_repeat_ngram_size", "decoding.no_repeat_ngram"},
                                  {"repetition_penalty", "decoding.repetition_penalty"},
                                  {"max_length", "decoding.max_length", 2},
                                  {"max_new_tokens", "decoding.max_length", 1, true},
                                  {"min_length", "decoding.min_length", 1},
                                  {"min_new_tokens", "decoding.min_length", 0, true}};

/// A key that regard has no setting for. Null, false, nothing and the number `neutral` have no effect.
struct ForeignKey {
  const char* name;
  double neutral;
  const char* effect;
};

constexpr ForeignKey foreign_keys[]{
    {"do_sample", 0, "draws the tokens at random, as regard translate --sample does"},
    {"num_beam_groups", 1, "searches in groups of beams that have to differ"},
    {"penalty_alpha", 0, "searches contrastively"},
    {"early_stopping", 0, "ends a search as soon as num_beams translations are finished"},
    {"max_time", 0, "ends a translation after this number of seconds"},
    {"stop_strings", 0, "ends a translation after these texts"},
    {"num_return_sequences", 1, "returns several translations, as regard translate --n-best does"},
    {"renormalize_logits", 0, "leaves the probability of <pad> and of forbidden tokens out of the scores"},
    {"suppress_tokens", 0, "never writes these tokens"},
    {"begin_suppress_tokens", 0, "never begins with these tokens"},
    {"forced_decoder_ids", 0, "writes these tokens at their places"},
    {"force_words_ids", 0, "writes these tokens in every translation"},
    {"constraints", 0, "looks for translations that fulfil them"},
    {"sequence_bias", 0, "makes these tokens more or less likely"},
    {"exponential_decay_length_penalty", 0, "makes </s> likelier from token to token"},
    {"encoder_repetition_penalty", 1, "makes the tokens of the source more likely"},
    {"encoder_no_repeat_ngram_size", 0, "never repeats such an n-gram of the source"},
    {"guidance_scale", 1, "moves the scores away from those without a source"},
    {"watermarking_config", 0, "prefers tokens that mark the text"}};

void warn_of_foreign_keys(const Keys& keys) {
  for (const auto& [name, neutral, effect] : foreign_keys) {
    const Json value = keys.find(name);
    if (value.empty() || value == false || value == neutral || value == "never") continue;
    warn("{}: {} is {}: generate() {}; regard has no such setting", keys.file(name), name,
         translation::printable(value.dump(), 60), effect);
  }
  const char* const last = "forced_eos_token_id";
  if (const Json value = keys.find(last); !value.is_null() && value != keys.find("eos_token_id"))
    warn(
        "{}: {} is {}: generate() ends a translation of the greatest length with this token; regard has no "
        "such setting",
        keys.file(last), last, translation::printable(value.dump(), 60));
}

nn::Activation activation_of(const Keys& keys) {
  const char* const key = "activation_function";
  const auto kind = translation::one_of(translation::names_of(activations));
  return translation::value_of(activations, keys.get<std::string>(key, kind), key);
}

}  // namespace

Config shape_of(const Keys& keys) {
  const std::string type = keys.text("model_type", "");
  const bool nllb = type == nllb_type;
  if (!nllb && type != "marian")
    fail("{}: model_type is {}, but only \"marian\" and \"{}\", which is NLLB, can be imported",
         keys.file("model_type"), type.empty() ? "missing" : "\"" + translation::printable(type) + "\"",
         nllb_type);
  for (const auto& [key, value] : fixed_keys) keys.require(key, value);
  const double dropout = keys.number("dropout", 0.1);
  const bool tied = keys.flag("tie_word_embeddings", true),
             joint = keys.flag("share_encoder_decoder_embeddings", true);
  Config shape{.scaled_embedding = keys.flag("scale_embedding", nllb),
               .final_norm = nllb,
               .activation = activation_of(keys),
               .shared_embeddings = !tied   ? SharedEmbeddings::none
                                    : joint ? SharedEmbeddings::all
                                            : SharedEmbeddings::target_output,
               .generator_bias = true,
               .dropout = {.embedding = dropout,
                           .sublayer = dropout,
                           .attention = keys.number("attention_dropout", 0),
                           .feed_forward = keys.number("activation_dropout", 0)}};
  if (nllb) {
    shape.norm = transformer::Norm::pre;
    shape.positions = {.kind = nn::PositionKind::learned,
                       .most = keys.whole_number("max_position_embeddings", 1024)};
  }
  for (const auto& [key, size] : size_keys) shape.*size = keys.whole_number(key);
  for (const auto& [key, size] : sizes_of_both_sides) {
    const std::string encoder = fmt::format("encoder_{}", key), decoder = fmt::format("decoder_{}", key);
    shape.*size = keys.whole_number(encoder);
    if (const Index other = keys.whole_number(decoder); other != shape.*size)
      fail("{}: {} is {}, but {} is {}; regard has one number for both sides", keys.file(encoder), encoder,
           shape.*size, decoder, other);
  }
  return shape;
}

Json config_of(const Config& shape, const Sharing& sharing) {
  Json keys{{"architectures", {"MarianMTModel"}},
            {"model_type", "marian"},
            {"is_encoder_decoder", true},
            {"activation_function", translation::name_of(activations, shape.activation)},
            {"add_bias_logits", false}};
  for (const auto& [key, value] : fixed_keys) keys[key] = value;
  keys.update({{"scale_embedding", shape.scaled_embedding},
               {"share_encoder_decoder_embeddings", sharing.embeddings},
               {"tie_word_embeddings", sharing.output}});
  for (const auto& [key, size] : size_keys) keys[key] = shape.*size;
  keys["num_hidden_layers"] = shape.encoder_layers;
  for (const auto& [key, size] : sizes_of_both_sides)
    for (const char* const side : {"encoder_", "decoder_"}) keys[side + std::string(key)] = shape.*size;
  keys.update({{"dropout", shape.dropout.sublayer},
               {"attention_dropout", shape.dropout.attention},
               {"activation_dropout", shape.dropout.feed_forward}});
  return keys;
}

SearchOptions search_of(const Keys& keys) {
  Settings settings;
  settings.decoding = {.beam = 1,
                       .length_penalty = LengthPenalty::power,
                       .alpha = 1,
                       .patience = keys.find("early_stopping") == "never" ? 0.0 : 1.0,
                       .max_length_ratio = 0,
                       .max_length_constant = 0,
                       .max_length = 510};
  translation::Values values = values_of(settings);
  for (const auto& [theirs, ours, extra, other] : search_keys) {
    Json value = keys.find(theirs);
    if (value.is_null()) continue;
    if (value.is_number() && extra > 0)
      value = std::max(value.get<double>() - static_cast<double>(extra), 0.0);
    const translation::KnownSetting& setting = *translation::find_setting(ours);
    const bool no_token = setting.place == "decoding.max_length" && value == 0;  // 0 is no limit here
    if (no_token || !setting.kind.holds(value))
      fail("{}: {} is {}; less {}, it is {}, which must be {}", keys.file(theirs), theirs,
           translation::printable_value(keys.find(theirs)), extra, ours,
           no_token ? "at least 1" : setting.kind.allowed);
    values.insert_or_assign(ours, value);
  }
  warn_of_foreign_keys(keys);
  return translation::settings_with(values).decoding;
}

Json generation_of(const Settings& settings) {
  constexpr Index most = 65534;  // transformers has a row for each position
  Settings there = settings;
  SearchOptions& search = there.decoding;
  const Index longest = greatest_length(search, settings.data.max_length);
  search.max_length = std::min(longest, most);
  if (search.length_penalty == LengthPenalty::wu && search.alpha != 0)
    warn(
        "decoding.length_penalty is wu, which transformers does not have; there, a log-probability "
        "is divided by n^{0} and not by ((5 + n)/6)^{0}",
        search.alpha);
  if (search.max_length_ratio != 0 || longest > most)
    warn(
        "transformers has no limit like decoding.max_length_ratio; there, any translation may have "
        "{} tokens",
        search.max_length);
  const translation::Values values = values_of(there);
  if (const auto keep = values.find("decoding.keep_placeholders");
      keep != values.end() && keep->second == true)
    warn("transformers has no search like decoding.keep_placeholders");
  if (search.patience != 0 && search.patience != 1)
    warn("decoding.patience is {}; transformers only has what is 0 and 1 here, and searches with 1",
         search.patience);
  Json keys{{"early_stopping", search.patience == 0 ? Json("never") : Json(false)}};
  for (const auto& [theirs, ours, extra, other] : search_keys) {
    const Json& value = values.at(ours);
    if (!other) keys[theirs] = extra == 0 ? value : Json(value.get<Index>() + extra);
  }
  return keys;
}

}  // namespace regard::exchange
