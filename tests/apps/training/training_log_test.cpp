#include "apps/translation/training/training_log.h"

#include <algorithm>
#include <fcntl.h>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>
#include <unistd.h>

#include "autograd/machine/parallel.h"
#include "tests/apps/support.h"
#include "tests/catch.h"

using namespace regard::translation;
using regard::Index;
using regard::tests::content;
using regard::tests::TemporaryDirectory;

namespace {

/// Redirects standard output into a file as long as the object exists.
class CapturedOutput {
 public:
  explicit CapturedOutput(const std::string& path) : before_(::dup(STDOUT_FILENO)) {
    std::fflush(stdout);
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::dup2(file, STDOUT_FILENO);
    ::close(file);
  }
  CapturedOutput(const CapturedOutput&) = delete;
  CapturedOutput& operator=(const CapturedOutput&) = delete;
  ~CapturedOutput() {
    std::fflush(stdout);
    ::dup2(before_, STDOUT_FILENO);
    ::close(before_);
  }

 private:
  int before_;
};

std::vector<Json> parsed_lines(const std::string& path) {
  std::vector<Json> result;
  std::istringstream stream(content(path));
  for (std::string line; std::getline(stream, line);) result.push_back(Json::parse(line));
  return result;
}

/// A report on step i with 2 seconds per step, in the whole training and in this run; 3 steps, 150
/// tokens, 3 seconds and the mean loss 8 since the last line.
StepReport step(Index i, Index planned, bool line_due = true) {
  return {.step = i,
          .epoch = 2,
          .planned_steps = planned,
          .learning_rate = 0.25,
          .gradient_norm = 1.5,
          .total_seconds = 2 * static_cast<double>(i),
          .step_seconds = 2,
          .window = {.steps = 3, .tokens = 150, .loss = 24, .seconds = 3},
          .line_due = line_due};
}

/// What a log writes, and shows on standard output.
struct Logged {
  explicit Logged(const std::function<void(TrainingLog&)>& act) {
    const TemporaryDirectory directory;
    const std::string json = directory / "metrics.jsonl", out = directory / "out";
    {
      const CapturedOutput captured(out);
      const int before = regard::threads();
      regard::set_threads(3, "a test");
      TrainingLog training_log(json);
      regard::set_threads(before);
      act(training_log);
    }
    metrics = parsed_lines(json), output = content(out);
  }
  std::vector<Json> metrics;
  std::string output;
};

ValidationReport validation(double loss, double exact_match, bool best) {
  ValidationReport report{.step = 5, .epoch = 1, .validation = {}, .total_seconds = 7.5, .best = best};
  report.validation.evaluation = {.loss = loss, .exact_match = exact_match};
  report.validation.bleu.score = 12.345;
  return report;
}

std::string shown(const StepReport& report) {
  return Logged([&](TrainingLog& log) { log.on_step(report); }).output;
}

}  // namespace

TEST_CASE("steps are logged as means since the last line", "[log]") {
  const Logged logged([](TrainingLog& log) {
    log.on_step(step(2, 7, false));
    log.on_step(step(3, 7));
  });
  REQUIRE(logged.metrics.size() == 1);
  CHECK(logged.metrics[0] == Json{{"step", 3},
                                  {"epoch", 2},
                                  {"loss", 8.0},
                                  {"learning_rate", 0.25},
                                  {"gradient_norm", 1.5},
                                  {"tokens_per_second", 50.0},
                                  {"threads", regard::threads()},
                                  {"seconds", 6.0}});
  // exp(8) = 2980.958; 2 seconds for each of the 4 remaining steps.
  CHECK(logged.output ==
        "threads      3 (a test)\n"
        "epoch   step    loss  perplexity  learning rate  gradient norm  tokens/s    left\n"
        "    2      3  8.0000     2980.96       2.50e-01          1.500        50    0:08\n");
}

TEST_CASE("long times are printed in hours", "[log]") {
  StepReport report = step(1, 101);
  report.step_seconds = 36.61;
  CHECK_CONTAINS(shown(report), " 1:01:01\n");
  report.step_seconds = 600;  // 100 steps are left
  CHECK_CONTAINS(shown(report), "    17 h\n");
}

TEST_CASE("an unknown end is not printed, and large numbers are shortened", "[log]") {
  StepReport report = step(1, 101);
  report.planned_steps = 0;  // only patience will end the training
  CHECK_CONTAINS(shown(report), "          1.500        50\n");
  report.window.loss = 23 * static_cast<double>(report.window.steps);
  CHECK_CONTAINS(shown(report), " 23.0000    9.74e+09  ");  // exp(23) = 9744803446.25
}

TEST_CASE("validations are logged", "[log]") {
  const Logged logged([](TrainingLog& log) {
    log.on_validation(validation(0, 0.25, true));
    log.on_validation(validation(1e9, 0, false));
    ValidationReport patient = validation(0, 0, false);
    patient.patience_left = 3;
    log.on_validation(patient);
    ValidationReport mean = validation(0, 0, true);
    mean.averaged = 10;
    log.on_validation(mean);
  });
  REQUIRE(logged.metrics.size() == 4);
  CHECK(logged.metrics[0] == Json{{"step", 5},
                                  {"epoch", 1},
                                  {"validation_loss", 0.0},
                                  {"validation_perplexity", 1.0},
                                  {"bleu", 12.345},
                                  {"exact_match", 0.25},
                                  {"best", true},
                                  {"seconds", 7.5}});
  CHECK(logged.metrics[1].at("validation_perplexity").is_null());  // infinity, which JSON cannot represent
  CHECK(logged.metrics[3].at("averaged") == 10);
  CHECK(logged.output ==
        "threads      3 (a test)\n"
        "epoch   step    loss  perplexity  learning rate  gradient norm  tokens/s    left\n"
        "    1      5  0.0000        1.00  validation  BLEU 12.35  exact  25.0 %  best\n"
        "    1      5 1000000000.0000 8.00e+434294481  validation  BLEU 12.35  exact   0.0 %\n"
        "    1      5  0.0000        1.00  validation  BLEU 12.35  exact   0.0 %  wait 3\n"
        "    1      5  0.0000        1.00  mean of 10  BLEU 12.35  exact   0.0 %  best\n");
}

TEST_CASE("the lines of validations fit into 80 columns", "[log]") {
  std::istringstream lines(Logged([](TrainingLog& log) {
                             ValidationReport report = validation(11.5, 1, false);  // exp(11.5) = 98715.77
                             report.step = 1'000'000, report.epoch = 10'000, report.patience_left = 99;
                             log.on_validation(report);
                           }).output);
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 80);
}

TEST_CASE("a program may show the lines in its own way", "[log]") {
  const TemporaryDirectory directory;
  std::vector<std::string> shown;
  TrainingLog training_log(directory / "metrics.jsonl", ProgressBar::hidden,
                           [&](const std::string& line) { shown.push_back(line); });
  training_log.on_step(step(1, 1));
  training_log.on_validation(validation(2, 0.5, true));
  REQUIRE(shown.size() == 4);
  CHECK(shown[1].starts_with("epoch   step    loss"));
  CHECK(shown[2].starts_with("    2      1  8.0000"));
  CHECK(shown[3].starts_with("    1      5  2.0000"));
}

TEST_CASE("a log is continued, and one that cannot be written is refused", "[log]") {
  const TemporaryDirectory directory;
  const std::string metrics = directory.file("metrics.jsonl", "{}\n");
  const auto quiet = [](const std::string&) {};
  for (int i = 0; i < 2; ++i) TrainingLog(metrics, ProgressBar::hidden, quiet).on_step(step(1, 1));
  CHECK(parsed_lines(metrics).size() == 3);
  CHECK_ERROR(TrainingLog(metrics + "/below"), "cannot write " + metrics + "/below: Not a directory");
}
