#pragma once

#include <map>
#include <span>
#include <string>

#include "apps/translation/model/model_directory.h"
#include "nn/safetensors.h"

namespace regard::translation {

/// What the shapes of its tensors do not say of a model: to which tokens the rows of its embeddings belong (a
/// CRC-32 of the vocabularies), its heads, and where its norms stand. Files of weights carry it, so that
/// those of another model with the same shapes are not taken for its own.
nn::Metadata identity_of(const Settings& settings, const Vocabularies& vocabularies);

/// The weights in a file, and the identity of their model; empty if the file says nothing of it, as those of
/// other programs do.
struct Weights {
  std::map<std::string, Tensor> tensors;
  nn::Metadata identity;
};

/// Throws Error naming the file that is none, is the state of a training, or holds values that are no
/// numbers.
Weights read_weights(const std::string& path);

/// Copies the weights of a file into a model with this identity. Throws Error as read_weights does, and
/// naming the tensors that differ, and how, or what else differs; then nothing is changed.
void load_weights(nn::Module& model, const std::string& path, const nn::Metadata& identity);

/// The mean of the weights in some files, computed in double precision. Throws Error as read_weights does,
/// and naming a file that is not of the first one's model.
Weights average_weights(std::span<const std::string> paths);

/// Whether all weights are numbers: no NaN, no infinity.
bool all_finite(nn::Module& model);

}  // namespace regard::translation
