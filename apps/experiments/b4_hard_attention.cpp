#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "apps/experiments/attention.h"
#include "apps/experiments/experiments.h"
#include "apps/experiments/results.h"

namespace regard::experiments {

Experiment hard_attention() {
  std::vector<double> steps;
  for (int i = 1; i <= 20; ++i) steps.push_back(100 * i);
  return {
      .id = "B4",
      .claim = "Hard attention needs reinforcement learning, whose estimate of the gradient is noisy.",
      .source = "lecture notes; Xu et al. 2015, section 4.1",
      .published =
          "A moving baseline, an entropy term, and soft attention for half of the sentences reduce the "
          "variance; no variance is printed.",
      .method =
          "Bahdanau's model without dropout learns the toy sentences with soft attention, with hard "
          "attention (one source position is drawn, and REINFORCE estimates the gradient of the scores), "
          "with hard attention for half of the sentences, and with hard attention and backpropagation alone. "
          "For each model after 200 steps, the gradient of the score's vector v is computed for 100 draws of "
          "the same batch, with no baseline, with a constant one (the reward of an untrained model), and "
          "with the mean reward, which a moving average follows.",
      .rule =
          "Four statements: (1) with backpropagation alone the gradient of the scores is exactly 0; (2) "
          "without a baseline its variance is more than twice that with the moving one; (3) in every seed, "
          "hard attention ends with a lower validation loss than backpropagation alone; (4) in every seed, "
          "soft attention ends with a lower one than hard attention. The claim holds if all four are true, "
          "in part if (1) and another one are true, and otherwise not.",
      .minutes = 4,
      .variants = {{"soft", {}},
                   {"hard", {"model.attention.kind=hard", "model.attention.hard.mean_share=0"}},
                   {"half hard", {"model.attention.kind=hard", "model.attention.hard.mean_share=0.5"}},
                   {"hard, backpropagation alone",
                    {"model.attention.kind=hard", "model.attention.hard.mean_share=0",
                     "model.attention.hard.reward_weight=0", "model.attention.hard.entropy_weight=0"}}},
      .tuning = {{"training.learning_rate=0.003"}, {"training.learning_rate=0.006"}},
      .run =
          [](const Job& job) {
            const toys::Corpus corpus = corpus_for(job, toys::find_toy("sentences"), {20000, 300, 300});
            const auto trained_for = [&](const char* limit) {
              return train(job, corpus,
                           {"model.preset=bahdanau2015", "model.d_model=64", "model.dropout=0", limit});
            };
            Trained early = trained_for("training.steps=200");
            const translation::ParallelCorpus pairs =
                encoded(early, {corpus.train.begin(), corpus.train.begin() + 64});
            const transformer::Batch batch = transformer::make_batch(pairs.source, pairs.target);
            const Index draws = job.many(100, 2);
            const auto variance = [&](double baseline) {
              return score_gradient(early, batch, {.baseline = baseline, .draws = draws}).variance;
            };
            const ScoreGradient alone = score_gradient(early, batch, {.reward_weight = 0, .draws = draws});
            const double moving = std::max(variance(alone.reward), 1e-30);
            const double untrained = -std::log(static_cast<double>(early.model().target_vocabulary()));
            Trained trained = trained_for("training.steps=2000");
            Measurements measured = std::move(trained.training);
            measured["loss"].resize(20, measured["loss"].back());  // --quick has fewer
            measured["no_baseline"] = {variance(0) / moving};
            measured["constant_baseline"] = {variance(untrained) / moving};
            measured["backpropagation"] = {alone.norm};
            measured["exact"] = {translate(trained, corpus.test).exact_match()};
            measured["error"] = {alignment_error(trained, corpus.test)};
            return measured;
          },
      .decide = [](const Results& results) -> Decision {
        const std::string alone = "hard, backpropagation alone";
        const auto loss = [&](const std::string& of) { return results.range(of, "validation_loss"); };
        bool zero = true, noisy = true;
        for (const Results::OfVariant& variant : results.variants) {
          zero = zero && results.range(variant.name, "backpropagation").most == 0;
          noisy = noisy && results.range(variant.name, "no_baseline").least > 2;
        }
        const bool needed = above(loss(alone), loss("hard")), slower = above(loss("hard"), loss("soft"));
        return {
            zero && noisy && needed && slower     ? Verdict::holds
            : zero && (noisy || needed || slower) ? Verdict::holds_in_part
                                                  : Verdict::does_not_hold,
            fmt::format(
                "Backpropagation alone gives the scores {} gradient. Without a baseline the variance is {} "
                "times that with the moving baseline (models that learn with hard attention). The validation "
                "loss is {} with soft attention, {} with hard attention, and {} with backpropagation alone.",
                zero ? "no" : "a", text(results.range("hard", "no_baseline"), 1), text(loss("soft"), 2),
                text(loss("hard"), 2), text(loss(alone), 2))};
      },
      .columns = {{"validation loss", "validation_loss", 2},
                  {"exact match, %", "exact"},
                  {"alignment error rate, %", "error"},
                  {"variance without baseline / with moving", "no_baseline"},
                  {"with constant / with moving", "constant_baseline"}},
      .figures = {{"Loss", "loss", "training loss, nats a word", "steps", steps},
                  {"Alignment", "error", "alignment error rate, %"}}};
}

}  // namespace regard::experiments
