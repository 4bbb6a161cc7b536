#include "apps/translation/training_log.h"

#include <algorithm>
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <unistd.h>

#include "tests/apps/support.h"
#include "tests/catch.h"

using namespace regard::translation;
using regard::tests::content;
using regard::tests::TemporaryDirectory;

namespace {

/// Sends standard output into a file for as long as it lives.
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

/// Step i takes i seconds, has 100 tokens and the loss 10 - i.
StepReport step(std::int64_t i, std::int64_t planned) {
  return {.step = i,
          .epoch = 2,
          .planned_steps = planned,
          .loss = 10 - static_cast<double>(i),
          .learning_rate = 0.25,
          .gradient_norm = 1.5,
          .tokens = 100,
          .seconds = static_cast<double>(i)};
}

}  // namespace

TEST_CASE("steps are logged as means since the last line", "[log]") {
  const TemporaryDirectory directory;
  const std::string metrics = directory / "metrics.jsonl", output = directory / "output";
  {
    const CapturedOutput captured(output);
    TrainingLog log(metrics, 3);
    for (std::int64_t i = 1; i <= 7; ++i) log.on_step(step(i, 7));
  }
  const std::vector<Json> logged = parsed_lines(metrics);
  REQUIRE(logged.size() == 3);  // after steps 3 and 6, and after the last
  CHECK(logged[0] == Json{{"step", 3},
                          {"epoch", 2},
                          {"loss", 8.0},
                          {"learning_rate", 0.25},
                          {"gradient_norm", 1.5},
                          {"tokens_per_second", 50.0}});
  CHECK(logged[1].at("step") == 6);
  CHECK(logged[1].at("loss") == 5.0);
  CHECK(logged[1].at("tokens_per_second") == 20.0);
  CHECK(logged[2].at("step") == 7);
  CHECK(logged[2].at("loss") == 3.0);

  // 6 seconds for 3 steps: 8 for the 4 that are left.
  const std::string shown = content(output);
  CHECK(
      shown.starts_with("epoch   2  step      3  loss  8.0000  learning rate 2.50e-01  gradient norm   1.500 "
                        "      50 tokens/s  "
                        "0:08 left\n"));
  CHECK(std::count(shown.begin(), shown.end(), '\n') == 3);
  CHECK(shown.find('\r') == std::string::npos);  // the bar is for terminals
}

TEST_CASE("long times are shown in hours", "[log]") {
  const TemporaryDirectory directory;
  const std::string output = directory / "output";
  {
    const CapturedOutput captured(output);
    TrainingLog log(directory / "metrics.jsonl", 1);
    StepReport report = step(1, 101);
    report.seconds = 36.61;
    log.on_step(report);
    report.planned_steps = 0;  // not known yet
    log.on_step(report);
  }
  CHECK_THAT(content(output), ContainsSubstring("  1:01:01 left\n") && ContainsSubstring("  0:00 left\n"));
}

TEST_CASE("validations are logged", "[log]") {
  const TemporaryDirectory directory;
  const std::string metrics = directory / "metrics.jsonl", output = directory / "output";
  {
    const CapturedOutput captured(output);
    TrainingLog log(metrics, 100);
    log.on_validation({.step = 5, .epoch = 1, .evaluation = {.loss = 0, .exact_match = 0.25}, .best = true});
    log.on_validation({.step = 9, .epoch = 1, .evaluation = {.loss = 1e9, .exact_match = 0}, .best = false});
  }
  const std::vector<Json> logged = parsed_lines(metrics);
  REQUIRE(logged.size() == 2);
  CHECK(logged[0] == Json{{"step", 5},
                          {"epoch", 1},
                          {"validation_loss", 0.0},
                          {"validation_perplexity", 1.0},
                          {"exact_match", 0.25},
                          {"best", true}});
  CHECK(logged[1].at("validation_perplexity").is_null());  // infinity, which JSON cannot say
  CHECK(content(output) ==
        "epoch   1  step      5  validation loss 0.0000  perplexity 1.00  exact match 25.0 %  (best so far, "
        "saved)\n"
        "epoch   1  step      9  validation loss 1000000000.0000  perplexity inf  exact match 0.0 %\n");
}

TEST_CASE("a log is continued, and one that cannot be written is refused", "[log]") {
  const TemporaryDirectory directory;
  const std::string metrics = directory.file("metrics.jsonl", "{}\n");
  {
    const CapturedOutput captured(directory / "output");
    TrainingLog(metrics, 1).on_step(step(1, 1));
  }
  CHECK(parsed_lines(metrics).size() == 2);
  CHECK_ERROR(TrainingLog(metrics + "/below", 1), "cannot write " + metrics + "/below: Not a directory");
}
