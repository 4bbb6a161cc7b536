#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "autograd/machine/real.h"
#include "transformer/search/search_options.h"
#include "transformer/terms/trie.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// A word, or some in a row, that a translation has to have.
struct RequiredTerm {
  /// A way to write it.
  struct Form {
    std::vector<std::int32_t> ids;
    bool at_beginning = false;  ///< only a translation's first tokens
    bool stem = false;          ///< its last word may go on
  };
  std::vector<Form> forms;  ///< any of them may come; the first one in place of </s>
};

/// Where words end, for each token of the vocabulary. An empty list: all tokens are whole words.
struct WordEdges {
  std::vector<bool> continues;  ///< the token continues the word of the token before it
  std::vector<bool> goes_on;    ///< the word goes on in the next token

  /// True if a word has the end of `left` and the beginning of `right`.
  bool glued(std::int32_t left, std::int32_t right) const;
};

/// The constraint that a translation has each of some terms, as whole words. A beam search gets a bank for
/// each number of terms that a hypothesis has (Post and Vilar 2018), of which it may be writing the last one.
/// In each step it also looks at the tokens with which a missing term begins or goes on. The terms stand in a
/// trie (Hu et al. 2019, section 3.1). Those that are missing when </s> would come are written in its place.
class RequiredTerms : public TokenRule {
 public:
  RequiredTerms(std::vector<RequiredTerm> terms, std::shared_ptr<const WordEdges> edges);

  Index banks() const override { return to_index(terms_.size()) + 1; }
  Index bank(std::span<const std::int32_t> tokens, std::int32_t next) const override;
  std::vector<std::int32_t> wanted(std::span<const std::int32_t> tokens) const override;
  std::vector<std::int32_t> before_end(std::span<const std::int32_t> tokens) const override;
  Index need(std::span<const std::int32_t> tokens) const override;  ///< a term that is begun may be given up
  std::vector<std::int32_t> demands() const override;

  /// What an unfinished translation has of the terms.
  struct State {
    std::vector<bool> met;                   ///< for each term
    Index count = 0;                         ///< of those that are met
    Index begun = Trie<std::int32_t>::root;  ///< the node of the last tokens, if a missing term begins so
    std::size_t written = 0;                 ///< how many tokens these are
  };
  /// A search asks for the same rows several times in a step, so the states of one length are kept. So one
  /// thread at a time may ask a rule.
  const State& state_of(std::span<const std::int32_t> tokens) const;
  /// The rest of a term that is begun, if there is one, and then those that are missing.
  std::vector<std::int32_t> missing(const State& state, std::span<const std::int32_t> tokens) const;

 private:
  /// A form that ends in a node of the trie, or below it.
  struct Ending {
    std::size_t term;
    bool at_beginning, stem;
  };
  State read(std::span<const std::int32_t> tokens) const;
  bool begins(std::int32_t token) const { return to_size(token) < begins_.size() && begins_[to_size(token)]; }
  bool leads_on(Index node, const State& state, bool at_beginning) const;

  std::vector<RequiredTerm> terms_;
  std::shared_ptr<const WordEdges> edges_;
  Trie<std::int32_t> trie_;
  std::vector<bool> begins_;  ///< for each token up to the greatest one: some form begins with it
  std::vector<std::vector<Ending>> endings_, below_;  ///< for each node; below_: without those in it
  mutable std::vector<std::pair<std::vector<std::int32_t>, State>> states_;
};

}}}  // namespace regard::REGARD_PRECISION::transformer
