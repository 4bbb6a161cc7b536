#pragma once

#include <cstddef>
#include <limits>
#include <string>

#include "apps/translation/translator/translator.h"

namespace regard::translation {

/// Draws weights[target, source] as a table of shades for a terminal, one row per target token and one column
/// per source token. If the table is wider than `width` characters, its columns are narrower; if that is not
/// enough, it becomes several tables, one below the other, each with some of the columns.
std::string heat_map(const Translator::Attention& attention,
                     std::size_t width = std::numeric_limits<std::size_t>::max());

}  // namespace regard::translation
