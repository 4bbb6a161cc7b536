#pragma once

#include <string>
#include <vector>

#include "apps/translation/corpus/corpus.h"
#include "apps/translation/translator/alignment.h"
#include "autograd/machine/real.h"
#include "transformer/encoder_decoder.h"

namespace regard::translation {

/// A word of a caption and the part of the image that it names.
struct WordRegion {
  Index position = 0;  ///< of the word in the caption, from 0
  std::string word = {};
  Index left = 0, top = 0, width = 0, height = 0;  ///< in pixels
};

/// The gold regions of an image.
struct ImageRegions {
  Index width = 0, height = 0;  ///< of the image, in pixels
  std::vector<WordRegion> words = {};
};

/// Reads a file of gold regions. Each of its lines is a JSON object for one image: {"width": 48, "height":
/// 48, "words": [{"position": 1, "word": "small", "region": [LEFT, TOP, WIDTH, HEIGHT]}, …]}; other keys do
/// not matter. Throws Error that names the file, and the line if it is malformed or a region is outside the
/// image.
std::vector<ImageRegions> read_regions(const std::string& path);

/// How well the attention points at the regions that words name.
struct PointingCounts {
  Index words = 0, hits = 0;
  double expected_hits = 0;  ///< of a decoder that looks at a random position

  PointingCounts& operator+=(const PointingCounts& other);
};

/// Counts the words with a gold region, and as a hit each word for which the position with the largest
/// weight, the first of equal ones, overlaps the region. A position of a plane of h x w covers 1 / h of the
/// image's height and 1 / w of its width. The weights in row i belong to word i.
PointingCounts pointing(const SourceAttention& attention, const ImageRegions& regions);

/// Throws Error, with the name of the line, unless each word of the regions is this token of the caption.
void check_words(const ImageRegions& regions, const std::vector<std::string>& caption,
                 const std::string& name);

/// The counts of all pairs of a corpus. The decoder reads the references (forced decoding). `regions` has an
/// entry for each line of the text from which the corpus comes. The model must be in evaluation mode. Throws
/// Error as source_attention does.
PointingCounts pointing_all(transformer::EncoderDecoder& model, const ParallelCorpus& corpus,
                            const std::vector<ImageRegions>& regions);

}  // namespace regard::translation
