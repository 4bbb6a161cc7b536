// The record of a beam search.
#include <algorithm>
#include <map>
#include <set>

#include "autograd/error.h"
#include "tests/catch.h"
#include "tests/transformer/search/search_support.h"

using namespace regard;
using namespace regard::tests;

namespace {

using State = SearchNode::State;

/// The tokens from the beginning to a node.
Ids tokens_of(const std::map<Index, SearchNode>& nodes, Index id) {
  Ids tokens;
  for (; id >= 0; id = nodes.at(id).parent) tokens.insert(tokens.begin(), nodes.at(id).token);
  return tokens;
}

}  // namespace

TEST_CASE("the tree of a search has its hypotheses, its beam and its result") {
  EncoderDecoder model = opinionated_model(15, 2, 2);
  const std::vector<Ids> sources = random_sentences({2, 6, 4}, 15, 6);
  const SearchOptions options{.beam = 3, .n_best = 2};
  std::vector<SearchTree> trees;
  const auto found = beam_search(model, pack_sources(sources), options, {}, &trees);
  const auto unrecorded = beam_search(model, pack_sources(sources), options);
  REQUIRE(trees.size() == sources.size());
  for (std::size_t i = 0; i < sources.size(); ++i) {
    std::map<Index, SearchNode> nodes;
    std::set<Index> alive{-1};
    std::vector<std::pair<double, Ids>> ended;
    for (std::size_t length = 1; length <= trees[i].size(); ++length) {
      const std::vector<SearchNode>& step = trees[i][length - 1];
      std::set<Index> now;
      for (std::size_t k = 0; k < step.size(); ++k) {
        const SearchNode& node = step[k];
        CHECK(node.id == to_index(nodes.size()));
        CHECK(alive.contains(node.parent));
        nodes.emplace(node.id, node);
        CHECK((node.state == State::pruned) == (k >= 3));
        CHECK((node.state == State::ended) == (k < 3 && node.token == sentence_end_id));
        if (k > 0) CHECK(node.log_probability <= step[k - 1].log_probability);
        if (node.state == State::alive) now.insert(node.id);
        Ids tokens = tokens_of(nodes, node.id);
        CHECK(tokens.size() == length);
        if (node.state != State::ended) continue;
        tokens.pop_back();
        CHECK(node.log_probability == Approx(forced_log_probabilities(model, sources[i], {tokens}).front()));
        ended.emplace_back(node.log_probability / penalty(options, tokens.size()), tokens);
      }
      CHECK(step.size() >= 3);
      CHECK(step.size() <= 6);
      alive = now;
    }
    std::ranges::sort(ended, std::greater<>());
    REQUIRE(ended.size() >= 2);
    for (std::size_t n = 0; n < 2; ++n) {
      CHECK(ended[n].second == found[i][n].tokens);
      CHECK(ended[n].first == Approx(found[i][n].score));
      CHECK(unrecorded[i][n].tokens == found[i][n].tokens);  // to record a search changes nothing
      CHECK(unrecorded[i][n].score == found[i][n].score);
    }
  }
}

TEST_CASE("the tree of a search with a prefix begins with it") {
  EncoderDecoder model = opinionated_model(15, 2, 2);
  std::vector<SearchTree> trees;
  beam_search(model, pack_sources({{4, 5, 6}}), {.beam = 3}, std::vector<Prefix>{{9, 5}}, &trees);
  const SearchTree& tree = trees.front();
  REQUIRE(tree.size() > 2);
  REQUIRE(tree[0].size() == 1);
  CHECK(tree[0][0].token == 9);
  CHECK(tree[0][0].parent == -1);
  REQUIRE(tree[1].size() == 1);
  CHECK(tree[1][0].token == 5);
  CHECK(tree[1][0].parent == 0);
  CHECK(tree[2].size() == 5);  // one hypothesis has beam + 2 candidates, without <pad> and <s>
}
