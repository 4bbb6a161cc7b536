#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>

#include "apps/explore/replies.h"
#include "apps/translation/files/files.h"
#include "autograd/machine/error.h"

namespace regard::explore {

namespace {

using translation::TranslationModel;

constexpr std::size_t most_examples = 5, most_bytes = 100, most_tokens = 12;
constexpr std::streamsize bytes_to_read = 64 << 10;  // a corpus may have gigabytes

/// The first lines of a file; none if it is missing, no regular file, or unreadable.
std::vector<std::string> first_lines(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return {};
  std::string text(bytes_to_read, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(text.data(), bytes_to_read);
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (file.gcount() == bytes_to_read) text.resize(text.rfind('\n') + 1);  // npos + 1 = 0
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// The line as a sentence if it is a good example: short, and not empty for the model.
std::optional<std::string> example(const TranslationModel& model, const std::string& line) {
  try {
    std::string sentence = translation::clean_line(line, "", 1);
    const std::size_t tokens = model.tokeniser->split(sentence).size();
    if (sentence.size() > most_bytes || tokens == 0 || tokens > most_tokens || !model.takes(tokens))
      return std::nullopt;
    return sentence;
  } catch (const Error&) {  // not UTF-8, for example because it is compressed
    return std::nullopt;
  }
}

}  // namespace

std::vector<std::string> example_sentences(const TranslationModel& model) {
  std::vector<std::string> examples;
  if (model.settings.model.reads_files()) return examples;
  const translation::DataSettings& data = model.settings.data;
  for (const translation::Paths* const paths :
       {&data.validation_source, &data.validation_tsv, &data.source, &data.tsv})
    for (const std::string& path : paths->files)
      for (const std::string& line : first_lines(path)) {
        if (examples.size() == most_examples) return examples;
        const bool has_target = paths == &data.validation_tsv || paths == &data.tsv;
        const std::optional<std::string> sentence =
            example(model, has_target ? line.substr(0, line.find('\t')) : line);
        if (sentence && std::ranges::find(examples, *sentence) == examples.end())
          examples.push_back(*sentence);
      }
  return examples;
}

std::vector<std::string> sentence_tags(const translation::Vocabulary& vocabulary) {
  constexpr std::string_view blank = "▁", begin = ">>", end = "<<";
  std::vector<std::string> tags;
  for (Index id = 0; id < vocabulary.size(); ++id) {
    std::string_view token = vocabulary.token(id);
    if (token.starts_with(blank)) token.remove_prefix(blank.size());
    if (token.size() > begin.size() + end.size() && token.starts_with(begin) && token.ends_with(end))
      tags.emplace_back(token);
  }
  return tags;
}

}  // namespace regard::explore
