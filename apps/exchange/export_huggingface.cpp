// A directory of MarianMT for Hugging Face's transformers (modeling_marian.py, tokenization_marian.py).
#include <algorithm>
#include <array>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "apps/exchange/export.h"
#include "apps/exchange/expressible.h"
#include "apps/translation/files/files.h"
#include "apps/translation/files/warning.h"
#include "apps/translation/import/generation_config.h"
#include "apps/translation/import/imported_model.h"
#include "autograd/error.h"
#include "nn/safetensors.h"
#include "transformer/marian/hugging_face.h"

namespace regard::exchange {

namespace {

using translation::Json;
using translation::TranslationModel;
using translation::Vocabulary;
namespace special = translation::special;

/// Our ids in the order of the rows there: </s>, <unk>, the words, and <pad>, with which the decoder begins
/// and which is our <s>. If the softmax has our <pad>, it is there as a token <s> that never comes next. Both
/// sides have <pad> at the same place: the last one of the smaller vocabulary.
std::vector<std::int32_t> order_of(const Vocabulary& vocabulary, Index smaller, Index first_predicted) {
  std::vector<std::int32_t> ids{special::end, special::unknown};
  if (first_predicted == special::pad) ids.push_back(special::pad);
  const auto smallest = to_index(ids.size()) + smaller - special::count;
  for (Index id = special::count; id < vocabulary.size(); ++id) ids.push_back(static_cast<std::int32_t>(id));
  ids.insert(ids.begin() + smallest, special::begin);
  return ids;
}

/// vocab.json: tokens and their ids. A row that had no token when the model was imported has none again.
std::string vocabulary_json(const Vocabulary& vocabulary, const std::vector<std::int32_t>& order) {
  Json json = Json::object();
  for (std::size_t row = 0; row < order.size(); ++row) {
    const std::int32_t id = order[row];
    const std::string& token = vocabulary.token(id);
    if (id == special::begin)
      json["<pad>"] = row;
    else if (id == special::pad)
      json["<s>"] = row;
    else if (token != translation::name_of_row(to_index(row)))
      json[token] = row;
  }
  return translation::dump_json(json, "the vocabulary");
}

/// The parameters under the names of MarianMT.
class Parameters {
 public:
  explicit Parameters(TranslationModel& model) : ours_(named_tensors(model)) {}

  const Tensor& at(const std::string& name) const { return ours_.at(name); }
  void add(const std::string& name, const Tensor& tensor) { theirs_.push_back({name, tensor}); }

  void layer(const std::string& side, Index number, bool decoder) {
    const std::string here = fmt::format("{}.layers.{}.", side, number), there = "model." + here;
    attention(there + "self_attn", here + "self_attn");
    module(there + "self_attn_layer_norm", here + "norm1");
    if (decoder) {
      attention(there + "encoder_attn", here + "multihead_attn");
      module(there + "encoder_attn_layer_norm", here + "norm2");
    }
    module(there + "fc1", here + "linear1");
    module(there + "fc2", here + "linear2");
    module(there + "final_layer_norm", here + (decoder ? "norm3" : "norm2"));
  }

  void write(const std::string& path) const { nn::save_safetensors(path, theirs_, {{"format", "pt"}}); }

 private:
  void module(const std::string& there, const std::string& here) {
    for (const char* const part : {".weight", ".bias"}) add(there + part, at(here + part));
  }

  /// Our in_proj has the projections of queries, keys and values one below the other.
  void attention(const std::string& there, const std::string& here) {
    const Tensor &weight = at(here + ".in_proj_weight"), &bias = at(here + ".in_proj_bias");
    const Index width = weight.size(1);
    std::vector<std::int32_t> rows(to_size(width));
    std::iota(rows.begin(), rows.end(), 0);
    for (const char* const part : {".q_proj", ".k_proj", ".v_proj"}) {
      add(there + part + ".weight", transformer::in_our_order(weight, rows));
      add(there + part + ".bias", transformer::in_our_order(bias, rows));
      for (std::int32_t& row : rows) row += static_cast<std::int32_t>(width);
    }
    module(there + ".out_proj", here + ".out_proj");
  }

  std::map<std::string, Tensor> ours_;
  std::vector<nn::NamedParameter> theirs_;
};

/// Which matrices are one there.
struct Sharing {
  bool embeddings;  ///< those of source and target, which then have one vocabulary
  bool output;      ///< the target embedding and the output projection
};

Sharing sharing_of(const TranslationModel& model, const Parameters& parameters) {
  const Tensor &source = parameters.at("src_embed.weight"), &target = parameters.at("tgt_embed.weight");
  return {.embeddings =
              model.settings.data.joint_vocabulary && std::ranges::equal(source.values(), target.values()),
          .output = model.settings.model.config.shared_embeddings != transformer::SharedEmbeddings::none};
}

const char* activation_of(nn::Activation activation) {
  switch (activation) {
    case nn::Activation::relu:
      return "relu";
    case nn::Activation::gelu:
      return "gelu";
    case nn::Activation::silu:
      return "swish";
  }
  fail("there is no activation {}", static_cast<int>(activation));
}

/// What generate() reads. <pad> and, if there is one, <s> never come next.
Json generation_of(const translation::Settings& settings, const std::vector<std::int32_t>& order) {
  const auto row_of = [&](std::int32_t id) { return std::ranges::find(order, id) - order.begin(); };
  const Index pad = row_of(special::begin), end = row_of(special::end);
  Json bad_words{{pad}};
  if (row_of(special::pad) < std::ssize(order)) bad_words.push_back({row_of(special::pad)});
  if (!settings.decoding.generate_unk) bad_words.push_back({row_of(special::unknown)});
  Json json = translation::generation_of(settings);
  json.update({{"bad_words_ids", bad_words},
               {"decoder_start_token_id", pad},
               {"eos_token_id", end},
               {"forced_eos_token_id", end},
               {"pad_token_id", pad}});
  return json;
}

Json config_of(const TranslationModel& model, const Sharing& sharing, const Json& generation,
               Index source_rows, Index target_rows) {
  const transformer::Config& config = model.settings.model.config;
  Json json{{"architectures", {"MarianMTModel"}},
            {"model_type", "marian"},
            {"is_encoder_decoder", true},
            {"activation_function", activation_of(config.activation)},
            {"add_bias_logits", false},
            {"add_final_layer_norm", false},
            {"normalize_before", false},
            {"normalize_embedding", false},
            {"static_position_embeddings", true},
            {"scale_embedding", config.scaled_embedding},
            {"share_encoder_decoder_embeddings", sharing.embeddings},
            {"tie_word_embeddings", sharing.output},
            {"d_model", config.d_model},
            {"encoder_layers", config.encoder_layers},
            {"decoder_layers", config.decoder_layers},
            {"num_hidden_layers", config.encoder_layers},
            {"encoder_attention_heads", config.heads},
            {"decoder_attention_heads", config.heads},
            {"encoder_ffn_dim", config.d_ff},
            {"decoder_ffn_dim", config.d_ff},
            {"dropout", config.dropout.sublayer},
            {"attention_dropout", config.dropout.attention},
            {"activation_dropout", config.dropout.feed_forward},
            {"max_position_embeddings",
             std::max(model.settings.data.max_length + 1, generation.at("max_length").get<Index>())},
            {"vocab_size", source_rows},
            {"decoder_vocab_size", target_rows},
            {"torch_dtype", "float32"}};
  json.update(generation);
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
        "warning: a sentence that begins with a language tag, such as >>fr<<, has other tokens in "
        "transformers, "
        "where the tag is one token");
}

}  // namespace

void export_huggingface(TranslationModel& model, const std::string& directory) {
  check_expressible(model.settings, of_marian_mt(), "huggingface");
  check_tags(model);
  const transformer::Config& config = model.settings.model.config;
  const auto& [source, target, source_subwords, target_subwords] = model.vocabularies;
  const Index smaller = std::min(source.size(), target.size());
  const Index first = model.settings.model.first_predicted;
  const std::vector<std::int32_t> source_order = order_of(source, smaller, first),
                                  target_order = order_of(target, smaller, first);
  Parameters parameters(model);
  const Sharing sharing = sharing_of(model, parameters);
  const auto embedding = [&](const char* there, const char* here, const std::vector<std::int32_t>& order) {
    parameters.add(there, transformer::in_our_order(parameters.at(here), order));
  };
  if (sharing.embeddings) {
    embedding("model.shared.weight", "src_embed.weight", source_order);
  } else {
    embedding("model.encoder.embed_tokens.weight", "src_embed.weight", source_order);
    embedding("model.decoder.embed_tokens.weight", "tgt_embed.weight", target_order);
  }
  if (!sharing.output) embedding("lm_head.weight", "generator.weight", target_order);
  const auto rows = to_index(target_order.size());
  const Tensor bias = config.generator_bias
                          ? transformer::in_our_order(parameters.at("generator.bias"), target_order)
                          : Tensor::zeros({rows});
  parameters.add("final_logits_bias", bias.view({1, rows}));
  for (Index i = 0; i < config.encoder_layers; ++i) parameters.layer("encoder", i, false);
  for (Index i = 0; i < config.decoder_layers; ++i) parameters.layer("decoder", i, true);
  parameters.write(directory + "/model.safetensors");

  const auto write = [&](const char* name, const std::string& text) {
    translation::write_file(directory + "/" + name, text);
  };
  const auto write_json = [&](const char* name, const Json& json) {
    write(name, translation::dump_json(json, name));
  };
  const Json generation = generation_of(model.settings, target_order);
  write_json("generation_config.json", generation);
  write_json("config.json", config_of(model, sharing, generation, to_index(source_order.size()), rows));
  write_json("tokenizer_config.json", {{"tokenizer_class", "MarianTokenizer"},
                                       {"separate_vocabs", !sharing.embeddings},
                                       {"model_max_length", model.settings.data.max_length + 1}});
  write("vocab.json", vocabulary_json(source, source_order));
  if (!sharing.embeddings) write("target_vocab.json", vocabulary_json(target, target_order));
  write("source.spm", source_subwords);
  write("target.spm", target_subwords.empty() ? source_subwords : target_subwords);
}

}  // namespace regard::exchange
