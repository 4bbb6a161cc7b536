#pragma once

#include "apps/shortlist/shortlist.h"
#include "apps/translation/corpus/corpus.h"
#include "autograd/machine/real.h"

namespace regard::translation {

/// How much of some references a shortlist allows.
struct ShortlistRecall {
  Index held = 0;    ///< target tokens that their source allows
  Index tokens = 0;  ///< target tokens, without </s>
  Index listed = 0;  ///< tokens of the lists of all sentences
  Index sentences = 0;

  double share() const { return static_cast<double>(held) / static_cast<double>(tokens); }
  double mean_list() const { return static_cast<double>(listed) / static_cast<double>(sentences); }
};
ShortlistRecall recall(const Shortlist& shortlist, const ParallelCorpus& corpus);

}  // namespace regard::translation
