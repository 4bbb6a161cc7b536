#pragma once

#include <string>

#include "apps/translation/corpus/inspection/inspection.h"
#include "apps/translation/corpus/inspection/raw_corpus.h"

namespace regard::program {

/// The screen of regard corpus.
std::string screen(const translation::CorpusReport& report, const translation::InspectionSettings& settings,
                   const translation::RawCorpus& corpus);

/// The findings in one or a few lines, for the beginning of a training. Empty if there are none.
std::string short_report(const translation::CorpusReport& report);

}  // namespace regard::program
