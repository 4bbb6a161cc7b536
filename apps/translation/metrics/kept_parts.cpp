#include "apps/translation/metrics/kept_parts.h"

namespace regard::translation {

std::array<KeptParts, fixed_kinds.size()> kept_parts(const std::vector<std::string>& sources,
                                                     const std::vector<std::string>& translations,
                                                     const Patterns& patterns) {
  std::array<KeptParts, fixed_kinds.size()> result;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const FixedParts here = fixed_parts(sources[i], patterns);
    const FixedParts there = fixed_parts(translations.at(i), patterns);
    for (std::size_t kind = 0; kind < fixed_kinds.size(); ++kind) {
      const auto parts = fixed_kinds[kind].parts;
      if ((here.*parts).empty()) continue;
      ++result[kind].sentences;
      result[kind].kept += here.*parts == there.*parts;
    }
  }
  return result;
}

}  // namespace regard::translation
