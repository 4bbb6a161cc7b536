#include "apps/terms/writing.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "apps/translation/files/utf8.h"
#include "autograd/machine/error.h"

namespace regard::translation {

namespace {

using Ids = std::vector<std::int32_t>;
using Texts = std::vector<std::string>;

const std::string some_word = "a";

std::string small(std::string_view text) { return encode_utf8(lowercase(decode_utf8(text))); }

/// The text with a capital first letter, and in capitals.
std::array<std::string, 2> with_capitals(std::string_view text) {
  std::u32string first = decode_utf8(text), all = first;
  if (!first.empty()) first.front() = uppercase(first.front());
  std::ranges::transform(all, all.begin(), [](char32_t c) { return uppercase(c); });
  return {encode_utf8(first), encode_utf8(all)};
}

bool can_write(const Ids& ids) { return std::ranges::find(ids, special::unknown) == ids.end(); }

[[noreturn]] void fail_to_write(const std::string& text, const std::string& place) {
  fail("{}: the vocabulary of the model cannot write \"{}\"; write it in another way, or leave it out", place,
       printable(text));
}

}  // namespace

Writing::Writing(const Tokeniser& tokeniser, const Vocabularies& vocabularies)
    : tokeniser_(tokeniser), vocabularies_(vocabularies), before_(tokeniser.split_target(some_word)) {}

std::string Writing::source_text(std::span<const std::int32_t> source) const {
  Texts tokens = vocabularies_.source.tokens(source.first(source.size() - 1));
  for (std::size_t i = 0; i < tokens.size(); ++i)
    if (source[i] < special::count) tokens[i] = "?";  // <unk> is no tag of the source
  return tokeniser_.join(tokens);
}

std::optional<std::string> Writing::as_read(const std::string& text) const {
  const Texts before = tokeniser_.split(some_word), tokens = tokeniser_.split(some_word + " " + text);
  if (tokens.size() < before.size()) return std::nullopt;
  const Ids ids = vocabularies_.source.ids(tokens);
  if (!can_write({ids.begin() + std::ssize(before), ids.end()})) return std::nullopt;
  const std::string word = tokeniser_.join(before) + " ", all = tokeniser_.join(tokens);
  return all.starts_with(word) && all.size() > word.size() ? all.substr(word.size()) : text;
}

Ids Writing::after_word(const std::string& text) const {
  const char* const gap = is_ideographic(decode_utf8(text, 0).value) ? "" : " ";
  Ids ids = at_beginning(some_word + gap + text);
  ids.erase(ids.begin(), ids.begin() + to_index(std::min(before_.size(), ids.size())));
  return ids;
}

Ids Writing::at_beginning(const std::string& text) const {
  return vocabularies_.target.ids(tokeniser_.split_target(text));
}

bool Writing::is_open(std::span<const std::int32_t> tokens) const {
  if (!has_form()) return false;
  Ids longer(tokens.begin(), tokens.end());
  std::ranges::copy(after_word(some_word), std::back_inserter(longer));
  return !text(longer).ends_with(some_word);
}

void Writing::check(const std::string& beginning, const std::string& place) const {
  if (!can_write(at_beginning(beginning))) fail_to_write(beginning, place);
}

void Writing::check(const std::vector<TermText>& targets, const std::string& place) const {
  for (const TermText& target : targets) {
    const Ids ids = after_word(target.text);
    TermText as_written = target;
    as_written.any_case = true;  // a tokeniser may have small letters only
    const bool as_cut = !ids.empty() && can_write(ids) && as_written.is_in(text(ids));
    if (!as_cut && !(target.stem && !words(target).empty())) fail_to_write(target.text, place);
  }
}

std::span<const Writing::Word> Writing::words(const TermText& term) const {
  std::call_once(looked_, [this] { look_at_tokens(); });
  const std::string word = small(term.text);
  const auto begin = std::ranges::lower_bound(words_, word, {}, &Word::first);
  const auto end = std::find_if_not(begin, words_.end(), [&](const Word& other) {
    return term.stem ? other.first.starts_with(word) : other.first == word;
  });
  return {begin, end};
}

transformer::RequiredTerm Writing::required(const std::vector<TermText>& targets) const {
  transformer::RequiredTerm result;
  const auto add = [&](const std::string& term, bool stem) {
    const Ids after = after_word(term), first = at_beginning(term);
    if (can_write(after)) result.forms.push_back({.ids = after, .stem = stem});
    if (first != after && can_write(first))
      result.forms.push_back({.ids = first, .at_beginning = true, .stem = stem});
  };
  const auto add_with_marks = [&](const TermText& target, const std::string& term, bool stem) {
    if (!target.any_case || !has_form()) return;
    for (const std::string& other : with_capitals(term))
      if (other != term) add(other, stem);
  };
  for (const TermText& target : targets) {
    add(target.text, target.stem);
    add_with_marks(target, target.text, target.stem);
    for (const auto& [word, id] : words(target)) {
      const std::string written = text({&id, 1});
      const bool same_case = written.starts_with(target.text);
      if (same_case || target.any_case) result.forms.push_back({.ids = {id}, .at_beginning = !same_case});
      if (written != target.text) add_with_marks(target, written, false);
    }
  }
  return result;
}

std::shared_ptr<const transformer::WordEdges> Writing::edges() const {
  std::call_once(looked_, [this] { look_at_tokens(); });
  return edges_;
}

void Writing::look_at_tokens() const {
  const Vocabulary& target = vocabularies_.target;
  Texts after = tokeniser_.split_target(some_word + " " + some_word);
  after.erase(after.begin(), after.begin() + std::ssize(before_));
  const std::string begin = tokeniser_.join(before_);
  transformer::WordEdges edges{std::vector<bool>(to_size(target.size())),
                               std::vector<bool>(to_size(target.size()))};
  for (Index id = special::count; id < target.size(); ++id) {
    Texts tokens = before_;
    tokens.push_back(target.token(id));
    const std::string with_word = tokeniser_.join(tokens);
    tokens.assign(1, target.token(id));
    tokens.insert(tokens.end(), after.begin(), after.end());
    const std::string with_next = tokeniser_.join(tokens);
    const auto token = static_cast<std::int32_t>(id);
    if (is_open({&token, 1})) {
      edges.goes_on[to_size(id)] = true;
      continue;
    }
    if (find_invalid_utf8(with_word) || find_invalid_utf8(with_next) || with_word.size() <= begin.size())
      continue;
    const std::string own = with_word.substr(begin.size());  // with its blank
    edges.continues[to_size(id)] = in_word(decode_utf8(own, 0).value);
    const std::size_t end = with_next.size() - std::min(with_next.size(), begin.size());
    edges.goes_on[to_size(id)] = end > 0 && in_word(character_before(with_next, end).value);
    if (own.front() == ' ' && !edges.goes_on[to_size(id)])
      words_.emplace_back(small(own.substr(1)), static_cast<std::int32_t>(id));
  }
  std::ranges::sort(words_);
  edges_ = std::make_shared<const transformer::WordEdges>(std::move(edges));
}

}  // namespace regard::translation
