#include <cmath>
#include <fmt/format.h>

#include "apps/experiments/experiments.h"
#include "apps/experiments/results.h"
#include "apps/experiments/task.h"

namespace regard::experiments {

namespace {
constexpr std::array<Index, 7> recall_distances{1, 2, 4, 8, 16, 32, 64};
}  // namespace

Experiment limited_memory() {
  return {
      .id = "A6",
      .claim = "The memory of a recurrent model is limited.",
      .source = "lecture notes",
      .published =
          "LSTM language models use about 200 words of context, and sharply only the nearest 50 "
          "(Khandelwal et al. 2018).",
      .method =
          "The model reads a letter and then 1 to 64 others, and has to say the first one. Distances of 1, "
          "2, 4, ... 64 "
          "come equally often in the training. 200 sources for each distance.",
      .rule =
          "It holds if, in every seed, the recurrent models without attention are right for less than half "
          "of the sources at 64 letters, and the Transformer for more than 90 %. It holds in part if this is "
          "so for one of the two cells. It cannot be decided if a model is right for less than 90 % at one "
          "letter.",
      .minutes = 6,
      .variants = {{"GRU", {"model.preset=cho2014", "model.bidirectional=false", "model.d_model=90"}},
                   {"LSTM",
                    {"model.preset=sutskever2014", "model.reverse_source=false", "model.encoder_layers=1",
                     "model.decoder_layers=1", "model.d_model=80"}},
                   {"Transformer", {}}},
      .tuning = {{"training.learning_rate=0.002"}, {"training.learning_rate=0.006"}},
      .run =
          [](const Job& job) {
            const auto toy = [](Index least, Index most) {
              return toys::sequence_toy(toys::SequenceKind::recall, least, most);
            };
            toys::Corpus corpus;
            for (const Index distance : recall_distances) {
              const Pairs train = sample(job, toy(distance, distance), 3000, 3);
              const Pairs validation = sample(job, toy(distance, distance), 20, 4);
              corpus.train.insert(corpus.train.end(), train.begin(), train.end());
              corpus.validation.insert(corpus.validation.end(), validation.begin(), validation.end());
            }
            Trained trained =
                train(job, corpus, {"model.dropout=0", "training.steps=1500", "training.batch_tokens=1536"});
            Measurements measured = std::move(trained.training);
            for (const Index distance : recall_distances)
              measured["right"].push_back(
                  translate(trained, sample(job, toy(distance, distance), 200, 2)).right_at(0));
            measured["near"] = {measured["right"].front()};
            measured["far"] = {measured["right"].back()};
            return measured;
          },
      .decide = [](const Results& results) -> Decision {
        const Range gru = results.range("GRU", "far"), lstm = results.range("LSTM", "far");
        const Range transformer = results.range("Transformer", "far");
        const int limited = (gru.most < 50) + (lstm.most < 50);
        bool learnt = true;
        for (const char* const model : {"GRU", "LSTM", "Transformer"})
          learnt = learnt && results.range(model, "near").least >= 90;
        return {!learnt || transformer.least <= 90 ? Verdict::cannot_be_decided
                : limited == 2                     ? Verdict::holds
                : limited == 1                     ? Verdict::holds_in_part
                                                   : Verdict::does_not_hold,
                fmt::format("64 letters later, the GRU still knows {} % of the letters, the LSTM {} %, and "
                            "the Transformer {} %.",
                            text(gru, 1), text(lstm, 1), text(transformer, 1))};
      },
      .columns = {{"parameters", "parameters", 0},
                  {"right after 1 letter, %", "near"},
                  {"right after 64 letters, %", "far"}},
      .figures = {{.title = "Recall by distance",
                   .measurement = "right",
                   .y_label = "letters right, %",
                   .x_label = "letters in between",
                   .x = {1, 2, 4, 8, 16, 32, 64},
                   .x_logarithmic = true}}};
}

}  // namespace regard::experiments
