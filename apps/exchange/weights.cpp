#include "apps/exchange/weights.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "autograd/graph.h"
#include "autograd/machine/error.h"
#include "autograd/ops.h"
#include "nn/sinusoidal_positions.h"
#include "transformer/embeddings.h"

namespace regard { inline namespace REGARD_PRECISION { namespace foreign {

Tensor in_order(const Tensor& stored, const std::vector<std::int32_t>& rows) {
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
/// The same of M2M100, which are always sines.
const char* const sines_of_m2m100[]{"model.encoder.embed_positions.weights",
                                    "model.decoder.embed_positions.weights"};

/// True if this table begins as the encodings of the layout do, up to the rounding of bfloat16.
bool is_table(const Tensor& table, nn::SinusoidLayout layout) {
  constexpr double rounding = 1.0 / 128;
  nn::SinusoidalPositions encoding(table.size(1), 10000, layout);
  const Tensor& expected = encoding.table(table.size(0) - 1);
  for (Index i = 0; i < table.size(); ++i)
    if (!(std::abs(static_cast<double>(table.data()[i] - expected.data()[i])) <= rounding)) return false;
  return true;
}

/// Reads tensors of a file, and remembers which.
class Reading {
 public:
  Reading(Program program, const nn::TensorFile& file) : marian_(program == Program::marian), file_(file) {}

  Tensor as_stored(const std::string& name, const Shape& shape) {
    read_.insert(name);
    return file_.read(name, shape);
  }
  /// Marian has a vector of n numbers as [1, n]. It multiplies x W, so its matrices are transposed.
  Tensor of_layer(const std::string& name, const Shape& shape) {
    if (!marian_) return as_stored(name, shape);
    if (shape.rank() == 1) return as_stored(name, {1, shape[0]}).view(shape);
    const NoGrad without_gradients;
    return transpose(as_stored(name, {shape[1], shape[0]}));
  }
  bool has(const char* name) const { return name != nullptr && file_.has(name); }
  void ignore(const char* name) {
    if (name != nullptr) read_.insert(name);
  }

  /// Throws Error if the file has further tensors.
  void check_all_read() const {
    for (const auto& [name, shape] : file_.shapes())
      if (!read_.contains(name))
        fail("{}: {} of shape {} has no place in a model of this configuration", file_.path(), name,
             to_string(shape));
  }

 private:
  bool marian_;
  const nn::TensorFile& file_;
  std::set<std::string> read_;
};

/// Reads the matrices between tokens and vectors. A file has a tied matrix under one or more of its names.
std::map<std::string, Tensor> read_matrices(Program program, Reading& read, const transformer::Config& config,
                                            const StoredVocabulary& source, const StoredVocabulary& target) {
  const TokenMatrices names = token_matrices(program);
  const auto [shared, of_source, of_target, output, output_bias, transposed_output] = names;
  std::map<std::string, Tensor> ours;
  const auto add = [&](const char* name, const std::vector<const char*>& theirs,
                       const StoredVocabulary& vocabulary) {
    const auto present = std::ranges::find_if(theirs, [&](const char* one) { return read.has(one); });
    const char* const found = present == theirs.end() ? theirs.front() : *present;
    const Shape shape{vocabulary.size, config.d_model};
    const Tensor stored =
        found == names.transposed_output ? read.of_layer(found, shape) : read.as_stored(found, shape);
    ours.emplace(name, in_order(stored, vocabulary.rows));
  };
  switch (config.shared_embeddings) {
    case transformer::SharedEmbeddings::all:
      add("src_embed.weight", {shared, of_source, of_target, output, transposed_output}, source);
      break;
    case transformer::SharedEmbeddings::target_output:
      add("src_embed.weight", {of_source, shared}, source);
      add("tgt_embed.weight", {of_target, output, transposed_output}, target);
      break;
    case transformer::SharedEmbeddings::none:
      add("src_embed.weight", {of_source, shared}, source);
      add("tgt_embed.weight", {of_target, shared}, target);
      add("generator.weight", {output, transposed_output}, target);
  }
  for (const char* const tied : {shared, of_source, of_target, output, transposed_output}) read.ignore(tied);
  const Tensor bias =
      read.has(output_bias) ? read.as_stored(output_bias, {1, target.size}) : Tensor::zeros({1, target.size});
  const Tensor our_bias = in_order(bias.view({target.size}), target.rows);
  for (std::size_t id = 0; id < target.rows.size(); ++id)
    if (target.rows[id] == no_row) our_bias.data()[id] = transformer::never_predicted;
  ours.emplace("generator.bias", our_bias);
  return ours;
}

}  // namespace

Tensor positions_of_m2m100(Index positions, Index d_model) {
  constexpr Index first = 2;  // after the place of <pad>, 1
  nn::SinusoidalPositions encoding(d_model, 10000, nn::SinusoidLayout::marian);
  const Tensor table = encoding.table(positions + first - 1), ours = Tensor::empty({positions, d_model});
  std::copy_n(table.data() + first * d_model, positions * d_model, ours.data());
  return ours;
}

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

std::map<std::string, Tensor> read_parameters(Program program, const nn::TensorFile& file,
                                              const transformer::Config& config,
                                              std::string_view decoder_kind, const StoredVocabulary& source,
                                              const StoredVocabulary& target) {
  Reading read(program, file);
  std::map<std::string, Tensor> ours = read_matrices(program, read, config, source, target);
  for_each_part(program, config, decoder_kind, [&](const NamedPart& part) {
    const Tensor stored = read.of_layer(part.theirs, part.shape);
    Tensor& tensor = ours[part.ours];
    if (!tensor) tensor = Tensor::empty(part.whole);
    std::ranges::copy(stored.values(), part.of(tensor).data());
  });
  if (config.positions.kind == nn::PositionKind::learned)
    for (const char* const table : {"encoder.positions.weight", "decoder.positions.weight"})
      ours.emplace(table, positions_of_m2m100(config.positions.most, config.d_model));
  for (const char* const table : position_tables) read.ignore(table);
  for (const char* const table : sines_of_m2m100) read.ignore(table);
  read.check_all_read();
  return ours;
}

}}}  // namespace regard::REGARD_PRECISION::foreign
