#pragma once

#include <string>

#include "apps/inspection/inspection.h"
#include "apps/inspection/raw_corpus.h"

namespace regard::program {

/// The screen of regard corpus.
std::string screen(const translation::CorpusReport& report, const translation::InspectionSettings& settings,
                   const translation::RawCorpus& corpus);

}  // namespace regard::program
