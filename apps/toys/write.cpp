#include <system_error>
#include <utility>

#include "apps/toys/toys.h"
#include "autograd/error.h"
#include "nn/files.h"

namespace regard::toys {
namespace {

std::string lines(const std::vector<SentencePair>& pairs, std::string SentencePair::*side) {
  std::string text;
  for (const SentencePair& pair : pairs) text.append(pair.*side).push_back('\n');
  return text;
}

/// Returns the name and the text of each file.
std::vector<std::pair<std::string, std::string>> texts(const Corpus& corpus) {
  return {{"train.source", lines(corpus.train, &SentencePair::source)},
          {"train.target", lines(corpus.train, &SentencePair::target)},
          {"validation.source", lines(corpus.validation, &SentencePair::source)},
          {"validation.target", lines(corpus.validation, &SentencePair::target)},
          {"test.source", lines(corpus.test, &SentencePair::source)},
          {"test.target", lines(corpus.test, &SentencePair::target)}};
}

void check_same(const std::string& path, const std::string& text) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(path, ignored) && nn::read_file(path) != text)
    fail("{} exists and is another text; give another directory, or --overwrite to replace it", path);
}

}  // namespace

void write(const Corpus& corpus, const std::filesystem::path& directory, Existing existing) {
  std::error_code error, ignored;
  std::filesystem::create_directories(directory, error);
  if (!std::filesystem::is_directory(directory, ignored)) {
    fail("cannot create the directory {}: {}; choose another place", directory.string(),
         error ? error.message() : "a file of that name is in the way");
  }
  const std::vector<std::pair<std::string, std::string>> named = texts(corpus);
  std::vector<nn::NewFile> files;
  for (const auto& [name, text] : named) {
    files.push_back({(directory / name).string(), {text}});
    if (existing == Existing::refuse) check_same(files.back().place.path, text);
  }
  nn::write_files(files);
}

}  // namespace regard::toys
