#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include "apps/toys/toys.h"
#include "autograd/error.h"

namespace regard::toys {
namespace {

void write_side(const std::vector<SentencePair>& pairs, std::string SentencePair::*side,
                const std::filesystem::path& path) {
  errno = 0;
  std::ofstream file(path, std::ios::binary);  // binary: "\n" ends a line on every platform
  for (const SentencePair& pair : pairs) file << pair.*side << '\n';
  // A full disk shows only when the buffer is emptied.
  file.close();
  if (!file) {
    fail("cannot write {}: {}; choose a directory that can be written to and has room", path.string(),
         errno == 0 ? "the stream failed" : std::strerror(errno));
  }
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
