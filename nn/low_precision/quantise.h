#pragma once

#include <map>
#include <string>

#include "autograd/precision.h"
#include "autograd/tensor.h"
#include "nn/module.h"
#include "nn/safetensors.h"

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

// Trained weights in fewer bits. Only the matrices change that nothing but products x W^T and look-ups of
// rows read: those of Linear, Embedding and MultiHeadAttention. Biases, norms and recurrent weights stay
// float32.

/// Replaces these matrices by copies in bfloat16 or int8, which the products read from now on. The float32
/// values are freed, and the model has no gradients any more. Matrices that are 8-bit numbers from a file are
/// packed. Throws Error unless this machine computes such products, and for a value that is not finite.
void set_precision(Module& module, Precision precision);

/// True if the module has a matrix that exists in 8 bits only.
bool is_quantised(Module& module);

/// Writes the parameters, these matrices as numbers of 8 bits: as I8, and the scales of their rows as F32
/// under the name of the matrix and "_scale". Throws Error as save_safetensors does.
void save_quantised(const std::string& path, Module& module, const Metadata& metadata);

/// load_safetensors for a file that may have such matrices. They stay in 8 bits. Throws Error also if the
/// scales of one are missing or not finite.
std::map<std::string, Tensor> load_quantised(const std::string& path, Metadata* metadata = nullptr);

}}}  // namespace regard::REGARD_PRECISION::nn
