#include "apps/translation/translator/pointing.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "apps/translation/corpus/batching.h"
#include "apps/translation/corpus/corpus.h"
#include "apps/translation/files/json.h"
#include "apps/translation/text/utf8.h"
#include "autograd/machine/error.h"

namespace regard::translation {
namespace {

/// True if a part of an axis overlaps a region. The axis has `pixels`, and the part is number `part` of
/// `parts`.
bool overlaps(Index part, Index parts, Index pixels, Index begin, Index length) {
  return part * pixels < (begin + length) * parts && (part + 1) * pixels > begin * parts;
}

bool overlaps(Index position, const Plane& plane, const ImageRegions& image, const WordRegion& word) {
  return overlaps(position / plane.width, plane.height, image.height, word.top, word.height) &&
         overlaps(position % plane.width, plane.width, image.width, word.left, word.width);
}

}  // namespace

PointingCounts& PointingCounts::operator+=(const PointingCounts& other) {
  words += other.words;
  hits += other.hits;
  expected_hits += other.expected_hits;
  return *this;
}

PointingCounts pointing(const SourceAttention& attention, const ImageRegions& regions) {
  if (!attention.plane) fail("the attention of this model is not over an image");
  const Index positions = attention.plane->height * attention.plane->width;
  PointingCounts counts;
  for (const WordRegion& word : regions.words) {
    const Real* const row = attention.weights.data() + word.position * positions;
    const Index strongest = std::max_element(row, row + positions) - row;
    Index in_region = 0;
    for (Index i = 0; i < positions; ++i) in_region += overlaps(i, *attention.plane, regions, word);
    ++counts.words;
    counts.hits += overlaps(strongest, *attention.plane, regions, word);
    counts.expected_hits += static_cast<double>(in_region) / static_cast<double>(positions);
  }
  return counts;
}

void check_words(const ImageRegions& regions, const std::vector<std::string>& caption,
                 const std::string& name) {
  for (const WordRegion& word : regions.words) {
    if (word.position >= to_index(caption.size()))
      fail("{}: there is no word {} in the caption, which has {} tokens of the model; positions count from 0",
           name, word.position, caption.size());
    if (const std::string& token = caption[to_size(word.position)]; token != word.word)
      fail(
          "{}: word {} is \"{}\", but this token of the caption is \"{}\"; the regions must belong to the "
          "captions, "
          "and the tokens of the model must be words",
          name, word.position, printable(word.word), printable(token));
  }
}

PointingCounts pointing_all(transformer::EncoderDecoder& model, const ParallelCorpus& corpus,
                            const std::vector<ImageRegions>& regions) {
  PointingCounts counts;
  for (const auto& pairs : plan_epoch(pair_lengths(corpus, &model.encoder()), default_batch_tokens, 1, 1)) {
    const std::vector<SourceAttention> attention = source_attention(model, make_batch(corpus, pairs));
    for (std::size_t i = 0; i < pairs.size(); ++i)
      counts += pointing(attention[i], regions[to_size(corpus.lines[pairs[i]])]);
  }
  return counts;
}

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
