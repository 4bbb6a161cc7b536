#include <cerrno>
#include <fmt/ranges.h>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <tuple>

#include "apps/regard/command_line.h"
#include "apps/regard/launcher.h"
#include "apps/regard/look_at_corpus.h"
#include "apps/regard/stop_signals.h"
#include "apps/regard/streams.h"
#include "apps/translation/settings/settings_json.h"
#include "apps/translation/text/counted.h"
#include "apps/translation/training/fine_tuning.h"
#include "apps/translation/training/training.h"
#include "apps/translation/training/training_log.h"
#include "autograd/machine/error.h"
#include "autograd/machine/parallel.h"

namespace regard::program {

namespace {

using translation::counted;
using translation::Processes;
using translation::Training;

struct Train {
  std::string config;
  std::vector<std::string> overrides;  ///< "training.steps=2000"
  std::string out;
  bool overwrite = false;
  bool print_config = false;
};

void print_corpus(const char* name, const translation::ParallelCorpus& corpus,
                  const translation::SourceFiles* files, const char* origin = "") {
  translation::UnknownWords words = translation::count_unknown(corpus.target);
  if (files == nullptr) words += translation::count_unknown(corpus.source);
  const Index unknown = words.unknown;
  report("{:<12} {}{}, {} tokens", name,
         counted(corpus.pairs(), files ? files->words().name : "sentence pair"),
         files ? fmt::format(" with {}s", files->words().target) : "", words.tokens);
  if (unknown > 0) report(", {} of them unknown", unknown);
  if (corpus.dropped.total() > 0)
    report("; left out: {} with an empty side, {} too long", corpus.dropped.empty, corpus.dropped.too_long);
  report("{}\n", origin);
}

/// Prints which parameters are frozen and which are trained. Shared matrices make this hard to foresee.
void print_frozen(const Training& training) {
  for (const bool frozen : {true, false}) {
    Index numbers = 0;
    std::vector<std::string> groups;
    for (const translation::ParameterGroup& group : translation::parameter_groups(*training.model)) {
      if (group.frozen != frozen) continue;
      groups.push_back(fmt::format("{}: {}", group.name, group.numbers));
      numbers += group.numbers;
    }
    report("{:<12} {} of {} parameters; {}\n", frozen ? "frozen" : "trained", numbers,
           training.model->parameter_count(), fmt::join(groups, "; "));
  }
}

/// `looks`: what rooms have found in the corpora.
void print_summary(const Training& training, const std::string& looks) {
  const auto& [settings, data, processes] = std::tie(training.settings, *training.data, training.processes);
  const std::shared_ptr<const translation::SourceFiles> files = settings.source_files();
  print_corpus("training", data.training, files.get());
  for (const translation::CorpusPart& part : data.mixture)
    report("  {:<10.4g} times per epoch: each of the {} of {}\n", part.share, counted(part.pairs, "pair"),
           part.file);
  if (data.validation)
    print_corpus("validation", *data.validation, files.get(),
                 settings.data.validation_share > 0 ? "; held out of the training corpus" : "");
  report(looks);
  if (!data.subwords.empty()) report("{:<12} {}\n", "subwords", data.subwords);
  report("{:<12} {} source and {} target entries{}\n", "vocabulary", data.vocabularies.source.size(),
         data.vocabularies.target.size(), settings.data.joint_vocabulary ? ", joint" : "");
  report("{:<12} {} parameters{}\n", "model", training.model->parameter_count(),
         processes.alone() ? "" : fmt::format(" in each of {} processes", processes.count()));
  if (!training.resumed && !settings.training.initial_weights.empty())
    report("{:<12} from {}\n", "weights", settings.training.initial_weights);
  if (!settings.training.freeze.empty()) print_frozen(training);
  report("\n");
}

/// Prints which limit has ended the training.
void print_end(const std::string& limit, const translation::Settings& settings, const Train& arguments) {
  const bool can_raise = limit != "training.steps" || settings.training.schedule != nn::Schedule::cosine;
  report("The training in {} has ended: it reached {}. No setting was changed. {}\n", arguments.out, limit,
         can_raise ? "To continue the training, raise this limit."
                   : "A training with schedule cosine cannot continue; a new one can begin with its weights "
                     "(training.initial_weights).");
}

/// Returns the announcement of a stop.
const char* announcement(const Processes& processes) {
  if (!processes.first()) return "";
  if (!processes.alone())  // mpirun sends a signal to the others, too, if one of them dies
    return "\nregard: stopping as soon as this step (and a validation if it is due) is done and saved; if "
           "one of the processes has died, mpirun ends the others now, and the same command resumes from the "
           "newest state\n";
  return "\nregard: stopping as soon as this step (and a validation if it is due) is done and saved; a "
         "second signal ends the program at once\n";
}

/// Returns the log of the training; in the other processes, an observer that does nothing.
std::unique_ptr<translation::TrainingObserver> make_log(const Training& training) {
  if (!training.processes.first()) return std::make_unique<translation::TrainingObserver>();
  return std::make_unique<translation::TrainingLog>(training.directory.metrics(),
                                                    launcher().prints_on_terminal(training.processes)
                                                        ? translation::ProgressBar::shown
                                                        : translation::ProgressBar::hidden);
}

/// Trains until the end or until a signal arrives. Returns the exit code.
int train(Training& training, const Train& arguments) {
  const std::unique_ptr<translation::TrainingObserver> log = make_log(training);
  const StopSignals signals(announcement(training.processes));
  if (run_training(training, *log, [] { return StopSignals::received() != 0; })) {
    report("\nTrained for {}. The model is in {}. Try: {} translate {}\n",
           translation::clock(training.progress.seconds), arguments.out, program_invocation_short_name,
           arguments.out);
    // A signal may arrive too late to stop the training. The exit code still tells a script to stop.
    return StopSignals::received() != 0 ? 128 + StopSignals::received() : 0;
  }
  const std::string stopped = fmt::format(
      "\nStopped after step {}; everything is saved in {}. To continue, repeat the command{}.{}\n",
      training.progress.step, arguments.out, arguments.overwrite ? " without --overwrite" : "",
      training.directory.has_weights() ? "" : " There are no weights to translate with yet.");
  std::fputs(stopped.c_str(), stdout);   // a closed terminal is no error here
  return 128 + StopSignals::received();  // as a shell reports a signal
}

translation::Settings load_settings(const Train& arguments) {
  return translation::load_settings(arguments.config, arguments.overrides,
                                    arguments.overwrite ? "" : arguments.out);
}

/// Prints the defaults with their explanations; or, for a configuration, all settings that its training would
/// use.
void print_config(const Train& arguments) {
  if (arguments.config.empty() && !arguments.overrides.empty())
    fail("train --print-config: --set changes a configuration, so give its file too");
  if (arguments.config.empty()) {
    std::cout << translation::documented_defaults();
  } else {
    const translation::Settings settings = load_settings(arguments);
    if (settings.training.threads) set_threads(static_cast<int>(*settings.training.threads));
    std::cout << translation::to_json(translation::resolved(settings)).dump(2) << "\n";
  }
}

/// Tells what takes a while before the first step: a line, and on a terminal a share that grows. Adds to
/// `looks`.
translation::DataProgress data_progress(const Processes& processes, const translation::Settings& settings,
                                        std::string& looks) {
  translation::DataProgress progress{.learning = [](const std::string& line) { report("{}\n", line); },
                                     .read =
                                         [&](const auto& training, const auto& validation) {
                                           for (const LookAtCorpus look : all_looks())
                                             looks += look(training, validation, settings);
                                         }};
  if (processes.first() && launcher().prints_on_terminal(processes))
    progress.cutting = [](Index done, Index all) {
      std::fputs(done < all ? fmt::format("\rcutting the corpus {:3} %", 100 * done / all).c_str()
                            : "\r\x1B[K",  // the line is free again
                 stdout);
      std::fflush(stdout);
    };
  return progress;
}

int run(const Train& arguments, const translation::MakeModel& own_model, Processes& processes) {
  if (arguments.config.empty())
    fail("train: give a configuration file; regard train --print-config prints one to start from");
  if (arguments.out.empty()) fail("train: give the directory for the model: --out MODEL_DIR");
  const translation::Settings settings = load_settings(arguments);
  std::string looks;
  Training training = prepare_training(settings, arguments.out,
                                       {.overwrite = arguments.overwrite,
                                        .inputs = {arguments.config},
                                        .data_progress = data_progress(processes, settings, looks),
                                        .writes = complete_before_stopping,
                                        .processes = &processes,
                                        .make_model = own_model});
  print_summary(training, looks);
  if (training.resumed && finished(training)) {
    print_end(reached_limit(settings, training.progress), settings, arguments);
    return 0;
  }
  if (training.resumed)
    report("Resuming at step {} (epoch {}).\n\n", training.progress.step, training.progress.epoch);
  return train(training, arguments);
}

}  // namespace

void add_train(const Command& program) {
  const auto train = std::make_shared<Train>();
  const Command command = program.add("train", "Train a translator");
  command.option("CONFIG", train->config, "Configuration file (JSON); see --print-config");
  command.option("--set", train->overrides,
                 "Replace a setting: training.steps=2000; may be given several times",
                 {.value_name = "KEY=VALUE"});
  command.option("--out", train->out, "Model directory to write; a training that is there is resumed",
                 {.value_name = "MODEL_DIR"});
  command.option("--overwrite", train->overwrite, "Begin a new training and replace the files in MODEL_DIR");
  command.option(
      "--print-config", train->print_config,
      "Print all settings with their defaults and meanings; with CONFIG, the settings of its training");
  command.footer(
      "Examples:\n"
      "  regard toy sentences --out build/toy\n"
      "  regard train apps/configs/sentences.json --out build/model\n"
      "  regard train apps/configs/multi30k-tiny.json --set data.source=train.en --set data.target=train.de "
      "\\\n"
      "      --set training.epochs=1 --out build/multi30k\n" +
      launcher().example("train my.json --set training.shards=8 --out build/model") +
      "  regard train my.json --set training.initial_weights=build/model --out build/tuned\n"
      "  regard train --print-config > my.json");
  command.action([train, command] {
    // The settings are compared one by one. Configurations may have other paths, or other numbers of threads.
    if (!train->print_config)
      return launcher().run(command.given({"CONFIG", "--set"}), [&](Processes& processes) {
        return run(*train, command.own_model(), processes);
      });
    print_config(*train);
    return 0;
  });
}

}  // namespace regard::program
