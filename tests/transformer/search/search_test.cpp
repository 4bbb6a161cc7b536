// Greedy and beam search: what they return is what the model says of it, and ends where it should; and the
// record of a beam search.
#include "transformer/search/search.h"

#include <algorithm>
#include <map>
#include <set>

#include "autograd/machine/error.h"
#include "tests/catch.h"
#include "tests/transformer/search/search_support.h"

using namespace regard;
using namespace regard::tests;

namespace {

void check_same(const transformer::Hypothesis& got, const transformer::Hypothesis& expected) {
  CHECK(got.tokens == expected.tokens);
  CHECK(got.log_probability == Approx(expected.log_probability).epsilon(1e-12));
  CHECK(got.score == Approx(expected.score).epsilon(1e-12));
}

const std::vector<std::size_t> lengths{3, 1, 5, 0, 4};

/// Moves the logits of one id: with a final norm, the hidden state's first entry is set to 1 by its bias.
void favour(EncoderDecoder& model, std::int32_t id, double logit) {
  const Index d = model.generator.weight.size(1);
  for (Index i = 0; i < model.generator.weight.size(0); ++i)
    model.generator.weight.data()[i * d] = i == id ? logit : 0;
  decoder_of(model).stack.norm->weight.data()[0] = 0;
  decoder_of(model).stack.norm->bias.data()[0] = 1;
}

EncoderDecoder model_with_final_norm(std::uint64_t seed) {
  Config config = small_config();
  config.shared_embeddings = SharedEmbeddings::none;
  config.final_norm = true;
  EncoderDecoder model = make_model(config, seed, 1.0);
  model.eval();
  return model;
}

}  // namespace

TEST_CASE("n-best lists are full, sorted and without repetition") {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    EncoderDecoder model = opinionated_model(9, seed);
    const auto found = beam_search(model, pack_sources(random_sentences(lengths, 9, seed + 100)),
                                   {.beam = 6, .n_best = 6, .max_length_ratio = 1, .max_length_constant = 4});
    for (const auto& list : found) {
      CHECK(list.size() == 6);
      CHECK(std::ranges::is_sorted(list, std::greater<>(), &transformer::Hypothesis::score));
      std::set<Ids> distinct;
      for (const transformer::Hypothesis& hypothesis : list) distinct.insert(hypothesis.tokens);
      CHECK(distinct.size() == list.size());
    }
  }
}

TEST_CASE("sentences are translated together as they are one by one") {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    EncoderDecoder model = opinionated_model(9, seed);
    const std::vector<Ids> sources = random_sentences(lengths, 9, seed + 100);
    const SearchOptions options{.beam = 4, .n_best = 2, .max_length_constant = 3};
    const auto together = beam_search(model, pack_sources(sources), options);
    const auto greedy_together = greedy_search(model, pack_sources(sources), options);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const auto alone = beam_search(model, pack_sources({sources[i]}), options);
      REQUIRE(alone.front().size() == together[i].size());
      for (std::size_t k = 0; k < together[i].size(); ++k) check_same(together[i][k], alone.front()[k]);
      check_same(greedy_together[i], greedy_search(model, pack_sources({sources[i]}), options).front());
    }
  }
}

TEST_CASE("nothing comes after </s>, and <pad> and <s> never come, however likely they are") {
  for (const std::int32_t favourite : {padding_id, sentence_begin_id, sentence_end_id, unknown_id}) {
    EncoderDecoder model = model_with_final_norm(1);
    favour(model, favourite, 30);
    const std::vector<Ids> sources = random_sentences(lengths, 11, 2);
    const Tensor logits = model.logits(make_batch(sources, sources));
    for (Index row = 0; row < logits.size(0); ++row)  // the model would take nothing else
      CHECK(std::ranges::max_element(rows(logits, row, row + 1).values()) -
                rows(logits, row, row + 1).values().begin() ==
            favourite);
    const SearchOptions options{.beam = 3, .n_best = 3};
    auto found = beam_search(model, pack_sources(sources), options);
    for (const auto& hypothesis : greedy_search(model, pack_sources(sources), options))
      found.push_back({hypothesis});
    for (const auto& list : found) {
      for (const transformer::Hypothesis& hypothesis : list)
        for (const std::int32_t token : hypothesis.tokens)
          CHECK((token != padding_id && token != sentence_begin_id && token != sentence_end_id));
      if (favourite == sentence_end_id) CHECK(list.front().tokens.empty());
      if (favourite == unknown_id) CHECK(std::ranges::count(list.front().tokens, unknown_id) >= 10);
    }
  }
}

TEST_CASE("a translation has at most ratio * source + constant tokens, and ends there") {
  EncoderDecoder model = model_with_final_norm(3);
  favour(model, sentence_end_id, -50);  // it never wants to end
  for (const auto& [ratio, constant] :
       {std::pair{2.0, 1}, std::pair{0.0, 5}, std::pair{1.5, 0}, std::pair{0.0, 1}}) {
    const SearchOptions options{
        .beam = 3, .n_best = 3, .max_length_ratio = ratio, .max_length_constant = constant};
    const PackedSequences sources = pack_sources(random_sentences(lengths, 11, 4));
    const auto found = beam_search(model, sources, options);
    const auto greedy = greedy_search(model, sources, options);
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      const double limit = ratio * static_cast<double>(lengths[i]) + constant;
      const std::size_t most = std::max<std::size_t>(1, static_cast<std::size_t>(limit));
      REQUIRE_FALSE(found[i].empty());
      for (const transformer::Hypothesis& hypothesis : found[i]) CHECK(hypothesis.tokens.size() == most);
      CHECK(greedy[i].tokens.size() == most);
      CHECK(greedy[i].log_probability < -40);  // </s> counts with its true probability
    }
  }
}

TEST_CASE("where fewer translations exist than wanted, all are returned") {
  EncoderDecoder model = opinionated_model(5, 5);  // two words and </s>, at most one word: three translations
  const auto found = beam_search(model, pack_sources({{4}, {3, 4}}),
                                 {.beam = 10, .n_best = 10, .max_length_ratio = 0, .max_length_constant = 1});
  for (const auto& list : found) {
    std::set<Ids> translations;
    for (const transformer::Hypothesis& hypothesis : list) translations.insert(hypothesis.tokens);
    CHECK(translations == std::set<Ids>{{}, {3}, {4}});
  }
}

TEST_CASE("no sentences have no translations") {
  EncoderDecoder model = opinionated_model(9, 6);
  CHECK(beam_search(model, {}).empty());
  CHECK(greedy_search(model, {}).empty());
}

TEST_CASE("options that make no search are refused") {
  EncoderDecoder model = opinionated_model(9, 7);
  const PackedSequences source = pack_sources({{4}});
  const auto complaint = [&](const SearchOptions& options) {
    return MESSAGE_OF(beam_search(model, source, options));
  };
  CHECK_CONTAINS(complaint({.beam = 0}), "beam is 0; it must be at least 1");
  CHECK_CONTAINS(complaint({.n_best = 0}), "n_best is 0; it must be from 1 to beam, 4");
  CHECK_CONTAINS(complaint({.beam = 3, .n_best = 4}), "n_best is 4; it must be from 1 to beam, 3");
  const auto both_complain = [&](const SearchOptions& options, const std::string& text) {
    CHECK_CONTAINS(complaint(options), text);
    CHECK_ERROR(greedy_search(model, source, options), text);
  };
  both_complain({.max_length_ratio = -1}, "search: max_length_ratio -1 and");
  both_complain({.max_length_ratio = std::nan("")}, "search: max_length_ratio nan and");
  both_complain({.max_length_constant = -1}, "and max_length_constant -1 must not be negative");
  both_complain({.patience = -1}, "search: patience is -1; it must not be negative");
  both_complain({.patience = std::nan("")}, "search: patience is nan");
  both_complain({.alpha = 10.1}, "search: alpha is 10.1; it must be from -10 to 10");
  both_complain({.alpha = std::nan("")}, "search: alpha is nan; it must be from -10 to 10");
}

TEST_CASE("a length without limit is allowed") {
  EncoderDecoder model = opinionated_model(3, 9);  // <pad>, <s> and </s>: every translation is empty
  for (const double ratio : {1e30, HUGE_VAL}) {
    for (const PackedSequences& source :
         {PackedSequences{{2}, {0, 1}}, PackedSequences{{1, 2}, {0, 2}}, PackedSequences{{}, {0, 0}}}) {
      CHECK(greedy_search(model, source, {.max_length_ratio = ratio}).front().tokens.empty());
      CHECK(beam_search(model, source, {.max_length_ratio = ratio}).front().front().tokens.empty());
    }
  }
}

TEST_CASE("a vocabulary without </s> cannot be searched") {
  EncoderDecoder model = opinionated_model(2, 8);
  const std::string expected = "search: the target vocabulary has 2 entries";
  PackedSequences source;
  source.append(Ids{0, 1});
  CHECK_ERROR(beam_search(model, source), expected);
  CHECK_ERROR(greedy_search(model, source), expected);
}

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
