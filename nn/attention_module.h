#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "autograd/machine/surroundings.h"
#include "autograd/ops/attention.h"
#include "nn/module.h"

// What all attentions of a network have in common: their weights can be seen, their heads switched off.

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

/// The weights of an attention in one run: for each sentence [heads, queries, keys], without dropout. Each
/// row sums to 1 (but for Normaliser::sigmoid).
using AttentionWeights = std::vector<Tensor>;

/// What an attention compares and sums in one run: rows of all sentences, all heads side by side.
struct AttentionInputs {
  ColumnSlice query, key, value;
};

/// An attention inside a network. A visitor finds it (attentions_of), so that its heads can be switched off
/// (HeadsOff) and its weights be seen (AttentionRecord). To write one: let the heads pass through
/// without_heads_off() and give the weights to record().
class AttentionModule : public Module {
 public:
  virtual Index heads() const = 0;  ///< the number of heads
  /// True if the keys belong to a memory; false if the queries themselves are the keys.
  virtual bool reads_memory() const = 0;

  /// `concatenated` holds all heads side by side, [rows, width]. Returns it with zeros in the columns of the
  /// heads that are off on this thread; returns `concatenated` itself if all are on.
  Tensor without_heads_off(const Tensor& concatenated) const;

  /// True while an AttentionRecord exists on this thread.
  static bool is_recorded();
  /// Gives the weights of a run, and what they come from, to the record of this thread, if there is one.
  void record(const AttentionWeights& weights, const std::optional<AttentionInputs>& inputs = {}) const;
};

struct NamedAttention {
  std::string name;  ///< the path to it, such as "encoder.layers.0.self_attn"
  const AttentionModule* attention;
};

/// All attentions of a network in the order of its modules.
std::vector<NamedAttention> attentions_of(Module& network);

/// A head of a network.
struct Head {
  std::string attention;  ///< NamedAttention::name
  Index head;
};

/// While it exists, heads of a network take no part in what its thread and the workers of its parallel loops
/// compute (Michel et al. 2019, section 2.3):
///   MultiHead = Concat(xi_0 head_0, …, xi_(h-1) head_(h-1)) W^O    with each xi 0 or 1
/// Heads that are off already stay off.
class HeadsOff {
 public:
  /// Throws Error if the network has no such attention or head.
  HeadsOff(Module& network, const std::vector<Head>& heads);

 private:
  friend AttentionModule;
  std::vector<std::pair<const AttentionModule*, Index>> off_;
  std::optional<OnThreadAndWorkers<HeadsOff>> scope_;
};

/// While it exists, it keeps the weights of the attentions that its thread runs, and what they come from: of
/// each attention those of the last run. Asking for them changes no other result.
class AttentionRecord {
 public:
  std::map<const AttentionModule*, AttentionWeights> weights;
  std::map<const AttentionModule*, std::optional<AttentionInputs>> inputs;  ///< if the attention gives them

 private:
  const OnThread<AttentionRecord> scope_{this};
};

}}}  // namespace regard::REGARD_PRECISION::nn
