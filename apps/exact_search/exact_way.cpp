// `regard translate --exact`
#include <fmt/format.h>
#include <utility>

#include "apps/exact_search/exact_translations.h"
#include "apps/regard/options.h"
#include "apps/regard/ways_to_translate.h"

namespace regard::program {

namespace {

class ExactWay : public TranslateWay {
 public:
  /// Log-probabilities decide alone, so the options of scores exclude --exact.
  void add_options(const Command& command) override {
    const Command group = command.group("The search");
    group.option("--exact", exact_,
                 "Search the translation with the greatest log-probability (Stahlberg and Byrne 2019); "
                 "slow. A beam search gives the first bound; the score is the log-probability",
                 {.alternative = true, .excludes = {"--n-best", "--length-penalty", "--alpha", "--prefix"}});
    group.only_with("--exact").option("--most-expansions", most_expansions_,
                                      "Most hypotheses of a sentence that the decoder reads; with a "
                                      "warning, the best translation found until then is taken",
                                      {.show_default = true, .least = 0});
  }
  std::string example() const override {
    return "  regard translate build/model --exact --scores < source.txt\n";
  }

  bool searches() const override { return exact_; }
  void check(const transformer::SearchOptions& options, translation::TranslationModel& model) const override {
    check_search(options, model);
    transformer::check(transformer::ExactOptions{options, most_expansions_});
  }
  /// The score of a translation is its log-probability.
  Results search(const TranslateRun& run, Sources sources) const override {
    using translation::Translator;
    return run.translator.translate_with(
        std::move(sources), run.options,
        [&](const Translator::Ids& ids, const std::vector<Translator::Result*>& results) {
          translation::Hypotheses found;
          for (auto& result : exact_all(run.translator.model().searched(), ids,
                                        {run.options, most_expansions_}, run.processes)) {
            if (!result.complete)
              results[found.size()]->remark = fmt::format(
                  "the exact search ended after {} expansions; there may be a more probable translation; "
                  "give more --most-expansions or a wider --beam",
                  most_expansions_);
            found.push_back({std::move(result.best)});
          }
          return found;
        });
  }

 private:
  bool exact_ = false;
  Index most_expansions_ = transformer::ExactOptions().most_expansions;
};

}  // namespace

std::shared_ptr<TranslateWay> exact_way() { return std::make_shared<ExactWay>(); }

}  // namespace regard::program
