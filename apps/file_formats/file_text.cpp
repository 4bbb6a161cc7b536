#include "apps/file_formats/file_text.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

#include "apps/markup/html.h"
#include "apps/markup/translate_marked.h"
#include "autograd/machine/error.h"

namespace regard::files {

namespace {

/// True for a message with a choice in the form of ICU, {n, plural, one {…} other {…}}, whose words a model
/// would translate.
bool has_choice(std::string text) {
  std::erase_if(text, [](unsigned char c) { return std::isspace(c); });
  for (const std::string_view kind : {",plural,", ",select,", ",selectordinal,"})
    for (std::size_t at = text.find(kind); at != text.npos; at = text.find(kind, at + 1)) {
      std::size_t name = at;
      while (name > 0 && (std::isalnum(static_cast<unsigned char>(text[name - 1])) || text[name - 1] == '_'))
        --name;
      if (name < at && name > 0 && text[name - 1] == '{') return true;
    }
  return false;
}

}  // namespace

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
  if (has_choice(text)) {
    left_.push_back(fmt::format("line {}: it has a choice such as {{n, plural, …}}", line));
    return {.text = text, .is_left = true};
  }
  const markup::Plain plain = markup::take_off(text);
  const std::size_t before = sentences_.size();
  try {
    std::vector<std::string> same;
    for (markup::Plain& sentence : markup::cut(plain, ends(plain.text))) {
      same.push_back(markup::put_in(sentence.text, sentence.elements));
      sentences_.push_back(markup::with_first_word(std::move(sentence), settings.first_word));
      sources_.push_back(read(sentences_.back().text, line));
    }
    part.sentences = same.size();
    part.same = markup::joined(same);
  } catch (const translation::TooLong&) {
    left_.push_back(fmt::format("line {}: a sentence is too long for the model", line));
    sentences_.resize(before);
    sources_.resize(before);
    return {.text = text, .is_left = true};
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
    std::size_t empty = 0, left = 0, wanted = 0;  // parts with an empty translation; that stay; all
    for (const Part& part : parts) {
      const std::string translated = markup::joined(translations.subspan(next, part.sentences));
      next += part.sentences;
      const bool is_empty = part.sentences > 0 && markup::take_off(translated).text.empty();
      wanted += part.sentences > 0 || part.is_left;
      empty += is_empty;
      left += is_empty || part.is_left;
      text += is_empty || translated == part.same ? part.text : translated;
    }
    if (empty > 0)
      warn(fmt::format("line {}: {} translation{} empty", unit.line, empty, empty == 1 ? " is" : "s are"));
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

}  // namespace regard::files
