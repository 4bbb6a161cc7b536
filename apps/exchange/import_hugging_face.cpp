// A directory of MarianMT of Hugging Face's transformers (modeling_marian.py, tokenization_marian.py).
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "apps/exchange/hugging_face_config.h"
#include "apps/exchange/import.h"
#include "apps/exchange/keys.h"
#include "apps/exchange/pytorch_file.h"
#include "apps/subwords/subword_settings.h"
#include "apps/translation/files/files.h"
#include "apps/translation/files/utf8.h"
#include "autograd/machine/error.h"
#include "nn/safetensors.h"

namespace regard::exchange {

namespace {

namespace special = translation::special;

/// config.json, and generation_config.json, whose values come first.
Keys config_in(const std::string& directory) {
  const std::string generation = directory + "/generation_config.json";
  Keys keys(directory + "/config.json");
  if (translation::path_exists(generation)) keys.add(generation);
  return keys;
}

/// True if translations may contain <unk>. regard never writes <pad> and <s>. Throws Error if the search may
/// not produce another token, or has to begin with a token. `rows` are the rows of our tokens.
bool may_write_unknown(const Keys& config, const std::vector<std::int32_t>& rows) {
  const char* const key = "bad_words_ids";
  const auto forbidden = config.get<Json>(key, translation::any_list(), Json::array());
  bool unknown = true;
  for (const Json& words : forbidden) {
    const auto is = [&](std::int32_t id) { return words == Json::array({rows[to_size(id)]}); };
    if (is(special::unknown))
      unknown = false;
    else if (!is(special::begin) && !is(special::pad))
      fail("{}: {} has {}, but regard can only leave out <pad>, <s> and <unk>", config.file(key), key,
           translation::printable(words.dump()));
  }
  if (const char* const first = "forced_bos_token_id"; !config.find(first).is_null())
    fail("{}: {} is set, but regard has no such setting; remove it and translate with --prefix",
         config.file(first), first);
  return unknown;
}

/// Returns a number of rows. Throws Error unless a matrix of the weights has as many, because to name the
/// rows of a much too large vocabulary takes minutes.
Index rows_of(const Keys& config, const char* key, const nn::TensorFile& weights,
              std::optional<Index> otherwise = {}) {
  const Index rows = config.whole_number(key, otherwise);
  if (std::ranges::none_of(weights.shapes(), [&](const auto& entry) {
        return entry.second.rank() == 2 && entry.second[0] == rows && entry.second.size() > 0;
      }))
    fail("{}: {} is {}, but no matrix in {} has so many rows", config.file(key), key, rows, weights.path());
  return rows;
}

/// Both vocabularies, in our order. A joint one is the same twice.
std::pair<ImportedVocabulary, ImportedVocabulary> vocabularies_of(const Keys& config,
                                                                  const std::string& directory, bool joint,
                                                                  const nn::TensorFile& weights) {
  const Index begin = config.whole_number("decoder_start_token_id", {}, 0),
              pad = config.whole_number("pad_token_id", {}, 0),
              end = config.whole_number("eos_token_id", {}, 0);
  if (begin != pad)
    fail("{}: decoder_start_token_id is {}, but pad_token_id is {}; MarianMT begins with <pad>",
         config.file("decoder_start_token_id"), begin, pad);
  const auto read = [&](const std::string& file, Index rows) {
    const std::vector<std::string> tokens = read_vocabulary(file);
    const SpecialRows found{.end = id_of(tokens, "</s>", file),
                            .unknown = id_of(tokens, "<unk>", file),
                            .begin = id_of(tokens, "<pad>", file)};
    if (found.begin != pad || found.end != end)
      fail("{}: <pad> has the id {} and </s> {}, but {} has pad_token_id {} and eos_token_id {}", file,
           found.begin, found.end, config.file("pad_token_id"), pad, end);
    return our_order(tokens, rows, found, file);
  };
  const Index source_rows = rows_of(config, "vocab_size", weights);
  ImportedVocabulary source = read(directory + "/vocab.json", source_rows);
  if (joint) return {source, source};
  const Index target_rows = rows_of(config, "decoder_vocab_size", weights, source_rows);
  return {std::move(source), read(directory + "/target_vocab.json", target_rows)};
}

std::unique_ptr<nn::TensorFile> weights_of(const std::string& directory) {
  const std::string safetensors = directory + "/model.safetensors", pickle = directory + "/pytorch_model.bin";
  if (translation::path_exists(safetensors)) return std::make_unique<nn::SafetensorsFile>(safetensors);
  if (translation::path_exists(pickle)) return std::make_unique<PytorchFile>(pickle);
  fail("{} has no weights: model.safetensors and pytorch_model.bin are missing", directory);
}

/// tokenizer_config.json, or no keys if it is not there.
Keys tokeniser_config_in(const std::string& directory) {
  const std::string path = directory + "/tokenizer_config.json";
  return translation::path_exists(path) ? Keys(path) : Keys(Json::object(), path);
}

/// Most tokens of a source without </s>: MarianTokenizer cuts off the rest. (max_position_embeddings says
/// nothing.)
Index longest_source(const Keys& config) {
  constexpr Index usual = 512, most = 1'000'000;  // transformers writes 1e30 for a tokeniser without a limit
  const char* const key = "model_max_length";
  const Json length = config.find(key);
  if (length.is_number() && length > most) return usual - 1;
  return config.whole_number(key, usual, 2) - 1;
}

}  // namespace

ImportedModel read_hugging_face(const std::string& directory) {
  const Keys config = config_in(directory), tokeniser = tokeniser_config_in(directory);
  translation::Settings settings;
  transformer::Config& shape = settings.model.config = shape_of(config);
  const bool joint = config.flag("share_encoder_decoder_embeddings", true);
  const std::unique_ptr<nn::TensorFile> weights = weights_of(directory);
  auto [source, target] = vocabularies_of(config, directory, joint, *weights);
  settings.model.first_predicted = target.has_begin ? special::pad : special::begin;
  shape.positions.layout = foreign::positions_of_marian_mt(*weights, shape.d_model);
  settings.data.joint_vocabulary = joint;
  settings.data.max_length = longest_source(tokeniser);
  settings.data.parts.of<translation::MarianSettings>() = {
      .source_lang = tokeniser.text("source_lang", ""),
      .target_lang = tokeniser.text("target_lang", ""),
      .renormalize_logits = config.flag("renormalize_logits", false)};
  settings.decoding = search_of(config);
  settings.decoding.generate_unk = may_write_unknown(config, target.stored.rows);
  return {"MarianMT", put_together({.program = foreign::Program::hugging_face,
                                    .weights = *weights,
                                    .settings = std::move(settings),
                                    .source = std::move(source),
                                    .target = std::move(target),
                                    .subwords = {directory + "/source.spm", directory + "/target.spm"}})};
}

}  // namespace regard::exchange
