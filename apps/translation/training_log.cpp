#include "apps/translation/training_log.h"

#include <algorithm>
#include <cerrno>
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

std::string bar(double done) {
  constexpr int width = 24;
  const int full = static_cast<int>(done * width);
  std::string text;
  for (int i = 0; i < width; ++i) text += i < full ? "█" : "░";
  return text;
}

}  // namespace

TrainingLog::TrainingLog(const std::string& metrics_path, std::int64_t log_every)
    : path_(metrics_path), log_every_(log_every), terminal_(::isatty(STDOUT_FILENO) != 0) {
  metrics_.reset(std::fopen(metrics_path.c_str(), "a"));
  if (metrics_ == nullptr) fail("cannot write {}: {}", path_, std::generic_category().message(errno));
}

void TrainingLog::on_step(const StepReport& report) {
  seconds_ += report.seconds;
  total_seconds_ += report.seconds;
  tokens_ += report.tokens;
  loss_sum_ += report.loss;
  ++steps_;
  if (report.step % log_every_ != 0 && report.step != report.planned_steps) {
    if (terminal_) show_bar(report);
    return;
  }
  const double loss = loss_sum_ / static_cast<double>(steps_);
  const double rate = static_cast<double>(tokens_) / seconds_;
  const double left = total_seconds_ / static_cast<double>(report.step) *
                      static_cast<double>(std::max<std::int64_t>(report.planned_steps - report.step, 0));
  clear_bar();
  fmt::print(
      "epoch {:3}  step {:6}  loss {:7.4f}  learning rate {:8.2e}  gradient norm {:7.3f}  {:7.0f} "
      "tokens/s  {} left\n",
      report.epoch, report.step, loss, report.learning_rate, report.gradient_norm, rate, clock(left));
  std::fflush(stdout);
  write_line({{"step", report.step},
              {"epoch", report.epoch},
              {"loss", loss},
              {"learning_rate", report.learning_rate},
              {"gradient_norm", report.gradient_norm},
              {"tokens_per_second", rate}});
  seconds_ = loss_sum_ = 0;
  tokens_ = steps_ = 0;
}

void TrainingLog::on_validation(const ValidationReport& report) {
  const Evaluation& evaluation = report.evaluation;
  clear_bar();
  fmt::print("epoch {:3}  step {:6}  validation loss {:.4f}  perplexity {:.2f}  exact match {:.1f} %{}\n",
             report.epoch, report.step, evaluation.loss, evaluation.perplexity(),
             100 * evaluation.exact_match, report.best ? "  (best so far, saved)" : "");
  std::fflush(stdout);
  write_line({{"step", report.step},
              {"epoch", report.epoch},
              {"validation_loss", evaluation.loss},
              {"validation_perplexity", evaluation.perplexity()},
              {"exact_match", evaluation.exact_match},
              {"best", report.best}});
}

void TrainingLog::show_bar(const StepReport& report) {
  constexpr double seconds_between = 0.1;
  if (bar_shown_ && total_seconds_ - bar_shown_at_ < seconds_between) return;
  bar_shown_at_ = total_seconds_;
  const double done = report.planned_steps > 0
                          ? static_cast<double>(report.step) / static_cast<double>(report.planned_steps)
                          : 0;
  const double left = done > 0 ? total_seconds_ * (1 - done) / done : 0;
  fmt::print("\r\x1b[K{} {:3.0f} %  step {}  loss {:.4f}  learning rate {:.2e}  {:.0f} tokens/s  {} left",
             bar(done), 100 * done, report.step, loss_sum_ / static_cast<double>(steps_),
             report.learning_rate, static_cast<double>(tokens_) / seconds_, clock(left));
  std::fflush(stdout);
  bar_shown_ = true;
}

void TrainingLog::clear_bar() {
  if (bar_shown_) fmt::print("\r\x1b[K");
  bar_shown_ = false;
}

void TrainingLog::write_line(const Json& entry) {
  const std::string line = entry.dump() + "\n";
  const bool written = std::fwrite(line.data(), 1, line.size(), metrics_.get()) == line.size();
  if (!written || std::fflush(metrics_.get()) != 0)
    fail("cannot write {}: {}", path_, std::generic_category().message(errno));
}

}  // namespace regard::translation
