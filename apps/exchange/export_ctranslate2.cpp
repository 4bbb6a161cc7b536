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
#include "apps/exchange/model_bin.h"
#include "apps/exchange/names.h"
#include "apps/translation/files/files.h"
#include "apps/translation/files/json.h"
#include "apps/translation/files/warning.h"
#include "autograd/machine/error.h"
#include "nn/sinusoidal_positions.h"

namespace regard::exchange {

namespace {

using transformer::Config;
using translation::TranslationModel;

using Tensors = std::map<std::string, Tensor>;

/// CTranslate2's number of an activation (specs/common_spec.py).
std::int8_t number_of(nn::Activation activation) {
  switch (activation) {
    case nn::Activation::relu:
      return 0;
    case nn::Activation::silu:
      return 2;
    case nn::Activation::gelu:
      return 3;
  }
  fail("there is no activation {}", static_cast<int>(activation));
}

void add_layers(ModelBin& bin, const Config& config, const Tensors& ours) {
  foreign::for_each_part(
      foreign::Program::ctranslate2, config, "transformer",
      [&](const foreign::NamedPart& part) { bin.weight(part.theirs, part.of(ours.at(part.ours))); });
  for (const std::string side : {"encoder", "decoder"}) {
    if (config.has_final_norm()) {
      bin.tensor(side + "/layer_norm/gamma", ours.at(side + ".norm.weight"));
      bin.tensor(side + "/layer_norm/beta", ours.at(side + ".norm.bias"));
    }
    bin.scalar(side + "/num_heads", static_cast<std::int16_t>(config.heads));
    bin.scalar(side + "/activation", number_of(config.activation));
    bin.flag(side + "/pre_norm", config.norm == transformer::Norm::pre);
    bin.flag(side + "/scale_embeddings", config.scaled_embedding);
    if (config.multi_head.scaled) continue;
    const Index layers = side == "encoder" ? config.encoder_layers : config.decoder_layers;
    for (Index i = 0; i < layers; ++i)
      for (const char* const attention : {"self_attention", "attention"})
        if (side == "decoder" || attention == std::string("self_attention"))
          bin.scalar(fmt::format("{}/layer_{}/{}/queries_scale", side, i, attention), 1.0F);
  }
}

/// Embeddings and output projection, from row `first` on: without the special tokens that the softmax leaves
/// out. A matrix that is used twice is stored under the first of its names.
void add_matrices(ModelBin& bin, const Config& config, const Tensors& ours, Index first) {
  const foreign::TokenMatrices names = foreign::token_matrices(foreign::Program::ctranslate2);
  std::map<const Real*, std::string> stored;
  for (const auto& [there, here] : {std::pair(names.target, "tgt_embed.weight"),
                                    {names.output, "generator.weight"},
                                    {names.source, "src_embed.weight"}}) {
    const Tensor& matrix = ours.at(here);
    const auto [place, is_new] = stored.emplace(matrix.data(), there);
    if (is_new)
      bin.weight(there, matrix.view({matrix.size(0) - first, config.d_model}, first * config.d_model));
    else
      bin.alias(there, place->second);
  }
  if (config.generator_bias) {
    const Tensor& bias = ours.at("generator.bias");
    bin.tensor(names.output_bias, bias.view({bias.size() - first}, first));
  }
}

/// The rows that CTranslate2 adds to the embeddings of one side, [positions, d_model]; zeros without
/// positions.
Tensor position_table(const Tensors& ours, const Config& config, transformer::PositionSides side,
                      Index positions) {
  const nn::Positions::Settings settings = config.positions_of(side);
  if (settings.kind == nn::PositionKind::none) return Tensor::zeros({positions, config.d_model});
  if (settings.kind == nn::PositionKind::learned)
    return ours.at(side == transformer::PositionSides::encoder ? "encoder.positions.weight"
                                                               : "decoder.positions.weight");
  std::vector<std::int32_t> numbers(to_size(positions));
  std::iota(numbers.begin(), numbers.end(), 0);
  return nn::SinusoidalPositions(config.d_model, settings.base, settings.layout).encodings(numbers);
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
  warn_of_capitals(model.settings);
  const Config& config = model.settings.model.config;
  ModelBin bin(precision);
  const Tensors ours = named_tensors(model);
  const Index first = model.settings.model.first_predicted;
  add_layers(bin, config, ours);
  add_matrices(bin, config, ours, first);
  const Index positions = positions_of(model.settings);
  const Tensor source = position_table(ours, config, transformer::PositionSides::encoder, positions),
               target = position_table(ours, config, transformer::PositionSides::decoder, positions);
  bin.tensor("decoder/position_encodings/encodings", target);
  if (std::ranges::equal(source.values(), target.values()))
    bin.alias("encoder/position_encodings/encodings", "decoder/position_encodings/encodings");
  else
    bin.tensor("encoder/position_encodings/encodings", source);
  // Without a row for <s>, CTranslate2 begins with any token as if its embedding were zero.
  const bool without_begin = first > translation::special::begin;
  if (without_begin && !begins_with_zero(ours))
    fail(
        "the format ctranslate2 cannot express this model: model.first_predicted is 2, but the embedding of "
        "<s> is not zero");
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
  write_vocabularies(model.vocabularies, first, directory);
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
      "a model of CTranslate2 has no settings of the search; give those of `decoding` in the "
      "model's config.json to translate_batch");
}

}  // namespace regard::exchange
