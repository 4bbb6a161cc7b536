// What ends a training, when that is expected, and which checkpoints stay.
#include <nlohmann/json.hpp>

#include "apps/translation/files/json.h"
#include "apps/translation/training/plan.h"
#include "tests/apps/training/small_training.h"
#include "tests/catch.h"

using namespace regard::translation;
using namespace regard::tests;
using regard::Index;

namespace {

/// A progress to compare with the limits.
struct Done {
  Index step = 0, epoch = 1, epoch_steps = 0, tokens = 0, without_best = 0;

  operator Progress() const {
    Progress progress;
    progress.step = step;
    progress.epoch = epoch;
    progress.epoch_steps = epoch_steps;
    progress.tokens = tokens;
    progress.without_best = without_best;
    return progress;
  }
};

struct Limits {
  Index steps = 0, epochs = 0, tokens = 0;

  operator TrainingSettings() const {
    TrainingSettings settings;
    settings.steps = steps;
    settings.epochs = epochs;
    settings.tokens = tokens;
    return settings;
  }
};

std::string reached(const TrainingSettings& training, const Progress& progress, Index steps_in_epoch = 0) {
  Settings settings;
  settings.training = training;
  settings.validation.patience = 3;
  const char* const limit = reached_limit(settings, progress, steps_in_epoch);
  return limit ? limit : "none";
}

/// The planned steps of a training whose epochs have so many steps, and 20 tokens.
Index planned_steps(const TrainingSettings& training, const Progress& progress, Index in_epoch,
                    double step_seconds = 0) {
  Settings settings;
  settings.training = training;
  return TrainingPlan(settings, progress, in_epoch, 20).steps(step_seconds);
}

using Steps = std::vector<Index>;

const std::vector<Checkpoint> five{{1, 3.0}, {2, 1.0}, {3, 2.0}, {4, 1.0}, {5, 4.0}};

Steps steps_of(const std::vector<Checkpoint>& checkpoints) {
  Steps steps;
  for (const Checkpoint& checkpoint : checkpoints) steps.push_back(checkpoint.step);
  return steps;
}
}  // namespace

TEST_CASE("each limit is reached by its own count", "[trainer]") {
  const Limits training{.steps = 100, .epochs = 3, .tokens = 1000};
  const Done before{.step = 99, .epoch = 3, .tokens = 999, .without_best = 2};
  Done progress = before;
  CHECK(reached(training, progress) == "none");
  progress.step = 100;
  CHECK(reached(training, progress) == "training.steps");
  progress = before, progress.tokens = 1000;
  CHECK(reached(training, progress) == "training.tokens");
  progress = before, progress.epoch = 4;
  CHECK(reached(training, progress) == "training.epochs");
  progress = before, progress.without_best = 3;
  CHECK(reached(training, progress) == "validation.patience");
  progress = before, progress.epoch_steps = 49;
  CHECK(reached(training, progress, 50) == "none");
  progress.epoch_steps = 50;
  CHECK(reached(training, progress, 50) == "training.epochs");
  CHECK(reached(training, progress) == "none");
}

TEST_CASE("minutes end a training, and shorten the plan", "[trainer]") {
  TrainingSettings training;
  training.minutes = 1.5;
  CHECK(training.epoch_limit() == 0);
  Progress progress;
  progress.step = 10;
  progress.seconds = 89;
  CHECK(reached(training, progress) == "none");
  CHECK(planned_steps(training, progress, 1) == 0);
  const auto within_minutes = [&](Index steps) {
    training.steps = steps;
    return planned_steps(training, progress, 1, 0.25);
  };
  CHECK(within_minutes(0) == 14);
  CHECK(within_minutes(12) == 12);
  CHECK(within_minutes(99) == 14);
  progress.seconds = 90;
  CHECK(reached(training, progress) == "training.minutes");
  CHECK(within_minutes(99) == 10);
  training.minutes = 0;
  CHECK(reached(training, progress) == "none");
  CHECK(within_minutes(99) == 99);
}

TEST_CASE("validations without a better one lower the learning rate again and again", "[trainer]") {
  TrainingSettings settings;
  settings.schedule = regard::nn::Schedule::plateau;
  settings.warmup_steps = 40;
  settings.plateau_patience = 2;
  const auto reductions = [&](const std::vector<double>& losses) {
    Progress progress;
    std::vector<Index> counts;
    for (const double loss : losses) {
      progress.step += 10;
      count_patience(progress, ValidationMetric::loss, loss);
      reduce_on_plateau(progress, settings);
      counts.push_back(progress.rate_reductions);
    }
    return counts;
  };
  using Counts = std::vector<Index>;
  CHECK(reductions({9, 8, 7, 6, 5, 4, 3, 2}) == Counts{0, 0, 0, 0, 0, 0, 0, 0});
  CHECK(reductions({9, 8, 7, 6, 6, 6, 6, 6}) == Counts{0, 0, 0, 0, 0, 1, 1, 2});
  CHECK(reductions({9, 8, 7, 6, 7, 5, 6, 6}) == Counts{0, 0, 0, 0, 0, 0, 0, 1});
  CHECK(reductions({1, 2, 2, 2, 2, 2, 2, 2}) == Counts{0, 0, 0, 0, 1, 1, 2, 2});  // none in the warm-up
  settings.schedule = regard::nn::Schedule::inverse_sqrt;
  CHECK(reductions({1, 2, 2, 2, 2, 2, 2, 2}).back() == 0);
}

TEST_CASE("the progress of an earlier version has no reductions of the learning rate", "[trainer]") {
  Json json = Json::parse(to_text(Progress()));
  json["rate_reductions"] = 3;
  CHECK(parse_progress(json.dump(), "x").rate_reductions == 3);
  json.erase("rate_reductions");
  CHECK(parse_progress(json.dump(), "x").rate_reductions == 0);
  json.erase("without_best");
  CHECK_ERROR(parse_progress(json.dump(), "x"), "not the progress of a training");
}

TEST_CASE("planned steps are the steps done plus the steps left", "[trainer]") {
  CHECK(planned_steps(Limits{.epochs = 3}, Done{.epoch = 1}, 10) == 30);
  // Epochs of 10, 12 and 11 updates: at the beginning of each, and in the middle of the last.
  CHECK(planned_steps(Limits{.epochs = 3}, Done{.step = 10, .epoch = 2}, 12) == 34);
  CHECK(planned_steps(Limits{.epochs = 3}, Done{.step = 22, .epoch = 3}, 11) == 33);
  CHECK(planned_steps(Limits{.epochs = 3}, Done{.step = 26, .epoch = 3, .epoch_steps = 4}, 11) == 33);
  CHECK(planned_steps(Limits{.steps = 25}, Done{.step = 22, .epoch = 3}, 11) == 25);
  CHECK(planned_steps(Limits{.tokens = 100}, Done{.step = 10, .epoch = 2, .tokens = 20}, 12) ==
        10 + 80 * 12 / 20);
  CHECK(planned_steps(Limits{.epochs = 0}, Done{.epoch = 1}, 10) == 0);
}

TEST_CASE("the last update has a line in the log, and patience can be the only limit", "[trainer]") {
  SmallTraining training;
  training.settings.training.epochs = 2;
  training.settings.training.log_every = 1000;
  const TemporaryDirectory temporary;
  const ModelDirectory directory(temporary / "model");
  const auto lines_of = [&] {
    Recording recording;
    TrainingOptions options = training.options();
    options.overwrite = true;
    Training run = prepare_training(training.settings, directory.path(), options);
    run_training(run, recording);
    std::vector<bool> due;
    for (const StepReport& report : recording.steps) due.push_back(report.line_due);
    return due;
  };
  const std::vector<bool> due = lines_of();
  CHECK(due.back());
  CHECK(std::count(due.begin(), due.end(), true) == 1);

  training.settings.data.tsv = training.settings.data.validation_tsv = "x";
  training.settings.training.epochs = 0;
  CHECK_ERROR(check(training.settings), "nothing ends the training");
  training.settings.validation.patience = 1;
  CHECK_NOTHROW(check(training.settings));
  training.settings.training.learning_rate = 1e-12;  // so that no score improves
  training.settings.validation.metric = ValidationMetric::exact_match;
  CHECK(lines_of().size() == due.size());
}

TEST_CASE("a lower loss is better, and a higher value of the other metrics", "[checkpoints]") {
  CHECK(better(ValidationMetric::loss, 1, 2));
  CHECK_FALSE(better(ValidationMetric::loss, 2, 1));
  for (const ValidationMetric metric : {ValidationMetric::bleu, ValidationMetric::exact_match}) {
    CHECK(better(metric, 2, 1));
    CHECK_FALSE(better(metric, 1, 2));
    CHECK_FALSE(better(metric, 1, 1));
  }
}

TEST_CASE("the best and the last checkpoints", "[checkpoints]") {
  CHECK(best_of(five, 1, ValidationMetric::loss) == Steps{2});  // 2 and 4 are equal, so the earlier
  CHECK(best_of(five, 3, ValidationMetric::loss) == Steps{2, 3, 4});
  CHECK(best_of(five, 2, ValidationMetric::bleu) == Steps{1, 5});
  CHECK(best_of(five, 9, ValidationMetric::bleu) == Steps{1, 2, 3, 4, 5});
  CHECK(last_of(five, 2) == Steps{4, 5});
  CHECK(last_of(five, 9) == Steps{1, 2, 3, 4, 5});
  CHECK(last_of(five, 0).empty());
}

TEST_CASE("the last and the best checkpoints are kept", "[checkpoints]") {
  const auto kept_steps = [](Index last, Index best) {
    return steps_of(
        checkpoints_to_keep(five, {.keep_last = last, .keep_best = best}, ValidationMetric::loss));
  };
  CHECK(kept_steps(0, 0).empty());
  CHECK(kept_steps(2, 0) == Steps{4, 5});
  CHECK(kept_steps(0, 2) == Steps{2, 4});
  CHECK(kept_steps(2, 2) == Steps{2, 4, 5});
}
