#include "nn/attention_module.h"

#include <algorithm>

#include "autograd/machine/error.h"
#include "autograd/ops.h"

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

namespace {

class AttentionCollector : public Visitor {
 public:
  void module(const std::string& path, Module& inner) override {
    if (const auto* const attention = dynamic_cast<const AttentionModule*>(&inner))
      found.push_back({path, attention});
  }
  std::vector<NamedAttention> found;
};

}  // namespace

Tensor AttentionModule::without_heads_off(const Tensor& concatenated) const {
  const HeadsOff* const heads_off = OnThreadAndWorkers<HeadsOff>::innermost();
  if (heads_off == nullptr) return concatenated;
  const Index columns = concatenated.size(1), width = columns / heads();
  Tensor mask;
  for (const auto& [attention, head] : heads_off->off_) {
    if (attention != this) continue;
    if (!mask) mask = Tensor::full({1, columns}, 1);
    std::fill_n(mask.data() + head * width, width, Real{0});
  }
  return mask ? concatenated * mask : concatenated;
}

bool AttentionModule::is_recorded() { return OnThread<AttentionRecord>::innermost() != nullptr; }

void AttentionModule::record(const AttentionWeights& weights,
                             const std::optional<AttentionInputs>& inputs) const {
  AttentionRecord* const record = OnThread<AttentionRecord>::innermost();
  if (record == nullptr) return;
  record->weights[this] = weights;
  record->inputs.insert_or_assign(this, inputs);
}

std::vector<NamedAttention> attentions_of(Module& network) {
  AttentionCollector collector;
  network.visit(collector);
  return std::move(collector.found);
}

HeadsOff::HeadsOff(Module& network, const std::vector<Head>& heads) {
  if (const HeadsOff* const outer = OnThreadAndWorkers<HeadsOff>::innermost()) off_ = outer->off_;
  const std::vector<NamedAttention> all = attentions_of(network);
  for (const Head& off : heads) {
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const NamedAttention& each) { return each.name == off.attention; });
    if (found == all.end()) fail("this model has no attention \"{}\"", off.attention);
    if (off.head < 0 || off.head >= found->attention->heads())
      fail("there is no head {}; this attention has {} heads, from 0", off.head, found->attention->heads());
    off_.emplace_back(found->attention, off.head);
  }
  scope_.emplace(this);
}

}}}  // namespace regard::REGARD_PRECISION::nn
