#include "apps/translation/processes/gradient_sum.h"

#include "autograd/cut.h"
#include "autograd/error.h"
#include "autograd/parallel.h"
#include "autograd/profile.h"

namespace regard::translation {

namespace {

/// left += right
Tensor add_to(const Tensor& left, const Tensor& right) {
  parallel_for(left.size(), block_size(left.size(), 1),
               [to = left.data(), from = right.data()](Index begin, Index end) {
                 for (Index i = begin; i < end; ++i) to[i] += from[i];
               });
  return left;
}

void set_to_zero(const Tensor& numbers) {
  parallel_for(numbers.size(), block_size(numbers.size(), 1),
               [to = numbers.data()](Index begin, Index end) { std::fill(to + begin, to + end, Real{0}); });
}

/// Returns chunk `rank` of the numbers, which are cut into `count` chunks.
Tensor chunk(const Tensor& numbers, Index rank, Index count) {
  constexpr Index line = 16;  // numbers of a cache line
  const Index lines = (numbers.size() + line - 1) / line;
  const auto begin = [&](Index of) { return std::min(lines * of / count * line, numbers.size()); };
  return numbers.view({begin(rank + 1) - begin(rank)}, begin(rank));
}

}  // namespace

std::vector<ShardRange> nodes_of(ShardRange own, Index shards) {
  TreeSum<Index> tree(shards);
  for (Index shard = own.first; shard < own.end; ++shard)
    tree.push({shard, shard + 1}, 0, [](Index, Index) { return Index{0}; });
  std::vector<ShardRange> result;
  for (const auto& node : tree.nodes()) result.push_back(node.shards);
  return result;
}

GradientSum::GradientSum(const Tensor& gradient, Index shards, Processes& processes)
    : gradient_(gradient),
      shards_(shards),
      processes_(processes),
      own_(shards_of(processes.rank(), processes.count(), shards)),
      tree_(shards) {}

void GradientSum::add_shard(double loss) {
  const Span span("GradientSum::add_shard", Span::Kind::other);
  const Index shard = own_.first + to_index(losses_.size());
  const bool last = shard + 1 == own_.end;
  losses_.push_back(loss);
  // x + y and y + x have the same bits. So the sum with the last shard stays in the gradient's memory, where
  // it is wanted.
  tree_.push({shard, shard + 1}, gradient_, [last](const Tensor& left, const Tensor& right) {
    return last ? add_to(right, left) : add_to(left, right);
  });
  if (last) return;
  if (Tensor& newest = tree_.nodes().back().value; newest.is(gradient_)) newest = gradient_.clone();
  set_to_zero(gradient_);
}

double GradientSum::finish() {
  const Span span("GradientSum::finish", Span::Kind::other);
  if (!processes_.alone()) exchange_nodes();
  return sum_of_losses();
}

/// The numbers are cut into as many chunks as there are processes. Each process sends chunk c of its nodes to
/// process c, which adds them in the order of the tree (reduce-scatter) and sends the sum to all (allgather).
/// With one node per process (as many shards per process as a power of two), each process sends and receives
/// 2 n (P - 1) / P numbers of a gradient of n: the least that is possible (Patarasuk and Yuan 2009), as the
/// ring of MPI_Allreduce does.
void GradientSum::exchange_nodes() {
  const Index count = processes_.count(), own = processes_.rank();
  TreeSum<Tensor> tree(shards_);
  std::vector<TreeSum<Tensor>::Node> parts;  // of the own chunk, from all processes
  std::vector<Processes::Transfer> sent, received;
  for (Index rank = 0; rank < count; ++rank) {
    for (const auto& node : tree_.nodes()) {
      const Tensor part = chunk(node.value, rank, count);
      if (rank == own)
        parts.push_back({node.shards, part});
      else
        sent.push_back({rank, part.values()});
    }
    if (rank == own) continue;
    for (const ShardRange range : nodes_of(shards_of(rank, count, shards_), shards_)) {
      parts.push_back({range, Tensor::empty(chunk(gradient_, own, count).shape())});
      received.push_back({rank, parts.back().value.values()});
    }
  }
  processes_.exchange(sent, received);
  for (const auto& [range, part] : parts) tree.push(range, part, add_to);
  const Tensor sum = tree.nodes().front().value;

  sent.clear(), received.clear();
  for (Index rank = 0; rank < count; ++rank) {
    if (rank == own) continue;
    sent.push_back({rank, sum.values()});
    received.push_back({rank, chunk(gradient_, rank, count).values()});
  }
  processes_.exchange(sent, received);
  const Tensor own_chunk = chunk(gradient_, own, count);
  if (own_chunk.data() != sum.data()) std::ranges::copy(sum.values(), own_chunk.data());
}

double GradientSum::sum_of_losses() {
  MessageWriter message;
  for (const double loss : losses_) message.add(loss);
  TreeSum<double> tree(shards_);
  Index shard = 0;
  for (const std::string& bytes : processes_.all_gather(message.bytes()))
    for (MessageReader reader(bytes); !reader.at_end(); ++shard)
      tree.push({shard, shard + 1}, reader.number<double>(), std::plus<>());
  return tree.nodes().front().value;
}

}  // namespace regard::translation
