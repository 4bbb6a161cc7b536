#include <algorithm>
#include <fmt/format.h>

#include "apps/experiments/experiments.h"
#include "apps/experiments/results.h"
#include "apps/experiments/task.h"
#include "apps/translation/files/files.h"
#include "apps/translation/model/weights.h"

namespace regard::experiments {

namespace {
/// Gives the model the weights of the last checkpoint, or the mean of all.
void take_checkpoints(Trained& trained, const std::string& directory, bool mean) {
  std::vector<std::pair<Index, std::string>> files;  // by step
  for (const std::string& name : translation::files_in(directory))
    files.emplace_back(std::stoll(name), directory + "/" + name);
  std::ranges::sort(files);
  std::vector<std::string> paths;
  for (const auto& [step, path] : files) paths.push_back(path);
  if (!mean) paths = {paths.back()};
  const translation::Weights weights = translation::average_weights(paths);
  translation::copy_weights(trained.model(), weights, "the checkpoints", weights.identity);
}
}  // namespace

Experiment averaging() {
  return {
      .id = "F4",
      .claim = "The mean of the last checkpoints is better than the last one.",
      .source = "Vaswani et al. 2017, section 6.1",
      .published =
          "The base model is the mean of the last 5 checkpoints. The paper gives no number for what "
          "this brings.",
      .method =
          "The toy Transformer translates the toy sentences of up to 24 words, with a constant learning "
          "rate: the last weights, the mean of four checkpoints, and a moving average.",
      .rule =
          "It holds if both averages have more BLEU in every seed than the last weights in any; in part if "
          "one has; it does not hold if the last weights are above both.",
      .minutes = 4,
      .takes_corpus = true,
      .variants = {{"last"}, {"mean of 4"}, {"moving average", {"training.average_decay=0.995"}}},
      .tuning = {{"training.learning_rate=0.002"}, {"training.learning_rate=0.004"}},
      .run =
          [](const Job& job) {
            const toys::Corpus corpus = corpus_for(job, toys::long_sentences(24), {20000, 100, 400});
            Trained trained = train(job, corpus,
                                    {"model.dropout=0.05", "training.steps=1500",
                                     "training.schedule=constant", "checkpoints.keep_last=4"});
            take_checkpoints(trained, job.directory + "/model/checkpoints", job.variant == "mean of 4");
            Measurements measured = std::move(trained.training);
            measured["bleu"] = {translate(trained, corpus.test).bleu()};
            return measured;
          },
      .decide = [](const Results& results) -> Decision {
        const Range last = results.range("last", "bleu"), mean = results.range("mean of 4", "bleu");
        const Range moving = results.range("moving average", "bleu");
        const int better = above(mean, last) + above(moving, last);
        return {better == 2                                ? Verdict::holds
                : better == 1                              ? Verdict::holds_in_part
                : above(last, mean) && above(last, moving) ? Verdict::does_not_hold
                                                           : Verdict::cannot_be_decided,
                fmt::format("BLEU of the last weights: {}; of the mean of 4: {}; of the moving average: {}.",
                            text(last, 1), text(mean, 1), text(moving, 1))};
      },
      .columns = {{"BLEU", "bleu"}, {"validation loss", "validation_loss", 3}},
      .figures = {{.title = "Quality", .measurement = "bleu", .y_label = "BLEU"},
                  {.title = "Loss", .measurement = "validation_loss", .y_label = "validation loss, nats"}}};
}

}  // namespace regard::experiments
