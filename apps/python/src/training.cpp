// Trainings and toy corpora: regard.train and regard.toy.
#include "apps/translation/training/training.h"

#include <filesystem>
#include <nanobind/stl/filesystem.h>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/python/src/casters.h"
#include "apps/python/src/module.h"
#include "apps/toys/scenes/scenes.h"
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

/// The state of a training when regard.train returns.
struct Trained {
  bool finished;
  Index step, epoch;
  double seconds;
  std::string directory;
};

/// Writes the log and calls functions of Python. An exception that one of them raises stops the training, and
/// is raised again when the state is saved. Ctrl-C counts as such an exception.
class Callbacks : public translation::TrainingObserver {
 public:
  Callbacks(const translation::ModelDirectory& directory, nb::object on_step, nb::object on_validation,
            const nb::object& print)
      : on_step_(std::move(on_step)),
        on_validation_(std::move(on_validation)),
        log_(directory.metrics(), translation::ProgressBar::hidden,
             [this, print](const std::string& line) { call(print, line); }) {}

  void on_step(const StepReport& report) override {
    log_.on_step(report);
    call(on_step_, report);
  }
  void on_validation(const ValidationReport& report) override {
    log_.on_validation(report);
    call(on_validation_, report);
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
  template <class Argument>
  void call(const nb::object& function, const Argument& argument) {
    const nb::gil_scoped_acquire acquire;
    if (function.is_none() || error_) return;
    try {
      function(argument);
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
Trained train(const std::string& configuration, const std::string& name, bool is_file, const std::string& out,
              const std::vector<std::string>& overrides, bool overwrite, nb::object on_step,
              nb::object on_validation, const nb::object& print) {
  std::optional<Training> training;
  {
    const nb::gil_scoped_release release;
    const translation::Settings settings = translation::training_settings(
        translation::parse_json(configuration, name), name, overrides, overwrite ? "" : out);
    const std::vector<std::string> inputs = is_file ? std::vector{name} : std::vector<std::string>();
    training.emplace(
        translation::prepare_training(settings, out, {.overwrite = overwrite, .inputs = inputs}));
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
  return {finished(*training), progress.step, progress.epoch, progress.seconds, out};
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
  nb::class_<StepReport>(m, "StepReport", "One update of the weights, for on_step.")
      .def_ro("step", &StepReport::step)
      .def_ro("epoch", &StepReport::epoch)
      .def_ro("planned_steps", &StepReport::planned_steps,
              "Expected steps of the whole training; 0 if unknown.")
      .def_prop_ro(
          "loss", [](const StepReport& self) { return self.window.mean_loss(); },
          "Mean loss of the steps since the last line of the log (training.log_every).")
      .def_ro("learning_rate", &StepReport::learning_rate)
      .def_ro("gradient_norm", &StepReport::gradient_norm, "Before clipping.")
      .def_ro("seconds", &StepReport::total_seconds, "Duration of the training so far.")
      .def("__repr__", [](const StepReport& self) {
        return fmt::format("StepReport(step={}, epoch={}, loss={:.4f})", self.step, self.epoch,
                           self.window.mean_loss());
      });
  nb::class_<ValidationReport>(m, "ValidationReport", "A validation, for on_validation.")
      .def_ro("step", &ValidationReport::step)
      .def_ro("epoch", &ValidationReport::epoch)
      .def_prop_ro(
          "loss", [](const ValidationReport& self) { return self.validation.evaluation.loss; },
          "Mean of -log p per target token.")
      .def_prop_ro("bleu", [](const ValidationReport& self) { return self.validation.bleu.score; })
      .def_prop_ro(
          "exact_match", [](const ValidationReport& self) { return self.validation.evaluation.exact_match; },
          "Share of the translations that are equal to their reference.")
      .def_prop_ro("translations", [](const ValidationReport& self) { return self.validation.translations; })
      .def_ro("best", &ValidationReport::best, "True if its weights are the best so far; they were saved.")
      .def("__repr__", [](const ValidationReport& self) {
        return fmt::format("ValidationReport(step={}, loss={:.4f}, bleu={:.2f})", self.step,
                           self.validation.evaluation.loss, self.validation.bleu.score);
      });
  nb::class_<Trained>(m, "Trained", "The state of a training when regard.train returns.")
      .def_ro("finished", &Trained::finished, "True if no step is left to do.")
      .def_ro("step", &Trained::step)
      .def_ro("epoch", &Trained::epoch)
      .def_ro("seconds", &Trained::seconds)
      .def_ro("directory", &Trained::directory)
      .def("__repr__", [](const Trained& self) {
        return fmt::format("Trained(finished={}, step={}, seconds={:.0f}, directory=\"{}\")",
                           self.finished ? "True" : "False", self.step, self.seconds, self.directory);
      });
  m.def("train", &train, nb::arg("configuration"), nb::arg("name"), nb::arg("is_file"), nb::arg("out"),
        nb::arg("overrides"), nb::arg("overwrite"), nb::arg("on_step").none(),
        nb::arg("on_validation").none(), nb::arg("log").none());
  m.def("toy", &make_toy, nb::arg("name"), nb::arg("out"), nb::arg("seed") = 1, nb::arg("train") = nb::none(),
        nb::arg("validation") = nb::none(), nb::arg("test") = nb::none(), nb::arg("overwrite") = false,
        nb::call_guard<nb::gil_scoped_release>(),
        "Writes the toy corpus `name` into the directory `out`, as `regard toy` does: train.source, "
        "train.target, and\n"
        "the same for validation and test. train, validation and test are numbers of pairs.");
}

}  // namespace regard::python
