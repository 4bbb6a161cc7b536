#include <algorithm>
#include <fmt/format.h>

#include "apps/experiments/experiments.h"
#include "apps/experiments/results.h"
#include "apps/experiments/task.h"

namespace regard::experiments {

Experiment beam_width() {
  const std::vector<double> beams{1, 2, 5, 10, 30, 100};
  // Cuts every tenth target of a training corpus after half of its words, as badly aligned corpora have it.
  const auto cut_some = [](Pairs& pairs) {
    for (std::size_t i = 0; i < pairs.size(); i += 10) {
      std::string& target = pairs[i].target;
      if (const std::size_t blank = target.find(' ', target.size() / 2); blank != std::string::npos)
        target.resize(blank);
    }
  };
  return {.id = "G1",
          .claim = "A larger beam is not better: from some width on, the quality falls.",
          .source = "Koehn and Knowles 2017, challenge 6",
          .published =
              "Eight language pairs: in almost all, the quality falls beyond some beam; the best one is "
              "between 4 and 30. With scores divided by the length it is 30 to 50.",
          .method =
              "Transformers learn the toy sentences for 600 steps only, so that they still make mistakes, "
              "and translate 300 sentences with beams of 1 to 100. Noisy: every tenth target of the training "
              "corpus is cut off after half of its words, as badly aligned corpora have it; the test set is "
              "clean. Penalty 1: scores are divided by the length.",
          .rule =
              "The quality falls if in every seed BLEU with beam 100 is more than 0.5 below BLEU with beam "
              "5. The claim holds if it falls in all four variants, in part if it falls in some, and does "
              "not hold here if it falls in none.",
          .minutes = 2,
          .variants = {{"clean", {"decoding.alpha=0"}},
                       {"clean, penalty 1", {"decoding.alpha=1"}},
                       {"noisy", {"decoding.alpha=0"}},
                       {"noisy, penalty 1", {"decoding.alpha=1"}}},
          .run =
              [=](const Job& job) {
                toys::Corpus corpus = corpus_for(job, toys::find_toy("sentences"), {20000, 100, 300});
                if (job.variant.starts_with("noisy")) cut_some(corpus.train);
                Trained trained = train(
                    job, corpus, {"model.preset=toy", "training.steps=600", "decoding.length_penalty=power"});
                Measurements measured = std::move(trained.training);
                transformer::SearchOptions options = trained.translator.decoding();
                for (const double beam : beams) {
                  options.beam = job.many(static_cast<Index>(beam), 10);
                  const Translations result = translate(trained, corpus.test, options);
                  measured["bleu"].push_back(result.bleu());
                  measured["exact"].push_back(result.exact_match());
                  measured["length"].push_back(result.length_ratio());
                  measured["score"].push_back(result.mean_score());
                }
                return measured;
              },
          .decide = [](const Results& results) -> Decision {
            std::size_t falls = 0;
            std::string numbers;
            for (const Results::OfVariant& variant : results.variants) {
              falls += std::ranges::all_of(variant.runs, [](const Results::Run& run) {
                return run.measurements.at("bleu")[5] < run.measurements.at("bleu")[2] - 0.5;
              });
              numbers +=
                  fmt::format("{}{}: {:.1f} and {:.1f}", numbers.empty() ? "" : "; ", variant.name,
                              results.mean(variant.name, "bleu", 2), results.mean(variant.name, "bleu", 5));
            }
            return {falls == results.variants.size() ? Verdict::holds
                    : falls > 0                      ? Verdict::holds_in_part
                                                     : Verdict::does_not_hold,
                    fmt::format("BLEU with beam 5 and with beam 100. {}.", numbers)};
          },
          .columns = {{"BLEU, greedy", "bleu", 1, 0},
                      {"beam 5", "bleu", 1, 2},
                      {"beam 100", "bleu", 1, 5},
                      {"length ratio, beam 5", "length", 3, 2},
                      {"length ratio, beam 100", "length", 3, 5}},
          .figures = {{"BLEU", "bleu", "BLEU", "beam", beams, true},
                      {"Score", "score", "model score of a translation, nats", "beam", beams, true},
                      {"Length", "length", "words found / words of the reference", "beam", beams, true}}};
}

}  // namespace regard::experiments
