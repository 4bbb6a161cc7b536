#include "transformer/marian/hugging_face.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "autograd/error.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

Tensor in_our_order(const Tensor& stored, const std::vector<std::int32_t>& rows) {
  const Index width = stored.size() / std::max<Index>(stored.size(0), 1);
  std::vector<Index> extents = stored.shape().extents();
  extents.front() = to_index(rows.size());
  const Tensor result = Tensor::zeros(Shape(std::move(extents)));
  for (std::size_t id = 0; id < rows.size(); ++id)
    if (rows[id] != no_row)
      std::copy_n(stored.data() + rows[id] * width, width, result.data() + to_index(id) * width);
  return result;
}

namespace {

const char* const position_tables[]{"model.encoder.embed_positions.weight",
                                    "model.decoder.embed_positions.weight"};

/// True if this table begins as the encodings of the layout do, up to the rounding of bfloat16.
bool is_table(const Tensor& table, nn::SinusoidLayout layout) {
  constexpr double rounding = 1.0 / 128;
  nn::SinusoidalPositionalEncoding encoding(table.size(1), 10000, layout);
  const Tensor& expected = encoding.table(table.size(0) - 1);
  for (Index i = 0; i < table.size(); ++i)
    if (!(std::abs(static_cast<double>(table.data()[i] - expected.data()[i])) <= rounding)) return false;
  return true;
}

/// Reads tensors of a file, and remembers which.
class Reading {
 public:
  explicit Reading(const nn::TensorFile& file) : file_(file) {}

  Tensor operator()(const std::string& name, const Shape& shape) {
    read_.insert(name);
    return file_.read(name, shape);
  }
  bool has(const std::string& name) const { return file_.has(name); }
  void ignore(const std::string& name) { read_.insert(name); }

  /// Throws Error if the file has further tensors.
  void check_all_read() const {
    for (const auto& [name, shape] : file_.shapes())
      if (!read_.contains(name))
        fail("{}: {} of shape {} has no place in a MarianMT of this configuration", file_.path(), name,
             to_string(shape));
  }

 private:
  const nn::TensorFile& file_;
  std::set<std::string> read_;
};

using Parameters = std::vector<nn::NamedParameter>;

/// weight[out, in] and bias[out].
void add_linear(Parameters& parameters, Reading& read, const std::string& ours, const std::string& theirs,
                Index out, Index in) {
  parameters.push_back({ours + ".weight", read(theirs + ".weight", {out, in})});
  parameters.push_back({ours + ".bias", read(theirs + ".bias", {out})});
}

void add_norm(Parameters& parameters, Reading& read, const std::string& ours, const std::string& theirs,
              Index width) {
  for (const char* const part : {".weight", ".bias"})
    parameters.push_back({ours + part, read(theirs + part, {width})});
}

/// Our in_proj has the projections of queries, keys and values one below the other.
void add_attention(Parameters& parameters, Reading& read, const std::string& ours, const std::string& theirs,
                   Index width) {
  const Tensor weight = Tensor::empty({3 * width, width}), bias = Tensor::empty({3 * width});
  Index row = 0;
  for (const char* const part : {".q_proj", ".k_proj", ".v_proj"}) {
    const Tensor w = read(theirs + part + ".weight", {width, width});
    const Tensor b = read(theirs + part + ".bias", {width});
    std::copy_n(w.data(), w.size(), weight.data() + row * width);
    std::copy_n(b.data(), b.size(), bias.data() + row);
    row += width;
  }
  parameters.push_back({ours + ".in_proj_weight", weight});
  parameters.push_back({ours + ".in_proj_bias", bias});
  add_linear(parameters, read, ours + ".out_proj", theirs + ".out_proj", width, width);
}

void add_layer(Parameters& parameters, Reading& read, const std::string& side, Index number, bool decoder,
               const Config& config) {
  const std::string ours = fmt::format("{}.layers.{}.", side, number), theirs = "model." + ours;
  add_attention(parameters, read, ours + "self_attn", theirs + "self_attn", config.d_model);
  if (decoder)
    add_attention(parameters, read, ours + "multihead_attn", theirs + "encoder_attn", config.d_model);
  add_linear(parameters, read, ours + "linear1", theirs + "fc1", config.d_ff, config.d_model);
  add_linear(parameters, read, ours + "linear2", theirs + "fc2", config.d_model, config.d_ff);
  add_norm(parameters, read, ours + "norm1", theirs + "self_attn_layer_norm", config.d_model);
  if (decoder) add_norm(parameters, read, ours + "norm2", theirs + "encoder_attn_layer_norm", config.d_model);
  add_norm(parameters, read, ours + (decoder ? "norm3" : "norm2"), theirs + "final_layer_norm",
           config.d_model);
}

/// The matrices between tokens and vectors. A file has a tied matrix under one or more of its names.
void add_embeddings(Parameters& parameters, Reading& read, const Config& config,
                    const StoredVocabulary& source, const StoredVocabulary& target) {
  const char* const shared = "model.shared.weight";
  const char* const of_encoder = "model.encoder.embed_tokens.weight";
  const char* const of_decoder = "model.decoder.embed_tokens.weight";
  const char* const output = "lm_head.weight";
  const auto add = [&](const char* ours, const std::vector<const char*>& names,
                       const StoredVocabulary& vocabulary) {
    const auto present = std::ranges::find_if(names, [&](const char* name) { return read.has(name); });
    const Tensor stored =
        read(present == names.end() ? names.front() : *present, {vocabulary.size, config.d_model});
    parameters.push_back({ours, in_our_order(stored, vocabulary.rows)});
  };
  if (config.shared_embeddings == SharedEmbeddings::all) {
    add("src_embed.weight", {shared, of_encoder, of_decoder, output}, source);
  } else {
    const bool tied = config.shared_embeddings == SharedEmbeddings::target_output;
    add("src_embed.weight", {of_encoder, shared}, source);
    add("tgt_embed.weight", tied ? std::vector{of_decoder, output} : std::vector{of_decoder, shared}, target);
    if (!tied) add("generator.weight", {output}, target);
  }
  for (const char* const tied : {shared, output, of_encoder, of_decoder}) read.ignore(tied);

  const std::string bias = "final_logits_bias";
  const Tensor stored =
      read.has(bias) ? read(bias, {1, target.size}).view({target.size}) : Tensor::zeros({target.size});
  const Tensor ours = in_our_order(stored, target.rows);
  for (std::size_t id = 0; id < target.rows.size(); ++id)
    if (target.rows[id] == no_row) ours.data()[id] = never_predicted;
  parameters.push_back({"generator.bias", ours});
}

}  // namespace

nn::SinusoidLayout positions_of_marian_mt(const nn::TensorFile& file, Index d_model) {
  std::vector<nn::SinusoidLayout> found;
  for (const char* const name : position_tables) {
    if (!file.has(name)) continue;
    const Shape& shape = file.shapes().at(name);
    if (shape.rank() != 2 || shape[1] != d_model || shape[0] == 0)
      fail("{}: {}: expected [positions, {}], is {}", file.path(), name, d_model, to_string(shape));
    const Tensor table = file.read(name);
    for (const auto layout : {nn::SinusoidLayout::halves, nn::SinusoidLayout::marian})
      if (is_table(table, layout)) {
        found.push_back(layout);
        break;
      }
  }
  const auto stored =
      std::ranges::count_if(position_tables, [&](const char* name) { return file.has(name); });
  if (std::ssize(found) != stored || (stored == 2 && found[0] != found[1]))
    fail(
        "{}: model.*.embed_positions.weight is no table of sines and cosines of MarianMT or Marian; such "
        "positions cannot be imported",
        file.path());
  return stored == 0 ? nn::SinusoidLayout::halves : found.front();
}

std::vector<nn::NamedParameter> parameters_of_marian_mt(const nn::TensorFile& file, const Config& config,
                                                        const StoredVocabulary& source,
                                                        const StoredVocabulary& target) {
  Reading read(file);
  Parameters parameters;
  add_embeddings(parameters, read, config, source, target);
  for (Index i = 0; i < config.encoder_layers; ++i) add_layer(parameters, read, "encoder", i, false, config);
  for (Index i = 0; i < config.decoder_layers; ++i) add_layer(parameters, read, "decoder", i, true, config);
  for (const char* const table : position_tables) read.ignore(table);
  read.check_all_read();
  return parameters;
}

}}}  // namespace regard::REGARD_PRECISION::transformer
