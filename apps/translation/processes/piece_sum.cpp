#include "apps/translation/processes/piece_sum.h"

#include <algorithm>

#include "autograd/parallel.h"

namespace regard::translation {

namespace {

constexpr Index grain = 1 << 14;

}  // namespace

void add_numbers(std::span<Real> to, std::span<const Real> from) {
  parallel_for(to_index(to.size()), grain, [=](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) to[to_size(i)] += from[to_size(i)];
  });
}

void copy_numbers(std::span<Real> to, std::span<const Real> from) {
  parallel_for(to_index(to.size()), grain, [=](Index begin, Index end) {
    std::copy(from.data() + begin, from.data() + end, to.data() + begin);
  });
}

PieceSum::PieceSum(Numbers numbers, Index number, Index shards, Processes& processes)
    : numbers_(numbers), number_(number), shards_(shards), processes_(processes) {}

PieceSum::Numbers PieceSum::chunk(Numbers numbers, Index rank) const {
  constexpr Index line = 16;  // numbers of a cache line
  const Index lines = (to_index(numbers.size()) + line - 1) / line, count = processes_.count();
  const auto begin = [&](Index of) { return std::min(lines * of / count * line, to_index(numbers.size())); };
  return numbers.subspan(to_size(begin(rank)), to_size(begin(rank + 1) - begin(rank)));
}

void PieceSum::start(Nodes partial_sums) {
  partial_sums_ = std::move(partial_sums);
  stage_ = processes_.alone() ? Stage::done : Stage::reducing;
  if (stage_ == Stage::done) return;
  const Index size = to_index(chunk(numbers_, processes_.rank()).size());
  for (Index other = 0; other < processes_.count(); ++other) {
    if (other == processes_.rank()) continue;
    const auto nodes = nodes_of(shards_of(other, processes_.count(), shards_), shards_);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      received_.push_back(Tensor::empty({size}));
      processes_.post_receive(reduce_exchange(), other, received_.back().values());
    }
  }
  for (Index other = 0; other < processes_.count(); ++other)
    if (other != processes_.rank())
      for (const auto& node : partial_sums_)
        processes_.post_send(reduce_exchange(), other, chunk(node.value, other));
}

void PieceSum::add_partial_sums() {
  TreeSum<Numbers> tree(shards_);
  std::size_t next = 0;
  const auto push = [&](ShardRange range, Numbers numbers) {
    tree.push(range, numbers, [](Numbers left, Numbers right) {
      add_numbers(left, right);
      return left;
    });
  };
  for (Index rank = 0; rank < processes_.count(); ++rank) {
    if (rank == processes_.rank()) {
      for (const auto& node : partial_sums_) push(node.shards, chunk(node.value, rank));
      continue;
    }
    for (const ShardRange range : nodes_of(shards_of(rank, processes_.count(), shards_), shards_))
      push(range, received_[next++].values());
  }
  const Numbers sum = tree.nodes().front().value, wanted = chunk(numbers_, processes_.rank());
  if (sum.data() != wanted.data()) copy_numbers(wanted, sum);
  received_.clear();
}

void PieceSum::gather_chunks() {
  stage_ = Stage::gathering;
  const Numbers own = chunk(numbers_, processes_.rank());
  for (Index other = 0; other < processes_.count(); ++other)
    if (other != processes_.rank()) processes_.post_receive(gather_exchange(), other, chunk(numbers_, other));
  for (Index other = 0; other < processes_.count(); ++other)
    if (other != processes_.rank()) processes_.post_send(gather_exchange(), other, own);
}

bool PieceSum::advance() {
  if (stage_ == Stage::reducing && processes_.done(reduce_exchange())) {
    add_partial_sums();
    gather_chunks();
  }
  if (stage_ == Stage::gathering && processes_.done(gather_exchange())) stage_ = Stage::done;
  return stage_ == Stage::done;
}

void PieceSum::finish_chunk() {
  if (stage_ != Stage::reducing) return;
  processes_.wait(reduce_exchange());
  add_partial_sums();
  gather_chunks();
}

void PieceSum::finish() {
  finish_chunk();
  if (stage_ == Stage::gathering) processes_.wait(gather_exchange());
  stage_ = Stage::done;
}

}  // namespace regard::translation
