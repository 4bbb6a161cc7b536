// The training loop: steps, epochs, validations, and the weights that are kept.
#include <algorithm>
#include <chrono>
#include <thread>

#include "apps/translation/files/files.h"
#include "autograd/machine/error.h"
#include "tests/apps/training/small_training.h"
#include "tests/catch.h"

using namespace regard::translation;
using namespace regard::tests;
using regard::Index;
using regard::to_index;
using regard::to_size;

namespace {

std::vector<Index> validated_steps(const Trained& trained) {
  std::vector<Index> result;
  for (const ValidationReport& report : trained.validations) result.push_back(report.step);
  return result;
}

Index tokens(const Trained& trained) {
  Index sum = 0;
  for (const StepReport& report : trained.steps) sum += report.window.tokens;
  return sum;
}

std::size_t batches(const SmallTraining& training, Index epoch = 1) {
  return plan_epoch(pair_lengths(training.data.training), training.settings.training.batch_tokens, 1, epoch)
      .size();
}

/// Source and target tokens of the training corpus, with </s>.
Index corpus_tokens(const SmallTraining& training) {
  Index sum = 0;
  for (const PairLength& length : pair_lengths(training.data.training))
    sum += length.source + length.target + 2;
  return sum;
}

using Steps = std::vector<Index>;

}  // namespace

TEST_CASE("epochs end a training, and each epoch has every token once", "[trainer]") {
  SmallTraining training;
  training.settings.training.epochs = 3;
  const Trained recording(training);
  REQUIRE(recording.steps.size() == batches(training, 1) + batches(training, 2) + batches(training, 3));
  CHECK(tokens(recording) == 3 * corpus_tokens(training));
  for (std::size_t i = 0; i < recording.steps.size(); ++i) {
    CHECK(recording.steps[i].step == to_index(i) + 1);
    CHECK(recording.steps[i].window.seconds > 0);
  }
  CHECK(recording.steps.front().epoch == 1);
  CHECK(recording.steps.back().epoch == 3);
  CHECK(recording.steps.front().planned_steps == to_index(3 * batches(training)));
  CHECK(recording.validations.size() == 3);
}

TEST_CASE("steps end a training, within an epoch or after many", "[trainer]") {
  SmallTraining training;
  const auto in_epoch = to_index(batches(training));
  REQUIRE(in_epoch > 5);
  training.settings.training.epochs.reset();
  for (const Index steps : {Index{3}, in_epoch, 2 * in_epoch + 1}) {
    training.settings.training.steps = steps;
    const Trained recording(training);
    CHECK(recording.steps.size() == to_size(steps));
    CHECK(recording.steps.front().planned_steps == steps);
    CHECK(validated_steps(recording).back() == steps);
  }
  training.settings.training.epochs = 1;  // the limit that is reached first ends the training
  const Trained both(training);
  CHECK(both.steps.size() == to_size(in_epoch));
  CHECK(both.steps.front().planned_steps == in_epoch);
}

TEST_CASE("accumulated batches make one step", "[trainer]") {
  SmallTraining training;
  training.settings.training.accumulate = 4;
  const Trained recording(training);
  CHECK(recording.steps.size() == (batches(training) + 3) / 4);
  CHECK(tokens(recording) == corpus_tokens(training));
  CHECK(recording.steps.front().planned_steps == to_index(recording.steps.size()));
}

TEST_CASE("accumulated batches are one large batch", "[trainer]") {
  SmallTraining training;
  training.settings.training.optimiser = OptimiserKind::sgd;
  training.settings.training.learning_rate = 0.5;
  training.settings.training.batch_tokens = 100'000;
  training.settings.training.epochs = 2;
  const Trained large(training);
  REQUIRE(large.steps.size() == 2);
  training.settings.training.batch_tokens = 40;
  training.settings.training.accumulate = 1000;
  const Trained accumulated(training);
  REQUIRE(accumulated.steps.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(accumulated.steps[i].window.loss == Approx(large.steps[i].window.loss).epsilon(1e-5));
    CHECK(accumulated.steps[i].gradient_norm == Approx(large.steps[i].gradient_norm).epsilon(1e-4));
    CHECK(accumulated.validations[i].validation.evaluation.loss ==
          Approx(large.validations[i].validation.evaluation.loss).epsilon(1e-5));
  }
}

TEST_CASE("validations come at the right steps, and never twice at a step", "[trainer]") {
  SmallTraining training;
  training.settings.training.epochs.reset();
  const auto validated = [&](Index steps, Index every) {
    training.settings.training.steps = steps;
    training.settings.validation.every_steps = every;
    return validated_steps(Trained(training));
  };
  CHECK(validated(10, 4) == Steps{4, 8, 10});
  CHECK(validated(8, 4) == Steps{4, 8});
  CHECK(validated(3, 4) == Steps{3});
  const auto epoch = to_index(batches(training));
  CHECK(validated(epoch + 2, 0) == Steps{epoch, epoch + 2});
  CHECK(validated(epoch, 0) == Steps{epoch});
}

TEST_CASE("the translations of a validation are written after its line in the log", "[trainer]") {
  // Otherwise a kill between them would leave a file that nobody knows.
  struct Watching : TrainingObserver {
    explicit Watching(ModelDirectory watched) : directory(std::move(watched)) {}
    void on_validation(const ValidationReport& report) override {
      there.push_back(path_exists(directory.validations.file(report.step)));
    }
    ModelDirectory directory;
    std::vector<bool> there;
  };
  const TemporaryDirectory temporary;
  const ModelDirectory directory(temporary / "model");
  SmallTraining small;
  small.settings.validation.every_steps = 3;
  Training training = start(small, directory);
  Watching watching(directory);
  CHECK(run_training(training, watching));
  CHECK(watching.there.size() > 2);
  CHECK(std::ranges::count(watching.there, true) == 0);
  CHECK(directory.validations.steps().size() == watching.there.size());
}

TEST_CASE("a training from memory whose epochs may be empty is refused", "[trainer]") {
  const TemporaryDirectory temporary;
  const ModelDirectory directory(temporary / "model");
  SmallTraining small;
  small.data.mixture = {{.file = "a", .pairs = 60, .share = 0.01}};
  CHECK_ERROR(start(small, directory), "is less than one pair per epoch");
  small.data.mixture.front().share = 0.5;
  CHECK_ERROR(start(small, directory), "data.shares leave about 30 pairs per epoch");
  small.data.mixture.front().share = 0.75;  // 45 pairs
  CHECK_NOTHROW(start(small, directory));
  small.data.mixture = {};
  small.data.training = {};
  CHECK_ERROR(start(small, ModelDirectory(temporary / "other")), "the training corpus has no pair");
}

TEST_CASE("the weights of the best validation are kept", "[trainer]") {
  const SmallTraining training = training_that_goes_astray();
  const Trained recording(training);
  double best = 1e9;
  for (const ValidationReport& report : recording.validations) {
    CHECK(report.best == (report.validation.evaluation.loss < best));
    best = std::min(best, report.validation.evaluation.loss);
  }
  CHECK(recording.validations.front().best);
  CHECK_FALSE(recording.validations.back().best);
  CHECK(content(recording.directory.weights()) == recording.best_weights);
  TranslationModel model = TranslationModel::load(recording.directory.path());
  CHECK(evaluate(model.model, *training.data.validation, {.beam = 1}).loss == best);
}

TEST_CASE("without validation the last weights are kept", "[trainer]") {
  SmallTraining training;
  const Trained validated(training);  // one validation, after the last step
  training.data.validation.reset();
  const Trained recording(training);
  CHECK(recording.validations.empty());
  CHECK(content(recording.directory.weights()) == validated.best_weights);
}

TEST_CASE("validations do not change the training", "[trainer]") {
  SmallTraining training;
  training.settings.model.config.dropout = regard::transformer::DropoutRates::all(0.3);
  const Trained seldom(training);
  training.settings.validation.every_steps = 1;
  const Trained often(training);
  REQUIRE(often.steps.size() == seldom.steps.size());
  for (std::size_t i = 0; i < often.steps.size(); ++i)
    CHECK(often.steps[i].window.loss == seldom.steps[i].window.loss);
}

TEST_CASE("the time of a training includes validations, its speed does not", "[trainer]") {
  using namespace std::chrono_literals;
  SmallTraining training;
  training.settings.validation.every_steps = 2;
  double in_validations = 0;
  const Trained recording(training, [&] {
    std::this_thread::sleep_for(20ms);
    in_validations += 0.02;
  });
  double in_steps = 0;
  for (const StepReport& report : recording.steps) in_steps += report.window.seconds;
  REQUIRE(recording.validations.size() > 3);
  const double before_last = recording.validations.back().total_seconds;  // its own sleep comes later
  CHECK(before_last > in_steps + in_validations - 0.02);
  CHECK(recording.steps.back().total_seconds < before_last);
}

TEST_CASE("a step reports loss, learning rate and gradient norm", "[trainer]") {
  SmallTraining training;
  training.settings.training.schedule = regard::nn::Schedule::noam;
  training.settings.training.learning_rate = 2;
  training.settings.training.warmup_steps = 7;
  training.settings.training.label_smoothing = 0.2;
  const Trained recording(training);
  for (const StepReport& report : recording.steps)
    CHECK(report.learning_rate ==
          regard::nn::learning_rate(
              {.schedule = regard::nn::Schedule::noam, .learning_rate = 2, .warmup_steps = 7, .d_model = 16},
              report.step));

  regard::transformer::EncoderDecoder model = training.model();
  const BatchPlan plan =
      plan_epoch(pair_lengths(training.data.training), training.settings.training.batch_tokens, 1, 1);
  const regard::Tensor loss =
      model.loss(make_batch(training.data.training, plan[0]), {.label_smoothing = 0.2f});
  loss.backward();
  double squares = 0;
  for (const auto& parameter : model.parameters()) {
    const regard::Tensor gradient = parameter.tensor.grad();
    for (const float value : gradient.values())
      squares += static_cast<double>(value) * static_cast<double>(value);
  }
  CHECK(recording.steps[0].window.loss == Approx(static_cast<double>(loss.item())).epsilon(1e-6));
  CHECK(recording.steps[0].gradient_norm == Approx(std::sqrt(squares)).epsilon(1e-5));
}
