#include "autograd/moved_numbers.h"

#include <algorithm>

#include "autograd/graph.h"

namespace regard { inline namespace REGARD_PRECISION {

namespace {
/// True if the operation that runs now has not counted by itself.
bool needs_estimate() {
  const Profile::Event* const event = detail::active_profile->open_event();
  return event != nullptr && event->bytes == 0;
}
}  // namespace

void estimate_moved_forward(const Tensor& y, const std::vector<Tensor>& inputs) {
  if (!needs_estimate()) return;
  Index numbers = y.size();
  for (auto input = inputs.begin(); input != inputs.end(); ++input) {
    if (!*input) continue;
    if (y.data() >= input->data() && y.data() < input->data() + input->size()) return;  // y shares its memory
    if (std::none_of(inputs.begin(), input, [&](const Tensor& x) { return x.is(*input); }))
      numbers += input->size();
  }
  count_moved(numbers);
}

void estimate_moved_backward(const Node& node) {
  if (!needs_estimate()) return;
  Index numbers = node.shape.size();
  for (auto input = node.inputs.begin(); input != node.inputs.end(); ++input)
    if (*input != nullptr && std::find(node.inputs.begin(), input, *input) == input)
      numbers += 2 * (*input)->shape.size();  // value and gradient
  count_moved(numbers);
}

}}  // namespace regard::REGARD_PRECISION
