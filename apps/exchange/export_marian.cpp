// A directory for Marian, whose transformer.h (marian-nmt/marian-dev) names the parameters.
#include <array>
#include <cmath>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <utility>

#include "apps/exchange/export.h"
#include "apps/exchange/names.h"
#include "apps/exchange/npz_file.h"
#include "apps/exchange/vocabulary.h"
#include "apps/subwords/marian_tokeniser.h"
#include "apps/translation/files/files.h"
#include "apps/translation/files/warning.h"
#include "apps/translation/settings/settings_json.h"
#include "autograd/graph.h"
#include "autograd/machine/error.h"
#include "autograd/ops.h"

namespace regard::exchange {

namespace {

using transformer::Config;
using transformer::SharedEmbeddings;
using translation::ModelSettings;
using translation::TranslationModel;
namespace special = translation::special;

using Order = std::vector<std::int32_t>;

Expressible of_marian(const translation::Settings& settings) {
  Expressible expressible = of_transformers;
  expressible["model.decoder"] = {"transformer", "ssru"};
  expressible["data.tokeniser"] = {"marian", "sentencepiece"};
  expressible["model.norm"] = {"post"};
  expressible["model.final_norm"] = {"false"};
  expressible["model.activation"] = {"relu", "silu"};
  expressible["model.scaled_embedding"] = {"true"};
  expressible["model.positions.kind"] = {"sinusoidal"};
  expressible["model.positions.layout"] = {"marian"};
  expressible["model.positions.base"] = {"10000.0"};
  expressible["model.positions.sides"] = {"both"};
  expressible["model.multi_head.scaled"] = {"true"};
  // Lists of tokens have no <pad> and no <s>; a SentencePiece model of regard has them.
  if (settings.data.tokeniser == "marian") expressible["model.first_predicted"] = {"2"};
  return expressible;
}

/// The vocabularies in Marian's order, and their files.
struct Rows {
  Order source, target;
  std::array<const char*, 2> files;
};

/// Writes the files of the vocabularies.
Rows write_vocabularies(const TranslationModel& model, const std::string& directory) {
  const auto write = [&](const char* name, const std::string& text) {
    translation::write_file(directory + "/" + name, text);
  };
  const auto& [source, target, source_subwords, target_subwords] = model.vocabularies;
  const bool joint = model.settings.data.joint_vocabulary;
  if (joint && (target_subwords.empty() || target_subwords == source_subwords)) {
    const auto pieces = translation::pieces_of(source_subwords, "the model of subwords");
    if (const auto order = order_of_pieces(source, pieces)) {
      write("vocab.spm", source_subwords);
      return {*order, *order, {"vocab.spm", "vocab.spm"}};
    }
  }
  const auto order = [](const translation::Vocabulary& vocabulary) {
    Order ids;
    for (std::int32_t id = special::end; id < vocabulary.size(); ++id) ids.push_back(id);
    return ids;
  };
  const Rows rows{order(source), order(target),
                  joint ? std::array{"vocab.yml", "vocab.yml"}
                        : std::array{"model.src.vocab.yml", "model.trg.vocab.yml"}};
  write("source.spm", source_subwords);
  write("target.spm", target_subwords);
  write(rows.files[0], vocabulary_yaml(source, rows.source));
  if (!joint) write(rows.files[1], vocabulary_yaml(target, rows.target));
  return rows;
}

/// The parameters, and the configuration with which they are one model. Marian has a vector of n numbers as
/// [1, n], and multiplies x W: its matrices are transposed.
void add_parameters(NpzArrays& arrays, const ModelSettings& model, const std::map<std::string, Tensor>& ours,
                    const Rows& rows) {
  const Config& config = model.config;
  const NoGrad without_gradients;
  const foreign::TokenMatrices names = foreign::token_matrices(foreign::Program::marian);
  const auto add = [&](const foreign::NamedPart& part) {
    const Tensor tensor = part.of(ours.at(part.ours));
    arrays.add(part.theirs, tensor.rank() == 1 ? tensor.view({1, tensor.size()}) : transpose(tensor));
  };
  foreign::for_each_part(foreign::Program::marian, config, model.decoder, add);
  const bool one_matrix = config.shared_embeddings == SharedEmbeddings::all;
  arrays.add(one_matrix ? names.shared : names.source,
             foreign::in_order(ours.at("src_embed.weight"), rows.source));
  if (!one_matrix) arrays.add(names.target, foreign::in_order(ours.at("tgt_embed.weight"), rows.target));
  if (config.shared_embeddings == SharedEmbeddings::none)
    arrays.add(names.transposed_output,
               transpose(foreign::in_order(ours.at("generator.weight"), rows.target)));
  const Index size = to_index(rows.target.size());
  const Tensor bias = config.generator_bias ? foreign::in_order(ours.at("generator.bias"), rows.target)
                                            : Tensor::zeros({size});
  arrays.add(names.output_bias, bias.view({1, size}));
}

/// special:model.yml
std::string configuration(const ModelSettings& model, const Rows& rows) {
  const Config& config = model.config;
  std::string yaml = fmt::format(
      "type: transformer\ndim-vocabs:\n  - {}\n  - {}\ndim-emb: {}\nenc-depth: {}\ndec-depth: {}\n"
      "transformer-heads: {}\ntransformer-dim-ffn: {}\ntransformer-ffn-activation: {}\n",
      rows.source.size(), rows.target.size(), config.d_model, config.encoder_layers, config.decoder_layers,
      config.heads, config.d_ff, config.activation == nn::Activation::relu ? "relu" : "swish");
  const auto add_flag = [&](const char* key, bool value) { yaml += fmt::format("{}: {}\n", key, value); };
  add_flag("tied-embeddings-all", config.shared_embeddings == SharedEmbeddings::all);
  add_flag("tied-embeddings", config.shared_embeddings == SharedEmbeddings::target_output);
  for (const char* const key :
       {"tied-embeddings-src", "transformer-train-position-embeddings", "transformer-no-projection",
        "transformer-no-bias", "transformer-no-affine", "right-left", "skip", "layer-normalization"})
    add_flag(key, false);
  yaml += model.decoder == "ssru" ? "transformer-decoder-autoreg: rnn\ndec-cell: ssru\n"
                                  : "transformer-decoder-autoreg: self-attention\n";
  return yaml +
         "transformer-ffn-depth: 2\ntransformer-preprocess: \"\"\ntransformer-postprocess: dan\n"
         "transformer-postprocess-emb: d\ntransformer-postprocess-top: \"\"\n";
}

/// decoder.yml, the settings of marian-decoder. Warns about each setting of the search that it does not have.
std::string search_of(const translation::Settings& settings, const Rows& rows) {
  const transformer::SearchOptions& search = settings.decoding;
  const translation::Values values = values_of(settings);
  if (search.length_penalty == transformer::LengthPenalty::wu && search.alpha != 0)
    translation::warn(
        "decoding.length_penalty is wu, which Marian does not have; there, a log-probability is divided by "
        "n^{0} and not by ((5 + n)/6)^{0}",
        search.alpha);
  for (const auto& [key, neutral] :
       std::initializer_list<std::pair<const char*, translation::Json>>{{"max_length", 0},
                                                                        {"min_length", 0},
                                                                        {"no_repeat_ngram", 0},
                                                                        {"repetition_penalty", 1.0},
                                                                        {"keep_placeholders", false}})
    if (const auto found = values.find(fmt::format("decoding.{}", key));
        found != values.end() && found->second != neutral)
      translation::warn("decoding.{} is {}; Marian has no such setting", key, found->second.dump());
  // With </s> on both sides, a translation in Marian has at most factor * (source tokens) tokens.
  constexpr double usual = 3;
  const double factor = search.max_length_ratio > 0 ? search.max_length_ratio : usual;
  if (search.max_length_ratio <= 0 ||
      std::abs(factor - 1 - static_cast<double>(search.max_length_constant)) >= 1)
    translation::warn(
        "a translation of n tokens may have {0} (n + 1) - 1 tokens in Marian, and not "
        "decoding.max_length_ratio {1} times n and {2} more",
        factor, search.max_length_ratio, search.max_length_constant);
  return fmt::format(
      "relative-paths: true\nmodels:\n  - model.npz\nvocabs:\n  - {}\n  - {}\nbeam-size: {}\nnormalize: {}\n"
      "max-length-factor: {}\nallow-unk: {}\n",
      rows.files[0], rows.files[1], search.beam, search.alpha, factor, search.generate_unk);
}

}  // namespace

void export_marian(TranslationModel& model, const std::string& directory) {
  const translation::Settings& settings = model.settings;
  check_expressible(settings, of_marian(settings), "marian");
  refuse_capitals(settings, "marian");
  const std::map<std::string, Tensor> ours = named_tensors(model);
  if (!begins_with_zero(ours))
    fail(
        "the format marian cannot express this model: a translation in Marian begins with zeros, but the "
        "embedding of <s> is not zero; when you train an imported model of Marian further, freeze src_embed "
        "if all embeddings are one matrix, otherwise tgt_embed");
  const Rows rows = write_vocabularies(model, directory);
  NpzArrays arrays;
  add_parameters(arrays, settings.model, ours, rows);
  arrays.add_text("special:model.yml", configuration(settings.model, rows));
  arrays.write(directory + "/model.npz");
  translation::write_file(directory + "/decoder.yml", search_of(settings, rows));
}

}  // namespace regard::exchange
