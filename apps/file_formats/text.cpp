// Plain text and pages: the files without a place for a translation beside the text.
#include <algorithm>
#include <cctype>
#include <limits>

#include "apps/documents/document.h"
#include "apps/file_formats/unit.h"
#include "apps/markup/tags.h"
#include "autograd/machine/error.h"

namespace regard::files {

namespace {

/// A page may name its encoding: <meta charset="utf-8">, <meta content="text/html; charset=utf-8" …>, or
/// <?xml encoding="UTF-8"?>.
void check_named_encoding(const std::string& name, const std::string& bytes) {
  for (std::size_t at = bytes.find('<'); at != bytes.npos; at = bytes.find('<', at + 1)) {
    const std::string_view rest = std::string_view(bytes).substr(at);
    const bool is_xml = rest.starts_with("<?xml");
    const std::string_view key = is_xml ? "encoding=" : "charset=";
    if (!is_xml && markup::name_of(rest) != "meta") continue;
    std::string tag(rest.substr(0, markup::tag_length(rest)));
    std::ranges::transform(tag, tag.begin(), [](unsigned char c) { return std::tolower(c); });
    const std::size_t value = tag.find(key);
    if (value == tag.npos) continue;
    const std::size_t begin = tag.find_first_not_of("\"' ", value + key.size());
    const std::string encoding = tag.substr(begin, tag.find_first_of("\"' ;/>?", begin) - begin);
    if (encoding.empty()) continue;
    check_encoding(name, std::count(bytes.begin(), bytes.begin() + to_index(at), '\n') + 1, encoding);
  }
}

}  // namespace

std::vector<Unit> units_of_html(const std::string& name, const std::string& bytes) {
  check_named_encoding(name, bytes);
  std::vector<Unit> units;
  units.push_back({.source = Marked::of(bytes),
                   .line = 1,
                   .begin = 0,
                   .end = bytes.size(),
                   .translated = false,
                   .write = [](const std::string& translation) { return translation; }});
  return units;
}

/// Each sentence is a unit. What stands between sentences, such as indentation and list marks, stays.
std::vector<Unit> units_of_text(const std::string& bytes) {
  const documents::Boundaries boundaries;
  const documents::Limit none{.most = std::numeric_limits<Index>::max(),
                              .tokens = [](const std::string& text) { return to_index(text.size()); }};
  documents::Document document({}, none, boundaries);
  std::vector<std::string> lines;
  const std::size_t first = bytes.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  for (std::size_t begin = first; begin < bytes.size();) {
    const std::size_t end = std::min(bytes.find('\n', begin), bytes.size());
    lines.push_back(bytes.substr(begin, end - begin));
    begin = end + 1;
  }
  std::vector<documents::Paragraph> paragraphs = document.add(lines);
  std::ranges::move(document.finish(), std::back_inserter(paragraphs));
  std::vector<Unit> units;
  std::size_t at = first;
  for (const documents::Paragraph& paragraph : paragraphs) {
    at += paragraph.head.size();
    for (const documents::Sentence& sentence : paragraph.sentences) {
      std::string text = sentence.text;
      if (!std::string_view(bytes).substr(at).starts_with(text))
        text.erase(0, text.find(' ') + 1);  // a tag of another sentence
      at = bytes.find(text, at);
      Marked marked(as_it_is);
      marked.add(text);
      const std::size_t end = at + text.size();
      units.push_back({.source = marked,
                       .line = sentence.line,
                       .begin = at,
                       .end = end,
                       .translated = false,
                       .write = [marked, text](const std::string& translation) {
                         return translation == marked.text() ? text : marked.restored(translation);
                       }});
      at = end + sentence.blanks.size();
    }
    at += paragraph.tail.size() + 1;
  }
  return units;
}

}  // namespace regard::files
