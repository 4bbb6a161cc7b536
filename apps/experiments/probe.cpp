#include "apps/experiments/probe.h"

#include <algorithm>

#include "autograd/graph.h"
#include "autograd/ops.h"
#include "nn/layers.h"
#include "nn/optimisers.h"
#include "transformer/self_attention/transformer.h"

namespace regard::experiments {

std::vector<Tensor> rows_by_layer(transformer::EncoderDecoder& model, const transformer::Source& source) {
  const NoGrad no_grad;
  auto& encoder = dynamic_cast<transformer::TransformerEncoder&>(model.encoder());
  const Segments sentences = segments(source.offsets, source.offsets);
  std::vector<Tensor> rows{encoder.input(source)};
  for (transformer::EncoderLayer& layer : encoder.stack.layers) rows.push_back(layer(rows.back(), sentences));
  return rows;
}

double linear_probe(const Tensor& rows, const std::vector<std::int32_t>& labels, Index steps) {
  std::vector<std::int32_t> train, test, train_labels;
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (labels[i] >= 0) (3 * i < 2 * labels.size() ? train : test).push_back(static_cast<std::int32_t>(i));
  if (train.empty() || test.empty()) return 0;
  for (const std::int32_t row : train) train_labels.push_back(labels[to_size(row)]);
  Random random(1);
  nn::Linear probe(rows.size(1), 1 + std::ranges::max(labels), random);
  nn::Adam adam(probe.parameters());
  const Tensor inputs = gather(rows, 0, train);
  for (Index step = 0; step < steps; ++step) {
    cross_entropy(probe(inputs), train_labels).backward();
    adam.step({.learning_rate = 0.03});
  }
  const NoGrad no_grad;
  const LargestLogits found = largest_logits(probe(gather(rows, 0, test)), 1);
  double right = 0;
  for (std::size_t i = 0; i < test.size(); ++i) right += found.positions[i] == labels[to_size(test[i])];
  return 100 * right / static_cast<double>(test.size());
}

}  // namespace regard::experiments
