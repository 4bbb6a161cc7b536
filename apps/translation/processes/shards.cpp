#include "apps/translation/processes/shards.h"

#include <numeric>

#include "autograd/error.h"

namespace regard::translation {

std::vector<ShardRange> nodes_of(ShardRange own, Index shards) {
  TreeSum<Index> tree(shards);
  for (Index shard = own.first; shard < own.end; ++shard)
    tree.push({shard, shard + 1}, 0, [](Index, Index) { return Index{0}; });
  std::vector<ShardRange> result;
  for (const auto& node : tree.nodes()) result.push_back(node.shards);
  return result;
}

double tree_sum(const std::vector<double>& values) {
  TreeSum<double> tree(to_index(values.size()));
  for (std::size_t i = 0; i < values.size(); ++i)
    tree.push({to_index(i), to_index(i) + 1}, values[i], std::plus<>());
  return tree.nodes().front().value;
}

std::vector<std::size_t> cut_into_shards(const std::vector<Index>& lengths, Index shards) {
  const Index total = std::accumulate(lengths.begin(), lengths.end(), Index{0});
  std::vector<std::size_t> begins(to_size(shards) + 1, lengths.size());
  begins.front() = 0;
  // A length belongs to the piece in which its middle lies.
  Index before = 0, piece = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const Index middle =
        std::min(shards * (2 * before + lengths[i]) / std::max<Index>(2 * total, 1), shards - 1);
    while (piece < middle) begins[to_size(++piece)] = i;
    before += lengths[i];
  }
  return begins;
}

}  // namespace regard::translation
