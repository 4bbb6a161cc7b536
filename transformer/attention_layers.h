#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "autograd/real.h"
#include "autograd/tensor.h"
#include "nn/module.h"
#include "transformer/batch.h"
#include "transformer/encoder_decoder.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// The queries and the keys of an attention.
enum class AttentionKind {
  encoder,  ///< source positions look at source positions
  decoder,  ///< target tokens look at the target tokens before them
  source    ///< target tokens look at source positions
};

/// One attention of a model.
struct AttentionLayer {
  std::string name;  ///< the path to its module, such as "decoder.layers.0.multihead_attn"
  AttentionKind kind;
  Index layer;         ///< its number among the attentions of its kind
  nn::HeadMask* mask;  ///< its heads; belongs to the model
};

/// All attentions of a model in the order of its modules; none for a model without attention. An attention
/// inside "encoder" is of kind encoder. One inside "decoder" is of kind decoder if its name ends in
/// "self_attn", and of kind source otherwise.
std::vector<AttentionLayer> attention_layers(EncoderDecoder& model);

/// The weights of an attention, one tensor for each sentence; null if `weights` has none for it.
const LayerAttention* weights_of(const AttentionWeights& weights, const AttentionLayer& attention);

/// A head of a model.
struct Head {
  std::string attention;  ///< AttentionLayer::name
  Index head;
};

/// Switches heads of a model off while it exists. Its end restores the heads as they were before it.
class HeadsOff {
 public:
  /// Throws Error if the model has no such attention or head.
  HeadsOff(EncoderDecoder& model, const std::vector<Head>& heads);
  HeadsOff(const HeadsOff&) = delete;
  HeadsOff& operator=(const HeadsOff&) = delete;
  ~HeadsOff();

 private:
  explicit HeadsOff(EncoderDecoder& model);
  std::vector<AttentionLayer> layers_;
  std::vector<nn::HeadMask> before_;  ///< of each layer
};

/// Mean over the queries of the entropy -sum_j a_j log a_j of a head, in nats: 0 if each query looks at one
/// key, log(keys) if each looks at all keys alike. weights[heads, queries, keys].
double entropy(const Tensor& weights, Index head);

/// The word for the keys to which a head gives more than half of its weight, in the mean over the queries:
/// "previous", "next" or "same" (the key before, after or at the position of the query), "begin" or "end"
/// (the first or the last key); empty if there are no such keys. Queries without such a key do not count. If
/// several words fit, the one with the largest weight is returned. weights[heads, queries, keys].
std::string_view looks_at(const Tensor& weights, Index head);

}}}  // namespace regard::REGARD_PRECISION::transformer
