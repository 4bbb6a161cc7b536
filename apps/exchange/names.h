#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "transformer/self_attention/transformer_config.h"

namespace regard { inline namespace REGARD_PRECISION { namespace foreign {

// The names of a Transformer's weights in other programs, in both precisions, for import and export. Our own
// names are those of torch.nn.Transformer.

/// hugging_face: MarianMT and M2M100 of transformers (modeling_marian.py, modeling_m2m_100.py). marian: the
/// arrays of a .npz file, which are transposed. ctranslate2: the variables of TransformerSpec
/// (specs/transformer_spec.py).
enum class Program { hugging_face, marian, ctranslate2 };

/// A tensor of another program, which is one of ours or some rows of it.
struct NamedPart {
  std::string ours, theirs;
  Shape whole;  ///< of our tensor
  Shape shape;  ///< of the part
  Index first;  ///< number of our tensor with which the part begins

  /// The part of our tensor, without a copy.
  Tensor of(const Tensor& tensor) const { return tensor.view(shape, first); }
};

/// Calls `visit` with the weights of all layers, in the order of transformers, and for hugging_face with the
/// final norms. The kind of decoder is that of model.decoder: "transformer", or "ssru", which only Marian
/// has.
void for_each_part(Program program, const transformer::Config& config, std::string_view decoder_kind,
                   const std::function<void(const NamedPart&)>& visit);

/// The matrices between tokens and vectors.
struct TokenMatrices {
  const char* shared;  ///< all of them in one; null: the program has no such name
  const char *source, *target, *output, *output_bias;
  const char* transposed_output = nullptr;  ///< another name for the output; the matrix is transposed
};

TokenMatrices token_matrices(Program program);

}}}  // namespace regard::REGARD_PRECISION::foreign
