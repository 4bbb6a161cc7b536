#include <csignal>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/regard/commands.h"
#include "apps/regard/stop_signals.h"
#include "apps/translation/files/directory_lock.h"
#include "apps/translation/files/files.h"
#include "apps/translation/settings/resumable.h"
#include "apps/translation/training/initial_weights.h"
#include "apps/translation/training/trainer.h"
#include "apps/translation/training/training_limits.h"
#include "apps/translation/training/training_log.h"
#include "autograd/checked_cast.h"
#include "autograd/error.h"
#include "autograd/parallel.h"

namespace regard::program {

namespace {

using translation::ModelDirectory;
using translation::TrainingData;

void print_corpus(const char* name, const translation::ParallelCorpus& corpus) {
  Index tokens = 0;
  for (std::size_t i = 0; i < corpus.source.size(); ++i)
    tokens += to_index(corpus.source[i].size() + corpus.target[i].size());
  fmt::print("{:<12} {} sentence pairs, {} tokens", name, corpus.pairs(), tokens);
  const Index unknown =
      translation::count_unknown(corpus.source).unknown + translation::count_unknown(corpus.target).unknown;
  if (unknown > 0) fmt::print(", {} of them unknown", unknown);
  if (corpus.dropped.total() > 0)
    fmt::print("; left out: {} with an empty side, {} too long", corpus.dropped.empty,
               corpus.dropped.too_long);
  fmt::print("\n");
}

void print_summary(const TrainingData& data, const translation::Settings& settings, Index parameters) {
  print_corpus("training", data.training);
  if (data.validation) print_corpus("validation", *data.validation);
  if (!data.subwords.empty()) fmt::print("{:<12} {}\n", "subwords", data.subwords);
  fmt::print("{:<12} {} source and {} target entries{}\n", "vocabulary", data.vocabularies.source.size(),
             data.vocabularies.target.size(), settings.data.joint_vocabulary ? ", joint" : "");
  fmt::print("{:<12} {} parameters, {} threads\n\n", "model", parameters, threads());
}

/// Whether the training in the directory is to go on, rather than one to begin. Throws Error for a directory
/// with something else, which a new training would replace.
bool goes_on(const ModelDirectory& directory, const Train& command) {
  const ModelDirectory::Content content = directory.content();
  if (command.overwrite || content == ModelDirectory::Content::nothing) return false;
  if (content == ModelDirectory::Content::model && !directory.states().empty())
    fail(
        "{0} holds a training whose {1} is gone, without which it cannot go on; put that back, give another "
        "directory, or --overwrite to begin anew",
        directory.path(), directory.config());
  if (content == ModelDirectory::Content::model)
    fail(
        "{} holds files of a model already, and no training that could go on; give another directory, or "
        "--overwrite to replace them",
        directory.path());
  return true;
}

/// Makes the directory of a new training, which nobody may have begun in the meantime, and locks it.
void make_and_lock(const ModelDirectory& directory, std::optional<translation::DirectoryLock>& lock,
                   const Train& command) {
  translation::make_directories(command.out);
  lock.emplace(command.out);
  if (goes_on(directory, command))
    fail("another process has just begun a training in {}; give the same command again to go on with it",
         command.out);
}

/// Reading a corpus and learning subwords can take minutes; what can be refused before is.
void check_at_once(const translation::Settings& settings, const Train& command, bool going_on) {
  translation::check_directory(command.out);
  const std::string weights = translation::initial_weights_file(settings);
  if (!going_on && !weights.empty()) translation::check_readable(weights);
}

/// Says by which limit a training had come to its end already.
void print_end(const std::string& limit, const translation::Settings& settings, const Train& command) {
  const bool may_rise = limit != "training.steps" || settings.training.schedule != nn::Schedule::cosine;
  fmt::print("The training in {} has come to its end by {}; no setting was changed. {}\n", command.out, limit,
             may_rise ? "To go on, raise that."
                      : "With schedule cosine it cannot go on; another can begin with its weights "
                        "(training.initial_weights).");
}

/// Trains to the end or until a signal comes; returns the exit code.
int train(translation::Trainer& trainer, const ModelDirectory& directory, const Train& command) {
  std::signal(SIGPIPE, SIG_IGN);  // who reads standard output may end first; train.log has the lines
  translation::TrainingLog log(directory.metrics(), directory.log());
  const StopSignals signals;
  const auto end = trainer.run(log, [] { return StopSignals::received() != 0; });
  if (end == translation::Trainer::End::finished) {
    fmt::print("\nTrained for {}. The model is in {}. Try: regard translate {}\n",
               translation::clock(trainer.progress().seconds), command.out, command.out);
    // A signal may have come too late to stop anything here, but what a script does next has to stop.
    return StopSignals::received() != 0 ? 128 + StopSignals::received() : 0;
  }
  const std::string stopped =
      fmt::format("\nStopped after step {}; all is saved in {}. To go on, give the same command again{}.{}\n",
                  trainer.progress().step, command.out, command.overwrite ? ", without --overwrite" : "",
                  directory.has_weights() ? "" : " It has no weights to translate with yet.");
  std::fputs(stopped.c_str(), stdout);   // the terminal may have gone: that is no error
  return 128 + StopSignals::received();  // as the shell reports a signal
}

/// The defaults, explained; or a configuration with --set and the defaults, as the training would take it.
void print_config(const Train& command) {
  if (command.config.empty() && !command.overrides.empty())
    fail("train --print-config: --set changes a configuration; give its file, too");
  if (command.config.empty()) {
    std::cout << translation::documented_defaults();
  } else {
    const translation::Settings settings = translation::load_settings(command.config, command.overrides);
    if (settings.training.threads) set_threads(static_cast<int>(*settings.training.threads));
    std::cout << translation::to_json(translation::resolved(settings)).dump(2) << "\n";
  }
}

/// That takes a while, in which nothing else is to be seen.
void announce_learning(Index subwords) {
  fmt::print("Learning {} subwords ...\n\n", subwords);
  std::fflush(stdout);
}

}  // namespace

int run(const Train& command) {
  if (command.print_config) {
    print_config(command);
    return 0;
  }
  if (command.config.empty())
    fail("train: give a configuration file; regard train --print-config prints one to start from");
  if (command.out.empty()) fail("train: say where to write the model: --out MODEL_DIR");
  const translation::Settings settings = translation::load_settings(command.config, command.overrides);
  if (settings.training.threads) set_threads(static_cast<int>(*settings.training.threads));
  const ModelDirectory directory(command.out);
  std::optional<translation::DirectoryLock> lock;  // what can be refused at once is
  std::error_code ignored;
  if (std::filesystem::is_directory(command.out, ignored)) lock.emplace(command.out);
  const bool going_on = goes_on(directory, command);
  if (going_on) translation::check_resumable(directory.load_config(), settings, directory.path());
  check_at_once(settings, command, going_on);
  const TrainingData data =
      translation::load_training_data(settings, going_on ? command.out : "", announce_learning);
  translation::Trainer trainer(settings, data, directory);
  if (!going_on) trainer.take_initial_weights();  // before anything is written: they may not fit
  if (!lock) make_and_lock(directory, lock, command);
  print_summary(data, settings, trainer.parameter_count());
  if (going_on) {
    trainer.resume();
    if (trainer.finished()) {
      print_end(translation::reached_limit(settings, trainer.progress()), settings, command);
      return 0;
    }
    fmt::print("Going on from step {} (epoch {}).\n\n", trainer.progress().step, trainer.progress().epoch);
  } else {
    trainer.begin();
  }
  return train(trainer, directory, command);
}

}  // namespace regard::program
