#include "apps/file_formats/file_text.h"

#include <algorithm>
#include <fmt/format.h>

#include "apps/documents/long_sentences.h"
#include "apps/markup/html.h"
#include "apps/markup/translate_marked.h"
#include "autograd/machine/error.h"

namespace regard::files {

FileText::FileText(const std::string& path, const FileSettings& settings, const SentenceEnds& ends,
                   const ReadSource& read)
    : path_(path), bytes_(read_text_file(path)) {
  for (Unit& unit : read_units(path, bytes_, settings.languages)) {
    if (unit.translated && !settings.again) continue;
    std::vector<Part> parts;
    Index line = unit.line;
    try {
      for (const markup::Part& part : markup::parts_of_html(unit.source.text())) {
        parts.push_back(part.translated ? read_part(part.text, line, settings, ends, read) : Part{part.text});
        line += std::ranges::count(part.text, '\n');
      }
    } catch (const markup::TooDeep& error) {
      fail("{}, line {}: {}", path, line, error.what());
    }
    texts_.push_back({std::move(unit), std::move(parts)});
  }
  std::ranges::stable_sort(texts_, {}, [](const Text& text) { return text.unit.begin; });
}

FileText::Part FileText::read_part(const std::string& text, Index line, const FileSettings& settings,
                                   const SentenceEnds& ends, const ReadSource& read) {
  Part part{text};
  const markup::Plain plain = markup::take_off(text);
  const std::size_t before = sentences_.size();
  try {
    for (markup::Plain& sentence : markup::cut(plain, ends(plain.text))) {
      if (part.sentences++ > 0) part.same += ' ';
      part.same += markup::put_in(sentence.text, sentence.elements);
      sentences_.push_back(markup::with_first_word(std::move(sentence), settings.first_word));
      sources_.push_back(read(sentences_.back().text, line));
    }
  } catch (const translation::TooLong&) {
    left_.push_back(fmt::format("line {}: a sentence is too long for the model", line));
    sentences_.resize(before);
    sources_.resize(before);
    return {text};
  }
  return part;
}

std::string FileText::with(std::span<const std::string> translations,
                           const std::function<void(const std::string& clause)>& warn) const {
  for (const std::string& clause : left_) warn(clause);
  std::string bytes;
  std::size_t at = 0, next = 0;
  for (const auto& [unit, parts] : texts_) {
    std::string text;
    std::size_t left = 0, wanted = 0;  // parts with an empty translation; with a translation
    for (const Part& part : parts) {
      std::string translated;
      for (std::size_t i = 0; i < part.sentences; ++i)
        translated += (i > 0 ? " " : "") + translations[next++];
      const bool is_empty = part.sentences > 0 && markup::take_off(translated).text.empty();
      wanted += part.sentences > 0;
      left += is_empty;
      text += is_empty || translated == part.same ? part.text : translated;
    }
    if (left > 0)
      warn(fmt::format("line {}: {} translation{} empty", unit.line, left, left == 1 ? " is" : "s are"));
    if (left > 0 && left == wanted) continue;
    const auto written = unit.write(text);
    if (!written) {
      warn(fmt::format("line {}: the directives would change their order, which this format forbids",
                       unit.line));
      continue;
    }
    bytes.append(bytes_, at, unit.begin - at).append(*written);
    at = unit.end;
  }
  return bytes.append(bytes_, at);
}

SentenceEnds sentence_ends(const documents::Boundaries& boundaries,
                           const translation::TranslationModel& model, const std::string& first_word) {
  documents::Limit limit = documents::limit_of(model);
  if (!first_word.empty())
    limit.tokens = [tokens = limit.tokens, first_word](const std::string& text) {
      return tokens(first_word + " " + text);
    };
  return [&boundaries, limit](const std::string& text) {
    std::vector<std::size_t> ends;
    std::size_t begin = 0;
    for (const std::size_t end : boundaries.sentences(text)) {
      for (const std::string_view piece :
           documents::cut(std::string_view(text).substr(begin, end - begin), boundaries, limit))
        ends.push_back(begin += piece.size());
    }
    return ends;
  };
}

}  // namespace regard::files
