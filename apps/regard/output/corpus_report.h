#pragma once

#include <functional>
#include <string>

#include "apps/translation/corpus/inspection/inspection.h"

namespace regard::program {

/// The screen of regard corpus. `place` says where a pair is.
std::string screen(const translation::CorpusReport& report, const translation::InspectionSettings& settings,
                   const std::function<std::string(std::size_t)>& place);

/// The findings in one or a few lines, for the beginning of a training. Empty if there are none.
std::string short_report(const translation::CorpusReport& report);

}  // namespace regard::program
