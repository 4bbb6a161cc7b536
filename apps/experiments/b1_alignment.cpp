#include <algorithm>
#include <fmt/format.h>

#include "apps/experiments/experiments.h"
#include "apps/experiments/results.h"
#include "apps/experiments/task.h"
#include "apps/translation/corpus/alignments.h"

namespace regard::experiments {

Experiment alignment() {
  // The error rate if one function chooses the source word of each target word.
  const auto error_of = [](const Pairs& pairs, const auto& choose) {
    translation::AlignmentCounts counts;
    for (const toys::SentencePair& pair : pairs) {
      const translation::GoldAlignment gold = translation::parse_gold(pair.alignment, "gold");
      const Index sources = std::ranges::count(pair.source, ' ') + 1;
      const Index targets = std::ranges::count(pair.target, ' ') + 1;
      translation::Alignment found;
      for (Index target = 0; target < targets; ++target)
        if (const Index source = choose(gold, sources, target, targets); source >= 0)
          found.push_back({source, target});
      counts += translation::alignment_counts(found, gold);
    }
    return 100 * translation::alignment_quality(counts).error_rate.value_or(1);
  };
  return {.id = "B1",
          .claim = "Alignment for free: attention aligns words without being trained to.",
          .source = "lecture notes; Luong et al. 2015, section 5.4",
          .published =
              "Alignment error rate on English-German: 0.34 (local-m), 0.36 (local-p), 0.39 (global, "
              "location score); the Berkeley aligner, which is made to align, has 0.32.",
          .method =
              "Three models learn the toy sentences (English to French and Korean; in Korean the verb comes "
              "last). Each target word is linked to the source word with the largest weight (last layer, "
              "mean of the heads). The toy knows the right links. Three baselines need no model: a random "
              "source word, the word on the diagonal, and one right link for each word, which is the best "
              "that such links can reach.",
          .rule =
              "A model aligns if every seed has less than half of the error rate of the diagonal. The claim "
              "holds if all three models align, and in part if some do. It cannot be decided if a model that "
              "does not align has not learnt to translate (a seed below 90 % exact match).",
          .minutes = 3,
          .variants = {{"random", {}},
                       {"diagonal", {}},
                       {"best possible", {}},
                       {"Luong, general", {"model.preset=luong2015"}},
                       {"Bahdanau, additive", {"model.preset=bahdanau2015"}},
                       {"Transformer", {"model.preset=toy"}}},
          .tuning = {{"training.learning_rate=0.003"}, {"training.learning_rate=0.006"}},
          .run = [error_of](const Job& job) -> Measurements {
            const toys::Corpus corpus = corpus_for(job, toys::find_toy("sentences"), {20000, 200, 500});
            toys::Random random(to_size(job.seed));
            const auto baseline = [&](const auto& choose) -> Measurements {
              return {{"error", {error_of(corpus.test, choose)}}, {"exact", {0}}, {"validation_loss", {0}}};
            };
            if (job.variant == "random")
              return baseline([&](const auto&, Index sources, Index, Index) {
                return static_cast<Index>(random.below(to_size(sources)));
              });
            if (job.variant == "diagonal")  // the first source token names the language
              return baseline([](const auto&, Index sources, Index target, Index targets) {
                return 1 + (2 * target + 1) * (sources - 1) / (2 * targets);
              });
            if (job.variant == "best possible")
              return baseline([](const auto& gold, Index, Index target, Index) {
                const auto link = std::ranges::find(gold.sure, target, &translation::Link::target);
                return link == gold.sure.end() ? -1 : link->source;
              });
            Trained trained =
                train(job, corpus, {"model.d_model=64", "model.dropout=0.1", "training.steps=2000"});
            Measurements measured = std::move(trained.training);
            measured["error"] = {alignment_error(trained, corpus.test)};
            measured["exact"] = {translate(trained, corpus.test).exact_match()};
            return measured;
          },
          .decide = [](const Results& results) -> Decision {
            const Range diagonal = results.range("diagonal", "error");
            int aligned = 0;
            bool undecided = false;
            std::string numbers;
            for (const char* const model : {"Luong, general", "Bahdanau, additive", "Transformer"}) {
              const Range error = results.range(model, "error");
              const bool aligns = error.most < diagonal.least / 2;
              aligned += aligns;
              undecided = undecided || (!aligns && results.range(model, "exact").least < 90);
              numbers += fmt::format("{} {} %, ", model, text(error, 1));
            }
            return {undecided      ? Verdict::cannot_be_decided
                    : aligned == 3 ? Verdict::holds
                    : aligned > 0  ? Verdict::holds_in_part
                                   : Verdict::does_not_hold,
                    fmt::format("Alignment error rates: {}and {} % on the diagonal.", numbers,
                                text(diagonal, 1))};
          },
          .columns = {{"alignment error rate, %", "error"}, {"exact match, % (0: no model)", "exact"}},
          .figures = {{"Alignment", "error", "alignment error rate, %"}}};
}

}  // namespace regard::experiments
