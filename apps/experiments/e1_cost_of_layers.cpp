#include <fmt/format.h>

#include "apps/experiments/experiments.h"
#include "apps/experiments/results.h"
#include "apps/experiments/timing.h"

namespace regard::experiments {

Experiment cost_of_layers() {
  const std::vector<double> lengths{16, 32, 64, 128, 256, 512, 1024, 2048};
  const std::vector<double> widths{32, 64, 128, 256, 512, 1024};
  const std::vector<Variant> variants{{"self-attention"}, {"recurrence"}};
  return {
      .id = "E1",
      .claim =
          "Self-attention costs O(n² d) and a recurrence O(n d²), so attention is cheaper for n below d.",
      .source = "Vaswani et al. 2017, table 1 and section 4",
      .published = "The two orders of growth; no measured times.",
      .method =
          "Forward and backward of one sentence: the attention itself, and the steps of a GRU without the "
          "products with its inputs, which need no recurrence. The exponents are slopes over the upper "
          "half of the lengths (at d = 64) and of the widths (at n = 64).",
      .rule =
          "It holds if, in every repetition, the exponent of n is at least 1.6 for attention and at most "
          "1.2 for the recurrence, that of d at most 1.3 and at least 1.6, and attention is faster at "
          "n = 64, d = 512. It holds in part if one of these five fails.",
      .minutes = 0.5,
      .alone = true,
      .variants = variants,
      .run =
          [=](const Job& job) {
            const bool attention = job.variant == "self-attention";
            Measurements measured;
            const auto time = [&](double n, double d) {
              const Index calls = job.many(n * d > 1e5 ? 5 : 31, 1);
              return attention ? attention_milliseconds(calls, {.length = n, .width = d})
                               : recurrence_milliseconds(calls, {.length = n, .width = d});
            };
            for (const double n : lengths) measured["by_n"].push_back(time(n, 64));
            for (const double d : widths) measured["by_d"].push_back(time(64, d));
            const std::vector<double>&by_n = measured["by_n"], &by_d = measured["by_d"];
            measured["exponent_n"] = {
                exponent({lengths.begin() + 4, lengths.end()}, {by_n.begin() + 4, by_n.end()})};
            measured["exponent_d"] = {
                exponent({widths.begin() + 3, widths.end()}, {by_d.begin() + 3, by_d.end()})};
            measured["narrow"] = {by_d[4]};
            return measured;
          },
      .decide = [](const Results& results) -> Decision {
        const auto at = [&](const char* layer, const char* what) { return results.range(layer, what); };
        const Range an = at("self-attention", "exponent_n"), ad = at("self-attention", "exponent_d");
        const Range rn = at("recurrence", "exponent_n"), rd = at("recurrence", "exponent_d");
        const bool faster = above(at("recurrence", "narrow"), at("self-attention", "narrow"));
        const int right =
            (an.least >= 1.6) + (rn.most <= 1.2) + (ad.most <= 1.3) + (rd.least >= 1.6) + faster;
        return {right == 5   ? Verdict::holds
                : right == 4 ? Verdict::holds_in_part
                             : Verdict::does_not_hold,
                fmt::format("The time of attention grows as n^{:.2f} d^{:.2f}, that of the recurrence as "
                            "n^{:.2f} d^{:.2f}. At n = 64 and d = 512 they take {:.2f} and {:.2f} ms.",
                            an.mean, ad.mean, rn.mean, rd.mean, results.mean("self-attention", "narrow"),
                            results.mean("recurrence", "narrow"))};
      },
      .columns = {{"exponent of n", "exponent_n", 2},
                  {"exponent of d", "exponent_d", 2},
                  {"ms at n = 64, d = 512", "narrow", 2}},
      .figures = {{.title = "Time by length",
                   .measurement = "by_n",
                   .y_label = "ms, d = 64",
                   .x_label = "words n",
                   .x = lengths,
                   .x_logarithmic = true,
                   .y_logarithmic = true},
                  {.title = "Time by width",
                   .measurement = "by_d",
                   .y_label = "ms, n = 64",
                   .x_label = "width d",
                   .x = widths,
                   .x_logarithmic = true,
                   .y_logarithmic = true}}};
}

}  // namespace regard::experiments
