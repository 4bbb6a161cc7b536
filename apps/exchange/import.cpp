#include "apps/exchange/import.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "apps/exchange/keys.h"
#include "apps/translation/files/files.h"
#include "apps/translation/files/new_directory.h"
#include "apps/translation/model/make_model.h"
#include "apps/translation/model/model_directory.h"
#include "apps/translation/model/weights.h"
#include "apps/translation/settings/tokeniser_kind.h"
#include "autograd/machine/error.h"
#include "nn/safetensors.h"

namespace regard::exchange {

ImportedModel read_model(const std::string& directory, const translation::Direction& direction) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(directory, ignored)) fail("there is no directory {}", directory);
  const bool of_hugging_face = translation::path_exists(directory + "/config.json");
  const bool of_marian = std::ranges::any_of(translation::files_in(directory),
                                             [](const std::string& name) { return name.ends_with(".npz"); });
  if (of_hugging_face && of_marian)
    fail("{} has a config.json and a file .npz, two models; leave the one that is to be imported", directory);
  if (!of_hugging_face && !of_marian)
    fail(
        "{} is no model that can be imported: it has neither config.json nor a file .npz; a .bin of Marian "
        "or Bergamot cannot be read, so give the .npz that it was made from",
        directory);
  if (of_hugging_face && is_nllb(directory)) return read_nllb(directory, direction);
  ImportedModel imported = of_marian ? read_marian(directory) : read_hugging_face(directory);
  if (!direction.source.empty() || !direction.target.empty())
    fail(
        "{} is no model of NLLB, so it has no languages to choose; leave out --source-language and "
        "--target-language",
        directory);
  return imported;
}

std::string read_subwords(const std::string& path) {
  constexpr std::uint64_t longest = std::uint64_t{64} << 20;  // bytes
  return read_limited(path, longest);
}

translation::TranslationModel put_together(ImportedParts parts) {
  const auto& [source_path, target_path] = parts.subwords;
  const bool nllb = !parts.direction.source.empty();
  translation::Vocabularies vocabularies{
      .source = std::move(parts.source.vocabulary),
      .target = std::move(parts.target.vocabulary),
      .subwords = read_subwords(source_path),
      .target_subwords = nllb ? parts.direction.text() : read_subwords(target_path)};
  translation::Settings& settings = parts.settings;
  settings.model.preset = "base";
  settings.data.tokeniser = nllb ? "nllb" : "marian";
  auto tokeniser = tokeniser_of(settings.data)
                       .make(vocabularies, {.vocabularies = {}, .subwords = {source_path, target_path}});
  transformer::check(settings.decoding);
  const auto parameters =
      foreign::read_parameters(parts.program, parts.weights, settings.model.config, settings.model.decoder,
                               parts.source.stored, parts.target.stored);
  transformer::EncoderDecoder model = translation::make_model(settings, vocabularies, Random::none());
  translation::exclude_tokens(parameters, settings.model.first_predicted);
  nn::take_tensors(parameters, model.parameters());
  for (const auto& [name, tensor] : model.parameters())
    if (!std::ranges::all_of(tensor.values(), [](Real value) { return std::isfinite(value); }))
      fail("a weight is not finite, in {}; the file is damaged, or its training has diverged", name);
  model.eval();
  return {std::move(settings), std::move(vocabularies), std::move(tokeniser), std::move(model)};
}

void write_model(translation::TranslationModel& model, const std::string& directory) {
  translation::NewDirectory unfinished(directory);
  const translation::ModelDirectory files(unfinished.temporary());
  save_vocabularies(files.path(), model.settings.data, model.vocabularies);
  save_config(files.path(), model.settings);
  nn::save_safetensors(files.weights(), model.model.parameters(),
                       identity_of(model.settings, model.vocabularies));
  unfinished.finish();
}

}  // namespace regard::exchange
