#include "apps/translation/import/marian_config.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <yaml-cpp/yaml.h>

#include "apps/translation/files/files.h"
#include "apps/translation/files/warning.h"
#include "apps/translation/import/imported_model.h"
#include "apps/translation/text/utf8.h"
#include "autograd/error.h"

namespace regard::translation {

namespace {

constexpr std::uint64_t longest_yaml_config = 1 << 20, longest_yaml_vocabulary = 16 << 20;  // bytes

YAML::Node parse(const std::string& text, const std::string& name) {
  try {
    YAML::Node node = YAML::Load(text);
    if (!node.IsMap()) fail("{} has no keys with values", name);
    return node;
  } catch (const YAML::Exception& error) {
    fail("{} is no YAML: line {}, column {} cannot be read", name, error.mark.line + 1,
         error.mark.column + 1);
  }
}

/// A configuration whose errors name it.
class YamlConfig {
 public:
  YamlConfig(const YAML::Node& node, std::string name) : node_(node), name_(std::move(name)) {}

  const std::string& name() const { return name_; }

  /// Throws Error if the value is missing without `otherwise`, or cannot be read as a T.
  template <class T>
  T get(const std::string& key, std::optional<T> otherwise = {}) const {
    const YAML::Node value = node_[key];
    if (!value.IsDefined() || value.IsNull()) {
      if (otherwise) return *otherwise;
      fail("{}: {} is missing", name_, key);
    }
    try {
      return value.as<T>();
    } catch (const YAML::Exception&) {
      fail("{}: {} has a value of a wrong type", name_, key);
    }
  }

  Index size(const std::string& key) const {
    constexpr Index most = 10'000'000;
    const auto value = get<Index>(key);
    if (value < 1 || value > most) fail("{}: {} is {}; it must be from 1 to {}", name_, key, value, most);
    return value;
  }

  /// Throws Error unless the text is the expected one, or missing.
  void require(const std::string& key, const std::string& expected) const {
    const auto value = get<std::string>(key, expected);
    if (value != expected)
      fail("{}: {} is \"{}\", but only models with \"{}\" can be imported", name_, key, printable(value),
           expected);
  }

 private:
  YAML::Node node_;
  std::string name_;
};

nn::Activation activation_of(const YamlConfig& config) {
  const auto name = config.get<std::string>("transformer-ffn-activation", "swish");
  if (name == "swish") return nn::Activation::silu;
  if (name == "relu") return nn::Activation::relu;
  fail("{}: transformer-ffn-activation is \"{}\"; only swish and relu can be imported", config.name(),
       printable(name));
}

transformer::SharedEmbeddings sharing_of(const YamlConfig& config) {
  const bool all = config.get<bool>("tied-embeddings-all", false);
  const bool output = config.get<bool>("tied-embeddings", false);
  const bool source = config.get<bool>("tied-embeddings-src", false);
  if (all || (output && source)) return transformer::SharedEmbeddings::all;
  return output ? transformer::SharedEmbeddings::target_output : transformer::SharedEmbeddings::none;
}

/// The search of marian-decoder. A missing key has the default of that program.
transformer::SearchOptions search_of(const YamlConfig& config) {
  const auto factor = config.get<double>("max-length-factor", 3),
             penalty = config.get<double>("word-penalty", 0);
  // A translation ends, with </s>, after factor * (source tokens, with </s>) tokens.
  const transformer::SearchOptions search{
      .beam = config.get<Index>("beam-size", 12),
      .length_penalty = transformer::LengthPenalty::power,
      .alpha = config.get<double>("normalize", 0),
      .max_length_ratio = factor,
      .max_length_constant =
          std::max<Index>(static_cast<Index>(std::ceil(std::clamp(factor, 0.0, 1e6))) - 1, 0)};
  if (!(factor > 0)) fail("{}: max-length-factor is {}; it must be above 0", config.name(), factor);
  if (factor != std::floor(factor))
    warn("warning: {}: max-length-factor is {}; a translation in Marian may have one token more than here",
         config.name(), factor);
  if (penalty != 0 && search.alpha != 1)  // divided by the length, it is the same for all translations
    warn(
        "warning: {}: word-penalty is {}: Marian subtracts it from a score for each token; regard has no "
        "such setting",
        config.name(), penalty);
  return search;
}

}  // namespace

Settings marian_settings(const NpzFile& model, const std::string& directory) {
  const std::string name = model.path() + ": special:model.yml";
  const YamlConfig config(parse(model.text("special:model.yml", longest_yaml_config), name), name);
  config.require("type", "transformer");
  config.require("transformer-preprocess", "");
  config.require("transformer-postprocess", "dan");
  config.require("transformer-postprocess-emb", "d");
  config.require("transformer-postprocess-top", "");
  config.require("transformer-decoder-autoreg", "self-attention");
  config.require("transformer-ffn-depth", "2");
  for (const char* const key : {"transformer-train-position-embeddings", "transformer-no-projection",
                                "transformer-no-bias", "transformer-no-affine", "right-left"})
    config.require(key, "false");

  Settings settings;
  settings.model.preset = "base";
  settings.model.config = {.d_model = config.size("dim-emb"),
                           .heads = config.size("transformer-heads"),
                           .d_ff = config.size("transformer-dim-ffn"),
                           .encoder_layers = config.size("enc-depth"),
                           .decoder_layers = config.size("dec-depth"),
                           .final_norm = false,
                           .activation = activation_of(config),
                           .positions = {.layout = nn::SinusoidLayout::marian},
                           .shared_embeddings = sharing_of(config),
                           .generator_bias = true};
  settings.model.first_predicted = special::end;
  settings.data.tokeniser = "marian";
  settings.data.max_length = 511;
  const std::string decoder = directory + "/decoder.yml";
  const YamlConfig search =
      path_exists(decoder) ? YamlConfig(parse(read_limited(decoder, longest_yaml_config), decoder), decoder)
                           : config;
  settings.decoding = search_of(search);
  settings.decoding.generate_unk = search.get<bool>("allow-unk", false);
  check(settings.model);
  transformer::check(settings.decoding);
  return settings;
}

std::vector<std::string> read_vocabulary_yaml(const std::string& path) {
  std::vector<std::string> tokens;
  for (const auto& entry : parse(read_limited(path, longest_yaml_vocabulary), path)) {
    constexpr std::int64_t most_tokens = 10'000'000;
    std::int64_t id = -1;
    std::string token;
    try {
      token = entry.first.as<std::string>();
      id = entry.second.as<std::int64_t>();
    } catch (const YAML::Exception&) {
      fail("{}: \"{}\" has no id", path, printable(token));
    }
    if (id < 0 || id >= most_tokens) fail("{}: \"{}\" has the id {}", path, printable(token), id);
    if (id >= std::ssize(tokens)) tokens.resize(to_size(id) + 1);
    if (!tokens[to_size(id)].empty()) fail("{}: the id {} occurs twice", path, id);
    tokens[to_size(id)] = token;
  }
  return tokens;
}

}  // namespace regard::translation
