#include <algorithm>
#include <fmt/format.h>

#include "apps/experiments/experiments.h"
#include "apps/experiments/results.h"
#include "apps/experiments/task.h"
#include "apps/translation/translator/head_importance.h"

namespace regard::experiments {

Experiment most_heads_can_go() {
  // BLEU without the first 0, 1/8, ... 8/8 of these heads.
  const auto curve = [](Trained& trained, const Pairs& pairs, const std::vector<transformer::Head>& heads) {
    std::vector<double> scores;
    for (std::size_t part = 0; part <= 8; ++part) {
      const auto count = static_cast<std::ptrdiff_t>(heads.size() * part / 8);
      const transformer::HeadsOff off(trained.model(), {heads.begin(), heads.begin() + count});
      scores.push_back(translate(trained, pairs).bleu());
    }
    return scores;
  };
  return {.id = "B6",
          .claim = "Most heads can go.",
          .source = "Michel et al. 2019; Voita et al. 2019",
          .published =
              "Without new training, about 20 % of the heads of a translator can go (Michel et al. 2019). "
              "With new training, 38 of 48 heads of an encoder can go for 0.15 BLEU (Voita et al. 2019).",
          .method =
              "Transformers with 2 + 2 layers of 4 heads (8 heads of each kind of attention, 24 in all) "
              "learn the toy sentences. The importance of a head is the loss of the validation set without "
              "it (Michel et al. 2019, section 3.2). Then heads are switched off, the least important first, "
              "or in random order, without new training, and the test set is translated.",
          .rule =
              "The claim holds if in every seed at least half of all heads can go, the least important "
              "first, for at most 1 BLEU. It holds in part if in every seed this is so for at least half of "
              "the heads of one kind. Otherwise it does not hold here. It cannot be decided if a whole model "
              "has less than 90 BLEU.",
          .minutes = 4,
          .variants = {{"all heads"}, {"encoder"}, {"decoder"}, {"source"}},
          .run =
              [curve](const Job& job) {
                const toys::Corpus corpus = corpus_for(job, toys::find_toy("sentences"), {20000, 300, 300});
                Trained trained = train(job, corpus, {"model.preset=toy", "training.steps=2000"});
                std::vector<transformer::Head> heads;  // the least important first
                for (const auto& without :
                     head_importance(trained.model(), encoded(trained, corpus.validation)).heads) {
                  const std::string& name = without.head.attention;
                  const char* const kind = name.starts_with("encoder")   ? "encoder"
                                           : name.ends_with("self_attn") ? "decoder"
                                                                         : "source";
                  if (job.variant == "all heads" || job.variant == kind)
                    heads.insert(heads.begin(), without.head);
                }
                Measurements measured = std::move(trained.training);
                measured["by_importance"] = curve(trained, corpus.test, heads);
                toys::Random random(to_size(job.seed));
                random.shuffle(heads);
                measured["at_random"] = curve(trained, corpus.test, heads);
                return measured;
              },
          .decide = [](const Results& results) -> Decision {
            const auto loss =
                [&](const std::string& heads) {  // the greatest loss of a seed, with half of the heads
                  double most = 0;
                  for (const Results::Run& run : results.of(heads).runs) {
                    const std::vector<double>& bleu = run.measurements.at("by_importance");
                    most = std::max(most, bleu[0] - bleu[4]);
                  }
                  return most;
                };
            const bool all = loss("all heads") <= 1;
            const bool some = std::min({loss("encoder"), loss("decoder"), loss("source")}) <= 1;
            return {results.range("all heads", "by_importance").least < 90 ? Verdict::cannot_be_decided
                    : all                                                  ? Verdict::holds
                    : some                                                 ? Verdict::holds_in_part
                                                                           : Verdict::does_not_hold,
                    fmt::format("Half of the heads, the least important first, cost at most {:.1f} BLEU in "
                                "all seeds if they are taken from all, {:.1f} from the encoder, {:.1f} from "
                                "the decoder's self-attention, and {:.1f} from its attention to the source.",
                                loss("all heads"), loss("encoder"), loss("decoder"), loss("source"))};
          },
          .columns = {{"BLEU", "by_importance"},
                      {"1/4 off", "by_importance", 1, 2},
                      {"1/2 off", "by_importance", 1, 4},
                      {"1/2 off at random", "at_random", 1, 4},
                      {"3/4 off", "by_importance", 1, 6},
                      {"all off", "by_importance", 1, 8}},
          .figures = {{"By importance",
                       "by_importance",
                       "BLEU, the least important heads off",
                       "heads off, %",
                       {0, 12.5, 25, 37.5, 50, 62.5, 75, 87.5, 100}},
                      {"At random",
                       "at_random",
                       "BLEU, random heads off",
                       "heads off, %",
                       {0, 12.5, 25, 37.5, 50, 62.5, 75, 87.5, 100}}}};
}

}  // namespace regard::experiments
