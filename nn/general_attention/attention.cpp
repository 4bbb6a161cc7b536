#include "nn/general_attention/attention.h"

#include <algorithm>

#include "autograd/machine/error.h"
#include "autograd/ops.h"
#include "nn/general_attention/pairs.h"

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

Attention::Attention(const Settings& settings, Random& random) : settings_(settings) {
  if (settings.radius < 1)
    fail("Attention: the radius of the window is {}; it must be at least 1", settings.radius);
  const Index keys = settings.key_width > 0 ? settings.key_width : settings.memory_width;
  if (settings.own_score)
    score = settings.own_score(settings.query_width, keys, random);
  else
    score = make_score({.kind = settings.score,
                        .query_width = settings.query_width,
                        .key_width = keys,
                        .width = settings.score_width,
                        .positions = settings.positions},
                       random);
  const auto weight = [&](Index out, Index in) { return parameter(xavier_uniform(out, in, random)); };
  if (settings.key_width > 0) key_weight = weight(settings.key_width, settings.memory_width);
  if (settings.value_width > 0) value_weight = weight(settings.value_width, settings.memory_width);
  if (settings.window == AttentionWindow::local_p) {
    position_weight = weight(settings.query_width, settings.query_width);
    position_v = weight(1, settings.query_width);
  }
}

Attention::KeysAndValues Attention::prepare(const Tensor& x) const {
  return {score->prepare(key_weight ? linear(x, key_weight, {}) : x),
          value_weight ? linear(x, value_weight, {}) : x};
}

Tensor Attention::centres(const Tensor& query, const Segments& segments) const {
  const Tensor lengths = Tensor::empty({query.size(0), 1});
  for (const Segment& s : segments)
    std::fill(lengths.data() + s.query_begin, lengths.data() + s.query_end,
              static_cast<Real>(s.key_end - s.key_begin));
  return lengths * sigmoid(linear(tanh(linear(query, position_weight, {})), position_v, {}));
}

Attention::Result Attention::operator()(const Tensor& query, const KeysAndValues& memory,
                                        const Segments& segments,
                                        std::span<const std::int32_t> positions) const {
  Result result;
  Tensor centre;  // of local_p
  switch (settings_.window) {
    case AttentionWindow::global:
      result.ranges = all_keys(segments);
      break;
    case AttentionWindow::local_m:
      result.ranges =
          keys_near(segments, std::vector<double>(positions.begin(), positions.end()), settings_.radius);
      break;
    case AttentionWindow::local_p: {
      centre = centres(query, segments);
      const std::vector<double> at(centre.values().begin(), centre.values().end());
      result.ranges = keys_near(segments, at, settings_.radius);
      break;
    }
  }
  result.weights = normalise((*score)(query, memory.key, result.ranges), result.ranges, settings_.normaliser);
  if (centre)
    result.weights =
        gaussian_weights(result.weights, centre, static_cast<Real>(settings_.radius) / 2, result.ranges);
  result.context = without_heads_off(weighted_sum(result.weights, memory.value, result.ranges));
  return result;
}

void Attention::visit(Visitor& visitor) {
  if (key_weight) visitor("key_weight", key_weight);
  if (value_weight) visitor("value_weight", value_weight);
  visitor("score", *score);
  if (position_weight) visitor("position_weight", position_weight);
  if (position_v) visitor("position_v", position_v);
}

}}}  // namespace regard::REGARD_PRECISION::nn
