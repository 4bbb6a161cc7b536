#include "apps/translation/model/weights.h"

#include <algorithm>
#include <cmath>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "apps/translation/corpus/checksum.h"
#include "apps/translation/files/utf8.h"
#include "apps/translation/model/precisions.h"
#include "apps/translation/settings/settings_description.h"
#include "autograd/machine/error.h"
#include "autograd/ops/linear_products.h"
#include "transformer/embeddings.h"

namespace regard::translation {

namespace {

// The metadata whose names begin with this key_prefix are the identity.
const std::string key_prefix = "model.";
const std::string vocabulary_key = key_prefix + "vocabulary";

/// The value of a setting as files of weights have it.
std::string identity_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_array()) return fmt::format("{}", fmt::join(value.get<std::vector<Index>>(), ", "));
  return value.is_number_float() ? fmt::format("{}", value.get<double>()) : value.dump();
}

bool is_finite(const Tensor& tensor) {
  if (MatrixForm::of(tensor)) return true;  // whole numbers, and scales that were checked when they were read
  return std::ranges::all_of(tensor.values(), [](Real value) { return std::isfinite(value); });
}

/// Throws Error if an entry that both identities have differs. The names are for the message.
void check_same_identity(const nn::Metadata& stored, const nn::Metadata& expected, const std::string& name,
                         const std::string& name_of_expected) {
  for (const auto& [key, value] : expected) {
    const auto found = stored.find(key);
    if (found == stored.end() || found->second == value) continue;
    if (key == vocabulary_key)
      fail("{} does not fit {}: it was trained with another vocabulary; take the files that belong together",
           name, name_of_expected);
    fail("{} does not fit {}: {} is {} instead of {}", name, name_of_expected, key.substr(key_prefix.size()),
         printable(found->second), value);
  }
  if (stored.empty()) return;
  for (const KnownSetting& setting : known_settings()) {
    if (setting.identity != Identity::if_changed) continue;
    const auto value_in = [&](const nn::Metadata& identity) {
      const auto found = identity.find(setting.place);
      return found == identity.end() ? identity_text(setting.write()) : found->second;
    };
    if (value_in(stored) != value_in(expected))
      fail("{} does not fit {}: {} is {} instead of {}", name, name_of_expected,
           setting.place.substr(key_prefix.size()), printable(value_in(stored)), value_in(expected));
  }
}

}  // namespace

nn::Metadata identity_of(const Settings& settings, const Vocabularies& vocabularies) {
  Checksum vocabulary;
  vocabulary.add(vocabularies.source);
  vocabulary.add(vocabularies.target);
  nn::Metadata identity{{vocabulary_key, vocabulary.text()}};
  const Values values = values_of(settings);
  for (const KnownSetting& setting : known_settings()) {
    if (setting.identity == Identity::none || !has(values, setting.need)) continue;
    const std::string text = identity_text(values.at(setting.place));
    if (setting.identity == Identity::always || text != identity_text(setting.write()))
      identity.emplace(setting.place, text);
  }
  return identity;
}

namespace {
void check_same(nn::Module& model, const Weights& weights, const std::string& name,
                const nn::Metadata& identity) {
  nn::check_same_tensors(weights.tensors, model.parameters(), name, "the model");
  check_same_identity(weights.identity, identity, name, "the model");
}
}  // namespace

nn::Metadata Weights::metadata() const {
  nn::Metadata all = identity;
  sources.add_to(all);
  return all;
}

Weights read_weights(const std::string& path) {
  Weights weights;
  nn::Metadata metadata;
  weights.tensors = precisions().load(path, metadata);
  if (metadata.contains("progress"))
    fail("{} is the state of a training, not a file of weights; take a file from checkpoints/", path);
  if (weights.tensors.empty()) fail("{} contains no tensors", path);
  for (const auto& [name, tensor] : weights.tensors)
    if (!is_finite(tensor))
      fail("{} contains a value that is not finite, in {}; the file is damaged, or the training has diverged",
           path, name);
  for (const auto& entry : metadata)
    if (entry.first.starts_with(key_prefix)) weights.identity.insert(entry);
  weights.sources = TrainedSources::of(metadata);
  const auto first = weights.identity.find(key_prefix + "first_predicted");
  if (first != weights.identity.end())
    exclude_tokens(weights.tensors, first->second == "2" ? 2 : first->second == "1" ? 1 : 0);
  return weights;
}

void exclude_tokens(const std::map<std::string, Tensor>& tensors, Index first_predicted) {
  for (const auto& [name, tensor] : tensors)
    if (name.ends_with("generator.bias") && tensor.size() >= first_predicted)
      std::fill_n(tensor.data(), first_predicted, transformer::never_predicted);
}

void check_float32(const Weights& weights, const std::string& path) {
  for (const auto& [name, tensor] : weights.tensors)
    if (MatrixForm::of(tensor))
      fail(
          "{} has weights in {}, which can translate but not learn; take the model that it was converted "
          "from",
          path, MatrixForm::of(tensor)->name());
}

void copy_weights(nn::Module& model, const Weights& weights, const std::string& name,
                  const nn::Metadata& identity) {
  check_same(model, weights, name, identity);
  nn::copy_tensors(weights.tensors, model.parameters(), name);
}

TrainedSources load_weights(nn::Module& model, const std::string& path, const nn::Metadata& identity) {
  const Weights weights = read_weights(path);
  check_same(model, weights, path, identity);
  nn::take_tensors(weights.tensors, model.parameters());
  return weights.sources;
}

Weights average_weights(std::span<const std::string> paths) {
  if (paths.empty()) fail("there are no weights to average");
  Weights mean = read_weights(paths.front());
  check_float32(mean, paths.front());
  std::vector<nn::NamedParameter> named;
  std::map<std::string, std::vector<double>> sums;
  for (const auto& [name, tensor] : mean.tensors) {
    named.push_back({name, tensor});
    sums[name].assign(tensor.values().begin(), tensor.values().end());
  }
  for (const std::string& path : paths.subspan(1)) {
    const Weights weights = read_weights(path);
    check_float32(weights, path);
    nn::check_same_tensors(weights.tensors, named, path, paths.front());
    check_same_identity(weights.identity, mean.identity, path, "the files before it");
    mean.identity.insert(weights.identity.begin(), weights.identity.end());
    mean.sources.include(weights.sources);
    for (auto& [name, sum] : sums)
      for (std::size_t i = 0; i < sum.size(); ++i)
        sum[i] += static_cast<double>(weights.tensors.at(name).values()[i]);
  }
  for (const auto& [name, tensor] : named)
    for (std::size_t i = 0; i < sums.at(name).size(); ++i)
      tensor.values()[i] = static_cast<Real>(sums.at(name)[i] / static_cast<double>(paths.size()));
  return mean;
}

bool all_finite(nn::Module& model) {
  return std::ranges::all_of(model.parameters(),
                             [](const auto& parameter) { return is_finite(parameter.tensor); });
}

}  // namespace regard::translation
