#include <fmt/format.h>

#include "apps/experiments/experiments.h"
#include "apps/experiments/results.h"
#include "apps/experiments/timing.h"
#include "autograd/parallel.h"

namespace regard::experiments {

Experiment parallel_layers() {
  const std::vector<double> sentences{1, 2, 4, 8, 16, 32};
  return {
      .id = "E2",
      .claim = "A recurrence cannot be computed in parallel; self-attention can.",
      .source = "Vaswani et al. 2017, section 4",
      .published = "O(n) sequential operations against O(1); no measured speeds of layers.",
      .method =
          "Forward and backward of a layer of width 256 (eight heads; a GRU) on 1 to 32 sentences of 64 "
          "words, on one thread and on two. The speed-up is the quotient of the times.",
      .rule =
          "It holds if, for one sentence and in every repetition, two threads make attention at least 1.5 "
          "times as fast and the recurrence less than 1.2 times. If the speed-up of the recurrence on 32 "
          "sentences is at least 1.5, the claim holds in part: it is true of one sentence, and a batch has "
          "many.",
      .minutes = 0.5,
      .alone = true,
      .variants = {{"self-attention"}, {"recurrence"}},
      .run =
          [=](const Job& job) {
            Measurements measured;
            for (const double count : sentences) {
              double times[2]{};
              for (const int count_of_threads : {1, 2}) {
                set_threads(count_of_threads);
                const LayerShape shape{.length = 64, .width = 256, .sentences = count, .heads = 8};
                times[count_of_threads - 1] = job.variant == "recurrence"
                                                  ? recurrence_milliseconds(job.many(21, 1), shape)
                                                  : attention_milliseconds(job.many(21, 1), shape);
              }
              measured["speed_up"].push_back(times[0] / times[1]);
              measured["ms"].push_back(times[0]);
            }
            return measured;
          },
      .decide = [](const Results& results) -> Decision {
        const Range attention = results.range("self-attention", "speed_up");
        const Range one = results.range("recurrence", "speed_up");
        const Range many = results.range("recurrence", "speed_up", 5);
        const bool holds = attention.least >= 1.5 && one.most < 1.2;
        return {
            !holds              ? Verdict::does_not_hold
            : many.least >= 1.5 ? Verdict::holds_in_part
                                : Verdict::holds,
            fmt::format("On one sentence, two threads are {} times as fast for attention and {} times for "
                        "the recurrence; on 32 sentences, {} times for the recurrence.",
                        text(attention, 2), text(one, 2), text(many, 2))};
      },
      .columns = {{"speed-up, 1 sentence", "speed_up", 2, 0},
                  {"speed-up, 32 sentences", "speed_up", 2, 5},
                  {"ms on one thread, 32 sentences", "ms", 2, 5}},
      .figures = {{.title = "Speed-up",
                   .measurement = "speed_up",
                   .y_label = "speed-up of two threads",
                   .x_label = "sentences",
                   .x = sentences,
                   .x_logarithmic = true}}};
}

}  // namespace regard::experiments
