#include "apps/processes/gradient_exchange.h"

#include <algorithm>

#include "apps/processes/several_processes.h"
#include "apps/translation/processes/sharing.h"
#include "autograd/machine/cut.h"
#include "autograd/machine/profile.h"

namespace regard::translation {

namespace {

/// The sum of the gradients of a node of the tree.
struct Node {
  MicroBatchRange micro_batches;
  Tensor sum;
};

/// Returns chunk `rank` of the numbers, which are cut into `count` chunks.
Tensor chunk(const Tensor& numbers, Index rank, Index count) {
  constexpr Index line = 16;  // numbers of a cache line
  const Index lines = ceil_divide(numbers.size(), line);
  const auto begin = [&](Index of) { return std::min(lines * of / count * line, numbers.size()); };
  return numbers.view({begin(rank + 1) - begin(rank)}, begin(rank));
}

void add_nodes(MicroBatchRange node, MicroBatchRange own, std::vector<MicroBatchRange>& nodes) {
  if (node.end <= own.first || own.end <= node.first) return;
  if (own.first <= node.first && node.end <= own.end) return nodes.push_back(node);
  add_nodes({node.first, middle_of(node)}, own, nodes);
  add_nodes({middle_of(node), node.end}, own, nodes);
}

/// The numbers are cut into as many chunks as there are processes. Each process sends chunk c of its nodes to
/// process c, which adds them along the tree (reduce-scatter) and sends the sum to all (allgather). With one
/// node per process (as many micro-batches per process as a power of two), each process sends and receives
/// 2 n (P - 1) / P numbers of a gradient of n: the least that is possible (Patarasuk and Yuan 2009), as the
/// ring of MPI_Allreduce does.
void exchange(const std::vector<Node>& nodes, const Tensor& gradient, Index micro_batches, Network& network) {
  const Index count = network.count(), own = network.rank();
  const Tensor own_chunk = chunk(gradient, own, count);
  std::vector<Node> parts;  // of the own chunk, from all processes
  std::vector<Network::Transfer> sent, received;
  for (const Node& node : nodes) parts.push_back({node.micro_batches, chunk(node.sum, own, count)});
  for (Index rank = 0; rank < count; ++rank) {
    if (rank == own) continue;
    for (const Node& node : nodes) sent.push_back({rank, chunk(node.sum, rank, count).values()});
    for (const MicroBatchRange range : nodes_of(share_of(rank, count, micro_batches), micro_batches)) {
      parts.push_back({range, Tensor::empty(own_chunk.shape())});
      received.push_back({rank, parts.back().sum.values()});
    }
  }
  network.exchange(sent, received);
  const auto known = [&](MicroBatchRange node) -> std::optional<Tensor> {
    const auto part = std::ranges::find(parts, node, &Node::micro_batches);
    return part == parts.end() ? std::nullopt : std::optional(part->sum);
  };
  const Tensor sum = tree_sum<Tensor>({0, micro_batches}, known, add_to);

  sent.clear(), received.clear();
  for (Index rank = 0; rank < count; ++rank) {
    if (rank == own) continue;
    sent.push_back({rank, sum.values()});
    received.push_back({rank, chunk(gradient, rank, count).values()});
  }
  network.exchange(sent, received);
  if (own_chunk.data() != sum.data()) std::ranges::copy(sum.values(), own_chunk.data());
}

}  // namespace

std::vector<MicroBatchRange> nodes_of(MicroBatchRange own, Index micro_batches) {
  std::vector<MicroBatchRange> nodes;
  add_nodes({0, micro_batches}, own, nodes);
  return nodes;
}

double SeveralProcesses::sum_gradients(const Tensor& gradient, Index micro_batches,
                                       const Backward& backward) {
  const MicroBatchRange own = share_of(rank(), count(), micro_batches);
  std::vector<double> own_losses, losses;
  std::vector<Node> nodes;
  for (const MicroBatchRange node : nodes_of(own, micro_batches))
    nodes.push_back({node, sum_node(node, own.end, gradient, backward, own_losses)});
  const Span span("sum_gradients", Span::Kind::other);
  exchange(nodes, gradient, micro_batches, network_);
  // In the order of the ranks, which is the order of the micro-batches.
  for (const std::vector<double>& some : gather(*this, own_losses))
    losses.insert(losses.end(), some.begin(), some.end());
  return sum_losses(losses);
}

}  // namespace regard::translation
