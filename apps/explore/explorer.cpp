#include "apps/explore/explorer.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <utility>

#include "apps/explore/curves.h"
#include "apps/explore/runs.h"
#include "apps/translation/files/files.h"
#include "apps/translation/files/json_fields.h"
#include "apps/translation/files/utf8.h"
#include "apps/translation/model/model_directory.h"
#include "autograd/machine/error.h"

namespace regard::explore {

namespace {

using translation::ModelDirectory;

/// Changes when the file is written or replaced.
std::string version_of(const std::string& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return "";
  return fmt::format("{} {} {} {}", status.st_ino, status.st_size, status.st_mtim.tv_sec,
                     status.st_mtim.tv_nsec);
}

std::vector<std::string> versions_of(const ExplorerSettings& settings) {
  std::vector<std::string> versions;
  for (const std::string& file : ModelDirectory(settings.directories.front()).files_to_translate())
    versions.push_back(version_of(file));
  if (!settings.loading.weights.empty()) versions.push_back(version_of(settings.loading.weights));
  return versions;
}

/// Throws Error unless regard train has begun to write this directory.
void check_training(const std::string& directory) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(directory, ignored)) fail("there is no model directory {}", directory);
  translation::present(directory, translation::config_file(directory));
}

}  // namespace

Explorer::Explorer(ExplorerSettings settings) : settings_(std::move(settings)) {
  for (const std::string& directory : settings_.directories) check_training(directory);
  if (may_load()) load();
}

/// False for a training that has not written its model yet.
bool Explorer::may_load() const {
  const ModelDirectory files(settings_.directories.front());
  return !settings_.loading.weights.empty() || files.has_weights() ||
         !translation::path_exists(files.metrics());
}

void Explorer::load() {
  std::vector<std::string> versions = versions_of(settings_);  // before the files are read
  loaded_.reset();                                             // the old model makes room for the new one
  Loaded loaded{
      TranslationModel::load(settings_.directories.front(), settings_.loading), {}, std::move(versions)};
  const TranslationModel& model = loaded.model;
  if (!settings_.source.empty())
    loaded.corpus = model.encode(
        read_parallel_files(settings_.source, settings_.target, model.settings.source_files().get()));
  loaded_.emplace(std::move(loaded));
}

Explorer::Loaded& Explorer::loaded() {
  if (loaded_ && loaded_->versions == versions_of(settings_)) return *loaded_;
  const std::string& directory = settings_.directories.front();
  if (!may_load()) {
    loaded_.reset();
    throw NoModel(directory +
                  " has no model yet; its training writes one at its first validation or at its end");
  }
  try {
    load();
  } catch (const Error& error) {
    throw NoModel(directory +
                  " was changed while it was shown, and the model cannot be read now: " + error.what());
  }
  return *loaded_;
}

Json Explorer::model() {
  try {
    Loaded& now = loaded();
    Json reply =
        model_reply(now.model, run_name(settings_.directories.front()), now.corpus ? &*now.corpus : nullptr);
    reply["examples"] = example_sentences(now.model);
    reply["others"] = Json::array();
    for (const Other& other : others()) reply["others"].push_back(other.name);
    return reply;
  } catch (const NoModel&) {
    if (may_load()) throw;  // the files of the model are damaged
    return nullptr;
  }
}

/// The models of the further directories, and the kept checkpoints of all.
std::vector<Explorer::Other> Explorer::others() const {
  std::vector<Other> others;
  for (std::size_t i = settings_.loading.weights.empty() ? 1 : 0; i < settings_.directories.size(); ++i)
    if (const std::string& directory = settings_.directories[i]; ModelDirectory(directory).has_weights())
      others.push_back({directory, directory, ""});
  for (const std::string& directory : settings_.directories) {
    const translation::StepFiles checkpoints = ModelDirectory(directory).checkpoints;
    for (const Index step : checkpoints.steps())
      others.push_back({checkpoints.file(step), directory, checkpoints.file(step)});
  }
  return others;
}

/// One other model is kept in memory: the last one that was asked for.
Explorer& Explorer::other(const std::string& name) {
  if (other_ && other_name_ == name) return *other_;
  const std::vector<Other> known = others();
  const auto found = std::ranges::find(known, name, &Other::name);
  if (found == known.end()) fail("there is no model {} to compare with", translation::printable(name));
  other_.reset();
  translation::LoadOptions loading = settings_.loading;
  loading.weights = found->weights;
  loading.precision.reset();
  other_ = std::make_unique<Explorer>(
      ExplorerSettings{.directories = {found->directory}, .loading = std::move(loading)});
  other_name_ = name;
  return *other_;
}

Json Explorer::translate(const Json& request) {
  if (!request.is_object() || !request.contains("model")) return translate_reply(loaded().model, request);
  std::string name;
  translation::Fields(request, "the request").need("model", name, translation::text("the name of a model"));
  Json rest = request;
  rest.erase("model");
  return other(name).translate(rest);
}

Json Explorer::head_importance() {
  Loaded& now = loaded();
  if (!now.corpus) fail("no corpus was given; start regard explore with --source and --target");
  return head_importance_reply(now.model, *now.corpus);
}

Json Explorer::runs() const {
  const std::vector<TrainingRun> runs = read_runs(settings_.directories);
  return {{"runs", runs_json(runs)}, {"plots", plots_json(runs)}};
}

}  // namespace regard::explore
