#pragma once

#include <string>
#include <vector>

#include "apps/regard/command_line.h"

namespace regard::program {

/// Adds --placeholders, patterns beside regard's own.
void add_placeholders(const Command& command, std::vector<std::string>& patterns);
/// Throws Error that names the option if one is wrong.
void check_placeholders(const std::vector<std::string>& patterns);

}  // namespace regard::program
