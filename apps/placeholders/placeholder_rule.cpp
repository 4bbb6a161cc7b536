#include "apps/placeholders/placeholder_rule.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <mutex>
#include <set>
#include <string_view>
#include <utility>

#include "apps/placeholders/fixed_parts.h"
#include "apps/translation/files/utf8.h"
#include "apps/translation/files/warning.h"

namespace regard::translation {

namespace {

using Ids = std::vector<std::int32_t>;

/// A part that a translation has to have.
struct Required {
  std::string text;
  Ids ids = {};  ///< as the tokeniser cuts it after another word; empty: the vocabulary cannot write it
  std::vector<std::size_t> cuts = {};  ///< cuts[i]: the bytes of the text that its first i ids write
};

/// What all sentences share. Threads search sentences at the same time.
class Placeholders {
 public:
  Placeholders(const Tokeniser& tokeniser, const Vocabularies& vocabularies,
               const std::vector<std::string>& patterns)
      : tokeniser_(tokeniser), vocabularies_(vocabularies), patterns_(fixed_patterns(patterns)) {}

  /// The placeholders and the markup of a source, in its order.
  std::vector<Required> in(std::span<const std::int32_t> source) {
    std::vector<std::string> tokens = vocabularies_.source.tokens(source.first(source.size() - 1));
    for (std::size_t i = 0; i < tokens.size(); ++i)
      if (source[i] < special::count) tokens[i] = "?";  // <unk> is no tag of the source
    const std::string text = tokeniser_.join(tokens);
    std::vector<Required> result;
    for (const std::string_view part : matches(text)) result.push_back(required(std::string(part)));
    return result;
  }
  std::vector<std::string_view> matches(std::string_view text) const { return patterns_.matches(text); }
  std::string text(std::span<const std::int32_t> tokens) const {
    return tokeniser_.join(vocabularies_.target.tokens(tokens));
  }

 private:
  /// Warns once of a part that the vocabulary cannot write.
  Required required(const std::string& part) {
    const std::string word = "a";
    Required result{.text = part,
                    .ids = vocabularies_.target.ids(tokeniser_.split_target(word + " " + part))};
    const auto words = std::min(tokeniser_.split_target(word).size(), result.ids.size());
    result.ids.erase(result.ids.begin(), result.ids.begin() + to_index(words));
    const std::string written = text(result.ids);
    const std::size_t begin = std::min(written.find(part), written.size());  // after a blank
    for (std::size_t i = 0; i < result.ids.size(); ++i)
      result.cuts.push_back(std::max(text(std::span(result.ids).first(i)).size(), begin) - begin);
    if (matches(written) == std::vector<std::string_view>{part}) return result;
    const std::scoped_lock lock(mutex_);
    if (warned_.insert(part).second)
      warn("the target vocabulary cannot write the placeholder {}, so translations may lack it",
           printable(part));
    return {.text = part};
  }

  const Tokeniser& tokeniser_;
  const Vocabularies& vocabularies_;
  Patterns patterns_;
  std::mutex mutex_;
  std::set<std::string> warned_;
};

class PlaceholderRule : public transformer::TokenRule {
 public:
  PlaceholderRule(std::shared_ptr<const Placeholders> all, std::vector<Required> required)
      : all_(std::move(all)), required_(std::move(required)) {}

  bool allows(std::span<const std::int32_t> tokens, std::int32_t next) const override {
    const bool ends = next == special::end;
    Ids longer(tokens.begin(), tokens.end());
    if (!ends) longer.push_back(next);
    const Found found = find(longer);
    const Index wrong = found.wrong + (ends && found.begun != nullptr);
    return wrong == 0 || wrong <= find(tokens).wrong;  // a prefix may have wrong parts
  }

  Ids before_end(std::span<const std::int32_t> tokens) const override {
    const Found found = find(tokens);
    Ids ids;
    if (found.begun != nullptr) ids.assign(found.begun->ids.begin() + found.written, found.begun->ids.end());
    for (const Required* const required : found.lacking)
      if (required != found.begun) std::ranges::copy(required->ids, std::back_inserter(ids));
    return ids;
  }

  Ids demands() const override {
    Ids all;
    for (const Required& required : required_) std::ranges::copy(required.ids, std::back_inserter(all));
    return all;
  }

 private:
  /// What an unfinished translation has of the required parts.
  struct Found {
    std::vector<const Required*> lacking;  ///< in the order of the source
    Index wrong = 0;                       ///< parts that the source does not have, or not as often
    /// One of those that are lacking, if its first tokens are the end of the text and a part by themselves,
    /// as %1 in %1$s.
    const Required* begun = nullptr;
    std::ptrdiff_t written = 0;  ///< how many of its tokens
  };

  Found find(std::span<const std::int32_t> tokens) const {
    const std::string text = all_->text(tokens);
    Found found;
    for (const Required& required : required_) found.lacking.push_back(&required);
    for (const std::string_view part : all_->matches(text)) {
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

  std::shared_ptr<const Placeholders> all_;
  std::vector<Required> required_;
};

}  // namespace

transformer::MakeTokenRule keep_placeholders(const Tokeniser& tokeniser, const Vocabularies& vocabularies,
                                             const std::vector<std::string>& patterns) {
  const auto all = std::make_shared<Placeholders>(tokeniser, vocabularies, patterns);
  return [all](std::span<const std::int32_t> source) -> std::shared_ptr<const transformer::TokenRule> {
    std::vector<Required> required = all->in(source);
    if (required.empty()) return nullptr;
    return std::make_shared<PlaceholderRule>(all, std::move(required));
  };
}

}  // namespace regard::translation
