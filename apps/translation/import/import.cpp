#include "apps/translation/import/import.h"

#include <algorithm>
#include <filesystem>

#include "apps/translation/files/files.h"
#include "apps/translation/import/hugging_face.h"
#include "apps/translation/import/marian.h"
#include "autograd/error.h"

namespace regard::translation {

ImportedModel read_model(const std::string& directory) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(directory, ignored)) fail("there is no directory {}", directory);
  const bool of_hugging_face = path_exists(directory + "/config.json");
  const bool of_marian = std::ranges::any_of(files_in(directory),
                                             [](const std::string& name) { return name.ends_with(".npz"); });
  if (of_hugging_face && of_marian)
    fail("{} has a config.json and a file .npz, two models; leave the one that is to be imported", directory);
  if (!of_hugging_face && !of_marian)
    fail(
        "{} is no model that can be imported: it has neither config.json nor a file .npz; a .bin of Marian "
        "or Bergamot cannot be read, so give the .npz that it was made from",
        directory);
  return of_marian ? read_marian(directory) : read_marian_mt(directory);
}

}  // namespace regard::translation
