#include "apps/translation/corpus/alignments.h"

#include <fmt/format.h>
#include <iterator>

namespace regard::translation {

std::string alignment_text(const Alignment& alignment) {
  std::string text;
  for (const Link& link : alignment)
    fmt::format_to(std::back_inserter(text), "{}{}-{}", text.empty() ? "" : " ", link.source, link.target);
  return text;
}

}  // namespace regard::translation
