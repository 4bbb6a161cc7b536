#include "transformer/terms/required_terms.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "autograd/machine/error.h"
#include "transformer/batch.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

namespace {
using Ids = std::vector<std::int32_t>;
}  // namespace

bool WordEdges::glued(std::int32_t left, std::int32_t right) const {
  return !continues.empty() && (continues[to_size(right)] || goes_on[to_size(left)]);
}

RequiredTerms::RequiredTerms(std::vector<RequiredTerm> terms, std::shared_ptr<const WordEdges> edges)
    : terms_(std::move(terms)), edges_(std::move(edges)) {
  for (std::size_t term = 0; term < terms_.size(); ++term)
    for (const RequiredTerm::Form& form : terms_[term].forms) {
      const Ending ending{term, form.at_beginning, form.stem};
      begins_.resize(std::max(begins_.size(), to_size(form.ids.front()) + 1));
      begins_[to_size(form.ids.front())] = true;
      const auto end = to_size(trie_.add(form.ids));
      endings_.resize(to_size(trie_.nodes()));
      below_.resize(to_size(trie_.nodes()));
      endings_[end].push_back(ending);
      Index node = Trie<std::int32_t>::root;
      for (const std::int32_t id : form.ids) {
        below_[to_size(node)].push_back(ending);
        node = trie_.next(node, id);
      }
    }
}

bool RequiredTerms::leads_on(Index node, const State& state, bool at_beginning) const {
  return std::ranges::any_of(below_[to_size(node)], [&](const Ending& ending) {
    return !state.met[ending.term] && (at_beginning || !ending.at_beginning);
  });
}

/// From left to right, the longest missing term at each place; the next one begins behind it.
RequiredTerms::State RequiredTerms::read(std::span<const std::int32_t> tokens) const {
  State state{.met = std::vector<bool>(terms_.size())};
  std::vector<std::pair<std::size_t, Index>> begun;  // places and nodes of terms that reach the end
  const auto glued = [&](std::size_t place) { return edges_->glued(tokens[place - 1], tokens[place]); };
  for (std::size_t begin = 0, end = 0; begin < tokens.size(); begin = std::max(end, begin + 1)) {
    if (!begins(tokens[begin]) || (begin > 0 && glued(begin))) continue;
    Index node = Trie<std::int32_t>::root;
    std::size_t found = terms_.size();
    for (std::size_t i = begin; node != Trie<std::int32_t>::none && i < tokens.size();) {
      node = trie_.next(node, tokens[i++]);
      if (node == Trie<std::int32_t>::none) break;
      const bool whole = i == tokens.size() || !glued(i);
      for (const Ending& ending : endings_[to_size(node)])
        if (!state.met[ending.term] && (whole || ending.stem) && (begin == 0 || !ending.at_beginning))
          found = ending.term, end = i;
    }
    if (found < terms_.size()) {
      state.met[found] = true;
      ++state.count;
    } else if (node != Trie<std::int32_t>::none) {
      begun.emplace_back(begin, node);
    }
  }
  for (const auto& [begin, node] : begun)  // a later place may have met the term in another form
    if (leads_on(node, state, begin == 0)) {
      state.begun = node;
      state.written = tokens.size() - begin;
      break;
    }
  return state;
}

const RequiredTerms::State& RequiredTerms::state_of(std::span<const std::int32_t> tokens) const {
  if (!states_.empty() && states_.front().first.size() != tokens.size()) states_.clear();
  for (const auto& [known, state] : states_)
    if (std::equal(known.begin(), known.end(), tokens.begin())) return state;
  return states_.emplace_back(Ids(tokens.begin(), tokens.end()), read(tokens)).second;
}

Index RequiredTerms::bank(std::span<const std::int32_t> tokens, std::int32_t next) const {
  const State& before = state_of(tokens);
  const bool ends_word = tokens.empty() || !edges_->glued(tokens.back(), next);
  if (ends_word && before.begun == Trie<std::int32_t>::root && !begins(next)) return before.count;
  Ids longer(tokens.begin(), tokens.end());
  longer.push_back(next);
  const State state = read(longer);
  return state.count + (state.begun != Trie<std::int32_t>::root);
}

Ids RequiredTerms::wanted(std::span<const std::int32_t> tokens) const {
  const State& state = state_of(tokens);
  Ids ids;
  for (const auto& [id, node] : trie_.children(state.begun)) {
    const auto leads = [&](const Ending& ending) {
      return !state.met[ending.term] && (tokens.empty() || !ending.at_beginning);
    };
    const bool ends = std::ranges::any_of(endings_[to_size(node)], leads);
    if (ends || leads_on(node, state, tokens.empty())) ids.push_back(id);
  }
  return ids;
}

Ids RequiredTerms::missing(const State& state, std::span<const std::int32_t> tokens) const {
  Ids begun, others;
  const auto end = tokens.last(state.written);
  for (std::size_t term = 0; term < terms_.size(); ++term) {
    if (state.met[term]) continue;
    const auto goes_on = [&](const RequiredTerm::Form& form) {
      return form.ids.size() > end.size() && std::equal(end.begin(), end.end(), form.ids.begin());
    };
    const std::vector<RequiredTerm::Form>& forms = terms_[term].forms;
    const auto form = begun.empty() && !end.empty() ? std::ranges::find_if(forms, goes_on) : forms.end();
    if (form != forms.end())
      begun.assign(form->ids.begin() + std::ssize(end), form->ids.end());
    else
      std::ranges::copy(forms.front().ids, std::back_inserter(others));
  }
  begun.insert(begun.end(), others.begin(), others.end());
  return begun;
}

Ids RequiredTerms::before_end(std::span<const std::int32_t> tokens) const {
  return missing(state_of(tokens), tokens);
}

Index RequiredTerms::need(std::span<const std::int32_t> tokens) const {
  const State& state = state_of(tokens);
  Index sum = 0;
  for (std::size_t term = 0; term < terms_.size(); ++term) {
    std::size_t longest = 0;
    for (const RequiredTerm::Form& form : terms_[term].forms) longest = std::max(longest, form.ids.size());
    if (!state.met[term]) sum += to_index(longest);
  }
  return sum;
}

Ids RequiredTerms::demands() const {
  Ids all;
  for (const RequiredTerm& term : terms_)
    for (const RequiredTerm::Form& form : term.forms) std::ranges::copy(form.ids, std::back_inserter(all));
  return all;
}

}}}  // namespace regard::REGARD_PRECISION::transformer
