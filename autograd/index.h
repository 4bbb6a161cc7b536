#pragma once

#include <cstdint>

namespace regard {

/// A position, a size or a count. Signed, so that differences are safe and loops may run down to 0.
using Index = std::int64_t;

}  // namespace regard
