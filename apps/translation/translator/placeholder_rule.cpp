#include "apps/translation/translator/placeholder_rule.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string_view>
#include <utility>

#include "apps/translation/files/utf8.h"
#include "apps/translation/files/warning.h"
#include "apps/translation/text/fixed_parts.h"
#include "autograd/machine/error.h"

namespace regard::translation {

namespace {

using Ids = std::vector<std::int32_t>;

/// The number of places where a text has a part. They may overlap, as %1 and %1 in "%1%1", and %1 in %10.
Index count_in(std::string_view text, std::string_view part) {
  Index count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

/// What each token of the target vocabulary adds to a translation: " %s", "s".
std::vector<std::string> token_texts(const Tokeniser& tokeniser, const Vocabulary& vocabulary) {
  std::vector<std::string> texts;
  for (Index id = 0; id < vocabulary.size(); ++id) {
    const std::string text = tokeniser.join({"a", vocabulary.token(id)});
    texts.push_back(text.substr(std::min<std::size_t>(1, text.size())));
  }
  return texts;
}

/// A placeholder of a source.
struct Required {
  std::string text;
  Ids ids;      ///< as the tokeniser cuts it
  Index times;  ///< that the source has it
};

/// What all sentences share. Threads search sentences at the same time.
class Placeholders {
 public:
  Placeholders(const Tokeniser& tokeniser, const Vocabularies& vocabularies,
               const std::vector<std::string>& patterns)
      : tokeniser_(tokeniser),
        vocabularies_(vocabularies),
        patterns_(fixed_patterns(patterns)),
        texts_(token_texts(tokeniser, vocabularies.target)) {
    for (std::size_t id = special::count; id < texts_.size(); ++id) {
      const auto token = static_cast<std::int32_t>(id);
      by_text_.emplace(texts_[id], token);
      if (std::vector<std::string> found = parts_of(texts_[id]); !found.empty())
        marked_.emplace_back(token, std::move(found));
    }
  }

  /// The placeholders and the markup of a source that the target vocabulary can write, the longest first,
  /// because it may contain another one, as %10 contains %1.
  std::vector<Required> in(std::span<const std::int32_t> source) {
    std::vector<std::string> tokens = vocabularies_.source.tokens(source.first(source.size() - 1));
    for (std::size_t i = 0; i < tokens.size(); ++i)
      if (source[i] < special::count) tokens[i] = "?";  // <unk> is no tag of the source
    const std::string text = tokeniser_.join(tokens);
    std::vector<std::string> all = parts_of(text);
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    std::ranges::stable_sort(all, std::ranges::greater(), &std::string::size);
    std::vector<Required> result;
    for (const std::string& part : all)
      if (Ids ids = ids_of(part); !ids.empty())
        result.push_back({part, std::move(ids), count_in(text, part)});
    return result;
  }
  const std::string& text(std::int32_t token) const { return texts_[to_size(token)]; }

  /// The tokens that have a placeholder which is neither among the required ones nor the beginning of one.
  Ids foreign(const std::vector<Required>& required) const {
    Ids result;
    for (const auto& [token, parts] : marked_)
      if (!std::ranges::all_of(parts, [&](const std::string& part) {
            return std::ranges::any_of(required, [&](const auto& of) { return of.text.starts_with(part); });
          }))
        result.push_back(token);
    return result;
  }

  /// Calls visit(token) for the tokens that can complete a placeholder at the end of a text: those that have
  /// one by themselves, and those that begin with the rest of it.
  template <class Visit>
  void visit_completing(std::string_view tail, std::string_view placeholder, const Visit& visit) const {
    for (const auto& [token, parts] : marked_) visit(token);
    for (std::size_t begun = 1; begun < placeholder.size(); ++begun) {
      if (!tail.ends_with(placeholder.substr(0, begun))) continue;
      const std::string_view rest = placeholder.substr(begun);
      for (auto i = by_text_.lower_bound(rest); i != by_text_.end() && i->first.starts_with(rest); ++i)
        visit(i->second);
    }
  }

 private:
  std::vector<std::string> parts_of(const std::string& text) const {
    FixedParts parts = fixed_parts(text, patterns_);
    std::ranges::move(parts.markup, std::back_inserter(parts.placeholders));
    return parts.placeholders;
  }
  /// A placeholder as the tokeniser cuts it. Nothing, with one warning, if the vocabulary cannot write it.
  Ids ids_of(const std::string& part) {
    Ids ids = vocabularies_.target.ids(tokeniser_.split_target(part));
    std::string written;
    for (const std::int32_t id : ids) written += text(id);
    if (count_in(written, part) == 1) return ids;
    const std::scoped_lock lock(mutex_);
    if (warned_.insert(part).second)
      warn("warning: the target vocabulary cannot write the placeholder {}, so translations may lack it",
           printable(part));
    return {};
  }

  const Tokeniser& tokeniser_;
  const Vocabularies& vocabularies_;
  Patterns patterns_;
  std::vector<std::string> texts_;
  std::multimap<std::string_view, std::int32_t> by_text_;
  std::vector<std::pair<std::int32_t, std::vector<std::string>>> marked_;  ///< tokens that have placeholders
  std::mutex mutex_;
  std::set<std::string> warned_;
};

class PlaceholderRule : public transformer::TokenRule {
 public:
  PlaceholderRule(std::shared_ptr<const Placeholders> all, std::vector<Required> required)
      : all_(std::move(all)), required_(std::move(required)), foreign_(all_->foreign(required_)) {}

  std::optional<std::int32_t> restrict(std::span<const std::int32_t> tokens, Index left,
                                       Ids& forbidden) const override {
    forbidden.insert(forbidden.end(), foreign_.begin(), foreign_.end());
    std::string text;
    for (const std::int32_t token : tokens) text += all_->text(token);
    Index needed = 0;  // tokens for all that is missing
    const Required* missing = nullptr;
    for (const Required& required : required_) {
      const Index lacking = required.times - count_in(text, required.text);
      // No token may come after which the text would have it more often than that.
      const std::string tail = text.substr(text.size() - std::min(text.size(), required.text.size() - 1));
      all_->visit_completing(tail, required.text, [&](std::int32_t token) {
        if (count_in(tail + all_->text(token), required.text) > std::max<Index>(lacking, 0))
          forbidden.push_back(token);
      });
      if (lacking <= 0) continue;
      needed += lacking * std::ssize(required.ids);
      if (missing == nullptr || begun(required, tokens) > begun(*missing, tokens)) missing = &required;
    }
    if (missing == nullptr) return {};
    if (left <= needed) return missing->ids[begun(*missing, tokens)];
    forbidden.push_back(special::end);
    return {};
  }

  Ids demands() const override {
    Ids all;
    for (const Required& required : required_) std::ranges::copy(required.ids, std::back_inserter(all));
    return all;
  }

 private:
  /// The number of tokens at the end that are the beginning of this placeholder.
  static std::size_t begun(const Required& required, std::span<const std::int32_t> tokens) {
    for (std::size_t n = std::min(required.ids.size() - 1, tokens.size()); n > 0; --n)
      if (std::ranges::equal(tokens.last(n), std::span(required.ids).first(n))) return n;
    return 0;
  }

  std::shared_ptr<const Placeholders> all_;
  std::vector<Required> required_;
  Ids foreign_;
};

}  // namespace

transformer::MakeTokenRule keep_placeholders(const Tokeniser& tokeniser, const Vocabularies& vocabularies,
                                             const std::vector<std::string>& patterns) {
  const auto all = std::make_shared<Placeholders>(tokeniser, vocabularies, patterns);
  return [all](std::span<const std::int32_t> source) -> std::shared_ptr<const transformer::TokenRule> {
    return std::make_shared<PlaceholderRule>(all, all->in(source));
  };
}

transformer::SearchOptions decoding_of(const Settings& settings, const Tokeniser& tokeniser,
                                       const Vocabularies& vocabularies) {
  transformer::SearchOptions options = settings.decoding;
  options.make_rule = {};
  if (settings.placeholders.keep && settings.model.reads_images())
    fail("keep_placeholders: this model reads images, which have no placeholders; leave it out");
  if (settings.placeholders.keep)
    options.make_rule = keep_placeholders(tokeniser, vocabularies, settings.placeholders.patterns);
  return options;
}

}  // namespace regard::translation
