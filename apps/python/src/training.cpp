// Trainings and toy corpora: regard.train and regard.toy.
#include "apps/translation/training/training.h"

#include <filesystem>
#include <nanobind/stl/filesystem.h>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/images/scenes/scenes.h"
#include "apps/python/src/casters.h"
#include "apps/python/src/module.h"
#include "apps/toys/toys.h"
#include "apps/translation/files/files.h"
#include "apps/translation/files/json.h"
#include "apps/translation/model/model_directory.h"
#include "apps/translation/settings/settings_json.h"
#include "apps/translation/training/training_log.h"

namespace regard::python {
namespace {

using translation::StepReport;
using translation::Training;
using translation::TrainingLog;
using translation::ValidationReport;

/// Writes the log and calls functions of Python. An exception that one of them raises stops the training, and
/// is raised again when the state is saved. Ctrl-C counts as such an exception.
class Callbacks : public translation::TrainingObserver {
 public:
  Callbacks(const translation::ModelDirectory& directory, nb::object on_step, nb::object on_validation,
            const nb::object& print)
      : on_step_(std::move(on_step)),
        on_validation_(std::move(on_validation)),
        log_(directory.metrics(), translation::ProgressBar::hidden,
             [this, print](const std::string& line) { with_lock(print, [&] { print(line); }); }) {}

  void on_step(const StepReport& report) override {
    log_.on_step(report);
    call(on_step_, "StepReport", report.step, report.epoch, report.planned_steps, report.window.mean_loss(),
         report.learning_rate, report.gradient_norm, report.total_seconds);
  }
  void on_validation(const ValidationReport& report) override {
    log_.on_validation(report);
    const auto& [evaluation, bleu] = std::tie(report.validation.evaluation, report.validation.bleu);
    call(on_validation_, "ValidationReport", report.step, report.epoch, evaluation.loss, bleu.score,
         evaluation.exact_match, report.validation.translations, report.best);
  }
  bool stop_wanted() {
    const nb::gil_scoped_acquire acquire;
    if (!error_ && PyErr_CheckSignals() != 0) error_.emplace();
    return error_.has_value();
  }
  void raise() {
    if (error_) throw std::move(*error_);
  }

 private:
  /// Calls a function of Python with a result of this name.
  template <class... Fields>
  void call(const nb::object& function, const char* name, const Fields&... fields) {
    with_lock(function, [&] { function(result(name, fields...)); });
  }
  template <class Call>
  void with_lock(const nb::object& function, const Call& make_call) {
    const nb::gil_scoped_acquire acquire;
    if (function.is_none() || error_) return;
    try {
      make_call();
    } catch (nb::python_error& error) {
      error_.emplace(std::move(error));
    }
  }

  nb::object on_step_, on_validation_;
  std::optional<nb::python_error> error_;
  TrainingLog log_;
};

/// `configuration` is the text of JSON, which messages call `name`. If it is a file's, a new training does
/// not replace this file.
nb::object train(const std::string& configuration, const std::string& name, bool is_file,
                 const std::string& out, const std::vector<std::string>& overrides, bool overwrite,
                 nb::object on_step, nb::object on_validation, const nb::object& print) {
  std::optional<Training> training;
  {
    const nb::gil_scoped_release release;
    const translation::Settings settings = translation::training_settings(
        translation::parse_json(configuration, name), name, overrides, overwrite ? "" : out);
    const std::vector<std::string> inputs = is_file ? std::vector{name} : std::vector<std::string>();
    const auto show = [&](const std::string& line) {
      const nb::gil_scoped_acquire acquire;
      if (!print.is_none()) print(line);
    };
    training.emplace(translation::prepare_training(
        settings, out, {.overwrite = overwrite, .inputs = inputs, .data_progress = {.learning = show}}));
  }
  if (!(training->resumed && finished(*training))) {
    Callbacks callbacks(training->directory, std::move(on_step), std::move(on_validation), print);
    {
      const nb::gil_scoped_release release;
      run_training(*training, callbacks, [&] { return callbacks.stop_wanted(); });
    }
    callbacks.raise();
  }
  const translation::Progress& progress = training->progress;
  return result("Trained", finished(*training), progress.step, progress.epoch, progress.seconds, out);
}

void make_toy(const std::string& name, const std::filesystem::path& out, std::uint64_t seed,
              std::optional<std::size_t> train, std::optional<std::size_t> validation,
              std::optional<std::size_t> test, bool overwrite) {
  const toys::Existing existing = overwrite ? toys::Existing::replace : toys::Existing::refuse;
  const auto sizes = [&](const toys::CorpusSizes& otherwise) {
    return toys::CorpusSizes{train.value_or(otherwise.train), validation.value_or(otherwise.validation),
                             test.value_or(otherwise.test)};
  };
  if (name == "scenes") return write(toys::generate_scenes(seed, sizes(toys::scene_sizes)), out, existing);
  write(toys::generate(toys::find_toy(name), seed, sizes(toys::find_toy(name).sizes)), out, existing);
}

}  // namespace

void add_training(nb::module_& m) {
  m.def("_train", &train, nb::arg("configuration"), nb::arg("name"), nb::arg("is_file"), nb::arg("out"),
        nb::arg("overrides"), nb::arg("overwrite"), nb::arg("on_step").none(),
        nb::arg("on_validation").none(), nb::arg("log").none());
  m.def(
      "toy", &make_toy, nb::arg("name"), nb::arg("out"), nb::arg("seed") = 1, nb::arg("train") = nb::none(),
      nb::arg("validation") = nb::none(), nb::arg("test") = nb::none(), nb::arg("overwrite") = false,
      nb::call_guard<nb::gil_scoped_release>(),
      R"(Writes the toy corpus `name` into the directory `out`, as `regard toy` does: train.source, train.target, and the
same for validation and test.

train, validation and test are numbers of pairs. Error if there is no such toy, or the files hold another text, unless
overwrite=True. Source: regard's own.

>>> regard.toy("reverse", "letters", train=3, validation=1, test=1)
>>> len(open("letters/train.source").readlines())
3)");
}

}  // namespace regard::python
