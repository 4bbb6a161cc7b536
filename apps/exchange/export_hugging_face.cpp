// A directory of MarianMT for Hugging Face's transformers (modeling_marian.py, tokenization_marian.py).
#include <algorithm>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <utility>

#include "apps/exchange/export.h"
#include "apps/exchange/hugging_face_config.h"
#include "apps/exchange/vocabulary.h"
#include "apps/subwords/subword_settings.h"
#include "apps/translation/files/files.h"
#include "apps/translation/files/warning.h"
#include "autograd/machine/error.h"
#include "nn/safetensors.h"

namespace regard::exchange {

namespace {

using translation::TranslationModel;
namespace special = translation::special;

Sharing sharing_of(TranslationModel& model) {
  const std::map<std::string, Tensor> ours = named_tensors(model);
  return {.embeddings =
              model.settings.data.joint_vocabulary &&
              std::ranges::equal(ours.at("src_embed.weight").values(), ours.at("tgt_embed.weight").values()),
          .output = model.settings.model.config.shared_embeddings != transformer::SharedEmbeddings::none};
}

/// The parameters under the names of MarianMT.
std::vector<nn::NamedParameter> parameters_of(TranslationModel& model, const Sharing& sharing,
                                              const std::vector<std::int32_t>& source_order,
                                              const std::vector<std::int32_t>& target_order) {
  const transformer::Config& config = model.settings.model.config;
  const foreign::TokenMatrices names = foreign::token_matrices(foreign::Program::hugging_face);
  const std::map<std::string, Tensor> ours = named_tensors(model);
  std::vector<nn::NamedParameter> theirs;
  const auto add = [&](const char* there, const char* here, const std::vector<std::int32_t>& order) {
    theirs.push_back({there, foreign::in_order(ours.at(here), order)});
  };
  add(sharing.embeddings ? names.shared : names.source, "src_embed.weight", source_order);
  if (!sharing.embeddings) add(names.target, "tgt_embed.weight", target_order);
  if (!sharing.output) add(names.output, "generator.weight", target_order);
  const auto rows = to_index(target_order.size());
  const Tensor bias = config.generator_bias ? foreign::in_order(ours.at("generator.bias"), target_order)
                                            : Tensor::zeros({rows});
  theirs.push_back({names.output_bias, bias.view({1, rows})});
  foreign::for_each_part(foreign::Program::hugging_face, config, "transformer",
                         [&](const foreign::NamedPart& part) {
                           theirs.push_back({part.theirs, part.of(ours.at(part.ours))});
                         });
  return theirs;
}

/// What generate() reads. <pad> and, if there is one, <s> never come next.
Json generation_of(const translation::Settings& settings, const std::vector<std::int32_t>& order) {
  const auto row_of = [&](std::int32_t id) { return std::ranges::find(order, id) - order.begin(); };
  const Index pad = row_of(special::begin), end = row_of(special::end);
  Json bad_words{{pad}};
  if (row_of(special::pad) < std::ssize(order)) bad_words.push_back({row_of(special::pad)});
  if (!settings.decoding.generate_unk) bad_words.push_back({row_of(special::unknown)});
  Json json = exchange::generation_of(settings);
  json.update({{"bad_words_ids", bad_words},
               {"decoder_start_token_id", pad},
               {"eos_token_id", end},
               {"forced_eos_token_id", end},
               {"pad_token_id", pad}});
  if (settings.data.parts.of<translation::MarianSettings>().renormalize_logits)
    json["renormalize_logits"] = true;
  return json;
}

Expressible of_marian_mt() {
  Expressible expressible = of_transformers;
  expressible["data.tokeniser"] = {"marian", "sentencepiece"};
  expressible["model.norm"] = {"post"};
  expressible["model.final_norm"] = {"false"};
  expressible["model.activation"] = {"relu", "gelu", "silu"};
  expressible["model.positions.kind"] = {"sinusoidal"};
  expressible["model.positions.layout"] = {"halves"};
  expressible["model.positions.base"] = {"10000.0"};
  expressible["model.positions.sides"] = {"both"};
  expressible["model.multi_head.scaled"] = {"true"};
  expressible["model.first_predicted"] = {"0", "1"};
  return expressible;
}

/// MarianTokenizer cuts a language tag off before it cuts a sentence; SentencePiece cuts both together.
/// Throws Error that names the tags among the subwords, and warns if subwords spell tags.
void check_tags(const TranslationModel& model) {
  if (model.settings.data.tokeniser != "sentencepiece") return;
  std::vector<std::string> tags;
  for (const Json& token : tokens_of(model.vocabularies.source))
    if (const auto& text = token.get_ref<const std::string&>();
        text.find("<<", text.find(">>")) < text.size())
      tags.push_back(text);
  if (!tags.empty())
    fail(
        "the format huggingface cannot express this model: its subwords have the language tags {}, and a "
        "sentence with a tag would have other tokens in transformers; export it for ctranslate2 or pytorch",
        fmt::join(tags, ", "));
  if (model.vocabularies.source.id("▁>>") != special::unknown)
    translation::warn(
        "a sentence that begins with a language tag, such as >>fr<<, has other tokens in transformers, where "
        "the tag is one token");
}

}  // namespace

void export_huggingface(TranslationModel& model, const std::string& directory) {
  check_expressible(model.settings, of_marian_mt(), "huggingface");
  refuse_capitals(model.settings, "huggingface");
  refuse(model.settings, "data.subwords.keep_blanks", true, "huggingface",
         "MarianTokenizer cuts off the blanks at both ends of a text; export it for ctranslate2 or pytorch, "
         "or train a model without them");
  check_tags(model);
  const transformer::Config& config = model.settings.model.config;
  const auto& [source, target, source_subwords, target_subwords] = model.vocabularies;
  const Index smaller = std::min(source.size(), target.size());
  const bool with_pad = model.settings.model.first_predicted == special::pad;
  const std::vector<std::int32_t> source_order = their_order(source, smaller, with_pad),
                                  target_order = their_order(target, smaller, with_pad);
  const Sharing sharing = sharing_of(model);
  nn::save_safetensors(directory + "/model.safetensors",
                       parameters_of(model, sharing, source_order, target_order), {{"format", "pt"}});

  const auto write = [&](const char* name, const std::string& text) {
    translation::write_file(directory + "/" + name, text);
  };
  const auto write_json = [&](const char* name, const Json& json) {
    write(name, translation::dump_json(json, name));
  };
  const Json generation = generation_of(model.settings, target_order);
  Json json = config_of(config, sharing);
  json.update({{"max_position_embeddings",
                std::max(model.settings.data.max_length + 1, generation.at("max_length").get<Index>())},
               {"vocab_size", source_order.size()},
               {"decoder_vocab_size", target_order.size()},
               {"torch_dtype", "float32"}});
  json.update(generation);
  write_json("generation_config.json", generation);
  write_json("config.json", json);
  Json tokeniser{{"tokenizer_class", "MarianTokenizer"},
                 {"separate_vocabs", !sharing.embeddings},
                 {"model_max_length", model.settings.data.max_length + 1}};
  const auto& handed_on = model.settings.data.parts.of<translation::MarianSettings>();
  if (!handed_on.source_lang.empty()) tokeniser["source_lang"] = handed_on.source_lang;
  if (!handed_on.target_lang.empty()) tokeniser["target_lang"] = handed_on.target_lang;
  write_json("tokenizer_config.json", tokeniser);
  write("vocab.json", vocabulary_json(source, source_order));
  if (!sharing.embeddings) write("target_vocab.json", vocabulary_json(target, target_order));
  write("source.spm", source_subwords);
  write("target.spm", target_subwords.empty() ? source_subwords : target_subwords);
}

}  // namespace regard::exchange
