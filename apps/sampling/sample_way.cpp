// `regard translate --sample`
#include <utility>

#include "apps/regard/ways_to_translate.h"
#include "apps/sampling/sampled_translations.h"

namespace regard::program {

namespace {

class SampleWay : public TranslateWay {
 public:
  /// The options of a search for the best translation exclude --sample.
  void add_options(const Command& command) override {
    const Command group = command.group("Sampling");
    group.option("--sample", sample_,
                 "Draw translations at random, as many as --n-best says; no search for the best",
                 {.alternative = true, .excludes = {"--beam", "--patience", "--attention", "--prefix"}});
    const Command sample = group.only_with("--sample");
    sample.option("--temperature", sampling_.temperature,
                  "Divisor of the logits; values below 1 prefer likely tokens, 0 is greedy search",
                  {.show_default = true, .least = 0});
    sample.option("--top-k", sampling_.top_k, "Draw from the K most likely tokens; 0: from all",
                  {.show_default = true, .least = 0});
    sample.option("--top-p", sampling_.top_p,
                  "Draw from the smallest set of tokens whose probabilities have at least this sum",
                  {.show_default = true, .least = 0});
    sample.option("--seed", sampling_.seed, "Another seed draws other translations", show_default);
  }
  std::string example() const override {
    return "  regard translate build/model --sample --temperature 0.7 --top-p 0.9 --n-best 5 < source.txt\n";
  }

  bool searches() const override { return sample_; }
  void check(const transformer::SearchOptions& options, translation::TranslationModel&) const override {
    transformer::check(with(options));
  }
  Results search(const TranslateRun& run, Sources sources) const override {
    return translation::sample(run.translator, std::move(sources), with(run.options));
  }
  const char* remedy(const transformer::SearchOptions& options) const override {
    return options.n_best > 1 ? "a smaller --n-best" : "shorter sentences";
  }

 private:
  transformer::SamplingOptions with(const transformer::SearchOptions& search) const {
    transformer::SamplingOptions options = sampling_;
    options.search = search;
    return options;
  }

  bool sample_ = false;
  transformer::SamplingOptions sampling_;  ///< without `search`
};

}  // namespace

std::shared_ptr<TranslateWay> sample_way() { return std::make_shared<SampleWay>(); }

}  // namespace regard::program
