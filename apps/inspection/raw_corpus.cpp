#include "apps/inspection/raw_corpus.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "apps/translation/files/files.h"
#include "apps/translation/text/counted.h"
#include "autograd/machine/error.h"

namespace regard::translation {

namespace {

std::vector<std::string> lines_of(const std::string& path) {
  std::vector<std::string> lines = read_raw_lines(path);
  if (lines.empty()) fail("{}: the file is empty", path);
  return lines;
}

/// Leaves the sources in the lines of a file, and returns what follows the first tab of each.
std::vector<std::string> cut_targets(std::vector<std::string>& lines, const std::string& path) {
  if (std::ranges::none_of(lines,
                           [](const std::string& line) { return line.find('\t') != std::string::npos; }))
    fail("{}: no line has a tab; give a file for each side, or one with lines \"source TAB target\"", path);
  std::vector<std::string> targets;
  for (std::string& line : lines) {
    const std::size_t tab = std::min(line.find('\t'), line.size());
    targets.push_back(line.substr(std::min(tab + 1, line.size())));
    line.resize(tab);
  }
  return targets;
}

}  // namespace

RawCorpus::RawCorpus(const Paths& source_paths, const Paths& target_paths, const Paths& tsv)
    : files(tsv.empty() ? source_paths.files : tsv.files) {
  check_file_counts(source_paths, target_paths);
  for (std::size_t i = 0; i < files.size(); ++i) {
    std::vector<std::string> sources = lines_of(files[i]);
    std::vector<std::string> targets =
        tsv.empty() ? lines_of(target_paths.files[i]) : cut_targets(sources, files[i]);
    const std::size_t pairs = std::min(sources.size(), targets.size());
    if (sources.size() != targets.size())
      unpaired.push_back(fmt::format("{} has {}, {} has {}; the lines after line {} have no partner",
                                     files[i], counted(to_index(sources.size()), "line"),
                                     target_paths.files[i], counted(to_index(targets.size()), "line"),
                                     pairs));
    file_lines.push_back(to_index(pairs));
    std::move(sources.begin(), sources.begin() + file_lines.back(), std::back_inserter(source));
    std::move(targets.begin(), targets.begin() + file_lines.back(), std::back_inserter(target));
  }
}

std::string RawCorpus::place(std::size_t pair) const {
  Index line = to_index(pair) + 1;
  std::size_t file = 0;
  for (; line > file_lines[file]; ++file) line -= file_lines[file];
  return files.size() == 1 ? fmt::format("{}", line) : fmt::format("{}:{}", files[file], line);
}

}  // namespace regard::translation
