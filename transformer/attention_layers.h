#pragma once

#include <string>
#include <vector>

#include "autograd/index.h"
#include "nn/head_mask.h"
#include "transformer/attention_weights.h"
#include "transformer/encoder_decoder.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// Who looks where.
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

/// Switches heads of a model off while it exists.
class HeadsOff {
 public:
  /// Throws Error if the model has no such attention or head.
  HeadsOff(EncoderDecoder& model, const std::vector<Head>& heads);
  HeadsOff(const HeadsOff&) = delete;
  HeadsOff& operator=(const HeadsOff&) = delete;
  ~HeadsOff();

 private:
  std::vector<AttentionLayer> layers_;
};

}}}  // namespace regard::REGARD_PRECISION::transformer
