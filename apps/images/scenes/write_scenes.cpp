#include <cerrno>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "apps/images/image_file.h"
#include "apps/images/scenes/scenes.h"
#include "autograd/machine/error.h"
#include "autograd/machine/files.h"

namespace regard::toys {
namespace {

namespace fs = std::filesystem;

/// Writes a file, whole or not at all, without waiting for the disk: a corpus has thousands of images.
void write_quickly(const fs::path& path, const std::string& bytes) {
  const std::string part = fmt::format("{}.regard-tmp-{}-1", path.string(), ::getpid());
  std::ofstream file(part, std::ios::binary);
  file << bytes << std::flush;
  std::error_code error;
  if (file) fs::rename(part, path, error);
  if (file && !error) return;
  const std::string reason = file ? error.message() : std::generic_category().message(errno);
  fs::remove(part, error);
  fail("cannot write {}: {}", path.string(), reason);
}

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
  std::vector<std::pair<fs::path, std::string>> texts;
  std::vector<std::pair<fs::path, const Scene*>> pictures;
  for (const auto& [name, part] : {std::pair<std::string, const std::vector<Scene>*>("train", &scenes.train),
                                   {"validation", &scenes.validation},
                                   {"test", &scenes.test}}) {
    std::string captions, regions;
    for (std::size_t i = 0; i < part->size(); ++i) {
      const Scene& scene = (*part)[i];
      const std::string image = fmt::format("{}/{:05}.png", name, i + 1);
      pictures.emplace_back(directory / image, &scene);
      captions += image + "\t" + caption(scene).text() + "\n";
      regions += regions_line(image, scene);
    }
    texts.emplace_back(directory / (name + ".tsv"), std::move(captions));
    texts.emplace_back(directory / (name + ".regions.jsonl"), std::move(regions));
  }
  // All files are compared before the first is written. An image is drawn again instead of being kept.
  std::vector<NewFile> files;
  for (const auto& [path, text] : texts) {
    has_contents(path, text, existing);
    files.push_back({path.string(), {text}});
  }
  const auto bytes_of = [](const Scene* scene) { return images::png_bytes(draw(*scene)); };
  std::erase_if(pictures, [&](const auto& picture) {
    std::error_code ignored;
    return fs::exists(picture.first, ignored) &&
           has_contents(picture.first, bytes_of(picture.second), existing);
  });
  for (const char* const name : {"train", "validation", "test"}) make_directory(directory / name);
  for (const auto& [path, scene] : pictures) write_quickly(path, bytes_of(scene));
  write_files(files);
}

}  // namespace regard::toys
