#pragma once

#include <map>
#include <string>
#include <string_view>

#include "apps/translation/corpus/corpus.h"
#include "autograd/machine/real.h"

namespace regard::translation {

/// The sources with which a model was trained. A model that has only read single sentences tends to answer
/// three sentences with one, and it has no idea of the positions beyond the longest source.
struct TrainedSources {
  Index longest = 0;    ///< tokens, without </s>; 0: unknown
  Index sentences = 0;  ///< most sentences in one line

  /// The sources of a training corpus, which was encoded from this text. Unknown for images.
  static TrainedSources of(const ParallelText& text, const ParallelCorpus& corpus, const SourceFiles* files);
  /// From the metadata of a file of weights; unknown if they are not there.
  static TrainedSources of(const std::map<std::string, std::string>& metadata);
  void add_to(std::map<std::string, std::string>& metadata) const;
  /// What both have seen.
  void include(const TrainedSources& other);

  /// A clause about a line with this many tokens that is unlike all of these sources: "it has 3 sentences,
  /// …". Empty if the line is not, or if the sources are unknown.
  std::string difference(std::string_view line, Index tokens) const;
};

/// The number of sentences in a line: the places where ., ! or ? (also the full-width ones) and white space
/// are followed by further text, and one.
Index count_sentences(std::string_view line);

}  // namespace regard::translation
