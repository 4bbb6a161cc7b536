// From settings to the parts of a training: what is checked, read and made before the first step.
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "apps/translation/files/files.h"
#include "apps/translation/model/precisions.h"
#include "apps/translation/processes/sharing.h"
#include "apps/translation/settings/settings_json.h"
#include "apps/translation/text/counted.h"
#include "apps/translation/training/fine_tuning.h"
#include "apps/translation/training/store.h"
#include "apps/translation/training/training.h"
#include "apps/translation/translator/in_batches.h"
#include "autograd/machine/error.h"

namespace regard::translation {

namespace {

void check(const Settings& settings, const TrainingOptions& options, const std::string& path,
           Processes& processes) {
  Settings named = settings;
  if (options.data) {  // data in memory need no files
    DataSettings& data = named.data;
    if (data.validation_share > 0 || !data.shares.empty())
      fail(
          "data.validation_share and data.shares are for files, but the data are in memory; put a validation "
          "corpus and a mixture there");
    data.source = data.target = data.validation_source = data.validation_target = {};
    data.tsv = "(in memory)";
    data.validation_tsv = options.data->validation ? "(in memory)" : "";
  }
  check(named);
  if (options.make_model && settings.model.own.empty())
    fail("a model of one's own needs a name: set model.own, so that other programs can refuse the model");
  maker_of(settings.model, options.make_model, path);
  precisions().check(settings.training.precision);
  processes.agree_on(settings);
}

/// Returns true to resume the training in the directory, false to begin a new one. Throws Error if a new
/// training would replace other files in the directory.
bool resumes(const ModelDirectory& directory, bool overwrite) {
  const ModelDirectory::Content content = directory.content();
  if (overwrite || content == ModelDirectory::Content::nothing) return false;
  if (content == ModelDirectory::Content::model && !directory.states.steps().empty())
    fail(
        "{0} has a training, but its file {1} is missing, so the training cannot be resumed; restore that "
        "file, give another directory, or give --overwrite to begin a new training",
        directory.path(), directory.config());
  if (content == ModelDirectory::Content::model)
    fail(
        "{} has files of a model, but no training that can be resumed; give another directory, or give "
        "--overwrite to replace the files",
        directory.path());
  return true;
}

/// Returns the files that a new training with these settings reads.
std::vector<std::string> inputs(const Settings& settings, const TrainingOptions& options) {
  const DataSettings& data = settings.data;
  std::vector<std::string> files = options.inputs;
  for (const Paths* paths : {&data.source, &data.target, &data.tsv, &data.validation_source,
                             &data.validation_target, &data.validation_tsv})
    files.insert(files.end(), paths->files.begin(), paths->files.end());
  files.insert(files.end(), {given_tokeniser(settings), initial_weights_file(settings.training)});
  if (const std::string model = initial_model(settings.training); !model.empty())
    for (std::string& file : ModelDirectory(model).files_to_translate()) files.push_back(std::move(file));
  return files;
}

/// Locks the directory, and checks all files that the training will read or write, because reading a corpus
/// and learning subwords can take minutes. Returns true if the directory has a training, which is resumed.
bool open(ModelDirectory& directory, const Settings& settings, const TrainingOptions& options) {
  const std::string& path = directory.path();
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) directory.lock();
  const bool resumed = resumes(directory, options.overwrite);
  if (resumed) check_resumable(load_config(path), settings, path);
  for (const char* folder : {"", "/state"}) check_directory(path + folder);
  if (!resumed) {
    for (const char* folder : {"/checkpoints", "/validation"}) check_directory(path + folder);
    directory.check_replaceable(inputs(settings, options));
    check_initial_weights(settings);
  }
  return resumed;
}

/// Throws Error if an epoch may have no pair, or if no pair of a file may come in the whole training.
void check_epochs(const TrainingData& data) {
  if (data.training.pairs() == 0) fail("the training corpus has no pair, so there is nothing to train on");
  constexpr double almost = 1 - 1e-9;  // 1 but for rounding
  double pairs = 0;                    // of an epoch
  bool in_every_epoch = data.mixture.empty();
  for (const CorpusPart& part : data.mixture) {
    const auto all = static_cast<double>(part.pairs);
    in_every_epoch = in_every_epoch || part.share > almost;
    pairs += part.share * all;
    if (part.share * all < almost)
      fail(
          "data.shares {:g} of the {} of {} is less than one pair per epoch; give a share of at least "
          "{:.2g}, or leave the file out",
          part.share, counted(part.pairs, "pair"), part.file, 1 / all);
  }
  // Random numbers choose the epochs of a pair. With so many, an epoch without any never comes: its
  // probability is below exp(-40).
  constexpr double enough = 40;
  if (!in_every_epoch && pairs < enough)
    fail(
        "data.shares leave about {:.2g} pairs per epoch, so an epoch could be empty; give at least one file "
        "a share of 1 or more, or use more pairs",
        pairs);
}

/// Makes the optimiser for the parameters that are not frozen.
std::unique_ptr<nn::Optimiser> make_optimiser(const TrainingSettings& settings, const MakeOptimiser& own,
                                              nn::Module& model) {
  std::vector<nn::NamedParameter> parameters = model.parameters();
  std::erase_if(parameters, [](const auto& parameter) { return !parameter.tensor.requires_grad(); });
  if (parameters.empty()) fail("training.freeze freezes all parameters, so there is nothing to train");
  if (own) return own(parameters);
  switch (settings.optimiser) {
    case OptimiserKind::sgd:
      return std::make_unique<nn::Sgd>(parameters, settings.momentum);
    case OptimiserKind::adam:
      break;
  }
  return std::make_unique<nn::Adam>(parameters, nn::Adam::Settings{.beta1 = settings.beta1,
                                                                   .beta2 = settings.beta2,
                                                                   .epsilon = settings.epsilon,
                                                                   .weight_decay = settings.weight_decay,
                                                                   .decayed_dimensions = 2});
}

}  // namespace

Training prepare_training(const Settings& settings, const std::string& path, const TrainingOptions& options) {
  Processes& processes = options.processes != nullptr ? *options.processes : one_process();
  check(settings, options, path, processes);
  const TrainingSettings& training = settings.training;
  if (training.threads) use_threads(static_cast<int>(*training.threads), "training.threads");
  Training result{.processes = processes, .settings = settings, .directory = ModelDirectory(path)};
  result.resumed = of_first(processes, [&] { return open(result.directory, settings, options); });

  result.data = options.data ? options.data
                             : std::make_shared<TrainingData>(load_training_data(
                                   settings, result.resumed ? path : "", options.data_progress, processes));
  result.settings = settings_in_effect(settings, *result.data);
  check_epochs(*result.data);
  result.checksums = result.data->checksums();
  std::vector<Fact> facts;
  for (const auto& [part, checksum] : result.checksums) facts.push_back({part, "checksum " + checksum});
  processes.agree_on(facts, "give all hosts the same files");
  const Vocabularies& vocabularies = result.data->vocabularies;
  check_beam("decoding.beam", settings.decoding.beam, vocabularies.target.size());
  check_beam("validation.beam", settings.validation.beam, vocabularies.target.size());

  result.model =
      std::make_unique<transformer::EncoderDecoder>(maker_of(settings.model, options.make_model, path)(
          settings, vocabularies, Random(static_cast<std::uint64_t>(training.seed))));
  result.dropouts = result.model->dropouts();
  freeze(*result.model, training.freeze);
  result.optimiser = make_optimiser(training, options.make_optimiser, *result.model);
  // Loading may fail, so it comes before the first file is written. The other processes may not have the
  // file.
  if (!result.resumed && processes.first()) load_initial_weights(*result.model, settings, vocabularies);
  if (training.average_decay > 0)
    result.average = std::make_unique<nn::MovingAverage>(result.model->parameters(), training.average_decay);
  const auto write = [&] { result.resumed ? resume(result) : begin(result); };
  options.writes ? options.writes(write) : write();
  return result;
}

}  // namespace regard::translation
