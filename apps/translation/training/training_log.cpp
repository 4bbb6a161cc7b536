#include "apps/translation/training/training_log.h"

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <sys/ioctl.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "apps/translation/files/utf8.h"
#include "autograd/machine/error.h"
#include "autograd/machine/parallel.h"

namespace regard::translation {

std::string clock(double seconds) {
  const auto total = static_cast<Index>(seconds + 0.5);
  if (total >= 3600) return fmt::format("{}:{:02}:{:02}", total / 3600, total / 60 % 60, total % 60);
  return fmt::format("{}:{:02}", total / 60, total % 60);
}

namespace {

// Columns of the log: 80 in all.
constexpr const char* headline =
    "epoch   step    loss  perplexity  learning rate  gradient norm  tokens/s    left";

double tokens_per_second(const Window& window) { return static_cast<double>(window.tokens) / window.seconds; }

/// Returns the expected time until the end, at the speed of this run; empty if the end is unknown.
std::string time_left(const StepReport& report) {
  if (report.planned_steps == 0) return "";
  const Index steps_left = std::max<Index>(report.planned_steps - report.step, 0);
  const double seconds = report.step_seconds * static_cast<double>(steps_left);
  constexpr double hour = 3600;
  return seconds < 10 * hour ? clock(seconds) : fmt::format("{:.0f} h", seconds / hour);
}

/// Returns a bar such as "████░░░░  33 %  "; empty if the end is unknown.
std::string bar(const StepReport& report) {
  if (report.planned_steps == 0) return "";
  constexpr int width = 20;
  const double done =
      std::min(1.0, static_cast<double>(report.step) / static_cast<double>(report.planned_steps));
  std::string text;
  for (int i = 0; i < width; ++i) text += i < static_cast<int>(done * width) ? "█" : "░";
  return text + fmt::format(" {:3.0f} %  ", 100 * done);
}

/// Cuts a text to one row of the terminal. A longer text would not be erased completely.
std::string cut_to_terminal(const std::string& text) {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return text;
  return encode_utf8(decode_utf8(text).substr(0, size.ws_col - 1u));
}

}  // namespace

void print_line(const std::string& line) {
  std::fputs((line + "\n").c_str(), stdout);
  std::fflush(stdout);
}

TrainingLog::TrainingLog(const std::string& metrics, ProgressBar bar,
                         std::function<void(const std::string&)> print)
    : metrics_(metrics), file_(std::fopen(metrics.c_str(), "ae")), bar_(bar), print_(std::move(print)) {
  if (file_ == nullptr) fail("cannot write {}: {}", metrics, std::generic_category().message(errno));
  print_(fmt::format("threads      {} ({})", threads(), threads_origin()));
  print_(headline);
}

void TrainingLog::log(const Json& entry) {
  const std::string line = entry.dump() + '\n';
  if (std::fwrite(line.data(), 1, line.size(), file_.get()) != line.size() || std::fflush(file_.get()) != 0)
    fail("cannot write {}: {}", metrics_, std::generic_category().message(errno));
}

void TrainingLog::on_step(const StepReport& report) {
  if (!report.line_due) {
    if (bar_ == ProgressBar::shown) show_bar(report);
    return;
  }
  const double loss = report.window.mean_loss(), speed = tokens_per_second(report.window);
  const std::string left = time_left(report);
  show(fmt::format("{:5}{:7} {:7.4f} {:>11}{:15.2e}{:15.3f}{:10.0f}{}", report.epoch, report.step, loss,
                   perplexity_text(loss, 2), report.learning_rate, report.gradient_norm, speed,
                   left.empty() ? "" : fmt::format("{:>8}", left)));
  log({{"step", report.step},
       {"epoch", report.epoch},
       {"loss", loss},
       {"learning_rate", report.learning_rate},
       {"gradient_norm", report.gradient_norm},
       {"tokens_per_second", speed},
       {"threads", threads()},
       {"seconds", report.total_seconds}});
}

void TrainingLog::on_validation(const ValidationReport& report) {
  const Evaluation& evaluation = report.validation.evaluation;
  const double bleu = report.validation.bleu.score;
  std::string verdict;
  if (report.best)
    verdict = "  best";
  else if (report.patience_left >= 0)
    verdict = fmt::format("  wait {}", report.patience_left);
  const std::string what =
      report.averaged > 0 ? fmt::format("mean of {}", report.averaged) : std::string("validation");
  show(fmt::format("{:5}{:7} {:7.4f} {:>11}  {}  BLEU {:5.2f}  exact {:5.1f} %{}", report.epoch, report.step,
                   evaluation.loss, perplexity_text(evaluation.loss, 2), what, bleu,
                   100 * evaluation.exact_match, verdict));
  Json entry{{"step", report.step},
             {"epoch", report.epoch},
             {"validation_loss", evaluation.loss},
             {"validation_perplexity", evaluation.perplexity()},
             {"bleu", bleu},
             {"exact_match", evaluation.exact_match},
             {"best", report.best},
             {"seconds", report.total_seconds}};
  if (report.averaged > 0) entry["averaged"] = report.averaged;
  log(entry);
}

void TrainingLog::show_bar(const StepReport& report) {
  constexpr double seconds_between = 0.1;
  if (bar_shown_ && report.total_seconds - bar_shown_at_ < seconds_between) return;
  bar_shown_at_ = report.total_seconds;
  const std::string left = time_left(report);
  std::fputs("\r\x1b[K", stdout);
  std::fputs(
      cut_to_terminal(fmt::format("{}step {}  loss {:.4f}  {:.0f} tokens/s{}", bar(report), report.step,
                                  report.window.mean_loss(), tokens_per_second(report.window),
                                  left.empty() ? "" : "  " + left + " left"))
          .c_str(),
      stdout);
  std::fflush(stdout);
  bar_shown_ = true;
}

void TrainingLog::show(const std::string& line) {
  clear_bar();
  print_(line);
}

void TrainingLog::clear_bar() {
  if (bar_shown_) std::fputs("\r\x1b[K", stdout);
  bar_shown_ = false;
}

}  // namespace regard::translation
