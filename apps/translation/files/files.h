#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "autograd/machine/files.h"
#include "autograd/machine/real.h"

namespace regard::translation {

/// Writes a file completely or not at all (autograd/machine/files.h).
inline void write_file(const std::string& path, std::string_view text) { regard::write_file(path, {text}); }

// The errors of these functions name the path and, where the system refused something, its reason.

/// Returns the text of a gzip file with these bytes; if they are not gzip, returns the bytes themselves.
/// Throws Error that contains `name` if the data are damaged.
std::string decompressed(std::string bytes, const std::string& name);

/// Reads the lines of a text file, which may be compressed with gzip. Each is cleaned by clean_line. Lines
/// end at LF; no line begins after the last LF.
std::vector<std::string> read_lines(const std::string& path);
/// The same for lines that need not be UTF-8.
std::vector<std::string> read_raw_lines(const std::string& path);

/// Cleans line `number` (from 1) of the text with this name. Removes the byte-order mark of the first line
/// and the CRs before its LF. Throws Error that names the text and the line if the line is not UTF-8.
std::string clean_line(std::string_view line, const std::string& name, Index number);

/// True if both paths name the same file. False if one of them does not exist.
bool same_file(const std::string& one, const std::string& other);

/// Throws Error unless files can be written into a directory or, if the directory does not exist, it can be
/// made. Tries it, and leaves nothing.
void check_directory(const std::string& path);

/// Makes a directory and its parent directories if they do not exist. Throws Error if it cannot.
void make_directories(const std::string& path);

/// Makes a directory in a directory that exists, if it is not there yet. Throws Error if it cannot.
void make_directory(const std::string& path);

/// Returns the names of the regular files in a directory, without its subdirectories; none if the directory
/// does not exist. Throws Error if it cannot be read.
std::vector<std::string> files_in(const std::string& directory);

/// True if there is a file or a directory with this path. Throws Error if the system does not tell.
bool path_exists(const std::string& path);

/// Returns the number of bytes in a file, or 0 if the file does not exist.
Index file_size(const std::string& path);

/// Writes a file's data through to the disk, so that they survive a power cut. Does nothing if the file does
/// not exist. Throws Error if the system cannot write.
void sync_file(const std::string& path);

/// Removes a file if it exists. Throws Error if it cannot.
void remove_file(const std::string& path);

}  // namespace regard::translation
