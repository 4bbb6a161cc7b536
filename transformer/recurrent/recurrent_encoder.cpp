#include "transformer/recurrent/recurrent_encoder.h"

#include <algorithm>
#include <numeric>

#include "autograd/ops.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

namespace {

/// The row of each token when the words of every sentence stand from the last to the first, with </s> still
/// at the end. The same list leads back.
std::vector<std::int32_t> reversed_rows(const std::vector<Index>& offsets) {
  std::vector<std::int32_t> rows(to_size(offsets.back()));
  std::iota(rows.begin(), rows.end(), 0);
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
    if (offsets[i] < offsets[i + 1])
      std::reverse(rows.begin() + offsets[i], rows.begin() + offsets[i + 1] - 1);
  return rows;
}

}  // namespace

RecurrentEncoder::RecurrentEncoder(const RecurrentConfig& config, const nn::Embedding& source, Random& random)
    : embedding(source),
      dropout(config.embedding_dropout),
      rnn(config.cell,
          {.input = source.weight.size(1),
           .hidden = config.width_per_direction(),
           .layers = config.encoder_layers,
           .bidirectional = config.bidirectional,
           .dropout = config.dropout},
          random),
      reverse_source(config.reverse_source) {}

Memory RecurrentEncoder::encode(const Source& source) {
  const Tensor x = dropout(embedding(source.ids));
  const std::vector<std::int32_t> order = reversed_rows(source.offsets);
  const nn::Recurrent::Output output = rnn(reverse_source ? gather(x, 0, order) : x, source.offsets);
  // The rows of the memory stand in the order of the source, whatever the order in which they were read.
  Memory memory{.rows = reverse_source ? gather(output.rows, 0, order) : output.rows,
                .offsets = source.offsets};
  const auto directions = to_size(rnn.directions());
  for (std::size_t layer = 0; layer < output.states.size(); layer += directions) {
    std::vector<Tensor> h, c;
    for (std::size_t direction = 0; direction < directions; ++direction) {
      h.push_back(output.states[layer + direction].h);
      c.push_back(output.states[layer + direction].c);
    }
    memory.final_states.push_back(directions == 1 ? h.front() : concat(h, 1));
    if (c.front()) memory.final_states.push_back(directions == 1 ? c.front() : concat(c, 1));
  }
  return memory;
}

std::vector<Index> RecurrentEncoder::state_widths() const {
  return std::vector<Index>(to_size(rnn.settings().layers * nn::shape_of(rnn.cell()).states), rnn.width());
}

void RecurrentEncoder::visit(nn::Visitor& visitor) {
  visitor(dropout);
  visitor("rnn", rnn);
}

}}}  // namespace regard::REGARD_PRECISION::transformer
