#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "autograd/real.h"
#include "nn/files.h"

namespace regard::translation {

using nn::read_file;

/// Writes a file completely or not at all, like nn::write_file.
inline void write_file(const nn::Place& place, std::string_view text) { nn::write_file(place, {text}); }

// The errors of these functions name the path and, where the system refused something, its reason. A Place
// (nn/files.h) is a path, or a name in an open directory.

/// Reads the lines of a text file, which may be compressed with gzip. Each is cleaned by clean_line. Lines
/// end at LF; no line begins after the last LF.
std::vector<std::string> read_lines(const std::string& path);

/// Cleans line `number` (from 1) of the text with this name. Removes the byte-order mark of the first line
/// and the CR of a CRLF ending. Throws Error that names the text and the line if the line is not UTF-8.
std::string clean_line(std::string_view line, const std::string& name, Index number);

/// Throws Error unless a file can be written to `path`. The path must not be a directory, its directory must
/// exist and be writable, and the path must not be one of the `inputs`, which would be replaced. The message
/// calls the path `option` PATH. Call it before work that takes minutes. An empty path is allowed.
void check_output(const char* option, const std::string& path, std::span<const std::string> inputs = {});

/// Throws Error if standard output goes to one of the `inputs`. The program would read its own output, or the
/// output would replace the input.
void check_standard_output(std::span<const std::string> inputs);

/// True if both paths name the same file. False if one of them does not exist.
bool same_file(const std::string& one, const std::string& other);

/// Throws Error unless files can be written into a directory or, if the directory does not exist, it can be
/// made. Tries it, and leaves nothing.
void check_directory(const std::string& path);

/// Makes a directory and its parent directories if they do not exist. Throws Error if it cannot.
void make_directories(const std::string& path);

/// Makes a directory in a directory that exists, if it is not there yet. Throws Error if it cannot.
void make_directory(const nn::Place& place);

/// Returns the names of the regular files in a directory, without its subdirectories; none if the directory
/// does not exist. Throws Error if it cannot be read.
std::vector<std::string> files_in(const nn::Place& directory);

/// True if there is a file or a directory with this path. Throws Error if the system does not tell.
bool path_exists(const std::string& path);

/// Throws Error if a file cannot be opened for reading.
void check_readable(const std::string& path);

/// Returns the number of bytes in a file, or 0 if the file does not exist.
Index file_size(const nn::Place& place);

/// Writes a file's data through to the disk, so that they survive a power cut. Does nothing if the file does
/// not exist. Throws Error if the system cannot write.
void sync_file(const nn::Place& place);

/// Removes a file if it exists. Throws Error if it cannot.
void remove_file(const nn::Place& place);

}  // namespace regard::translation
