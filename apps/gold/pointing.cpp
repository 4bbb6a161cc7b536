#include "apps/gold/pointing.h"

#include <algorithm>
#include <fmt/ranges.h>

#include "apps/translation/corpus/batching.h"
#include "apps/translation/corpus/corpus.h"
#include "apps/translation/files/json_fields.h"
#include "apps/translation/files/utf8.h"
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
          "captions, and the tokens of the model must be words",
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

WordRegion word_region(const Json& json, const ImageRegions& image, const std::string& name) {
  WordRegion word{};
  Fields fields(json, name);
  fields.need("position", word.position, whole(0, 1 << 20));
  fields.need("word", word.word, text());
  std::vector<Index> region;
  fields.need("region", region, whole_numbers(4, 0, most_pixels));
  if (region.size() != 4) fail("{}: \"region\" must be [left, top, width, height]", name);
  word.left = region[0], word.top = region[1], word.width = region[2], word.height = region[3];
  if (word.width < 1 || word.height < 1 || word.left + word.width > image.width ||
      word.top + word.height > image.height)
    fail("{}: the region [{}] must have pixels, all of them in the image of {} x {}", name,
         fmt::join(region, ", "), image.width, image.height);
  return word;
}

ImageRegions image_regions(const Json& json, const std::string& name) {
  ImageRegions image;
  Json words;
  Fields fields(json, name);
  fields.need("width", image.width, whole(1, most_pixels));
  fields.need("height", image.height, whole(1, most_pixels));
  fields.need("words", words, any_list());
  for (const Json& word : words) image.words.push_back(word_region(word, image, name + ", a word"));
  return image;
}

}  // namespace

std::vector<ImageRegions> read_regions(const std::string& path) {
  std::vector<ImageRegions> result;
  for (const std::string& line : read_sentences(path)) {
    const std::string name = fmt::format("{}, line {}", path, result.size() + 1);
    result.push_back(image_regions(parse_json(line, name), name));
  }
  return result;
}

}  // namespace regard::translation
