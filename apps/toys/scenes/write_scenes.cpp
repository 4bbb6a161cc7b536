#include <cerrno>
#include <cstdio>
#include <fmt/format.h>
#include <iterator>
#include <memory>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "apps/images/image_file.h"
#include "apps/toys/scenes/scenes.h"
#include "autograd/error.h"
#include "autograd/files.h"

namespace regard::toys {
namespace {

namespace fs = std::filesystem;

/// Writes a file without waiting for the disk: a corpus has thousands of images.
void write_quickly(const std::string& path, const std::string& bytes) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wb"), std::fclose);
  const bool written = file && std::fwrite(bytes.data(), 1, bytes.size(), file.get()) == bytes.size() &&
                       std::fflush(file.get()) == 0;
  if (!written) fail("cannot write {}: {}", path, std::generic_category().message(errno));
}

/// Files are written here first, and moved when all are written.
class Workplace {
 public:
  explicit Workplace(const fs::path& directory)
      : path_(directory / fmt::format("images.regard-tmp-{}", ::getpid())) {}
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;
  ~Workplace() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

}  // namespace

std::string regions_line(const std::string& image, const Scene& scene) {
  std::string words;
  for (const NamingWord& word : caption(scene).naming)
    fmt::format_to(std::back_inserter(words),
                   "{}{{\"position\":{},\"word\":\"{}\",\"region\":[{},{},{},{}]}}", words.empty() ? "" : ",",
                   word.position, word.word, word.region.left, word.region.top, word.region.width,
                   word.region.height);
  return fmt::format("{{\"image\":\"{}\",\"width\":{},\"height\":{},\"objects\":{},\"words\":[{}]}}\n", image,
                     scene.size, scene.size, scene.objects.size(), words);
}

void write(const Scenes& scenes, const fs::path& directory, Existing existing) {
  const Workplace workplace(directory);
  std::vector<std::pair<fs::path, fs::path>> moves;
  std::vector<std::pair<fs::path, std::string>> texts;
  for (const auto& [name, part] : {std::pair<std::string, const std::vector<Scene>*>("train", &scenes.train),
                                   {"validation", &scenes.validation},
                                   {"test", &scenes.test}}) {
    make_directory(directory / name);
    make_directory(workplace.path() / name);
    std::string captions, regions;
    for (std::size_t i = 0; i < part->size(); ++i) {
      const Scene& scene = (*part)[i];
      const std::string image = fmt::format("{}/{:05}.png", name, i + 1);
      const std::string bytes = images::png_bytes(draw(scene));
      if (!has_contents(directory / image, bytes, existing)) {
        write_quickly(workplace.path() / image, bytes);
        moves.emplace_back(workplace.path() / image, directory / image);
      }
      captions += image + "\t" + caption(scene).text() + "\n";
      regions += regions_line(image, scene);
    }
    texts.emplace_back(directory / (name + ".tsv"), std::move(captions));
    texts.emplace_back(directory / (name + ".regions.jsonl"), std::move(regions));
  }
  std::vector<NewFile> files;
  for (const auto& [path, text] : texts) {
    has_contents(path, text, existing);
    files.push_back({path.string(), {text}});
  }
  for (const auto& [from, to] : moves) {
    std::error_code error;
    fs::rename(from, to, error);
    if (error) fail("cannot write {}: {}", to.string(), error.message());
  }
  write_files(files);
}

}  // namespace regard::toys
