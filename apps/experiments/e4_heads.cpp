#include <fmt/format.h>

#include "apps/experiments/experiments.h"
#include "apps/experiments/results.h"
#include "apps/experiments/timing.h"

namespace regard::experiments {

Experiment cost_of_heads() {
  Experiment experiment{
      .id = "E4",
      .claim = "Several heads cost no more than one of full width.",
      .source = "Vaswani et al. 2017, section 3.2.2",
      .published = "Argued from the widths; no measured times.",
      .method =
          "Forward and backward of the multi-head layer of width 256 on 32 sentences of 32 words, with 1 to "
          "32 "
          "heads, on one thread. The number of products is the same for all.",
      .rule =
          "It holds if, in the mean over the repetitions, no number of heads takes more than 1.2 times as "
          "long as "
          "one head; in part if only 32 heads (8 columns each) do.",
      .minutes = 0.3,
      .alone = true,
      .variants = {},
      .run =
          [](const Job& job) {
            const LayerShape shape{
                .length = 32, .width = 256, .sentences = 32, .heads = std::stod(job.variant)};
            return Measurements{{"ms", {multi_head_milliseconds(job.many(21, 1), shape)}}};
          },
      .decide = [](const Results& results) -> Decision {
        const double one = results.mean("1", "ms");
        double worst = 0;
        for (const char* const heads : {"2", "4", "8", "16"})
          worst = std::max(worst, results.mean(heads, "ms") / one);
        const double most = results.mean("32", "ms") / one;
        return {
            worst > 1.2  ? Verdict::does_not_hold
            : most > 1.2 ? Verdict::holds_in_part
                         : Verdict::holds,
            fmt::format("2 to 16 heads take at most {:.2f} times as long as one, and 32 heads {:.2f} times.",
                        worst, most)};
      },
      .columns = {{"ms, forward and backward", "ms", 2}},
      .figures = {{.title = "Time", .measurement = "ms", .y_label = "ms"}}};
  for (const char* const heads : {"1", "2", "4", "8", "16", "32"}) experiment.variants.push_back({heads});
  return experiment;
}

}  // namespace regard::experiments
