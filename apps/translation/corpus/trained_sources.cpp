#include "apps/translation/corpus/trained_sources.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace regard::translation {

namespace {

constexpr const char* longest_key = "training.longest_source";
constexpr const char* sentences_key = "training.most_sentences";

Index number_in(const std::map<std::string, std::string>& metadata, const char* key) {
  Index number = 0;
  if (const auto found = metadata.find(key); found != metadata.end())
    std::from_chars(found->second.data(), found->second.data() + found->second.size(), number);
  return number;
}

}  // namespace

Index count_sentences(std::string_view line) {
  Index count = 1;
  for (const std::string_view mark : {". ", "! ", "? ", "。", "！", "？"})
    for (std::size_t found = line.find(mark); found != std::string_view::npos;
         found = line.find(mark, found)) {
      found += mark.size();
      count += line.find_first_not_of(" .!?\"')", found) != std::string_view::npos;
    }
  return count;
}

TrainedSources TrainedSources::of(const ParallelText& text, const ParallelCorpus& corpus,
                                  const SourceFiles* files) {
  TrainedSources sources;
  if (files != nullptr) return sources;
  for (std::size_t i = 0; i < corpus.source.size(); ++i)
    sources.include(
        {to_index(corpus.source[i].size()), count_sentences(text.source[to_size(corpus.lines[i])])});
  return sources;
}

TrainedSources TrainedSources::of(const std::map<std::string, std::string>& metadata) {
  return {number_in(metadata, longest_key), number_in(metadata, sentences_key)};
}

void TrainedSources::add_to(std::map<std::string, std::string>& metadata) const {
  if (longest == 0) return;
  metadata[longest_key] = fmt::format("{}", longest);
  metadata[sentences_key] = fmt::format("{}", sentences);
}

void TrainedSources::include(const TrainedSources& other) {
  longest = std::max(longest, other.longest);
  sentences = std::max(sentences, other.sentences);
}

std::string TrainedSources::difference(std::string_view line, Index tokens) const {
  if (longest == 0) return "";
  if (const Index here = count_sentences(line); here > sentences)
    return fmt::format("it has {} sentences, but the lines of the training had at most {}", here, sentences);
  if (tokens > longest)
    return fmt::format("it has {} tokens, but the longest line of the training had {}", tokens, longest);
  return "";
}

}  // namespace regard::translation
