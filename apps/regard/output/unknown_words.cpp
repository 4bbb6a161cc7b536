#include "apps/regard/output/unknown_words.h"

#include <fmt/ranges.h>

#include "apps/translation/files/warning.h"
#include "apps/translation/text/utf8.h"

namespace regard::program {

void warn_of_unknown_words(std::string_view place, const std::vector<std::string>& words) {
  if (words.empty()) return;
  std::vector<std::string> all;
  for (const std::string& word : words) all.push_back(translation::printable(word));
  translation::warn("{}: not in the vocabulary, read as <unk>: {}", place, fmt::join(all, " "));
}

}  // namespace regard::program
