#include "apps/translation/translator/placeholder_rule.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
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

/// A placeholder and the tokens that can complete it.
struct Placeholder {
  std::string text;
  Ids ids;  ///< as the tokeniser cuts it; empty if the vocabulary cannot write it
  /// after[n]: the tokens that begin with the rest of the placeholder after its first n bytes. after[0]: the
  /// tokens that have all of it.
  std::vector<Ids> after;
};

Placeholder make_placeholder(const std::string& text, const Tokeniser& tokeniser,
                             const Vocabulary& vocabulary, const std::vector<std::string>& texts) {
  Placeholder result{text, vocabulary.ids(tokeniser.split_target(text)), std::vector<Ids>(text.size())};
  std::string written;
  for (const std::int32_t id : result.ids) written += texts[to_size(id)];
  if (count_in(written, text) != 1) {
    warn("warning: the target vocabulary cannot write the placeholder {}, so translations may lack it",
         printable(text));
    result.ids.clear();
  }
  for (std::size_t id = 0; id < texts.size(); ++id) {
    const std::string_view token = texts[id];
    if (token.find(text) != std::string_view::npos) result.after[0].push_back(static_cast<std::int32_t>(id));
    for (std::size_t n = 1; n < text.size(); ++n)
      if (token.starts_with(std::string_view(text).substr(n)))
        result.after[n].push_back(static_cast<std::int32_t>(id));
  }
  return result;
}

/// What all sentences share: the texts of the tokens, and the placeholders so far. Threads search sentences
/// at the same time.
class Placeholders {
 public:
  Placeholders(const Tokeniser& tokeniser, const Vocabularies& vocabularies,
               const std::vector<std::string>& patterns)
      : tokeniser_(tokeniser),
        vocabularies_(vocabularies),
        patterns_(fixed_patterns(patterns)),
        texts_(token_texts(tokeniser, vocabularies.target)) {
    for (std::size_t id = special::count; id < texts_.size(); ++id)
      if (std::vector<std::string> found = parts_of(texts_[id]); !found.empty())
        marked_.emplace_back(static_cast<std::int32_t>(id), std::move(found));
  }

  /// The placeholders and the markup of a source, the longest first, with the number of each.
  std::vector<std::pair<const Placeholder*, Index>> in(std::span<const std::int32_t> source) {
    std::vector<std::string> tokens = vocabularies_.source.tokens(source.first(source.size() - 1));
    for (std::size_t i = 0; i < tokens.size(); ++i)
      if (source[i] < special::count) tokens[i] = "?";  // <unk> is no tag of the source
    const std::string text = tokeniser_.join(tokens);
    std::vector<std::string> all = parts_of(text);
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    // The longest first, because it may contain another one, as %10 contains %1.
    std::ranges::stable_sort(all, std::ranges::greater(), &std::string::size);
    std::vector<std::pair<const Placeholder*, Index>> result;
    for (const std::string& part : all)
      if (const Placeholder& known = find(part); !known.ids.empty())
        result.emplace_back(&known, count_in(text, part));
    return result;
  }
  const std::string& text(std::int32_t token) const { return texts_[to_size(token)]; }

  /// The tokens that have a placeholder which is neither among the required ones nor the beginning of one.
  Ids foreign(const std::vector<std::pair<const Placeholder*, Index>>& required) const {
    Ids result;
    for (const auto& [token, parts] : marked_)
      if (!std::ranges::all_of(parts, [&](const std::string& part) {
            return std::ranges::any_of(required,
                                       [&](const auto& of) { return of.first->text.starts_with(part); });
          }))
        result.push_back(token);
    return result;
  }

 private:
  std::vector<std::string> parts_of(const std::string& text) const {
    FixedParts parts = fixed_parts(text, patterns_);
    std::ranges::move(parts.markup, std::back_inserter(parts.placeholders));
    return parts.placeholders;
  }
  const Placeholder& find(const std::string& part) {
    const std::scoped_lock lock(mutex_);
    const auto found = known_.find(part);
    if (found != known_.end()) return found->second;
    return known_.emplace(part, make_placeholder(part, tokeniser_, vocabularies_.target, texts_))
        .first->second;
  }

  const Tokeniser& tokeniser_;
  const Vocabularies& vocabularies_;
  Patterns patterns_;
  std::vector<std::string> texts_;
  std::vector<std::pair<std::int32_t, std::vector<std::string>>> marked_;  ///< tokens that have placeholders
  std::mutex mutex_;
  std::map<std::string, Placeholder> known_;  // entries of a map stay where they are
};

class PlaceholderRule : public transformer::TokenRule {
 public:
  PlaceholderRule(std::shared_ptr<const Placeholders> all,
                  std::vector<std::pair<const Placeholder*, Index>> required)
      : all_(std::move(all)), required_(std::move(required)), foreign_(all_->foreign(required_)) {}

  std::optional<std::int32_t> restrict(std::span<const std::int32_t> tokens, Index left,
                                       Ids& forbidden) const override {
    forbidden.insert(forbidden.end(), foreign_.begin(), foreign_.end());
    std::string text;
    for (const std::int32_t token : tokens) text += all_->text(token);
    Index needed = 0;  // tokens for all that is missing
    const Placeholder* missing = nullptr;
    for (const auto& [placeholder, times] : required_) {
      const Index lacking = times - count_in(text, placeholder->text);
      forbid(*placeholder, text, lacking, forbidden);
      if (lacking <= 0) continue;
      needed += lacking * std::ssize(placeholder->ids);
      if (missing == nullptr || begun(*placeholder, tokens) > begun(*missing, tokens)) missing = placeholder;
    }
    if (missing == nullptr) return {};
    if (left <= needed) return missing->ids[begun(*missing, tokens)];
    forbidden.push_back(special::end);
    return {};
  }

 private:
  /// Forbids the tokens after which the text would have the placeholder more often than `lacking` more times.
  void forbid(const Placeholder& placeholder, std::string_view text, Index lacking, Ids& forbidden) const {
    const std::size_t size = placeholder.text.size();
    const std::string_view tail = text.substr(text.size() - std::min(text.size(), size - 1));
    for (std::size_t n = 0; n < size; ++n) {
      if (!tail.ends_with(std::string_view(placeholder.text).substr(0, n))) continue;
      for (const std::int32_t token : placeholder.after[n])
        if (count_in(std::string(tail) + all_->text(token), placeholder.text) > std::max<Index>(lacking, 0))
          forbidden.push_back(token);
    }
  }

  /// The number of tokens at the end that are the beginning of this placeholder.
  static std::size_t begun(const Placeholder& placeholder, std::span<const std::int32_t> tokens) {
    for (std::size_t n = std::min(placeholder.ids.size() - 1, tokens.size()); n > 0; --n)
      if (std::ranges::equal(tokens.last(n), std::span(placeholder.ids).first(n))) return n;
    return 0;
  }

  std::shared_ptr<const Placeholders> all_;
  std::vector<std::pair<const Placeholder*, Index>> required_;
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
