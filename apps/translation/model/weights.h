#pragma once

#include <map>
#include <span>
#include <string>

#include "apps/translation/corpus/trained_sources.h"
#include "apps/translation/model/model_directory.h"
#include "nn/safetensors.h"

namespace regard::translation {

/// Returns the properties of a model that the shapes of its tensors do not show: a CRC-32 of the vocabularies
/// (the rows of the embeddings belong to their tokens), and the settings whose rule in the table is an
/// Identity (settings_description.h). Files of weights contain it, so that a model refuses the weights of
/// another model with the same shapes.
nn::Metadata identity_of(const Settings& settings, const Vocabularies& vocabularies);

/// The weights in a file, the identity of their model, and the sources of their training. The identity is
/// empty if the file has none, as in files of other programs.
struct Weights {
  std::map<std::string, Tensor> tensors = {};
  nn::Metadata identity;
  TrainedSources sources = {};

  /// Identity and sources, to be written with the tensors.
  nn::Metadata metadata() const;
};

/// Reads a file of weights. Throws Error that names the file if it is not such a file, if it is the state of
/// a training, or if a value is not finite.
Weights read_weights(const std::string& path);

/// Gives the tokens below `first_predicted` the bias with which they never come next, in all tensors whose
/// names end in "generator.bias". Files of earlier versions have another one there.
void exclude_tokens(const std::map<std::string, Tensor>& tensors, Index first_predicted);

/// Throws Error that names the file if it has weights in 8 bits, which can translate and nothing else.
void check_float32(const Weights& weights, const std::string& path);

/// Copies weights into a model with this identity. Throws Error if the tensors or the identity differ. The
/// message calls the weights `name` and names the difference. After an error the model is unchanged.
void copy_weights(nn::Module& model, const Weights& weights, const std::string& name,
                  const nn::Metadata& identity);

/// Gives the weights of a file to a new model with this identity, without a copy, and returns the sources of
/// their training. Throws Error as read_weights and copy_weights do.
TrainedSources load_weights(nn::Module& model, const std::string& path, const nn::Metadata& identity);

/// Returns the mean of the weights in some files, computed in double precision. Throws Error as read_weights
/// does, and if a file does not belong to the same model as the first one. The message names that file.
Weights average_weights(std::span<const std::string> paths);

/// True if all weights are finite.
bool all_finite(nn::Module& model);

}  // namespace regard::translation
