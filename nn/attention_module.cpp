#include "nn/attention_module.h"

#include <algorithm>

#include "autograd/machine/error.h"
#include "autograd/ops.h"

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

namespace {

thread_local const HeadsOff* heads_off_on_thread = nullptr;
thread_local AttentionRecord* record_of_thread = nullptr;

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
  if (heads_off_on_thread == nullptr) return concatenated;
  const Index columns = concatenated.size(1), width = columns / heads();
  Tensor mask;
  for (const auto& [attention, head] : heads_off_on_thread->off_) {
    if (attention != this) continue;
    if (!mask) mask = Tensor::full({1, columns}, 1);
    std::fill_n(mask.data() + head * width, width, Real{0});
  }
  return mask ? concatenated * mask : concatenated;
}

bool AttentionModule::is_recorded() { return record_of_thread != nullptr; }

void AttentionModule::record(const AttentionWeights& weights) const {
  if (record_of_thread != nullptr) record_of_thread->weights[this] = weights;
}

std::vector<NamedAttention> attentions_of(Module& network) {
  AttentionCollector collector;
  network.visit(collector);
  return std::move(collector.found);
}

HeadsOff::HeadsOff(Module& network, const std::vector<Head>& heads) : HeadsOff(of_thread()) {
  const std::vector<NamedAttention> all = attentions_of(network);
  for (const auto& [name, head] : heads) {
    const auto found = std::ranges::find(all, name, &NamedAttention::name);
    if (found == all.end()) fail("this model has no attention \"{}\"", name);
    if (head < 0 || head >= found->attention->heads())
      fail("there is no head {}; this attention has {} heads, from 0", head, found->attention->heads());
    off_.emplace_back(found->attention, head);
  }
}

HeadsOff::List HeadsOff::of_thread() {
  return heads_off_on_thread == nullptr ? List() : heads_off_on_thread->off_;
}

HeadsOff::HeadsOff(List heads) : off_(std::move(heads)), outer_(std::exchange(heads_off_on_thread, this)) {}

HeadsOff::~HeadsOff() { heads_off_on_thread = outer_; }

AttentionRecord::AttentionRecord() : outer_(std::exchange(record_of_thread, this)) {}

AttentionRecord::~AttentionRecord() { record_of_thread = outer_; }

}}}  // namespace regard::REGARD_PRECISION::nn
