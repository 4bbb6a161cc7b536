#pragma once

#include <sstream>
#include <string>

#include "autograd/machine/real.h"

namespace regard::tests {

/// Words between blanks.
inline Index count_words(const std::string& text) {
  std::istringstream words(text);
  Index count = 0;
  for (std::string word; words >> word;) ++count;
  return count;
}

}  // namespace regard::tests
