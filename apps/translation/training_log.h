#pragma once

#include <cstdio>
#include <memory>

#include "apps/translation/trainer.h"

namespace regard::translation {

/// Shows the training on the terminal and writes metrics.jsonl. On a terminal there is a progress bar, with a
/// line above it every `log_every` steps; elsewhere only the lines.
class TrainingLog : public TrainingObserver {
 public:
  /// Throws Error if the metrics file cannot be opened.
  TrainingLog(const std::string& metrics_path, std::int64_t log_every);

  void on_step(const StepReport& report) override;
  void on_validation(const ValidationReport& report) override;

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  void show_bar(const StepReport& report);
  void clear_bar();
  void write_line(const Json& entry);

  std::string path_;
  std::unique_ptr<std::FILE, Close> metrics_;
  std::int64_t log_every_;
  bool terminal_;
  bool bar_shown_ = false;
  double bar_shown_at_ = 0;

  // Since the last line:
  double seconds_ = 0;
  std::int64_t tokens_ = 0;
  double loss_sum_ = 0;
  std::int64_t steps_ = 0;
  // Since the beginning:
  double total_seconds_ = 0;
};

}  // namespace regard::translation
