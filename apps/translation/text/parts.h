#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "autograd/machine/error.h"
#include "autograd/machine/parallel.h"
#include "autograd/machine/real.h"

namespace regard::translation {

/// Calls visit(part) for each part of a text between separators.
template <class Visit>
void visit_parts(std::string_view text, std::string_view separators, const Visit& visit) {
  for (std::size_t begin = 0;
       (begin = text.find_first_not_of(separators, begin)) != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(separators, begin), text.size());
    visit(text.substr(begin, end - begin));
    begin = end;
  }
}

/// Returns the parts of a text between separators, also empty ones: one more than there are separators.
inline std::vector<std::string_view> split_at(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t end = 0; end != text.npos; text.remove_prefix(std::min(end + 1, text.size())))
    parts.push_back(text.substr(0, end = text.find(separator)));
  return parts;
}

/// The end of a word such as >>fr<< at the beginning of a sentence, by which a model knows the language to
/// write; 0 if there is none.
inline std::size_t tag_end(std::string_view sentence) {
  const std::size_t end = sentence.substr(0, sentence.find(' ')).find("<<");
  return sentence.starts_with(">>") && end != sentence.npos && end > 2 ? end + 2 : 0;
}

using PartCounts = std::unordered_map<std::string_view, Index>;

/// Counts parts of lines on all threads. `parts_of(line, add)` calls add(part) for each part of a line, which
/// must point into the line. Counts are whole numbers, so the threads do not matter.
template <class PartsOf>
PartCounts count_parts(std::span<const std::string* const> lines, const PartsOf& parts_of) {
  std::vector<PartCounts> counts(to_size(threads()));
  constexpr Index lines_at_a_time = 4096;
  parallel_for(to_index(lines.size()), lines_at_a_time, [&](Index begin, Index end, int worker) {
    PartCounts& own = counts[to_size(worker)];
    for (Index i = begin; i < end; ++i)
      parts_of(std::string_view(*lines[to_size(i)]), [&own](std::string_view part) { ++own[part]; });
  });
  PartCounts sum = std::move(counts.front());
  for (auto other = counts.begin() + 1; other != counts.end(); ++other) {
    for (const auto& [part, count] : *other) sum[part] += count;
    *other = {};
  }
  return sum;
}

}  // namespace regard::translation
