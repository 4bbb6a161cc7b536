#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace regard::program {

/// Warns on standard error which words of `place` ("line 3") are read as <unk>. Without words, prints
/// nothing.
void warn_of_unknown_words(std::string_view place, const std::vector<std::string>& words);

}  // namespace regard::program
