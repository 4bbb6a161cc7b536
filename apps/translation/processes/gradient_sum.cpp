#include "apps/translation/processes/gradient_sum.h"

#include <algorithm>

#include "autograd/error.h"
#include "autograd/parallel.h"
#include "autograd/profile.h"
#include "nn/optimisers.h"

namespace regard::translation {

namespace {

void set_to_zero(std::span<Real> numbers) {
  parallel_for(to_index(numbers.size()), Index{1} << 14, [=](Index begin, Index end) {
    std::fill(numbers.data() + begin, numbers.data() + end, Real{0});
  });
}

}  // namespace

Index numbers_per_piece(Index processes) { return std::max(Index{1} << 18, processes << 16); }

GradientSum::GradientSum(const Tensor& gradient, Index shards, Processes& processes, Index piece)
    : gradient_(gradient.values()),
      shards_(shards),
      next_(shards_of(processes.rank(), processes.count(), shards).first),
      tree_(shards),
      piece_(piece) {
  for (Index begin = 0; begin < gradient.size(); begin += piece) {
    missing_.push_back(std::min(piece, gradient.size() - begin));
    pieces_.emplace_back(gradient_.subspan(to_size(begin), to_size(missing_.back())),
                         to_index(pieces_.size()), shards, processes);
  }
}

void GradientSum::add_shard() {
  const Span span("GradientSum::add_shard", Span::Kind::other);
  tree_.push({next_, next_ + 1}, gradient_, [](Numbers left, Numbers right) {
    add_numbers(left, right);
    return left;
  });
  ++next_;
  if (Numbers& newest = tree_.nodes().back().value; newest.data() == gradient_.data()) {
    buffers_.push_back(Tensor::empty({to_index(gradient_.size())}));
    copy_numbers(buffers_.back().values(), gradient_);
    newest = buffers_.back().values();
  }
  set_to_zero(gradient_);
}

void GradientSum::add_part(std::span<const Real> part) {
  const Span span("GradientSum::add_part", Span::Kind::other);
  const Index begin = part.data() - gradient_.data();
  const Index end = std::min(nn::padded(begin + to_index(part.size())), to_index(gradient_.size()));
  if (begin < 0 || begin >= end) fail("GradientSum::add_part: these numbers are not in the gradient");
  for (Index piece = begin / piece_; piece * piece_ < end; ++piece) {
    Index& missing = missing_[to_size(piece)];
    missing -= std::min(end, (piece + 1) * piece_) - std::max(begin, piece * piece_);
    if (missing == 0) start(pieces_[to_size(piece)]);
  }
  for (PieceSum& piece : pieces_) piece.advance();
}

void GradientSum::start(PieceSum& piece) {
  const auto first = to_size(piece.numbers().data() - gradient_.data());
  TreeSum<Numbers> tree(shards_);
  // x + y and y + x have the same bits. So the last sum can be made in the gradient's memory, where it is
  // wanted.
  const auto merge = [](Numbers left, Numbers right) {
    add_numbers(right, left);
    return right;
  };
  for (const auto& node : tree_.nodes())
    tree.push(node.shards, node.value.subspan(first, piece.numbers().size()), merge);
  tree.push({next_, next_ + 1}, piece.numbers(), merge);
  piece.start(tree.nodes());
}

void GradientSum::finish() {
  const Span span("GradientSum::finish", Span::Kind::other);
  for (PieceSum& piece : pieces_)
    if (!piece.started()) start(piece);
  for (PieceSum& piece : pieces_) piece.finish_chunk();
  for (PieceSum& piece : pieces_) piece.finish();
}

}  // namespace regard::translation
