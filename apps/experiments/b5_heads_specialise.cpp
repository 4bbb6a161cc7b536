#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "apps/experiments/attention.h"
#include "apps/experiments/experiments.h"
#include "apps/experiments/results.h"

namespace regard::experiments {

Experiment heads_specialise() {
  using Shares = std::array<double, 5>;  // at the offsets -2, -1, 0, 1, 2
  // Heads with a share of 90 % at one of these offsets, in % of all heads.
  const auto heads_at = [](const std::vector<Shares>& heads, const std::vector<std::size_t>& offsets) {
    double found = 0;
    for (const Shares& shares : heads)
      found += std::ranges::any_of(offsets, [&](std::size_t offset) { return shares[offset] >= 90; });
    return 100 * found / static_cast<double>(heads.size());
  };
  return {.id = "B5",
          .claim = "Heads specialise: some look at the previous or the next word.",
          .source = "lecture notes; Voita et al. 2019, section 5",
          .published =
              "A head is positional if its largest weight lies at one offset for at least 90 % of the words; "
              "in practice this is the previous or the next word. Trained Transformers have such heads.",
          .method =
              "Transformers with 2 + 2 layers of 4 heads learn three toys. The 8 heads of the encoder are "
              "tested with Voita's criterion, at the offsets -2, -1, 1 and 2, before and after the training. "
              "Words at the edge, which have no word at that offset, do not count.",
          .rule =
              "A toy has specialised heads if every seed has at least one positional head, and more of them "
              "after the training than before. The claim holds if all three toys have them, in part if some "
              "have, and not if none has. It cannot be decided if a seed of a toy without such heads is "
              "below 80 % exact match.",
          .minutes = 4,
          .variants = {{"sentences", {}}, {"reverse", {}}, {"dates, characters", {"data.tokeniser=char"}}},
          .run =
              [=](const Job& job) {
                const std::string toy = job.variant.substr(0, job.variant.find(','));
                const toys::Corpus corpus = corpus_for(job, toys::find_toy(toy), {20000, 100, 300});
                Trained untrained = train(job, corpus, {"model.preset=toy", "training.steps=1"});
                const std::vector<Shares> before = offset_shares(untrained, corpus.test);
                Trained trained = train(job, corpus, {"model.preset=toy", "training.steps=1500"});
                const std::vector<Shares> after = offset_shares(trained, corpus.test);
                Measurements measured = std::move(trained.training);
                measured["before"] = {heads_at(before, {0, 1, 3, 4})};
                measured["positional"] = {heads_at(after, {0, 1, 3, 4})};
                measured["previous"] = {heads_at(after, {1})};
                measured["next"] = {heads_at(after, {3})};
                measured["same"] = {heads_at(after, {2})};
                measured["exact"] = {translate(trained, corpus.test).exact_match()};
                std::vector<double>& shares = measured["shares"];
                for (const Shares& of_head : after)
                  shares.push_back(std::max({of_head[0], of_head[1], of_head[3], of_head[4]}));
                std::ranges::sort(shares, std::greater<>());
                return measured;
              },
          .decide = [](const Results& results) -> Decision {
            std::size_t specialised = 0;
            bool undecided = false;
            std::string numbers;
            for (const Results::OfVariant& toy : results.variants) {
              const bool has_them = std::ranges::all_of(toy.runs, [](const Results::Run& run) {
                return run.measurements.at("positional")[0] > run.measurements.at("before")[0];
              });
              specialised += has_them;
              undecided = undecided || (!has_them && results.range(toy.name, "exact").least < 80);
              numbers += fmt::format("{}{}: {} %", numbers.empty() ? "" : "; ", toy.name,
                                     text(results.range(toy.name, "positional"), 0));
            }
            return {undecided                                ? Verdict::cannot_be_decided
                    : specialised == results.variants.size() ? Verdict::holds
                    : specialised > 0                        ? Verdict::holds_in_part
                                                             : Verdict::does_not_hold,
                    fmt::format("Heads that look at the word one or two places away. {}.", numbers)};
          },
          .columns = {{"exact match, %", "exact"},
                      {"positional before training, % of the heads", "before", 0},
                      {"positional, %", "positional", 0},
                      {"previous word, %", "previous", 0},
                      {"next word, %", "next", 0},
                      {"the word itself, %", "same", 0}},
          .figures = {{"Heads", "positional", "positional heads, %"},
                      {"Shares of the heads",
                       "shares",
                       "words at the head's best offset, %",
                       "head, sorted",
                       {1, 2, 3, 4, 5, 6, 7, 8}}}};
}

}  // namespace regard::experiments
