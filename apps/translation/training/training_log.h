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

/// Prints a line on standard output. If it is closed or its disk is full, the training continues: train.log
/// has the lines.
void print_line(const std::string& line);

/// Prints the number of threads with its reason, and the lines of the log, with a progress bar on standard
/// output between them if it is shown. Writes the lines into train.log and, as JSON, into metrics.jsonl.
class TrainingLog : public TrainingObserver {
 public:
  /// Appends to both files. train.log gets the number of threads unless its last one is the same. Throws
  /// Error if one cannot be opened. `print` shows each line.
  TrainingLog(const std::string& metrics, const std::string& log, ProgressBar bar = ProgressBar::hidden,
              std::function<void(const std::string& line)> print = print_line);

  void on_step(const StepReport& report) override;
  void on_validation(const ValidationReport& report) override;

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  /// A file that grows line by line.
  struct Lines {
    explicit Lines(std::string name);
    void write(const std::string& line);

    std::string path;
    std::unique_ptr<std::FILE, Close> file;
  };

  void add_line(const std::string& line);
  void show_bar(const StepReport& report);
  void clear_bar();

  Lines metrics_, log_;
  ProgressBar bar_;
  std::function<void(const std::string&)> print_;
  bool bar_shown_ = false;
  double bar_shown_at_ = 0;
};

}  // namespace regard::translation
