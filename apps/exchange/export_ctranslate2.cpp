// CTranslate2's directory. Variables and configuration are those of TransformerSpec in CTranslate2's Python
// package, specs/transformer_spec.py of version 4.
#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>
#include <vector>

#include "apps/exchange/export.h"
#include "apps/exchange/expressible.h"
#include "apps/exchange/model_bin.h"
#include "apps/translation/files/files.h"
#include "apps/translation/files/json.h"
#include "apps/translation/files/warning.h"
#include "autograd/error.h"
#include "nn/positional_encoding.h"

namespace regard::exchange {

namespace {

using transformer::Config;
using translation::TranslationModel;

/// The names of a layer's parts here and there.
class Layers {
 public:
  Layers(ModelBin& bin, TranslationModel& model)
      : bin_(bin),
        config_(model.settings.model.config),
        first_(model.settings.model.first_predicted),
        tensors_(named_tensors(model)) {}

  void stack(const std::string& side, Index layers) {
    for (Index i = 0; i < layers; ++i) {
      const std::string here = fmt::format("{}.layers.{}.", side, i),
                        there = fmt::format("{}/layer_{}/", side, i);
      const bool decoder = side == "decoder";
      attention(there + "self_attention", here + "self_attn", here + "norm1", false);
      if (decoder) attention(there + "attention", here + "multihead_attn", here + "norm2", true);
      linear(there + "ffn/linear_0", here + "linear1");
      linear(there + "ffn/linear_1", here + "linear2");
      norm(there + "ffn/layer_norm", here + (decoder ? "norm3" : "norm2"));
    }
    if (config_.has_final_norm()) norm(side + "/layer_norm", side + ".norm");
    bin_.scalar(side + "/num_heads", static_cast<std::int16_t>(config_.heads));
    bin_.scalar(side + "/activation", activation());
    bin_.flag(side + "/pre_norm", config_.norm == transformer::Norm::pre);
    bin_.flag(side + "/scale_embeddings", config_.scaled_embedding);
  }

  /// Embeddings and output projection, without the rows of special tokens that the softmax leaves out. A
  /// matrix that is used twice is stored under the first of its names.
  void embeddings() {
    const std::pair<const char*, const char*> uses[]{{"decoder/embeddings/weight", "tgt_embed.weight"},
                                                     {"decoder/projection/weight", "generator.weight"},
                                                     {"encoder/embeddings_0/weight", "src_embed.weight"}};
    std::map<const Real*, std::string> stored;
    for (const auto& [there, here] : uses) {
      const Tensor& matrix = tensors_.at(here);
      const auto [place, is_new] = stored.emplace(matrix.data(), there);
      if (is_new)
        bin_.matrix(there, matrix, first_, matrix.size(0));
      else
        bin_.alias(there, place->second);
    }
    if (config_.generator_bias) {
      const Tensor& bias = at("generator.bias");
      bin_.tensor("decoder/projection/bias", bias, first_, bias.size(0));
    }
  }

  /// True if the embedding of <s> is zero.
  bool begins_with_zero() const {
    const auto row =
        at("tgt_embed.weight")
            .values()
            .subspan(to_size(translation::special::begin * config_.d_model), to_size(config_.d_model));
    return std::ranges::all_of(row, [](Real value) { return value == 0; });
  }

  const Tensor& at(const std::string& name) const { return tensors_.at(name); }

 private:
  /// CTranslate2's number of the activation (specs/common_spec.py).
  std::int8_t activation() const {
    switch (config_.activation) {
      case nn::Activation::relu:
        return 0;
      case nn::Activation::silu:
        return 2;
      case nn::Activation::gelu:
        return 3;
    }
    fail("there is no activation {}", static_cast<int>(config_.activation));
  }

  void norm(const std::string& there, const std::string& here) {
    bin_.tensor(there + "/gamma", at(here + ".weight"));
    bin_.tensor(there + "/beta", at(here + ".bias"));
  }

  void linear(const std::string& there, const std::string& here) {
    const Tensor& weight = at(here + ".weight");
    bin_.linear(there, weight, at(here + ".bias"), 0, weight.size(0));
  }

  /// CTranslate2 has one product for queries, keys and values; to the memory, one for queries, and one for
  /// keys and values.
  void attention(const std::string& there, const std::string& here, const std::string& its_norm,
                 bool to_memory) {
    const Tensor &weight = at(here + ".in_proj_weight"), &bias = at(here + ".in_proj_bias");
    const Index width = weight.size(1), rows = weight.size(0);
    bin_.linear(there + "/linear_0", weight, bias, 0, to_memory ? width : rows);
    if (to_memory) bin_.linear(there + "/linear_1", weight, bias, width, rows);
    linear(there + (to_memory ? "/linear_2" : "/linear_1"), here + ".out_proj");
    norm(there + "/layer_norm", its_norm);
    if (!config_.multi_head.scaled) bin_.scalar(there + "/queries_scale", 1.0F);
  }

  ModelBin& bin_;
  const Config& config_;
  Index first_;  ///< the first token that the softmax has
  std::map<std::string, Tensor> tensors_;
};

/// The rows that CTranslate2 adds to the embeddings of one side, [positions, d_model]; zeros without
/// positions.
Tensor position_table(const Layers& layers, const Config& config, transformer::PositionSides side,
                      Index positions) {
  const nn::PositionalEncoding::Settings settings = config.positions_of(side);
  if (settings.kind == nn::PositionKind::none) return Tensor::zeros({positions, config.d_model});
  if (settings.kind == nn::PositionKind::learned)
    return layers.at(side == transformer::PositionSides::encoder ? "encoder.positions.weight"
                                                                 : "decoder.positions.weight");
  std::vector<std::int32_t> numbers(to_size(positions));
  std::iota(numbers.begin(), numbers.end(), 0);
  return nn::SinusoidalPositionalEncoding(config.d_model, settings.base, settings.layout).of(numbers);
}

/// Enough positions for all sources and translations, if there are no very long ones.
Index positions_of(const translation::Settings& settings) {
  constexpr Index least = 2048, most = 65536;  // least: as CTranslate2's own converters
  const Index source = settings.data.max_length + 1;
  return std::min(most,
                  std::max({least, source, transformer::greatest_length(settings.decoding, source) + 1}));
}

/// Writes the tokens from `first` on.
void write_vocabularies(const translation::Vocabularies& vocabularies, Index first,
                        const std::string& directory) {
  const auto json = [&](const translation::Vocabulary& vocabulary) {
    translation::Json tokens = tokens_of(vocabulary);
    tokens.erase(tokens.begin(), tokens.begin() + first);
    return translation::dump_json(tokens, "the vocabulary");
  };
  const std::string source = json(vocabularies.source), target = json(vocabularies.target);
  if (source == target) return translation::write_file(directory + "/shared_vocabulary.json", source);
  translation::write_file(directory + "/source_vocabulary.json", source);
  translation::write_file(directory + "/target_vocabulary.json", target);
}

}  // namespace

void export_ctranslate2(TranslationModel& model, WeightPrecision precision, const std::string& directory) {
  check_expressible(model.settings, of_transformers, "ctranslate2");
  const Config& config = model.settings.model.config;
  ModelBin bin(precision);
  Layers layers(bin, model);
  layers.stack("encoder", config.encoder_layers);
  layers.stack("decoder", config.decoder_layers);
  layers.embeddings();
  const Index positions = positions_of(model.settings);
  const Tensor source = position_table(layers, config, transformer::PositionSides::encoder, positions),
               target = position_table(layers, config, transformer::PositionSides::decoder, positions);
  bin.tensor("decoder/position_encodings/encodings", target);
  if (std::ranges::equal(source.values(), target.values()))
    bin.alias("encoder/position_encodings/encodings", "decoder/position_encodings/encodings");
  else
    bin.tensor("encoder/position_encodings/encodings", source);
  // Without a row for <s>, CTranslate2 begins with any token as if its embedding were zero.
  const bool without_begin = model.settings.model.first_predicted > translation::special::begin;
  if (without_begin && !layers.begins_with_zero())
    fail(
        "the format ctranslate2 cannot express this model: model.first_predicted is 2, but the embedding of "
        "<s> is "
        "not zero");
  bin.flag("decoder/start_from_zero_embedding", without_begin);
  // Properties that our models do not have.
  bin.flag("decoder/alibi", false);
  bin.flag("decoder/alibi_use_positive_positions", false);
  bin.flag("decoder/scale_alibi", false);
  bin.scalar("decoder/alignment_layer", std::int16_t{-1});
  bin.scalar("decoder/alignment_heads", std::int16_t{1});
  bin.flag("encoder/multi_query_attention", false);
  bin.scalar("encoder/embeddings_merge", std::int8_t{0});
  bin.write(directory + "/model.bin");
  write_vocabularies(model.vocabularies, model.settings.model.first_predicted, directory);
  write_subwords(model, directory);
  const translation::Json json{{"add_source_bos", false},
                               {"add_source_eos", true},
                               {"bos_token", without_begin ? "</s>" : "<s>"},
                               {"decoder_start_token", without_begin ? "</s>" : "<s>"},
                               {"eos_token", "</s>"},
                               {"layer_norm_epsilon", nullptr},
                               {"multi_query_attention", false},
                               {"unk_token", "<unk>"}};
  translation::write_file(directory + "/config.json", translation::dump_json(json, "config.json"));
  translation::warn(
      "warning: a model of CTranslate2 has no settings of the search; give those of `decoding` in the "
      "model's config.json to translate_batch");
}

}  // namespace regard::exchange
