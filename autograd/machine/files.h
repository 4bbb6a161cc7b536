#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace regard {

/// Throws Error that names the path and the reason given by the system if a file cannot be opened for
/// reading.
void check_readable(const std::string& path);

/// Reads the whole file. Throws Error that names the path and the reason given by the system.
std::string read_file(const std::string& path);

/// Writes the pieces, one after another, as one file, whole or not at all. It writes a temporary file in the
/// same directory, flushes it, checks for errors and renames it. So neither a full disk nor a kill leaves
/// half a file under this name. Devices and pipes are written directly. Throws Error that names the path and
/// the reason given by the system.
void write_file(const std::string& path, const std::vector<std::string_view>& pieces);

struct NewFile {
  std::string path;
  std::vector<std::string_view> pieces;
};
/// Writes several files as write_file does. Renames none before all are written, so a full disk leaves all
/// old files. Throws Error before it writes if two of the paths lead to one file.
void write_files(const std::vector<NewFile>& files);

/// True if both paths lead to one file, or will when they are written. Tries it where the files do not exist,
/// and leaves nothing. False for an empty path, and for two names of a terminal or of /dev/null.
bool lead_to_one_file(const std::string& one, const std::string& other);

/// The temporary file of write_file for NAME is named NAME.regard-tmp-PROCESS-COUNT. Returns NAME, or an
/// empty name if this is not the name of such a file.
std::string_view name_of_temporary(std::string_view name);

}  // namespace regard
