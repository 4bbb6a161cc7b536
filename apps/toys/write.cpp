#include <system_error>

#include "apps/toys/toys.h"
#include "autograd/error.h"
#include "nn/files.h"

namespace regard::toys {
namespace {

void write_side(const std::vector<SentencePair>& pairs, std::string SentencePair::*side,
                const std::filesystem::path& path) {
  std::string text;
  for (const SentencePair& pair : pairs) text.append(pair.*side).push_back('\n');
  nn::write_file(path.string(), {text});
}

}  // namespace

void write(const Corpus& corpus, const std::filesystem::path& directory) {
  std::error_code error, ignored;
  std::filesystem::create_directories(directory, error);
  if (!std::filesystem::is_directory(directory, ignored)) {
    fail("cannot create the directory {}: {}; choose another place", directory.string(),
         error ? error.message() : "a file of that name is in the way");
  }
  const std::pair<const char*, const std::vector<SentencePair>*> parts[] = {
      {"train", &corpus.train}, {"validation", &corpus.validation}, {"test", &corpus.test}};
  for (const auto& [name, pairs] : parts) {
    write_side(*pairs, &SentencePair::source, directory / (std::string(name) + ".source"));
    write_side(*pairs, &SentencePair::target, directory / (std::string(name) + ".target"));
  }
}

}  // namespace regard::toys
