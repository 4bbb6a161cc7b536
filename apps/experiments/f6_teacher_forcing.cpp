#include <fmt/format.h>

#include "apps/experiments/experiments.h"
#include "apps/experiments/results.h"
#include "apps/experiments/task.h"

namespace regard::experiments {

Experiment teacher_forcing() {
  constexpr Index places = 24;
  std::vector<double> x;
  for (Index place = 1; place <= places; ++place) x.push_back(static_cast<double>(place));
  Experiment experiment{
      .id = "F6",
      .claim = "With teacher forcing a model never sees its own mistakes; scheduled sampling closes the gap.",
      .source = "Bengio et al. 2015",
      .published =
          "Captions: BLEU-4 28.8 with teacher forcing, 30.6 with scheduled sampling, 11.2 if the model "
          "always "
          "reads its own words (table 1).",
      .method =
          "Toy Transformers learn to reverse 24 letters, too briefly to be perfect, and read 0, 25 or 50 % "
          "of their "
          "own letters in the training. The gap is the share of the letters that are right after the true "
          "letters "
          "minus the share that are right after the model's own.",
      .rule =
          "There is a gap if it is at least 2 points in every seed with teacher forcing alone. Scheduled "
          "sampling "
          "closes it if, for one of the two shares, the gap is smaller in every seed and the letters after "
          "the model's "
          "own are right more often in every seed. The claim holds if both are so, in part if only the first "
          "is.",
      .minutes = 5,
      .variants = {},
      .tuning = {{"training.learning_rate=0.001"}, {"training.learning_rate=0.003"}},
      .run =
          [=](const Job& job) {
            const toys::Toy toy = toys::sequence_toy(toys::SequenceKind::reverse, places, places);
            const toys::Corpus corpus = corpus_for(job, toy, {20000, 100, 300});
            Trained trained = train(job, corpus, {"model.dropout=0", "training.steps=600"});
            Measurements measured = std::move(trained.training);
            const Translations free = translate(trained, corpus.test);
            const std::vector<std::vector<bool>> forced = forced_right(trained, corpus.test);
            double mean_forced = 0, mean_free = 0;
            for (Index place = 0; place < places; ++place) {
              double right = 0;
              for (const std::vector<bool>& pair : forced) right += pair[to_size(place)];
              measured["forced"].push_back(100 * right / static_cast<double>(forced.size()));
              measured["free"].push_back(free.right_at(place));
              mean_forced += measured["forced"].back() / places;
              mean_free += measured["free"].back() / places;
            }
            measured["mean_free"] = {mean_free};
            measured["gap"] = {mean_forced - mean_free};
            return measured;
          },
      .decide = [](const Results& results) -> Decision {
        const Range gap = results.range("0 %", "gap"), free = results.range("0 %", "mean_free");
        bool closes = false;
        for (const char* const share : {"25 %", "50 %"})
          closes = closes || (above(gap, results.range(share, "gap")) &&
                              above(results.range(share, "mean_free"), free));
        return {
            gap.least < 2 ? Verdict::does_not_hold
            : closes      ? Verdict::holds
                          : Verdict::holds_in_part,
            fmt::format(
                "The gap is {} points with teacher forcing alone, {} with 25 % and {} with 50 % of its own "
                "letters; after its own letters, {} %, {} % and {} % are right.",
                text(gap, 1), text(results.range("25 %", "gap"), 1), text(results.range("50 %", "gap"), 1),
                text(free, 1), text(results.range("25 %", "mean_free"), 1),
                text(results.range("50 %", "mean_free"), 1))};
      },
      .columns = {{"right after its own letters, %", "mean_free"}, {"gap, points", "gap"}},
      .figures = {{.title = "After the true letters",
                   .measurement = "forced",
                   .y_label = "right after the true letters, %",
                   .x_label = "place in the target",
                   .x = x},
                  {.title = "After its own letters",
                   .measurement = "free",
                   .y_label = "right after its own letters, %",
                   .x_label = "place in the target",
                   .x = x}}};
  for (const char* const share : {"0", "0.25", "0.5"})
    experiment.variants.push_back({fmt::format("{:.0f} %", 100 * std::stod(share)),
                                   {fmt::format("training.scheduled_sampling={}", share)}});
  return experiment;
}

}  // namespace regard::experiments
