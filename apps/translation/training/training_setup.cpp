// From settings to a training: what is checked, read and made before the first step.
#include <nlohmann/json.hpp>
#include <utility>

#include "apps/translation/model/make_model.h"
#include "apps/translation/processes/agreement.h"
#include "apps/translation/settings/settings_json.h"
#include "apps/translation/training/fine_tuning.h"
#include "apps/translation/training/store.h"
#include "apps/translation/training/training.h"
#include "apps/translation/training/training_data.h"
#include "apps/translation/translator/in_batches.h"
#include "autograd/error.h"
#include "autograd/low_precision/precision.h"
#include "autograd/low_precision/products.h"
#include "autograd/parallel.h"

namespace regard::translation {

namespace {

/// Settings that a program made have not been read from JSON, which checks their ranges.
Settings checked(const Settings& settings, const TrainingOptions& options, Processes& processes) {
  parse_settings(to_json(settings), "the settings");
  Settings named = settings;  // data in memory need no files
  if (options.data) {
    DataSettings& data = named.data;
    data.source = data.target = data.validation_source = data.validation_target = {};
    data.tsv = "(in memory)";
    data.validation_tsv = options.data->validation ? "(in memory)" : "";
  }
  check(named);
  maker_of(settings.model, options.make_model);
  check_available(settings.training.precision);
  check_shards(processes, settings.training.shards);
  check_same_program(processes, settings.training.unequal_kernels);
  check_same_settings(processes, settings);
  if (settings.training.precision != Precision::float32 && !settings.training.unequal_kernels)
    check_agreement(processes, {{"products", low_precision::information(settings.training.precision)}},
                    "install the same oneDNN on all hosts, or set training.unequal_kernels");
  if (settings.training.threads)
    use_threads(static_cast<int>(*settings.training.threads), "training.threads");
  return settings;
}

void compare_data(Processes& processes, const Checksums& checksums) {
  std::vector<Fact> facts;
  for (const auto& [part, checksum] : checksums) facts.push_back({part, "checksum " + checksum});
  check_agreement(processes, facts, "give all hosts the same files");
}

/// Makes the optimiser that the settings describe, for the parameters that are not frozen.
std::unique_ptr<nn::Optimiser> make_optimiser(const TrainingSettings& settings, nn::Module& model) {
  std::vector<nn::NamedParameter> parameters = model.parameters();
  std::erase_if(parameters, [](const auto& parameter) { return !parameter.tensor.requires_grad(); });
  if (parameters.empty()) fail("training.freeze freezes all parameters, so there is nothing to train");
  switch (settings.optimiser) {
    case OptimiserKind::sgd:
      return std::make_unique<nn::Sgd>(parameters, settings.momentum);
    case OptimiserKind::adam:
      break;
  }
  return std::make_unique<nn::Adam>(
      parameters,
      nn::Adam::Settings{.beta1 = settings.beta1, .beta2 = settings.beta2, .epsilon = settings.epsilon});
}

}  // namespace

Training::Training(const Settings& settings, const std::string& path, const TrainingOptions& options)
    : processes_(options.processes != nullptr ? *options.processes : one_process()),
      settings_(checked(settings, options, processes_)) {
  OpenDirectory opened = open_directory(path, settings_, options, processes_);
  resumed_ = opened.resumed;
  data_ = options.data ? options.data
                       : std::make_shared<TrainingData>(load_training_data(
                             settings_, resumed_ ? path : "", options.before_learning, processes_));
  const Checksums checksums = data_->checksums();
  compare_data(processes_, checksums);
  const Vocabularies& vocabularies = data_->vocabularies;
  check_beam("decoding.beam", settings_.decoding.beam, vocabularies.target.size());
  check_beam("validation.beam", settings_.validation.beam, vocabularies.target.size());

  const TrainingSettings& training = settings_.training;
  model_ = std::make_unique<transformer::EncoderDecoder>(maker_of(settings_.model, options.make_model)(
      settings_, vocabularies, Random(static_cast<std::uint64_t>(training.seed))));
  freeze(*model_, training.freeze);
  optimiser_ = make_optimiser(training, *model_);
  // Loading may fail, so it comes before the first file is written. The other processes may not have the
  // file.
  if (!resumed_ && processes_.first()) load_initial_weights(*model_, settings_, vocabularies);
  if (training.average_decay > 0)
    average_ = std::make_unique<nn::MovingAverage>(model_->parameters(), training.average_decay);

  store_ = std::make_unique<Store>(std::move(opened), *data_, processes_,
                                   TrainingParts{.model = *model_,
                                                 .optimiser = *optimiser_,
                                                 .average = average_.get(),
                                                 .progress = progress_,
                                                 .settings = settings_in_effect(settings_, *data_),
                                                 .checksums = checksums});
  try {
    resumed_ ? store_->resume() : store_->begin();
  } catch (const Error& error) {
    directory().explain(error);
  }
}

Training::~Training() = default;

Index Training::parameter_count() const { return model_->parameter_count(); }
std::vector<ParameterGroup> Training::parameter_groups() const {
  return translation::parameter_groups(*model_);
}
const ModelDirectory& Training::directory() const { return store_->directory(); }

}  // namespace regard::translation
