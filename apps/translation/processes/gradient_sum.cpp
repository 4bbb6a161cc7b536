#include "apps/translation/processes/gradient_sum.h"

#include <algorithm>

#include "autograd/parallel.h"
#include "autograd/profile.h"

namespace regard::translation {

namespace {

constexpr Index grain = 1 << 14;

/// to += from
void add(std::span<Real> to, std::span<const Real> from) {
  parallel_for(to_index(to.size()), grain, [=](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) to[to_size(i)] += from[to_size(i)];
  });
}

void copy(std::span<Real> to, std::span<const Real> from) {
  parallel_for(to_index(to.size()), grain, [=](Index begin, Index end) {
    std::copy(from.data() + begin, from.data() + end, to.data() + begin);
  });
}

void set_to_zero(std::span<Real> numbers) {
  parallel_for(to_index(numbers.size()), grain, [=](Index begin, Index end) {
    std::fill(numbers.data() + begin, numbers.data() + end, Real{0});
  });
}

}  // namespace

GradientSum::GradientSum(const Tensor& gradient, Index shards, Processes& processes)
    : gradient_(gradient.values()),
      shards_(shards),
      processes_(processes),
      own_(shards_of(processes.rank(), processes.count(), shards)),
      next_(own_.first),
      tree_(shards) {}

void GradientSum::add_shard() {
  const Span span("GradientSum::add_shard", Span::Kind::other);
  const bool last = next_ + 1 == own_.end;
  // x + y and y + x have the same bits. So the last sum can be made in the gradient's memory, where it is
  // wanted; the others cannot stay there.
  tree_.push({next_, next_ + 1}, gradient_, [&](Numbers left, Numbers right) {
    if (last) std::swap(left, right);
    add(left, right);
    return left;
  });
  ++next_;
  if (last) return;
  if (Numbers& newest = tree_.nodes().back().value; newest.data() == gradient_.data()) {
    buffers_.push_back(Tensor::empty({to_index(gradient_.size())}));
    copy(buffers_.back().values(), gradient_);
    newest = buffers_.back().values();
  }
  set_to_zero(gradient_);
}

void GradientSum::finish() {
  if (processes_.alone()) return;
  const Span span("GradientSum::finish", Span::Kind::other);
  send_partial_sums();
  add_partial_sums();
  gather_chunks();
}

GradientSum::Numbers GradientSum::chunk(Numbers numbers, Index rank) const {
  constexpr Index line = 16;  // numbers of a cache line
  const Index lines = (to_index(numbers.size()) + line - 1) / line, count = processes_.count();
  const auto begin = [&](Index of) { return std::min(lines * of / count * line, to_index(numbers.size())); };
  return numbers.subspan(to_size(begin(rank)), to_size(begin(rank + 1) - begin(rank)));
}

void GradientSum::send_partial_sums() {
  const Index size = to_index(chunk(gradient_, processes_.rank()).size());
  for (Index other = 0; other < processes_.count(); ++other) {
    if (other == processes_.rank()) continue;
    const auto nodes = nodes_of(shards_of(other, processes_.count(), shards_), shards_);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      received_.push_back(Tensor::empty({size}));
      processes_.post_receive(other, received_.back().values());
    }
  }
  for (Index other = 0; other < processes_.count(); ++other)
    if (other != processes_.rank())
      for (const auto& node : tree_.nodes()) processes_.post_send(other, chunk(node.value, other));
  processes_.wait_all();
}

void GradientSum::add_partial_sums() {
  TreeSum<Numbers> tree(shards_);
  std::size_t next = 0;
  const auto push = [&](ShardRange range, Numbers numbers) {
    tree.push(range, numbers, [](Numbers left, Numbers right) {
      add(left, right);
      return left;
    });
  };
  for (Index rank = 0; rank < processes_.count(); ++rank) {
    if (rank == processes_.rank()) {
      for (const auto& node : tree_.nodes()) push(node.shards, chunk(node.value, rank));
      continue;
    }
    for (const ShardRange range : nodes_of(shards_of(rank, processes_.count(), shards_), shards_))
      push(range, received_[next++].values());
  }
  const Numbers sum = tree.nodes().front().value, wanted = chunk(gradient_, processes_.rank());
  if (sum.data() != wanted.data()) copy(wanted, sum);
}

void GradientSum::gather_chunks() {
  for (Index other = 0; other < processes_.count(); ++other)
    if (other != processes_.rank()) processes_.post_receive(other, chunk(gradient_, other));
  for (Index other = 0; other < processes_.count(); ++other)
    if (other != processes_.rank()) processes_.post_send(other, chunk(gradient_, processes_.rank()));
  processes_.wait_all();
}

}  // namespace regard::translation
