// --line-terms: each line has its own terms, and with --line-prefixes the beginning of its translation.
#include <fmt/format.h>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "apps/regard/ways_to_translate.h"
#include "apps/terms/term_rule.h"
#include "apps/translation/search/search_rules.h"
#include "apps/translation/text/parts.h"

namespace regard::program {

namespace {

using translation::LineTerms;
using translation::TermText;
using translation::Translator;

class LineTermsWay : public TranslateWay {
 public:
  void add_options(const Command& command) override {
    command.option("--line-terms", terms_,
                   "Each line has its own terms: \"sentence TAB term TAB term ...\". They are written as the "
                   "translations in a --glossary",
                   {.alternative = true, .reads_input = true});
    command.only_with("--line-terms")
        .option(
            "--line-prefixes", prefixes_,
            "The text after the first tab is the beginning of the translation: \"sentence TAB beginning TAB "
            "term ...\"; it may be empty, and terms may be missing",
            {.excludes = {"--prefix"}});
  }
  std::string example() const override {
    return "  printf 'A dog runs.\\tHund\\n' | regard translate build/model --line-terms\n";
  }

  bool searches() const override { return terms_; }

  Translator::Source read(Translator& translator, const std::string& line, Index number) const override {
    LineTerms of_line{.place = fmt::format("line {}", number)};
    const std::vector<std::string_view> columns = translation::split_at(line, '\t');
    for (std::size_t column = 1; column < columns.size(); ++column)
      if (prefixes_ && column == 1)
        of_line.beginning = columns[column];
      else if (!columns[column].empty())
        of_line.terms.push_back(TermText::read_all(columns[column], of_line.place));
    if (!make_rule_)
      make_rule_ = translation::line_rules(*translator.model().tokeniser, translator.model().vocabularies);
    rules_[number] = make_rule_(of_line);
    return translator.read(std::string(columns.front()), number);
  }

  /// Equal sentences may have different terms, but a rule knows its sentence by its tokens. So sentences that
  /// are equal are searched one after another.
  Results search(const TranslateRun& run, Sources sources) const override {
    Results results(sources.size());
    std::vector<std::size_t> left;
    for (std::size_t i = 0; i < sources.size(); ++i) left.push_back(i);
    while (!left.empty()) {
      std::vector<std::size_t> now, later;
      std::set<std::vector<std::int32_t>> seen;
      for (const std::size_t i : left) (seen.insert(sources[i].ids).second ? now : later).push_back(i);
      Results found = search_different(run, sources, now);
      for (std::size_t i = 0; i < now.size(); ++i) results[now[i]] = std::move(found[i]);
      left = std::move(later);
    }
    return results;
  }

 private:
  using Rule = std::shared_ptr<const transformer::TokenRule>;

  Results search_different(const TranslateRun& run, const Sources& all,
                           const std::vector<std::size_t>& which) const {
    std::map<std::vector<std::int32_t>, Rule> rules;
    Sources sources;
    for (const std::size_t i : which) {
      sources.push_back(all[i]);
      if (const auto rule = rules_.extract(all[i].line))
        rules[transformer::with_end(all[i].ids)] = rule.mapped();
    }
    const auto of_line = [rules](std::span<const std::int32_t> source) -> Rule {
      const auto rule = rules.find({source.begin(), source.end()});
      return rule == rules.end() ? nullptr : rule->second;
    };
    transformer::SearchOptions options = run.options;
    std::vector<transformer::MakeTokenRule> both{of_line};
    if (options.make_rule) both.push_back(options.make_rule);
    options.make_rule = translation::together(std::move(both));
    return run.translator.translate_sources(std::move(sources), options, run.prefix);
  }

  bool terms_ = false, prefixes_ = false;
  mutable translation::MakeLineRule make_rule_;
  mutable std::map<Index, Rule> rules_;  ///< of the lines that are read but not translated
};

}  // namespace

std::shared_ptr<TranslateWay> line_terms_way() { return std::make_shared<LineTermsWay>(); }

}  // namespace regard::program
