#include "apps/translation/corpus/corpus.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fmt/ranges.h>
#include <iterator>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "apps/translation/files/files.h"
#include "apps/translation/files/utf8.h"
#include "apps/translation/text/parts.h"
#include "autograd/machine/error.h"
#include "autograd/machine/parallel.h"

namespace regard::translation {

std::vector<std::string> read_sentences(const std::string& path) {
  std::vector<std::string> lines = read_lines(path);
  if (lines.empty()) fail("{}: the file is empty", path);
  return lines;
}

namespace {

/// A source as it stands in line `number` of a file (read_sources).
std::string source_of(std::string text, const std::string& file, Index number, const SourceFiles* files) {
  if (files != nullptr) {
    if (text.empty()) fail("{}, line {}: the path of {} is missing", file, number, files->words().one);
    return std::filesystem::path(file).parent_path() / text;
  }
  // Lists of files are long, and a look at the first line is enough to find one.
  if (number == 1) {
    check_no_file(text, fmt::format("{}, line 1,", file));
    check_no_file(std::filesystem::path(file).parent_path() / text, fmt::format("{}, line 1,", file));
  }
  return text;
}

[[noreturn]] void fail_empty_target(const ParallelText& text, std::size_t line, const SourceFiles& files) {
  fail("{}, line {}: the {} of the {} {} is empty", text.name, line + 1, files.words().target,
       files.words().name, text.source[line]);
}

/// Vocabularies are made before the targets become numbers, so this comes first.
void check_targets(const ParallelText& text, const SourceFiles* files) {
  if (files == nullptr) return;
  for (std::size_t line = 0; line < text.target.size(); ++line)
    if (text.target[line].find_first_not_of(" \t") == std::string::npos)
      fail_empty_target(text, line, *files);
}

}  // namespace

std::vector<std::string> read_sources(const std::string& path, const SourceFiles* files) {
  std::vector<std::string> lines = read_sentences(path);
  for (std::size_t i = 0; i < lines.size(); ++i)
    lines[i] = source_of(std::move(lines[i]), path, to_index(i) + 1, files);
  return lines;
}

void check_line_counts(const std::string& path, std::size_t lines, const std::string& other_path,
                       std::size_t other_lines) {
  if (lines == other_lines) return;
  fail(
      "both files must have the same number of lines, because line i of one belongs to line i of the other; "
      "{} has {} lines, {} has {} lines, so {} is longer by {}",
      path, lines, other_path, other_lines, lines > other_lines ? path : other_path,
      std::max(lines, other_lines) - std::min(lines, other_lines));
}

void check_file_counts(const Paths& source, const Paths& target) {
  if (source.files.size() != target.files.size())
    fail("there are {} source files, but {} target files; give one target file for each source file",
         source.files.size(), target.files.size());
}

namespace {

void append(std::vector<std::string>& lines, std::vector<std::string> more) {
  std::move(more.begin(), more.end(), std::back_inserter(lines));
}

/// Adds the pairs of one file with lines "source TAB target".
void append_tsv(ParallelText& text, const std::string& path, const SourceFiles* files) {
  Index number = 0;
  for (const std::string& line : read_sentences(path)) {
    ++number;
    if (const auto tabs = std::count(line.begin(), line.end(), '\t'); tabs != 1)
      fail("{}, line {}: expected a source sentence, one tab and its translation, found {} tabs", path,
           number, tabs);
    const std::size_t tab = line.find('\t');
    text.source.push_back(source_of(line.substr(0, tab), path, number, files));
    text.target.push_back(line.substr(tab + 1));
  }
  text.file_lines.push_back(number);
}

}  // namespace

ParallelText read_parallel_files(const Paths& source, const Paths& target, const SourceFiles* files) {
  check_file_counts(source, target);
  ParallelText text{
      .source = {},
      .target = {},
      .name = fmt::format("{} and {}", fmt::join(source.files, ", "), fmt::join(target.files, ", "))};
  for (std::size_t i = 0; i < source.files.size(); ++i) {
    std::vector<std::string> sources = read_sources(source.files[i], files);
    std::vector<std::string> targets = read_sentences(target.files[i]);
    check_line_counts(source.files[i], sources.size(), target.files[i], targets.size());
    text.file_lines.push_back(to_index(sources.size()));
    append(text.source, std::move(sources));
    append(text.target, std::move(targets));
  }
  check_targets(text, files);
  return text;
}

ParallelText read_parallel_tsv(const Paths& paths, const SourceFiles* files) {
  ParallelText text{.source = {}, .target = {}, .name = fmt::format("{}", fmt::join(paths.files, ", "))};
  for (const std::string& path : paths.files) append_tsv(text, path, files);
  check_targets(text, files);
  return text;
}

UnknownWords count_unknown(const std::vector<std::vector<std::int32_t>>& sentences) {
  UnknownWords words;
  for (const std::vector<std::int32_t>& sentence : sentences) {
    words.unknown += std::ranges::count(sentence, special::unknown);
    words.tokens += to_index(sentence.size());
  }
  return words;
}

void count_tokens(TokenCounts& counts, const std::vector<std::string>& lines, const Tokeniser& tokeniser) {
  for (const std::string& line : lines) counts.add(tokeniser.split(line));
}

namespace {

ParallelCorpus encode_files(const ParallelText& text, const Encoding& encoding) {
  ParallelCorpus corpus;
  corpus.lines_read = to_index(text.source.size());
  for (std::size_t line = 0; line < text.source.size(); ++line) {
    const std::vector<std::string> target = encoding.tokeniser.split_target(text.target[line]);
    if (target.empty()) fail_empty_target(text, line, *encoding.files);
    if (to_index(target.size()) > encoding.max_length) {
      ++corpus.dropped.too_long;
      continue;
    }
    corpus.source.push_back(encoding.files->read(text.source[line]));
    corpus.target.push_back(encoding.target_vocabulary.ids(target));
    corpus.lines.push_back(to_index(line));
  }
  if (corpus.pairs() == 0)
    fail("{}: no {} is left; {} were read, and all {}s have more than {} tokens", text.name,
         encoding.files->words().name, corpus.lines_read, encoding.files->words().target,
         encoding.max_length);
  return corpus;
}

/// Remembers the numbers of words, so that each word of a corpus is cut once.
class KnownWords {
 public:
  /// The numbers of all words in a line, which must stay in memory. `cut` returns those of one word.
  template <class Cut>
  std::vector<std::int32_t> ids(std::string_view line, const Cut& cut) {
    check_utf8(line);
    std::vector<std::int32_t> all;
    visit_parts(line, " ", [&](std::string_view word) {
      const auto known = words_.find(word);
      const std::vector<std::int32_t> made = known == words_.end() ? cut(word) : std::vector<std::int32_t>();
      const std::vector<std::int32_t>& its = known == words_.end() ? made : known->second;
      all.insert(all.end(), its.begin(), its.end());
      constexpr std::size_t most = 1 << 17;  // the frequent words come early
      if (known == words_.end() && words_.size() < most) words_.emplace(word, made);
    });
    all.shrink_to_fit();
    return all;
  }

 private:
  std::unordered_map<std::string_view, std::vector<std::int32_t>> words_;
};

}  // namespace

ParallelCorpus encode(const ParallelText& text, const Encoding& encoding) {
  if (encoding.files != nullptr) return encode_files(text, encoding);
  ParallelCorpus corpus;
  corpus.lines_read = to_index(text.source.size());
  corpus.source.resize(text.source.size());
  corpus.target.resize(text.source.size());
  const auto source = [&](std::string_view part) {
    return encoding.source_vocabulary.ids(encoding.tokeniser.split(part));
  };
  const auto target = [&](std::string_view part) {
    return encoding.target_vocabulary.ids(encoding.tokeniser.split_target(part));
  };
  const bool by_words = encoding.tokeniser.cuts_words_alone();
  std::vector<KnownWords> sources(to_size(threads())), targets(to_size(threads()));
  const auto cut = [&](Index begin, Index end, int worker) {
    for (auto line = to_size(begin); line < to_size(end); ++line) {
      const std::string &one = text.source[line], &other = text.target[line];
      corpus.source[line] = by_words ? sources[to_size(worker)].ids(one, source) : source(one);
      corpus.target[line] = by_words ? targets[to_size(worker)].ids(other, target) : target(other);
    }
  };
  constexpr Index at_a_time = 1 << 16, block = 256;
  for (Index begin = 0; begin < corpus.lines_read; begin += at_a_time) {
    const Index count = std::min(at_a_time, corpus.lines_read - begin);
    parallel_for(count, block,
                 [&](Index from, Index to, int worker) { cut(begin + from, begin + to, worker); });
    if (encoding.progress) encoding.progress(begin + count, corpus.lines_read);
  }

  const auto max_length = to_size(std::max<Index>(encoding.max_length, 0));
  std::size_t kept = 0;
  for (std::size_t line = 0; line < text.source.size(); ++line) {
    std::vector<std::int32_t>&one = corpus.source[line], &other = corpus.target[line];
    if (one.empty() || other.empty()) {
      ++corpus.dropped.empty;
    } else if (one.size() > max_length || other.size() > max_length) {
      ++corpus.dropped.too_long;
    } else {
      if (kept < line) {
        corpus.source[kept] = std::move(one);
        corpus.target[kept] = std::move(other);
      }
      corpus.lines.push_back(to_index(line));
      ++kept;
    }
  }
  corpus.source.resize(kept);
  corpus.target.resize(kept);
  if (corpus.pairs() == 0)
    fail(
        "{}: no sentence pair is left; {} pairs were read, {} have an empty side and {} have a side of more "
        "than {} tokens",
        text.name, corpus.lines_read, corpus.dropped.empty, corpus.dropped.too_long, encoding.max_length);
  return corpus;
}

}  // namespace regard::translation
