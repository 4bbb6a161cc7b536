#include "apps/terms/term_rule.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "apps/terms/fixed_parts.h"
#include "apps/terms/notes.h"
#include "apps/terms/writing.h"
#include "apps/translation/files/utf8.h"
#include "apps/translation/files/warning.h"
#include "transformer/terms/required_terms.h"

namespace regard::translation {

namespace {

using Ids = std::vector<std::int32_t>;
using Targets = std::vector<TermText>;

/// A placeholder that a translation has to have.
struct Required {
  std::string text;
  Ids ids = {};  ///< as the tokeniser cuts it after another word; empty: the vocabulary cannot write it
  std::vector<std::size_t> cuts = {};  ///< cuts[i]: the bytes of the text that its first i ids write
};

/// The placeholders of all sentences. Threads search sentences at the same time.
class Placeholders {
 public:
  Placeholders(const Writing& writing, const std::vector<std::string>& patterns)
      : writing_(writing), patterns_(fixed_patterns(patterns)) {}

  /// The placeholders and the markup of a source, in its order.
  std::vector<Required> in(std::string_view source) {
    std::vector<Required> result;
    for (const std::string_view part : matches(source)) result.push_back(required(std::string(part)));
    return result;
  }
  std::vector<std::string_view> matches(std::string_view text) const { return patterns_.matches(text); }

 private:
  /// Warns once of a part that the vocabulary cannot write.
  Required required(const std::string& part) {
    Required result{.text = part, .ids = writing_.after_word(part)};
    const std::string written = writing_.text(result.ids);
    const std::size_t begin = std::min(written.find(part), written.size());  // after a blank
    for (std::size_t i = 0; i < result.ids.size(); ++i)
      result.cuts.push_back(std::max(writing_.text(std::span(result.ids).first(i)).size(), begin) - begin);
    if (matches(written) == std::vector<std::string_view>{part}) return result;
    const std::scoped_lock lock(mutex_);
    if (warned_.insert(part).second)
      warn("the target vocabulary cannot write the placeholder {}, so translations may lack it",
           printable(part));
    return {.text = part};
  }

  const Writing& writing_;
  Patterns patterns_;
  std::mutex mutex_;
  std::set<std::string> warned_;
};

/// What all sentences share.
struct AllTerms {
  AllTerms(const TermSettings& settings, const Tokeniser& tokeniser, const Vocabularies& vocabularies)
      : writing(tokeniser, vocabularies), placeholders(writing, settings.placeholders) {
    if (settings.search && !settings.glossary.empty()) load(settings.glossary);
    for (const Term& term : glossary.terms()) writing.check(term.targets, term.place);
  }

  Writing writing;
  Placeholders placeholders;
  Glossary glossary;

 private:
  /// The rule reads a sentence from its tokens, so a term is looked for as the model reads it. Warns of those
  /// that no sentence can have, because the model knows a word of them only as <unk>.
  void load(const std::string& path) {
    std::string first;
    Index others = -1;
    glossary = Glossary::load(path, [&](const TermText& term, const std::string& place) {
      const std::string small = encode_utf8(lowercase(decode_utf8(term.text)));
      std::optional<std::string> read = writing.as_read(term.text);
      if (read && encode_utf8(lowercase(decode_utf8(*read))) != small) return *read;  // normalised
      if (!read && term.any_case) read = writing.as_read(small);
      if (!read && !term.stem && ++others == 0)
        first = fmt::format("{}: \"{}\"", place, printable(term.text));
      return term.text;
    });
    if (others >= 0)
      warn("{}{} cannot be found in a sentence, because the model does not know a word of it", first,
           others == 0 ? "" : fmt::format(" and {} more", others));
  }
};

/// What one sentence has to have.
struct OfSentence {
  std::vector<Required> placeholders = {};
  std::vector<Targets> terms = {};
  Ids beginning = {};
};

class TermRule : public transformer::RequiredTerms {
 public:
  TermRule(std::shared_ptr<const AllTerms> all, OfSentence required)
      : RequiredTerms(forms_of(*all, required.terms), required.terms.empty()
                                                          ? std::make_shared<const transformer::WordEdges>()
                                                          : all->writing.edges()),
        all_(std::move(all)),
        required_(std::move(required)) {}

  bool allows(std::span<const std::int32_t> tokens, std::int32_t next) const override {
    if (tokens.size() < required_.beginning.size()) return next == required_.beginning[tokens.size()];
    const bool ends = next == special::end;
    if (ends && all_->writing.is_open(tokens)) return false;  // before_end would write another word
    if (required_.placeholders.empty()) return true;
    Ids longer(tokens.begin(), tokens.end());
    if (!ends) longer.push_back(next);
    const Found found = find(all_->writing.text(longer));
    const Index wrong = found.wrong + (ends && found.begun != nullptr);
    return wrong == 0 || wrong <= find(all_->writing.text(tokens)).wrong;  // a prefix may have wrong parts
  }

  Ids before_end(std::span<const std::int32_t> tokens) const override {
    // The next token of the beginning may be forbidden, or the length used up.
    if (tokens.size() < required_.beginning.size()) {
      Ids whole(required_.beginning);
      std::ranges::copy(before_end(whole), std::back_inserter(whole));
      return {whole.begin() + std::ssize(tokens), whole.end()};
    }
    State state = state_of(tokens);
    const bool all_terms = state.count == to_index(required_.terms.size());
    if (all_terms && required_.placeholders.empty()) return {};
    const std::string text = all_->writing.text(tokens);
    for (std::size_t i = 0; i < required_.terms.size(); ++i)  // also those that other tokens write
      if (!state.met[i])
        state.met[i] =
            std::ranges::any_of(required_.terms[i], [&](const auto& term) { return term.is_in(text); });
    Ids ids = missing(state, tokens);
    const Ids parts = missing_placeholders(text);
    ids.insert(state.written == 0 ? ids.begin() : ids.end(), parts.begin(), parts.end());
    return ids;
  }

  Index need(std::span<const std::int32_t> tokens) const override {
    const auto written = std::min(tokens.size(), required_.beginning.size());
    const Index of_terms = RequiredTerms::need(tokens) + to_index(required_.beginning.size() - written);
    if (required_.placeholders.empty()) return of_terms;
    return of_terms + to_index(missing_placeholders(all_->writing.text(tokens)).size());
  }
  Ids demands() const override {
    Ids all = RequiredTerms::demands();
    std::ranges::copy(required_.beginning, std::back_inserter(all));
    for (const Required& required : required_.placeholders)
      std::ranges::copy(required.ids, std::back_inserter(all));
    return all;
  }

 private:
  static std::vector<transformer::RequiredTerm> forms_of(const AllTerms& all,
                                                         const std::vector<Targets>& terms) {
    std::vector<transformer::RequiredTerm> required;
    for (const Targets& targets : terms) required.push_back(all.writing.required(targets));
    return required;
  }

  /// What an unfinished translation has of the placeholders.
  struct Found {
    std::vector<const Required*> lacking;  ///< in the order of the source
    Index wrong = 0;                       ///< parts that the source does not have, or not as often
    /// One of those that are lacking, if its first tokens are the end of the text and a part by themselves,
    /// as %1 in %1$s.
    const Required* begun = nullptr;
    std::ptrdiff_t written = 0;  ///< how many of its tokens
  };

  Ids missing_placeholders(const std::string& text) const {
    if (required_.placeholders.empty()) return {};
    const Found found = find(text);
    Ids ids;
    if (found.begun != nullptr) ids.assign(found.begun->ids.begin() + found.written, found.begun->ids.end());
    for (const Required* const required : found.lacking)
      if (required != found.begun) std::ranges::copy(required->ids, std::back_inserter(ids));
    return ids;
  }

  Found find(const std::string& text) const {
    Found found;
    for (const Required& required : required_.placeholders) found.lacking.push_back(&required);
    if (all_->writing.has_form()) found.wrong = in_other_capitals(text);
    for (const std::string_view part : all_->placeholders.matches(text)) {
      const auto same = std::ranges::find(found.lacking, part, &Required::text);
      if (same != found.lacking.end()) {
        found.lacking.erase(same);
        continue;
      }
      const auto tail = static_cast<std::size_t>(text.data() + text.size() - part.data());
      for (const Required* const required : found.lacking)
        for (std::size_t i = 0; i < required->ids.size(); ++i)
          if (required->cuts[i] >= tail && text.ends_with(required->text.substr(0, required->cuts[i])))
            found.begun = required, found.written = to_index(i);
      if (found.begun != nullptr) break;
      ++found.wrong;
    }
    return found;
  }

  /// How often a placeholder stands in the text with other capitals, %S for %s: a mark of the model's did it.
  Index in_other_capitals(std::string_view text) const {
    const auto small = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    const auto same = [&](char one, char other) { return small(one) == small(other); };
    Index count = 0;
    for (const Required& required : required_.placeholders) {
      const std::string_view part = required.text;
      for (auto at = text.begin(); at != text.end(); ++at) {
        at = std::search(at, text.end(), part.begin(), part.end(), same);
        if (at == text.end()) break;
        count += !std::equal(part.begin(), part.end(), at);
      }
    }
    return count;
  }

  std::shared_ptr<const AllTerms> all_;
  OfSentence required_;
};

}  // namespace

transformer::MakeTokenRule keep_terms(const TermSettings& settings, const Tokeniser& tokeniser,
                                      const Vocabularies& vocabularies) {
  const auto all = std::make_shared<AllTerms>(settings, tokeniser, vocabularies);
  const bool keep = settings.keep_placeholders;
  return [all, keep](std::span<const std::int32_t> source) -> std::shared_ptr<const transformer::TokenRule> {
    const std::string text = without_notes(all->writing.source_text(source));
    OfSentence required;
    if (keep) required.placeholders = all->placeholders.in(text);
    std::set<std::size_t> terms;
    for (const Glossary::Match& match : all->glossary.find(text))
      if (terms.insert(match.term).second)
        required.terms.push_back(all->glossary.terms()[match.term].targets);
    if (required.placeholders.empty() && required.terms.empty()) return nullptr;
    return std::make_shared<TermRule>(all, std::move(required));
  };
}

MakeLineRule line_rules(const Tokeniser& tokeniser, const Vocabularies& vocabularies) {
  const auto all = std::make_shared<AllTerms>(TermSettings(), tokeniser, vocabularies);
  return [all](const LineTerms& line) -> std::shared_ptr<const transformer::TokenRule> {
    if (line.beginning.empty() && line.terms.empty()) return nullptr;
    all->writing.check(line.beginning, line.place);
    for (const Targets& targets : line.terms) all->writing.check(targets, line.place);
    return std::make_shared<TermRule>(
        all, OfSentence{.terms = line.terms, .beginning = all->writing.at_beginning(line.beginning)});
  };
}

}  // namespace regard::translation
