// Directories of Hugging Face's transformers: MarianMT (modeling_marian.py, tokenization_marian.py) and NLLB
// (modeling_m2m_100.py, tokenization_nllb.py).
#include <algorithm>
#include <fmt/ranges.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "apps/exchange/hugging_face_config.h"
#include "apps/exchange/hugging_face_weights.h"
#include "apps/exchange/import.h"
#include "apps/exchange/keys.h"
#include "apps/subwords/marian_tokeniser.h"
#include "apps/subwords/subword_settings.h"
#include "apps/translation/files/files.h"
#include "apps/translation/files/utf8.h"
#include "autograd/machine/error.h"

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
/// not produce another token. `rows` are the rows of our tokens.
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
  return unknown;
}

/// Throws Error if a translation of MarianMT has to begin with a token.
void refuse_first_token(const Keys& config) {
  if (const char* const first = "forced_bos_token_id"; !config.find(first).is_null())
    fail("{}: {} is set, but regard has no such setting; remove it and translate with --prefix",
         config.file(first), first);
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

/// The codes of the languages of NLLB, in the order of their ids.
std::vector<std::string> languages_of(const std::string& directory) {
  Keys keys = tokeniser_config_in(directory);
  if (const std::string map = directory + "/special_tokens_map.json"; translation::path_exists(map))
    keys.add(map);
  for (const char* const key : {"additional_special_tokens", "extra_special_tokens"})
    if (auto codes =
            keys.get<std::vector<std::string>>(key, translation::list_of_texts(), std::vector<std::string>());
        !codes.empty())
      return codes;
  fail(
      "{}: neither special_tokens_map.json nor tokenizer_config.json has the codes of the languages, "
      "additional_special_tokens",
      directory);
}

/// Throws Error unless both codes are among the languages.
void check_direction(const translation::Direction& direction, const std::vector<std::string>& languages,
                     const std::string& directory) {
  if (direction.source.empty() || direction.target.empty())
    fail("{} knows {} languages; choose two with --source-language and --target-language, such as {}",
         directory, languages.size(), languages.front());
  for (const std::string& code : {direction.source, direction.target}) {
    if (std::ranges::count(languages, code) > 0) continue;
    std::vector<std::string> similar = languages;
    std::erase_if(similar,
                  [&](const auto& one) { return code.empty() || !one.starts_with(code.substr(0, 2)); });
    fail("\"{}\" is none of the {} languages of {}; give a code such as {}", translation::printable(code),
         languages.size(), directory, fmt::join(similar.empty() ? languages : similar, ", "));
  }
}

/// The joint vocabulary of NLLB. fairseq has its own special tokens before the pieces.
ImportedVocabulary nllb_vocabulary(const std::string& path, const std::vector<std::string>& languages,
                                   Index rows) {
  const std::vector<std::string> pieces = translation::pieces_of(read_subwords(path), path);
  const std::vector<std::string> first_pieces{"<unk>", "<s>", "</s>"};
  if (pieces.size() < first_pieces.size() ||
      !std::equal(first_pieces.begin(), first_pieces.end(), pieces.begin()))
    fail("{} is no model of NLLB: its first pieces are not {}", path, fmt::join(first_pieces, ", "));
  std::vector<std::string> tokens{"<s>", "<pad>", "</s>", "<unk>"};
  tokens.insert(tokens.end(), pieces.begin() + std::ssize(first_pieces), pieces.end());
  tokens.insert(tokens.end(), languages.begin(), languages.end());
  tokens.emplace_back("<mask>");
  ImportedVocabulary vocabulary = our_order(
      tokens, rows,
      {.end = id_of(tokens, "</s>", path), .unknown = id_of(tokens, "<unk>", path), .begin = foreign::no_row},
      path);
  // The decoder begins with </s>.
  vocabulary.stored.rows[special::begin] = vocabulary.stored.rows[special::end];
  return vocabulary;
}

}  // namespace

bool is_nllb(const std::string& directory) {
  return Keys(directory + "/config.json").text("model_type", "") == nllb_type;
}

ImportedModel read_nllb(const std::string& directory, const translation::Direction& direction) {
  const Keys config = config_in(directory);
  for (const auto& [key, value] : {std::pair("bos_token_id", 0),
                                   {"pad_token_id", 1},
                                   {"eos_token_id", 2},
                                   {"decoder_start_token_id", 2}})
    config.require(key, value);
  if (translation::path_exists(directory + "/vocab.json"))
    fail("{} has a vocab.json, so it is M2M100 and not NLLB; its tokeniser cannot be imported", directory);
  const std::vector<std::string> languages = languages_of(directory);
  check_direction(direction, languages, directory);
  translation::Settings settings;
  transformer::Config& shape = settings.model.config = shape_of(config);
  const std::unique_ptr<nn::TensorFile> weights = weights_of(directory);
  const std::string pieces = directory + "/sentencepiece.bpe.model";
  const ImportedVocabulary vocabulary =
      nllb_vocabulary(pieces, languages, rows_of(config, "vocab_size", *weights));
  settings.model.first_predicted = special::end;
  settings.data.max_length =
      std::min(longest_source(tokeniser_config_in(directory)), shape.positions.most - 1);
  settings.decoding = search_of(config);  // the direction takes the place of forced_bos_token_id
  settings.decoding.generate_unk = may_write_unknown(config, vocabulary.stored.rows);
  return {"NLLB", put_together({.program = foreign::Program::hugging_face,
                                .weights = *weights,
                                .settings = std::move(settings),
                                .source = vocabulary,
                                .target = vocabulary,
                                .subwords = {pieces, pieces},
                                .direction = direction})};
}

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
  refuse_first_token(config);
  return {"MarianMT", put_together({.program = foreign::Program::hugging_face,
                                    .weights = *weights,
                                    .settings = std::move(settings),
                                    .source = std::move(source),
                                    .target = std::move(target),
                                    .subwords = {directory + "/source.spm", directory + "/target.spm"}})};
}

}  // namespace regard::exchange
