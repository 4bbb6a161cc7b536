#include <filesystem>
#include <fmt/format.h>

#include "apps/experiments/experiments.h"
#include "apps/experiments/results.h"
#include "apps/experiments/task.h"
#include "apps/toys/scenes/scenes.h"

namespace regard::experiments {

Experiment captions() {
  // Writes the images of a part, and returns their paths with their captions.
  const auto pairs_of = [](const std::string& directory, const char* part,
                           const std::vector<toys::Scene>& scenes) {
    Pairs pairs;
    for (std::size_t i = 0; i < scenes.size(); ++i)
      pairs.push_back(
          {fmt::format("{}/{}/{:05}.png", directory, part, i + 1), toys::caption(scenes[i]).text()});
    return pairs;
  };
  return {
      .id = "H4",
      .claim = "A caption needs one context for each word; one vector for the whole image is not enough.",
      .source = "lecture notes; Xu et al. 2015",
      .published = "",
      .method =
          "A convolutional network and an LSTM describe toy images of 1 to 5 coloured shapes, with soft "
          "attention over 6 x 6 positions, or with the mean of the positions as the only vector. Words of "
          "the caption are compared place by place.",
      .rule =
          "The claim holds if in every seed the model with attention has more words right than every seed "
          "without, for each number of objects, and its lead is greater with 5 objects than with 1. It holds "
          "in part if attention has more words right over all images. It does not hold if it has not. It "
          "cannot be decided if no seed with attention is above 80 % of the words.",
      .minutes = 8,
      .variants = {{"attention", {"model.attention.kind=soft"}},
                   {"one vector", {"model.attention.kind=none"}}},
      .run =
          [pairs_of](const Job& job) {
            const toys::Scenes scenes =
                toys::generate_scenes(1, {to_size(job.many(8000, 30)), 20, to_size(job.many(500, 20))});
            const std::string directory = std::filesystem::absolute(job.directory + "/scenes").string();
            toys::write(scenes, directory, toys::Existing::replace);
            const toys::Corpus corpus{.train = pairs_of(directory, "train", scenes.train),
                                      .validation = pairs_of(directory, "validation", scenes.validation),
                                      .test = pairs_of(directory, "test", scenes.test)};
            Trained trained =
                train(job, corpus,
                      {"model.preset=xu2015", "model.d_model=128", "model.dropout=0", "training.steps=1500",
                       "training.label_smoothing=0", "training.learning_rate=0.002"});
            Measurements measured = std::move(trained.training);
            measured["words"] = {translate(trained, corpus.test).token_accuracy()};
            for (std::size_t objects = 1; objects <= 5; ++objects) {
              Pairs pairs;
              for (std::size_t i = 0; i < scenes.test.size(); ++i)
                if (scenes.test[i].objects.size() == objects) pairs.push_back(corpus.test[i]);
              const Translations result = translate(trained, pairs);
              measured["words_by_objects"].push_back(pairs.empty() ? 0 : result.token_accuracy());
              measured["exact_by_objects"].push_back(pairs.empty() ? 0 : result.exact_match());
            }
            return measured;
          },
      .decide = [](const Results& results) -> Decision {
        const auto words = [&](const char* variant, Index objects) {
          return results.range(variant, "words_by_objects", objects - 1);
        };
        const auto lead = [&](Index objects) {
          return words("attention", objects).mean - words("one vector", objects).mean;
        };
        bool each = true;
        for (Index objects = 1; objects <= 5; ++objects)
          each = each && above(words("attention", objects), words("one vector", objects));
        const Range with = results.range("attention", "words"),
                    without = results.range("one vector", "words");
        return {with.most < 80              ? Verdict::cannot_be_decided
                : each && lead(5) > lead(1) ? Verdict::holds
                : above(with, without)      ? Verdict::holds_in_part
                                            : Verdict::does_not_hold,
                fmt::format("With attention {} % of the words are right, with one vector {} %. The lead is "
                            "{:.0f} points with 1 object and {:.0f} with 5.",
                            text(with, 1), text(without, 1), lead(1), lead(5))};
      },
      .columns = {{"parameters", "parameters", 0},
                  {"words right, %", "words"},
                  {"1 object", "words_by_objects", 1, 0},
                  {"3 objects", "words_by_objects", 1, 2},
                  {"5 objects", "words_by_objects", 1, 4},
                  {"captions right, 1 object, %", "exact_by_objects", 1, 0},
                  {"5 objects", "exact_by_objects", 1, 4}},
      .figures =
          {{"Words", "words_by_objects", "words right, %", "objects in the image", {1, 2, 3, 4, 5}},
           {"Captions", "exact_by_objects", "captions right, %", "objects in the image", {1, 2, 3, 4, 5}}}};
}

}  // namespace regard::experiments
