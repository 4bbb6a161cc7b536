// The settings that decide when a training ends and which weights it keeps.
#include <algorithm>

#include "apps/translation/files/files.h"
#include "apps/translation/model/weights.h"
#include "autograd/machine/error.h"
#include "tests/apps/training/small_training.h"
#include "tests/catch.h"

using namespace regard::translation;
using namespace regard::tests;
using regard::Index;
using regard::to_index;

namespace {

double loss_of(const SmallTraining& training, const std::string& weights) {
  regard::transformer::EncoderDecoder model = training.model();
  regard::nn::load_parameters(model, weights);
  return evaluate(model, *training.data.validation, {.beam = 1}).loss;
}

}  // namespace

TEST_CASE("tokens end a training", "[recipe]") {
  SmallTraining training;
  training.settings.training.epochs.reset();
  training.settings.training.tokens = 1000;
  const Trained trained(training);
  CHECK(trained.progress.tokens >= 1000);
  CHECK(trained.progress.tokens - trained.steps.back().window.tokens < 1000);
  // The plan can only estimate the tokens per step.
  const auto steps = static_cast<double>(trained.steps.size());
  CHECK(static_cast<double>(trained.steps.front().planned_steps) == Approx(steps).epsilon(0.2));
}

TEST_CASE("without steps, the schedule cosine falls to the last update of the last epoch", "[recipe]") {
  SmallTraining training;
  TrainingSettings& settings = training.settings.training;
  settings.schedule = regard::nn::Schedule::cosine;
  settings.learning_rate = 0.01;
  settings.warmup_steps = 2;
  settings.epochs = 3;
  const Trained by_epochs(training);
  settings.steps = to_index(by_epochs.steps.size());
  const Trained by_steps(training);
  CHECK(by_epochs.steps.back().learning_rate == Approx(0).margin(1e-12));
  REQUIRE(by_steps.steps.size() == by_epochs.steps.size());
  for (std::size_t i = 0; i < by_steps.steps.size(); ++i)
    CHECK(by_epochs.steps[i].learning_rate == by_steps.steps[i].learning_rate);
}

TEST_CASE("momentum changes SGD", "[recipe]") {
  SmallTraining training;
  training.settings.training.optimiser = OptimiserKind::sgd;
  const auto loss_after = [&](double momentum) {
    training.settings.training.momentum = momentum;
    return Trained(training).steps.back().window.loss;
  };
  const double without = loss_after(0);
  CHECK(loss_after(0) == without);
  CHECK(loss_after(0.9) < without);  // the rate is low, so ten times larger steps learn more
}

TEST_CASE("translations of the validation corpus are in the lines of their sources", "[recipe]") {
  SmallTraining training;
  training.settings.training.epochs = 12;
  const auto written = [&] {
    const Trained trained(training);
    return read_lines(trained.directory.validations.file(trained.progress.step));
  };
  const std::vector<std::string> before = written();
  REQUIRE(before.size() == 12);
  REQUIRE_FALSE(before[2].empty());
  // Two pairs were left out of the text: the third of 14 lines and the last.
  ParallelCorpus& corpus = *training.data.validation;
  corpus.lines_read = 14;
  for (std::size_t i = 2; i < corpus.lines.size(); ++i) ++corpus.lines[i];
  std::vector<std::string> expected = before;
  expected.insert(expected.begin() + 2, "");
  expected.emplace_back();
  CHECK(written() == expected);
}

TEST_CASE("patience ends a training that does not improve", "[recipe]") {
  SmallTraining training = training_that_goes_astray();
  training.settings.validation.patience = 3;
  const Trained trained(training);
  const auto& validations = trained.validations;
  REQUIRE(validations.size() > 3);
  CHECK(validations.size() < 15);  // without patience
  for (std::size_t i = 0; i < validations.size(); ++i) {
    const bool one_of_the_last = i + 3 >= validations.size();
    if (one_of_the_last) {
      CHECK_FALSE(validations[i].best);
      CHECK(validations[i].patience_left == to_index(validations.size() - 1 - i));
    } else if (validations[i].best) {
      CHECK(validations[i].patience_left == 3);
    }
  }
  CHECK(validations[validations.size() - 4].best);
}

TEST_CASE("the metric decides which weights are the best", "[recipe]") {
  for (const ValidationMetric metric :
       {ValidationMetric::loss, ValidationMetric::bleu, ValidationMetric::exact_match}) {
    SmallTraining training = training_that_goes_astray();
    training.settings.validation.metric = metric;
    const Trained trained(training);
    std::optional<double> best;
    for (const ValidationReport& report : trained.validations) {
      const double score = score_of(report.validation, metric);
      CHECK(report.best == (!best || better(metric, score, *best)));
      if (report.best) best = score;
    }
    CHECK(trained.progress.best->score == best);
  }
}

TEST_CASE("a validation translates, and its BLEU is the BLEU of its translations", "[recipe]") {
  SmallTraining training;
  training.settings.training.epochs = 8;
  training.settings.validation.bleu.tokeniser = BleuTokeniser::none;
  const Trained trained(training);
  const ValidationReport& last = trained.validations.back();
  const std::vector<std::string> written = read_lines(trained.directory.validations.file(last.step));
  CHECK(written == last.validation.translations);
  REQUIRE(written.size() == training.data.references.size());
  CHECK(last.validation.bleu.score ==
        corpus_bleu(written, training.data.references, {.tokeniser = BleuTokeniser::none}).score);
  CHECK(last.validation.bleu.score > trained.validations.front().validation.bleu.score);
  CHECK(written.front() == training.data.tokeniser->join(training.data.vocabularies.target.tokens(
                               last.validation.evaluation.translations.front())));
}

TEST_CASE("the mean of the last checkpoints is taken if it is better", "[recipe]") {
  SmallTraining training;
  training.settings.training.epochs = 6;
  training.settings.checkpoints = {.keep_last = 3, .average = Averaging::last};
  const Trained trained(training);
  const auto& validations = trained.validations;
  REQUIRE(validations.size() == 7);
  CHECK(validations.back().averaged == 3);
  CHECK(trained.directory.checkpoints.steps() ==
        std::vector<Index>{validations[5].step, validations[4].step, validations[3].step});
  std::vector<std::string> paths;
  for (const Index step : trained.directory.checkpoints.steps())
    paths.push_back(trained.directory.checkpoints.file(step));
  // Each checkpoint has the score of its validation, and so has their mean.
  CHECK(loss_of(training, paths[0]) == validations[5].validation.evaluation.loss);
  std::vector<regard::nn::NamedParameter> mean;
  for (const auto& [name, tensor] : average_weights(paths).tensors) mean.push_back({name, tensor});
  regard::nn::save_safetensors(trained.temporary / "mean", mean);
  const double loss = loss_of(training, trained.temporary / "mean");
  CHECK(loss == validations.back().validation.evaluation.loss);
  CHECK(loss_of(training, trained.directory.weights()) ==
        std::min(loss, validations[5].validation.evaluation.loss));
  CHECK(validations.back().best == (loss < validations[5].validation.evaluation.loss));
}

TEST_CASE("the mean of the best checkpoints leaves out diverged checkpoints", "[recipe]") {
  SmallTraining training = training_that_goes_astray();
  training.settings.checkpoints = {.keep_best = 3, .average = Averaging::best};
  const Trained trained(training);
  std::vector<ValidationReport> ordered = trained.validations;
  REQUIRE(ordered.back().averaged == 3);
  ordered.pop_back();
  std::ranges::stable_sort(ordered, std::less<>(),
                           [](const auto& report) { return report.validation.evaluation.loss; });
  std::vector<Index> best;
  for (std::size_t i = 0; i < 3; ++i) best.push_back(ordered[i].step);
  std::ranges::sort(best, std::greater<>());
  CHECK(trained.directory.checkpoints.steps() == best);
  CHECK(best.front() < 60);
}

TEST_CASE("with a moving average, the average is validated and kept", "[recipe]") {
  SmallTraining training;
  training.settings.training.epochs = 2;
  training.settings.checkpoints.keep_last = 1;
  const Trained plain(training);
  training.settings.training.average_decay = 0.9;
  const Trained averaged(training);
  // The training itself is the same.
  REQUIRE(averaged.steps.size() == plain.steps.size());
  for (std::size_t i = 0; i < plain.steps.size(); ++i)
    CHECK(averaged.steps[i].window.loss == plain.steps[i].window.loss);
  const auto kept = regard::nn::load_safetensors(
      averaged.directory.checkpoints.file(averaged.directory.checkpoints.steps().front()));
  const auto state =
      regard::nn::load_safetensors(averaged.directory.states.file(averaged.directory.states.steps().front()));
  for (const auto& [name, tensor] : kept) {
    CHECK(std::ranges::equal(tensor.values(), state.at("average." + name).values()));
    CHECK_FALSE(std::ranges::equal(tensor.values(), state.at("model." + name).values()));
  }
  CHECK(loss_of(training, averaged.directory.weights()) ==
        averaged.validations.back().validation.evaluation.loss);
}

TEST_CASE("without a validation corpus, the last checkpoints and their mean are kept too", "[recipe]") {
  SmallTraining training;
  training.settings.training.epochs = 4;
  training.settings.checkpoints = {.keep_last = 2, .average = Averaging::last};
  training.data.validation.reset();
  const Trained trained(training);
  CHECK(trained.validations.empty());
  std::vector<std::string> paths;
  for (const Index step : trained.directory.checkpoints.steps())
    paths.push_back(trained.directory.checkpoints.file(step));
  REQUIRE(paths.size() == 2);
  const auto mean = average_weights(paths).tensors,
             weights = regard::nn::load_safetensors(trained.directory.weights());
  for (const auto& [name, tensor] : mean)
    CHECK(std::ranges::equal(tensor.values(), weights.at(name).values()));
}
