#include "apps/toys/alignment.h"

#include <cstddef>
#include <fmt/format.h>
#include <iterator>

namespace regard::toys {

std::string gold_alignment(const std::vector<Token>& source, const std::vector<Token>& target,
                           LinkKind kind) {
  std::string text;
  for (std::size_t j = 0; j < target.size(); ++j) {
    for (std::size_t i = 0; i < source.size(); ++i) {
      if ((source[i].parts & target[j].parts) == 0) continue;
      fmt::format_to(std::back_inserter(text), "{}{}{}{}", text.empty() ? "" : " ", i,
                     static_cast<char>(kind), j);
    }
  }
  return text;
}

}  // namespace regard::toys
