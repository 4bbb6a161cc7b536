#include "apps/translation/training_log.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <nlohmann/json.hpp>
#include <system_error>
#include <unistd.h>

#include "autograd/error.h"

namespace regard::translation {

namespace {

std::string clock(double seconds) {
  const auto total = static_cast<std::int64_t>(seconds + 0.5);
  if (total >= 3600) return fmt::format("{}:{:02}:{:02}", total / 3600, total / 60 % 60, total % 60);
  return fmt::format("{}:{:02}", total / 60, total % 60);
}

/// What is still to come, at the speed so far.
double seconds_left(const StepReport& report) {
  return report.total_seconds / static_cast<double>(report.step) *
         static_cast<double>(std::max<std::int64_t>(report.planned_steps - report.step, 0));
}

/// "  3:20 left"; nothing if nobody knows.
std::string time_left(const StepReport& report) {
  return report.planned_steps > 0 ? fmt::format("  {} left", clock(seconds_left(report))) : "";
}

/// With two digits behind the point, as long as there are not too many before it.
std::string perplexity(double loss) {
  const double value = std::exp(loss);
  return value < 1e5 ? fmt::format("{:.2f}", value) : fmt::format("{:.2e}", value);
}

double mean_loss(const Window& window) { return window.loss / static_cast<double>(window.steps); }

double tokens_per_second(const Window& window) { return static_cast<double>(window.tokens) / window.seconds; }

std::string bar(double done) {
  constexpr int width = 24;
  const int full = static_cast<int>(done * width);
  std::string text;
  for (int i = 0; i < width; ++i) text += i < full ? "█" : "░";
  return text;
}

}  // namespace

TrainingLog::Lines::Lines(const std::string& to) : path(to), file(std::fopen(to.c_str(), "a")) {
  if (file == nullptr) fail("cannot write {}: {}", path, std::generic_category().message(errno));
}

void TrainingLog::Lines::write(const std::string& line) {
  const bool written = std::fwrite(line.data(), 1, line.size(), file.get()) == line.size() &&
                       std::fputc('\n', file.get()) != EOF;
  if (!written || std::fflush(file.get()) != 0)
    fail("cannot write {}: {}", path, std::generic_category().message(errno));
}

TrainingLog::TrainingLog(const std::string& metrics_path, const std::string& log_path)
    : metrics_(metrics_path), log_(log_path), terminal_(::isatty(STDOUT_FILENO) != 0) {}

void TrainingLog::on_step(const StepReport& report) {
  if (!report.line_due) {
    if (terminal_) show_bar(report);
    return;
  }
  const double loss = mean_loss(report.window), speed = tokens_per_second(report.window);
  show_line(
      fmt::format("epoch {:3}  step {:6}  loss {:7.4f}  perplexity {:>8}  learning rate {:8.2e}  gradient "
                  "norm {:7.3f}  "
                  "{:6.0f} tokens/s{}",
                  report.epoch, report.step, loss, perplexity(loss), report.learning_rate,
                  report.gradient_norm, speed, time_left(report)));
  metrics_.write(Json{{"step", report.step},
                      {"epoch", report.epoch},
                      {"loss", loss},
                      {"learning_rate", report.learning_rate},
                      {"gradient_norm", report.gradient_norm},
                      {"tokens_per_second", speed},
                      {"seconds", report.total_seconds}}
                     .dump());
}

void TrainingLog::on_validation(const ValidationReport& report) {
  const Evaluation& evaluation = report.validation.evaluation;
  const double bleu = report.validation.bleu.score;
  std::string verdict;
  if (report.best)
    verdict = "  (best so far, saved)";
  else if (report.patience_left >= 0)
    verdict = fmt::format("  (patience: {})", report.patience_left);
  show_line(fmt::format(
      "epoch {:3}  step {:6}  {} loss {:.4f}  perplexity {}  BLEU {:.2f}  exact match {:.1f} %{}",
      report.epoch, report.step,
      report.averaged > 0 ? fmt::format("mean of {} checkpoints: validation", report.averaged) : "validation",
      evaluation.loss, perplexity(evaluation.loss), bleu, 100 * evaluation.exact_match, verdict));
  Json entry{{"step", report.step},
             {"epoch", report.epoch},
             {"validation_loss", evaluation.loss},
             {"validation_perplexity", evaluation.perplexity()},
             {"bleu", bleu},
             {"exact_match", evaluation.exact_match},
             {"best", report.best}};
  if (report.averaged > 0) entry["averaged"] = report.averaged;
  metrics_.write(entry.dump());
}

void TrainingLog::show_bar(const StepReport& report) {
  constexpr double seconds_between = 0.1;
  if (bar_shown_ && report.total_seconds - bar_shown_at_ < seconds_between) return;
  bar_shown_at_ = report.total_seconds;
  const double done = report.planned_steps > 0
                          ? static_cast<double>(report.step) / static_cast<double>(report.planned_steps)
                          : 0;
  fmt::print("\r\x1b[K{} {:3.0f} %  step {}  loss {:.4f}  learning rate {:.2e}  {:.0f} tokens/s{}", bar(done),
             100 * done, report.step, mean_loss(report.window), report.learning_rate,
             tokens_per_second(report.window), time_left(report));
  std::fflush(stdout);
  bar_shown_ = true;
}

void TrainingLog::show_line(const std::string& line) {
  clear_bar();
  fmt::print("{}\n", line);
  std::fflush(stdout);
  log_.write(line);
}

void TrainingLog::clear_bar() {
  if (bar_shown_) fmt::print("\r\x1b[K");
  bar_shown_ = false;
}

}  // namespace regard::translation
