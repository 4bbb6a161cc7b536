#include "apps/translation/import/hugging_face.h"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "apps/translation/files/files.h"
#include "apps/translation/files/json.h"
#include "apps/translation/import/generation_config.h"
#include "apps/translation/import/pytorch_file.h"
#include "apps/translation/subwords/marian_tokeniser.h"
#include "apps/translation/subwords/subwords.h"
#include "apps/translation/text/utf8.h"
#include "autograd/error.h"
#include "nn/safetensors.h"

namespace regard::translation {

namespace {

constexpr std::uint64_t longest_config = 1 << 20;  // bytes

/// config.json, and generation_config.json, whose values come first.
class ConfigFiles {
 public:
  explicit ConfigFiles(const std::string& directory)
      : path_(directory + "/config.json"),
        generation_path_(directory + "/generation_config.json"),
        config_(read(path_)) {
    if (path_exists(generation_path_)) generation_ = read(generation_path_);
  }

  const std::string& path() const { return path_; }
  /// The file that has the value of a key.
  const std::string& path(const std::string& key) const {
    const auto found = generation_.find(key);
    return found == generation_.end() || found->is_null() ? path_ : generation_path_;
  }

  /// Returns a whole number from `least` on, or `otherwise` if there is none.
  Index number(const std::string& key, std::optional<Index> otherwise = {}, Index least = 1) const {
    constexpr Index most = 10'000'000;  // every product of two fits into an Index
    const Json* const value = find(key);
    if (value == nullptr && otherwise) return *otherwise;
    if (value == nullptr) fail("{}: {} is missing", path_, key);
    if (!value->is_number_integer() || *value < least || *value > most)
      wrong(key, *value, fmt::format("a whole number from {} to {}", least, most));
    return value->get<Index>();
  }

  double real(const std::string& key, double otherwise) const {
    const Json* const value = find(key);
    if (value == nullptr) return otherwise;
    if (!value->is_number()) wrong(key, *value, "a number");
    return value->get<double>();
  }

  bool flag(const std::string& key, bool otherwise) const {
    const Json* const value = find(key);
    if (value == nullptr) return otherwise;
    if (!value->is_boolean()) wrong(key, *value, "true or false");
    return value->get<bool>();
  }

  std::string text(const std::string& key) const {
    const Json* const value = find(key);
    if (value == nullptr) fail("{}: {} is missing", path_, key);
    if (!value->is_string()) wrong(key, *value, "a text");
    return value->get<std::string>();
  }

  /// Returns the number of both sides.
  Index of_both_sides(const std::string& key) const {
    const Index encoder = number("encoder_" + key), decoder = number("decoder_" + key);
    if (encoder != decoder)
      fail("{0}: encoder_{1} is {2}, but decoder_{1} is {3}; regard has one number for both sides", path_,
           key, encoder, decoder);
    return encoder;
  }

  /// All keys that have a value.
  Json keys() const {
    Json all = config_;
    for (const auto& [key, value] : generation_.items())
      if (!value.is_null()) all[key] = value;
    return all;
  }

  /// True if translations may contain <unk>. regard never writes <pad> and <s>. Throws Error if the search
  /// may not produce another token, or has to begin with a token. `rows` are the rows of our tokens.
  bool may_write_unknown(const std::vector<std::int32_t>& rows) const {
    const auto is = [&](const Json& words, std::int32_t id) {
      return words == Json::array({rows[to_size(id)]});
    };
    bool unknown = true;
    const Json* const forbidden = find("bad_words_ids");
    if (forbidden != nullptr && !forbidden->is_array()) wrong("bad_words_ids", *forbidden, "a list");
    for (const Json& words : forbidden == nullptr ? Json::array() : *forbidden) {
      if (is(words, special::unknown))
        unknown = false;
      else if (!is(words, special::begin) && !is(words, special::pad))
        fail("{}: bad_words_ids has {}, but regard can only leave out <pad>, <s> and <unk>",
             path("bad_words_ids"), printable(words.dump()));
    }
    if (find("forced_bos_token_id") != nullptr)
      fail(
          "{}: forced_bos_token_id is set, but regard has no such setting; remove it and translate with "
          "--prefix",
          path("forced_bos_token_id"));
    return unknown;
  }

  /// Returns a number of rows. Throws Error unless a matrix of the weights has as many, because to name the
  /// rows of a much too large vocabulary takes minutes.
  Index rows_of(const std::string& key, const nn::TensorFile& weights,
                std::optional<Index> otherwise = {}) const {
    const Index rows = number(key, otherwise);
    if (std::ranges::none_of(weights.shapes(), [&](const auto& entry) {
          return entry.second.rank() == 2 && entry.second[0] == rows && entry.second.size() > 0;
        }))
      fail("{}: {} is {}, but no matrix in {} has so many rows", path(key), key, rows, weights.path());
    return rows;
  }

  /// Throws Error unless the flag has this value or is missing.
  void require(const std::string& key, bool value) const {
    if (flag(key, value) != value)
      fail("{}: {} is {}, but only models with {} can be imported", path(key), key, !value, value);
  }

  static Json read(const std::string& path) {
    Json json = parse_json(read_limited(path, longest_config), path);
    if (!json.is_object()) fail("{} is no JSON object", path);
    return json;
  }

 private:
  /// Null counts as missing.
  const Json* find(const std::string& key) const {
    for (const Json* const json : {&generation_, &config_})
      if (const auto found = json->find(key); found != json->end() && !found->is_null()) return &*found;
    return nullptr;
  }

  [[noreturn]] void wrong(const std::string& key, const Json& value, const std::string& needed) const {
    fail("{}: {} is {}; it must be {}", path(key), key, printable_value(value), needed);
  }

  std::string path_, generation_path_;
  Json config_, generation_ = Json::object();
};

nn::Activation activation_of(const ConfigFiles& config) {
  const std::string name = config.text("activation_function");
  if (name == "swish" || name == "silu") return nn::Activation::silu;
  if (name == "relu") return nn::Activation::relu;
  if (name == "gelu") return nn::Activation::gelu;
  fail("{}: activation_function is {}; only swish, silu, relu and gelu can be imported", config.path(),
       printable_value(name));
}

/// The matrices that are one.
transformer::SharedEmbeddings sharing_of(const ConfigFiles& config) {
  const bool tied = config.flag("tie_word_embeddings", true);
  if (!tied) return transformer::SharedEmbeddings::none;
  return config.flag("share_encoder_decoder_embeddings", true) ? transformer::SharedEmbeddings::all
                                                               : transformer::SharedEmbeddings::target_output;
}

transformer::Config shape_of(const ConfigFiles& config) {
  if (const std::string type = config.text("model_type"); type != "marian")
    fail("{}: model_type is {}, but only \"marian\" can be imported", config.path(), printable_value(type));
  config.require("static_position_embeddings", true);
  for (const char* const key : {"normalize_before", "normalize_embedding", "add_final_layer_norm"})
    config.require(key, false);
  const double dropout = config.real("dropout", 0.1);
  return {.d_model = config.number("d_model"),
          .heads = config.of_both_sides("attention_heads"),
          .d_ff = config.of_both_sides("ffn_dim"),
          .encoder_layers = config.number("encoder_layers"),
          .decoder_layers = config.number("decoder_layers"),
          .scaled_embedding = config.flag("scale_embedding", false),
          .final_norm = false,
          .activation = activation_of(config),
          .shared_embeddings = sharing_of(config),
          .generator_bias = true,
          .dropout = {.embedding = dropout,
                      .sublayer = dropout,
                      .attention = config.real("attention_dropout", 0),
                      .feed_forward = config.real("activation_dropout", 0)}};
}

/// Both vocabularies, in our order. A joint one is the same twice.
std::pair<ImportedVocabulary, ImportedVocabulary> vocabularies_of(const ConfigFiles& config,
                                                                  const std::string& directory, bool joint,
                                                                  const nn::TensorFile& weights) {
  const auto begin = static_cast<std::int32_t>(config.number("decoder_start_token_id", {}, 0));
  const auto pad = static_cast<std::int32_t>(config.number("pad_token_id", {}, 0));
  const auto end = static_cast<std::int32_t>(config.number("eos_token_id", {}, 0));
  if (begin != pad)
    fail("{}: decoder_start_token_id is {}, but pad_token_id is {}; MarianMT begins with <pad>",
         config.path("decoder_start_token_id"), begin, pad);
  const auto read = [&](const std::string& file, Index rows) {
    const std::vector<std::string> tokens = read_vocabulary_json(file);
    const SpecialRows special{.end = id_of(tokens, "</s>", file),
                              .unknown = id_of(tokens, "<unk>", file),
                              .begin = id_of(tokens, "<pad>", file)};
    return std::pair(our_order(tokens, rows, special, file), special);
  };
  const std::string source_file = directory + "/vocab.json";
  const std::string target_file = joint ? source_file : directory + "/target_vocab.json";
  const Index source_rows = config.rows_of("vocab_size", weights);
  auto source = read(source_file, source_rows);
  auto target =
      joint ? source : read(target_file, config.rows_of("decoder_vocab_size", weights, source_rows));
  if (target.second.begin != pad || target.second.end != end)
    fail("{}: <pad> has the id {} and </s> {}, but {} has pad_token_id {} and eos_token_id {}", target_file,
         target.second.begin, target.second.end, config.path("pad_token_id"), pad, end);
  return {std::move(source.first), std::move(target.first)};
}

std::unique_ptr<nn::TensorFile> weights_of(const std::string& directory) {
  const std::string safetensors = directory + "/model.safetensors", pickle = directory + "/pytorch_model.bin";
  if (path_exists(safetensors)) return std::make_unique<nn::SafetensorsFile>(safetensors);
  if (path_exists(pickle)) return std::make_unique<PytorchFile>(pickle);
  fail("{} has no weights: model.safetensors and pytorch_model.bin are missing", directory);
}

/// Most tokens of a source without </s>: MarianTokenizer cuts off the rest. (max_position_embeddings says
/// nothing.)
Index longest_source(const std::string& directory) {
  constexpr Index usual = 512, most = 1'000'000;  // transformers writes 1e30 for a tokeniser without a limit
  const std::string path = directory + "/tokenizer_config.json";
  const Json length = path_exists(path) ? ConfigFiles::read(path).value("model_max_length", Json()) : Json();
  if (length.is_null() || (length.is_number() && length > most)) return usual - 1;
  if (!length.is_number_integer() || length < 2)
    fail("{}: model_max_length is {}; it must be a whole number of at least 2", path,
         printable_value(length));
  return length.get<Index>() - 1;
}

Settings settings_of(const ConfigFiles& config, const std::string& directory, transformer::Config shape,
                     bool joint) {
  Settings settings;
  settings.model.preset = "base";
  settings.model.config = std::move(shape);
  settings.data.tokeniser = "marian";
  settings.data.joint_vocabulary = joint;
  settings.data.max_length = longest_source(directory);
  settings.decoding = search_of(config.keys(), [&](const std::string& key) { return config.path(key); });
  check(settings.model);
  transformer::check(settings.decoding);
  return settings;
}

}  // namespace

ImportedModel read_marian_mt(const std::string& directory) {
  const ConfigFiles config(directory);
  transformer::Config shape = shape_of(config);
  const bool joint = config.flag("share_encoder_decoder_embeddings", true);
  const std::unique_ptr<nn::TensorFile> file = weights_of(directory);
  auto [source, target] = vocabularies_of(config, directory, joint, *file);
  shape.first_predicted = target.has_begin ? special::pad : special::begin;

  const auto subwords = [&](const char* name) {
    return read_limited(directory + "/" + name, longest_subwords);
  };
  Vocabularies vocabularies{.source = std::move(source.vocabulary),
                            .target = std::move(target.vocabulary),
                            .subwords = subwords("source.spm"),
                            .target_subwords = subwords("target.spm")};
  const MarianTokeniser readable(vocabularies.subwords, directory + "/source.spm",
                                 vocabularies.target_subwords,
                                 directory + "/target.spm");  // throws if it is not

  shape.positions.layout = transformer::positions_of_marian_mt(*file, shape.d_model);
  Settings settings = settings_of(config, directory, shape, joint);
  settings.decoding.generate_unk = config.may_write_unknown(target.stored.rows);
  return {.description = "MarianMT",
          .settings = std::move(settings),
          .vocabularies = std::move(vocabularies),
          .parameters = transformer::parameters_of_marian_mt(*file, shape, source.stored, target.stored)};
}

}  // namespace regard::translation
