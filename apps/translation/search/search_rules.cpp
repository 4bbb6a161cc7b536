#include "apps/translation/search/search_rules.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "apps/translation/settings/doors.h"
#include "autograd/machine/error.h"

namespace regard::translation {

namespace {

using transformer::MakeTokenRule;
using transformer::TokenRule;
using Rule = std::shared_ptr<const TokenRule>;
using Ids = std::vector<std::int32_t>;

class AllRules : public TokenRule {
 public:
  explicit AllRules(std::vector<Rule> rules) : rules_(std::move(rules)) {}

  void exclude(std::span<Real> logits) const override {
    for (const auto& rule : rules_) rule->exclude(logits);
  }
  bool allows(std::span<const std::int32_t> tokens, std::int32_t next) const override {
    return std::ranges::all_of(rules_, [&](const auto& rule) { return rule->allows(tokens, next); });
  }
  Ids before_end(std::span<const std::int32_t> tokens) const override {
    Ids all(tokens.begin(), tokens.end());
    for (const auto& rule : rules_) std::ranges::copy(rule->before_end(all), std::back_inserter(all));
    return {all.begin() + std::ssize(tokens), all.end()};
  }
  Index need(std::span<const std::int32_t> tokens) const override {
    Ids all(tokens.begin(), tokens.end());
    Index sum = 0;
    for (const auto& rule : rules_) {
      sum += rule->need(all);
      std::ranges::copy(rule->before_end(all), std::back_inserter(all));
    }
    return sum;
  }
  Ids demands() const override {
    Ids all;
    for (const auto& rule : rules_) std::ranges::copy(rule->demands(), std::back_inserter(all));
    return all;
  }
  Index banks() const override {
    Index all = 1;
    for (const auto& rule : rules_) all += rule->banks() - 1;
    return all;
  }
  Index bank(std::span<const std::int32_t> tokens, std::int32_t next) const override {
    Index sum = 0;
    for (const auto& rule : rules_) sum += rule->bank(tokens, next);
    return sum;
  }
  Ids wanted(std::span<const std::int32_t> tokens) const override {
    Ids all;
    for (const auto& rule : rules_) std::ranges::copy(rule->wanted(tokens), std::back_inserter(all));
    return all;
  }

 private:
  std::vector<Rule> rules_;
};

}  // namespace

MakeTokenRule together(std::vector<MakeTokenRule> rules) {
  if (rules.size() < 2) return rules.empty() ? MakeTokenRule() : std::move(rules.front());
  return [rules = std::move(rules)](std::span<const std::int32_t> source) -> Rule {
    std::vector<Rule> of_source;
    for (const MakeTokenRule& make : rules)
      if (auto rule = make(source)) of_source.push_back(std::move(rule));
    if (of_source.size() < 2) return of_source.empty() ? nullptr : std::move(of_source.front());
    return std::make_shared<AllRules>(std::move(of_source));
  };
}

transformer::SearchOptions decoding_of(const Settings& settings, const Tokeniser& tokeniser,
                                       const Vocabularies& vocabularies) {
  std::vector<MakeTokenRule> rules;
  for (const SearchRule& rule : doors().rules)
    if (MakeTokenRule made = rule.make ? rule.make(settings, tokeniser, vocabularies) : nullptr)
      rules.push_back(std::move(made));
  transformer::SearchOptions options = settings.decoding;
  options.make_rule = together(std::move(rules));
  return options;
}

RewriteSource rewriting_of(const Settings& settings) {
  RewriteSource all;
  for (const SourceDoor& door : doors().sources)
    if (RewriteSource next = door.of_translation(settings))
      all = all ? [all, next](const std::string& source) { return next(all(source)); } : std::move(next);
  return all;
}

std::shared_ptr<const VocabularySelection> load_selection(const std::string& name,
                                                          const std::string& directory,
                                                          const Vocabularies& vocabularies) {
  for (const SearchRule& rule : doors().rules)
    if (rule.load && rule.name == name) return rule.load(directory + "/" + rule.file, vocabularies);
  fail("there is no {} in this program{}", name, about_not_built());
}

}  // namespace regard::translation
