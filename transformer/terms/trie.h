#pragma once

#include <map>
#include <span>
#include <vector>

#include "autograd/machine/error.h"
#include "autograd/machine/real.h"

namespace regard {

/// Sequences as paths from a root, so that all that begin alike are compared at once. A node is a number.
template <class Symbol>
class Trie {
 public:
  static constexpr Index root = 0, none = -1;

  /// Adds a path and returns the node at its end.
  Index add(std::span<const Symbol> sequence) {
    Index node = root;
    for (const Symbol symbol : sequence) {
      const auto [child, is_new] = children_[to_size(node)].try_emplace(symbol, to_index(children_.size()));
      node = child->second;
      if (is_new) children_.emplace_back();
    }
    return node;
  }
  /// The node after `node`; none: no path goes on with this symbol.
  Index next(Index node, Symbol symbol) const {
    const auto& children = children_[to_size(node)];
    const auto child = children.find(symbol);
    return child == children.end() ? none : child->second;
  }
  /// The symbols that go on after a node, each with the node after it.
  const std::map<Symbol, Index>& children(Index node) const { return children_[to_size(node)]; }
  Index nodes() const { return to_index(children_.size()); }  ///< with the root

 private:
  std::vector<std::map<Symbol, Index>> children_{1};
};

}  // namespace regard
