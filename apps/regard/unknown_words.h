#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace regard::program {

/// Says on standard error which words of `place` ("line 3") are read as <unk>; nothing if there are none.
void warn_of_unknown_words(std::string_view place, const std::vector<std::string>& words);

}  // namespace regard::program
