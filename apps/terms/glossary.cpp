#include "apps/terms/glossary.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "apps/translation/corpus/corpus.h"
#include "apps/translation/files/utf8.h"
#include "apps/translation/text/parts.h"
#include "autograd/machine/error.h"

namespace regard::translation {

namespace {

/// Characters of a text in small letters, with the bytes at which they begin.
struct Characters {
  explicit Characters(std::string_view text, bool small = true) {
    for (std::size_t at = 0; at < text.size();) {
      const CodePoint here = character_at(text, at);
      values.push_back(small ? lowercase(here.value) : here.value);
      bytes.push_back(at);
      at += here.size;
    }
    bytes.push_back(text.size());
  }
  /// True if no word goes on over this place.
  bool is_edge(std::size_t place) const {
    return place == 0 || place == values.size() || !in_word(values[place - 1]) || !in_word(values[place]);
  }

  std::u32string values;
  std::vector<std::size_t> bytes;
};

/// The words of a text with one blank between them.
std::string with_single_blanks(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint here = character_at(text, at);
    if (!is_blank(here.value))
      result += text.substr(at, here.size);
    else if (!result.empty() && result.back() != ' ')
      result += ' ';
    at += here.size;
  }
  if (result.ends_with(' ')) result.pop_back();
  return result;
}

}  // namespace

bool in_word(char32_t c) {
  return (is_letter(c) || is_number(c) || (c > 127 && display_width(c) == 0)) && !is_ideographic(c);
}

TermText TermText::read(std::string_view written, const std::string& place, bool any_case) {
  TermText result{.text = with_single_blanks(written), .any_case = any_case};
  result.stem = result.text.ends_with('*');
  if (result.stem) result.text.pop_back();
  if (result.text.empty() || result.text.ends_with(' '))
    fail("{}: a term is empty; write a word, or leave the line out", place);
  return result;
}

std::vector<TermText> TermText::read_all(std::string_view written, const std::string& place, bool any_case) {
  std::vector<TermText> all;
  for (const std::string_view part : split_at(written, '|')) all.push_back(read(part, place, any_case));
  return all;
}

bool TermText::is_in(std::string_view translation) const {
  const Characters here(translation, any_case), wanted(text, any_case);
  for (std::size_t at = 0; (at = here.values.find(wanted.values, at)) != here.values.npos; ++at)
    if (here.is_edge(at) && (stem || here.is_edge(at + wanted.values.size()))) return true;
  return false;
}

Glossary Glossary::load(const std::string& path, const AsRead& as_read) {
  Glossary result;
  Index number = 0;
  for (const std::string& line : read_sentences(path)) {
    const std::string place = fmt::format("{}, line {}", path, ++number);
    if (with_single_blanks(line).empty()) continue;
    const auto columns = split_at(line, '\t');
    if (columns.size() < 2 || columns.size() > 3)
      fail(
          "{}: expected a source term, a tab and its translation, and perhaps a tab and the case, found {} "
          "tabs",
          place, columns.size() - 1);
    const std::string_view letters = columns.size() > 2 ? columns[2] : "any";
    if (letters != "any" && letters != "exact")
      fail("{}: the case is \"{}\"; write any or exact", place, printable(letters));
    const bool any_case = letters == "any";
    TermText source = TermText::read(columns[0], place, any_case);
    if (as_read) source.text = as_read(source, place);
    result.add({source, TermText::read_all(columns[1], place, any_case), place});
  }
  return result;
}

void Glossary::add(Term term) {
  const Characters source(term.source.text);
  const auto node = to_size(trie_.add(std::u32string_view(source.values)));
  ends_.resize(to_size(trie_.nodes()));
  for (const std::size_t other : ends_[node]) {
    const TermText& known = terms_[other].source;
    if (known.stem == term.source.stem &&
        (known.any_case || term.source.any_case || known.text == term.source.text))
      fail("{}: \"{}\" stands in {}, too; put all its translations into one line, with | between them",
           term.place, printable(term.source.text), terms_[other].place);
  }
  ends_[node].push_back(terms_.size());
  terms_.push_back(std::move(term));
}

std::vector<Glossary::Match> Glossary::find(std::string_view text) const {
  const Characters characters(text);
  std::vector<Match> found;
  const std::size_t after_tag = tag_end(text);
  for (std::size_t begin = 0, end = 0; begin < characters.values.size(); begin = std::max(end, begin + 1)) {
    if (characters.bytes[begin] < after_tag || !characters.is_edge(begin)) continue;
    std::optional<Match> longest;
    Index node = trie_.root;
    for (std::size_t i = begin; i < characters.values.size();) {
      node = trie_.next(node, characters.values[i++]);
      if (node == trie_.none) break;
      for (const std::size_t term : ends_[to_size(node)]) {
        const TermText& source = terms_[term].source;
        const std::size_t first = characters.bytes[begin];
        if (!source.any_case && text.substr(first, source.text.size()) != source.text) continue;
        end = i;
        while (source.stem && !characters.is_edge(end)) ++end;
        if (characters.is_edge(end)) longest = {term, first, characters.bytes[end]};
      }
    }
    if (longest) found.push_back(*longest);
    end = begin;
    while (longest && characters.bytes[end] < longest->end) ++end;
  }
  return found;
}

}  // namespace regard::translation
