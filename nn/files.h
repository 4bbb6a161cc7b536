#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "autograd/real.h"

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

/// Reads the whole file. Throws Error that names the path and the reason given by the system.
std::string read_file(const std::string& path);

/// The temporary files of write_file are named PATH.tmpPID.
constexpr std::string_view temporary_extension = ".tmp";

/// Writes the pieces, one after another, as one file, whole or not at all. It writes a temporary file in the
/// same directory, flushes it, checks for errors and renames it. So neither a full disk nor a kill leaves
/// half a file under this name. Devices and pipes (/dev/stdout) are written directly. Throws Error that names
/// the path and the reason given by the system.
void write_file(const std::string& path, const std::vector<std::string_view>& pieces);

}}}  // namespace regard::REGARD_PRECISION::nn
