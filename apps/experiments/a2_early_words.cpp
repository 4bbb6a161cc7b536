#include <fmt/format.h>

#include "apps/experiments/experiments.h"
#include "apps/experiments/results.h"
#include "apps/experiments/task.h"

namespace regard::experiments {

namespace {
constexpr Index copied_letters = 20;
}  // namespace

Experiment early_words() {
  return {
      .id = "A2",
      .claim = "It is the early words that a model without attention loses.",
      .source = "lecture notes",
      .published = "",
      .method =
          "An LSTM without attention copies 20 random letters, or writes them from the last to the first. "
          "With teacher forcing, so that one mistake does not cause the next: how often the letter is "
          "right, by its place in the source.",
      .rule =
          "It holds if, in both tasks and in every seed, the first four letters of the source are right "
          "less often than the last four. It holds in part if this is so in one task.",
      .minutes = 2,
      .variants = {{"copy"}, {"reverse"}},
      .tuning = {{"training.learning_rate=0.002"}, {"training.learning_rate=0.005"}},
      .run =
          [](const Job& job) {
            const bool reversed = job.variant == "reverse";
            const toys::Toy toy =
                toys::sequence_toy(reversed ? toys::SequenceKind::reverse : toys::SequenceKind::copy,
                                   copied_letters, copied_letters);
            const toys::Corpus corpus = corpus_for(job, toy, {20000, 100, 400});
            Trained trained = train(job, corpus,
                                    {"model.preset=sutskever2014", "model.reverse_source=false",
                                     "model.d_model=96", "model.decoder_layers=1", "model.encoder_layers=1",
                                     "model.dropout=0", "training.steps=2500"});
            Measurements measured = std::move(trained.training);
            std::vector<double>& right = measured["right"];
            right.resize(to_size(copied_letters));
            const std::vector<std::vector<bool>> forced = forced_right(trained, corpus.test);
            for (const std::vector<bool>& pair : forced)
              for (Index at = 0; at < copied_letters; ++at)
                right[to_size(reversed ? copied_letters - 1 - at : at)] +=
                    pair[to_size(at)] ? 100.0 / static_cast<double>(forced.size()) : 0;
            for (Index i = 0; i < 4; ++i) {
              measured["early"] = {i == 0 ? right[0] / 4 : measured["early"][0] + right[to_size(i)] / 4};
              const double late = right[to_size(copied_letters - 1 - i)] / 4;
              measured["late"] = {i == 0 ? late : measured["late"][0] + late};
            }
            return measured;
          },
      .decide = [](const Results& results) -> Decision {
        int lost = 0;
        std::string because;
        for (const char* const task : {"copy", "reverse"}) {
          const Range early = results.range(task, "early"), late = results.range(task, "late");
          lost += above(late, early);
          because += fmt::format("{}: {} % of the first four letters are right, and {} % of the last four. ",
                                 task, text(early, 1), text(late, 1));
        }
        because.pop_back();
        return {lost == 2   ? Verdict::holds
                : lost == 1 ? Verdict::holds_in_part
                            : Verdict::does_not_hold,
                because};
      },
      .columns = {{"first four letters right, %", "early"}, {"last four letters right, %", "late"}},
      .figures = {{.title = "Right by place in the source",
                   .measurement = "right",
                   .y_label = "letters right, %",
                   .x_label = "place in the source",
                   .x = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20}}}};
}

}  // namespace regard::experiments
