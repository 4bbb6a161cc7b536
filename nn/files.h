#pragma once

#include <fcntl.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "autograd/real.h"

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

/// Where a file is written. Usually a path. Or a name in an open directory: then the file goes into that
/// directory, even if the directory was moved and another one has its path now.
struct Place {
  Place(std::string file) : path(std::move(file)), name(path) {}
  Place(const char* file) : Place(std::string(file)) {}
  Place(std::string file, int open_directory, std::string its_name)
      : path(std::move(file)), directory(open_directory), name(std::move(its_name)) {}

  std::string path;          ///< names the file in messages
  int directory = AT_FDCWD;  ///< descriptor of the open directory; AT_FDCWD: the working directory
  std::string name;          ///< relative to that directory, or absolute
};

/// Reads the whole file. Throws Error that names the path and the reason given by the system.
std::string read_file(const std::string& path);

/// Writes the pieces, one after another, as one file, whole or not at all. It writes a temporary file in the
/// same directory, flushes it, checks for errors and renames it. So neither a full disk nor a kill leaves
/// half a file under this name. Devices and pipes are written directly. The file that standard output or
/// standard error goes to is written there, behind the text that it has. Throws Error that names the path and
/// the reason given by the system.
void write_file(const Place& place, const std::vector<std::string_view>& pieces);

struct NewFile {
  Place place;
  std::vector<std::string_view> pieces;
};
/// Writes several files as write_file does. Renames none before all are written, so a full disk leaves all
/// old files.
void write_files(const std::vector<NewFile>& files);

/// If the file that standard output or standard error goes to has this path, returns the descriptor of that
/// stream, otherwise -1.
int standard_stream(const Place& place);

/// The temporary file of write_file for NAME is named NAME.regard-tmp-PROCESS-COUNT. Returns NAME, or an
/// empty name if this is not the name of such a file.
std::string_view name_of_temporary(std::string_view name);

}}}  // namespace regard::REGARD_PRECISION::nn
