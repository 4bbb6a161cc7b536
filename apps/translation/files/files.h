#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "autograd/index.h"
#include "nn/files.h"

namespace regard::translation {

using nn::read_file;

/// Writes a file whole or not at all, as nn::write_file does.
inline void write_file(const std::string& path, std::string_view text) { nn::write_file(path, {text}); }

/// The lines of a text file, each as clean_line leaves it. Lines end at LF; a final LF begins no further
/// line.
std::vector<std::string> read_lines(const std::string& path);

/// Readies line `number` (from 1) of the text called `name`: drops the byte-order mark of the first line and
/// the CR of a CRLF ending, and throws Error naming both if the line is not UTF-8.
std::string clean_line(std::string_view line, const std::string& name, Index number);

/// Throws Error calling the place `option` PATH if no file can be written there: a directory, a directory
/// that does not exist or is closed to us; or if one of `inputs` is there, which it would replace. What takes
/// minutes asks first. An empty path is fine.
void check_output(const char* option, const std::string& path, std::span<const std::string> inputs = {});

/// Throws Error naming the path and the system's reason unless files can be written into a directory, or,
/// where there is none, it can be made. Makes nothing yet.
void check_directory(const std::string& path);

/// Makes a directory and those above it, where it does not exist. Throws Error naming the path and the
/// system's reason.
void make_directories(const std::string& path);

bool is_there(const std::string& path);

/// Throws Error naming the path and the system's reason if a file cannot be opened.
void check_readable(const std::string& path);

/// Bytes in a file; 0 if there is none.
Index file_size(const std::string& path);

/// Makes what was written to a file survive a power cut; nothing if there is none. Throws Error naming the
/// path and the system's reason.
void sync_file(const std::string& path);

/// Removes a file if it exists. Throws Error naming the path and the system's reason.
void remove_file(const std::string& path);

}  // namespace regard::translation
