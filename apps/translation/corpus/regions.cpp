#include "apps/translation/corpus/regions.h"

#include <nlohmann/json.hpp>

#include "apps/translation/corpus/corpus.h"
#include "apps/translation/files/json.h"
#include "autograd/error.h"

namespace regard::translation {
namespace {

constexpr Index most_pixels = 1 << 20;  // of a side

Index whole_number(const Json& json, Index least, Index most) {
  if (!json.is_number_integer() || json < least || json > most)
    fail("{} is not a whole number from {} to {}", printable_value(json), least, most);
  return json.get<Index>();
}

const Json& member(const Json& object, const char* key) {
  if (!object.is_object() || !object.contains(key)) fail("\"{}\" is missing", key);
  return object[key];
}

WordRegion word_region(const Json& json, const ImageRegions& image) {
  WordRegion word{.position = whole_number(member(json, "position"), 0, 1 << 20)};
  if (!member(json, "word").is_string()) fail("\"word\" must be a text");
  word.word = json["word"].get<std::string>();
  const Json& region = member(json, "region");
  if (!region.is_array() || region.size() != 4) fail("\"region\" must be [left, top, width, height]");
  word.left = whole_number(region[0], 0, image.width - 1);
  word.top = whole_number(region[1], 0, image.height - 1);
  word.width = whole_number(region[2], 1, image.width - word.left);
  word.height = whole_number(region[3], 1, image.height - word.top);
  return word;
}

ImageRegions image_regions(const Json& json) {
  ImageRegions image{.width = whole_number(member(json, "width"), 1, most_pixels),
                     .height = whole_number(member(json, "height"), 1, most_pixels)};
  const Json& words = member(json, "words");
  if (!words.is_array()) fail("\"words\" must be a list");
  for (const Json& word : words) image.words.push_back(word_region(word, image));
  return image;
}

}  // namespace

std::vector<ImageRegions> read_regions(const std::string& path) {
  std::vector<ImageRegions> result;
  for (const std::string& line : read_sentences(path)) {
    const std::string name = fmt::format("{}, line {}", path, result.size() + 1);
    const Json json = parse_json(line, name);
    try {
      result.push_back(image_regions(json));
    } catch (const Error& error) {
      fail("{}: {}", name, error.what());
    }
  }
  return result;
}

}  // namespace regard::translation
