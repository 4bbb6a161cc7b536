#pragma once

#include <cstdio>
#include <functional>
#include <memory>
#include <string>

#include "apps/translation/files/json.h"
#include "apps/translation/training/training_observer.h"

namespace regard::translation {

/// Returns a duration as "3:20" or, from one hour on, as "1:03:20".
std::string clock(double seconds);

enum class ProgressBar { shown, hidden };

/// Prints a line on standard output. If it is closed or its disk is full, the training continues:
/// metrics.jsonl has the numbers.
void print_line(const std::string& line);

/// Prints the number of threads with its reason, and a table of steps and validations, with a progress bar on
/// standard output between its lines if it is shown. Writes their numbers as JSON into metrics.jsonl.
class TrainingLog : public TrainingObserver {
 public:
  /// Appends to the file. Throws Error if it cannot be opened. `print` shows each line.
  explicit TrainingLog(const std::string& metrics, ProgressBar bar = ProgressBar::hidden,
                       std::function<void(const std::string& line)> print = print_line);

  void on_step(const StepReport& report) override;
  void on_validation(const ValidationReport& report) override;

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  void show(const std::string& line);
  void log(const Json& entry);
  void show_bar(const StepReport& report);
  void clear_bar();

  std::string metrics_;
  std::unique_ptr<std::FILE, Close> file_;
  ProgressBar bar_;
  std::function<void(const std::string&)> print_;
  bool bar_shown_ = false;
  double bar_shown_at_ = 0;
};

}  // namespace regard::translation
