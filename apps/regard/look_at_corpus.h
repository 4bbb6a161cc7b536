#pragma once

#include <string>
#include <vector>

#include "apps/translation/corpus/corpus.h"
#include "apps/translation/settings/settings.h"

namespace regard::program {

/// Looks at the corpora of a new training, and returns lines for its screen; "" if there is nothing to say. A
/// room names such functions after LOOKS in its CMakeLists.txt.
using LookAtCorpus = std::string (*)(const translation::ParallelText& training,
                                     const translation::ParallelText& validation,
                                     const translation::Settings& settings);
/// Those of the rooms that are built; commands/CMakeLists.txt.
std::vector<LookAtCorpus> all_looks();

}  // namespace regard::program
