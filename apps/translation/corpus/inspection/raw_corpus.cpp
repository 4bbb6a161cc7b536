#include "apps/translation/corpus/inspection/raw_corpus.h"

#include <algorithm>
#include <fmt/format.h>

#include "apps/translation/files/files.h"
#include "apps/translation/text/counted.h"
#include "autograd/machine/error.h"

namespace regard::translation {

std::vector<std::string_view> RawCorpus::lines_of(const std::string& path) {
  const std::string_view text = texts_.emplace_back(decompressed(read_file(path), path));
  std::vector<std::string_view> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(bare_line(text.substr(begin, end - begin), to_index(lines.size()) + 1));
    begin = end + 1;
  }
  if (lines.empty()) fail("{}: the file is empty", path);
  return lines;
}

RawCorpus::RawCorpus(const Paths& source_paths, const Paths& target_paths, const Paths& tsv) {
  if (source_paths.files.size() != target_paths.files.size())
    fail("there are {} source files, but {} target files; give one target file for each source file",
         source_paths.files.size(), target_paths.files.size());
  for (std::size_t i = 0; i < source_paths.files.size(); ++i) {
    const std::string &here = source_paths.files[i], &there = target_paths.files[i];
    const auto sources = lines_of(here), targets = lines_of(there);
    const std::size_t pairs = std::min(sources.size(), targets.size());
    if (sources.size() != targets.size())
      unpaired.push_back(fmt::format("{} has {}, {} has {}; the lines after line {} have no partner", here,
                                     counted(to_index(sources.size()), "line"), there,
                                     counted(to_index(targets.size()), "line"), pairs));
    parts_.push_back({here, source.size()});
    const auto end = static_cast<std::ptrdiff_t>(pairs);
    source.insert(source.end(), sources.begin(), sources.begin() + end);
    target.insert(target.end(), targets.begin(), targets.begin() + end);
  }
  for (const std::string& path : tsv.files) {
    parts_.push_back({path, source.size()});
    for (const std::string_view line : lines_of(path)) {
      const std::size_t tab = std::min(line.find('\t'), line.size());
      source.push_back(line.substr(0, tab));
      target.push_back(line.substr(std::min(tab + 1, line.size())));
    }
  }
}

std::string RawCorpus::place(std::size_t pair) const {
  const Part& part = *(std::ranges::upper_bound(parts_, pair, {}, &Part::first) - 1);
  const std::string line = fmt::format("{}", pair - part.first + 1);
  return parts_.size() == 1 ? line : part.file + ":" + line;
}

}  // namespace regard::translation
