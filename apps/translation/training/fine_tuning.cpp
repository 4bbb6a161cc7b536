#include "apps/translation/training/fine_tuning.h"

#include <algorithm>
#include <filesystem>
#include <fmt/ranges.h>
#include <optional>

#include "apps/translation/files/files.h"
#include "apps/translation/model/model_directory.h"
#include "apps/translation/model/weights.h"
#include "apps/translation/settings/settings_description.h"
#include "apps/translation/settings/tokeniser_kind.h"
#include "autograd/machine/error.h"

namespace regard::translation {

namespace {

/// A model directory and its settings.
struct Model {
  std::string directory;
  Settings settings;
};

/// Returns the model directory that a file of weights is in, directly or in checkpoints/. Returns nothing if
/// it is in another directory.
std::optional<Model> model_of(const std::string& file) {
  std::filesystem::path directory = std::filesystem::path(file).parent_path();
  if (directory.filename() == "checkpoints") directory = directory.parent_path();
  const std::string model = directory.empty() ? "." : directory.string();
  try {
    if (path_exists(config_file(model))) return Model{model, load_config(model)};
  } catch (const Error&) {  // not a configuration of this program
  }
  return std::nullopt;
}

/// The advice for a file of weights whose model is known.
std::string advice(const std::string& directory) {
  return fmt::format(
      "set training.initial_weights to the model directory {}, and its settings and vocabularies are taken "
      "along",
      directory);
}

/// Settings that a program made do not say which of them were given. A default value accepts the model's.
Settings accepting(Settings settings, const Settings& of_model) {
  const Values defaults = values_of(Settings()), theirs = values_of(of_model);
  for (const KnownSetting& known : describe(settings))
    if (!known.section && known.inheritance == Inheritance::learnt &&
        known.write() == defaults.at(known.place))
      known.read(theirs.at(known.place));
  return settings;
}

/// The subwords and vocabularies of a file of weights may be given in several ways, so only the shape of the
/// model is compared.
void check_shape(const Settings& settings, const std::string& file) {
  const std::optional<Model> model = model_of(file);
  if (!model) return;
  std::vector<std::string> found = contradictions(settings, model->settings);
  std::erase_if(found, [](const std::string& text) { return !text.starts_with("model."); });
  if (!found.empty())
    fail("{} belongs to a model with other settings: {}; {}", file, fmt::join(found, "; "),
         advice(model->directory));
}

}  // namespace

std::string initial_model(const TrainingSettings& settings) {
  std::error_code none;
  const std::string& path = settings.initial_weights;
  return std::filesystem::is_directory(path, none) ? path : std::string();
}

std::string initial_weights_file(const TrainingSettings& settings) {
  const std::string directory = initial_model(settings);
  return directory.empty() ? settings.initial_weights : ModelDirectory(directory).weights();
}

void check_initial_weights(const Settings& settings) {
  const std::string file = initial_weights_file(settings.training);
  if (file.empty()) return;
  check_readable(file);
  const std::string directory = initial_model(settings.training);
  if (directory.empty()) return check_shape(settings, file);
  if (!given_tokeniser(settings).empty())
    fail("{0} is given, but the subwords come from {1}, the model of training.initial_weights; leave {0} out",
         tokeniser_of(settings.data).given, directory);
  const Settings of_model = load_config(directory);
  check_inherited(accepting(settings, of_model), of_model, directory);
}

void load_initial_weights(nn::Module& model, const Settings& settings, const Vocabularies& vocabularies) {
  const std::string file = initial_weights_file(settings.training);
  if (file.empty()) return;
  const Weights weights = read_weights(file);
  check_float32(weights, file);
  try {
    copy_weights(model, weights, file, identity_of(settings, vocabularies));
  } catch (const Error& error) {
    const std::optional<Model> known =
        initial_model(settings.training).empty() ? model_of(file) : std::nullopt;
    if (!known) throw;
    fail("{}; {}", error.what(), advice(known->directory));
  }
}

namespace {

/// A parameter with all its names.
struct Parameter {
  std::vector<std::string> names;
  Tensor tensor;

  bool frozen() const { return !tensor.requires_grad(); }
};

class Collector : public nn::Visitor {
 public:
  void parameter(const std::string& name, Tensor& tensor) override {
    for (Parameter& known : found)
      if (known.tensor.is(tensor)) return known.names.push_back(name);
    found.push_back({{name}, tensor});
  }
  std::vector<Parameter> found;
};

std::vector<Parameter> parameters_of(nn::Module& model) {
  Collector collector;
  model.visit(collector);
  return std::move(collector.found);
}

/// True if this is the name of the parameter or of a module around it.
bool names_it(const std::string& name, const std::string& parameter) {
  return parameter == name || parameter.starts_with(name + ".");
}

/// Returns the name of the largest module around a parameter in which all parameters are frozen or all are
/// trained.
std::string group_of(const Parameter& parameter, const std::vector<Parameter>& all) {
  const std::string& name = parameter.names.front();
  if (parameter.names.size() > 1)
    return fmt::format("{} (shared: {})", name,
                       fmt::join(parameter.names.begin() + 1, parameter.names.end(), ", "));
  for (std::size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1)) {
    const std::string module = name.substr(0, dot);
    const bool uniform = std::ranges::all_of(all, [&](const Parameter& other) {
      return !names_it(module, other.names.front()) || other.frozen() == parameter.frozen();
    });
    if (uniform) return module;
  }
  return name;
}

}  // namespace

void freeze(nn::Module& model, const std::vector<std::string>& names) {
  std::vector<Parameter> parameters = parameters_of(model);
  for (const std::string& name : names) {
    bool found = false;
    for (Parameter& parameter : parameters) {
      if (std::ranges::none_of(parameter.names, [&](const auto& its) { return names_it(name, its); }))
        continue;
      parameter.tensor.set_requires_grad(false);
      found = true;
    }
    if (!found)
      fail(
          "training.freeze: there is no parameter \"{0}\", and no name of a parameter begins with \"{0}.\"; "
          "regard inspect shows the names",
          name);
  }
}

std::vector<ParameterGroup> parameter_groups(nn::Module& model) {
  const std::vector<Parameter> parameters = parameters_of(model);
  std::vector<ParameterGroup> groups;
  for (const Parameter& parameter : parameters) {
    const std::string name = group_of(parameter, parameters);
    if (groups.empty() || groups.back().name != name)
      groups.push_back({.name = name, .frozen = parameter.frozen()});
    groups.back().numbers += parameter.tensor.size();
  }
  return groups;
}

}  // namespace regard::translation
