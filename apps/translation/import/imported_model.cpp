#include "apps/translation/import/imported_model.h"

#include <algorithm>
#include <cmath>

#include "apps/translation/files/new_directory.h"
#include "apps/translation/model/model_directory.h"
#include "apps/translation/model/weights.h"
#include "autograd/error.h"
#include "nn/safetensors.h"
#include "nn/stored_numbers.h"

namespace regard::translation {

std::string read_limited(const std::string& path, std::uint64_t most) {
  const nn::PartlyReadFile file(path);
  if (file.size() > most)
    fail("{} has {} bytes, but such a file has at most {}; is it the right file?", path, file.size(), most);
  return file.read(0, file.size());
}

void write_model(const ImportedModel& model, const std::string& directory) {
  for (const auto& [name, tensor] : model.parameters)
    if (!std::ranges::all_of(tensor.values(), [](Real value) { return std::isfinite(value); }))
      fail("a weight is not finite, in {}; the file is damaged, or its training has diverged", name);
  NewDirectory unfinished(directory);
  const ModelDirectory files(unfinished.temporary());
  files.save_vocabularies(model.settings, model.vocabularies);
  nn::save_safetensors(files.weights(), model.parameters, identity_of(model.settings, model.vocabularies));
  files.save_config(model.settings);
  unfinished.finish();
}

}  // namespace regard::translation
