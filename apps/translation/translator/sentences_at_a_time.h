#pragma once

#include <cstddef>

namespace regard::translation {

/// Input is read and translated this many sentences at a time, because many fill batches. The batches
/// decide the last bits of scores, so the program and the Python package have one number.
constexpr std::size_t sentences_at_a_time = 4000;

}  // namespace regard::translation
