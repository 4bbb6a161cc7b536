#include <system_error>
#include <utility>

#include "apps/toys/toys.h"
#include "autograd/error.h"
#include "autograd/files.h"

namespace regard::toys {
namespace {

std::string lines(const std::vector<SentencePair>& pairs, std::string SentencePair::*side) {
  std::string text;
  for (const SentencePair& pair : pairs) text.append(pair.*side).push_back('\n');
  return text;
}

/// Returns the name and the text of each file.
std::vector<std::pair<std::string, std::string>> texts(const Corpus& corpus) {
  std::vector<std::pair<std::string, std::string>> result;
  for (const auto& [name, pairs] :
       {std::pair("train", &corpus.train), {"validation", &corpus.validation}, {"test", &corpus.test}}) {
    result.emplace_back(std::string(name) + ".source", lines(*pairs, &SentencePair::source));
    result.emplace_back(std::string(name) + ".target", lines(*pairs, &SentencePair::target));
    if (corpus.has_alignments)
      result.emplace_back(std::string(name) + ".align", lines(*pairs, &SentencePair::alignment));
  }
  return result;
}

void check_same(const std::string& path, const std::string& text) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(path, ignored) && read_file(path) != text)
    fail("{} exists and is another text; give another directory, or --overwrite to replace it", path);
}

void check_no_alignments(const std::filesystem::path& directory) {
  for (const char* const name : {"train.align", "validation.align", "test.align"}) {
    const std::filesystem::path path = directory / name;
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored))
      fail(
          "{} exists, but this toy has no alignments, so it belongs to another text; give another directory, "
          "or remove it",
          path.string());
  }
}

}  // namespace

void write(const Corpus& corpus, const std::filesystem::path& directory, Existing existing) {
  std::error_code error, ignored;
  std::filesystem::create_directories(directory, error);
  if (!std::filesystem::is_directory(directory, ignored)) {
    fail("cannot create the directory {}: {}; choose another place", directory.string(),
         error ? error.message() : "a file of that name is in the way");
  }
  if (!corpus.has_alignments) check_no_alignments(directory);
  const std::vector<std::pair<std::string, std::string>> named = texts(corpus);
  std::vector<NewFile> files;
  for (const auto& [name, text] : named) {
    files.push_back({(directory / name).string(), {text}});
    if (existing == Existing::refuse) check_same(files.back().path, text);
  }
  write_files(files);
}

}  // namespace regard::toys
