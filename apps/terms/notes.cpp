#include "apps/terms/notes.h"

#include <algorithm>
#include <functional>

namespace regard::translation {

namespace {

const std::string opens = " \u27E6 ", closes = " \u27E7";

/// Writes what `note` returns beside each term; null: nothing.
std::string noted(const std::string& source, const Glossary& glossary,
                  const std::function<const TermText*(const Term&)>& note) {
  std::string result;
  std::size_t end = 0;
  for (const Glossary::Match& match : glossary.find(source)) {
    result += source.substr(end, match.end - end);
    end = match.end;
    if (const TermText* const text = note(glossary.terms()[match.term]))
      result += opens + text->text + closes;
  }
  return result + source.substr(end);
}

}  // namespace

std::string with_notes(const std::string& source, const Glossary& glossary) {
  return noted(source, glossary, [](const Term& term) { return &term.targets.front(); });
}

Index add_notes(ParallelText& text, const Glossary& glossary) {
  bool now = false;
  Index count = 0;
  for (std::size_t line = 0; line < text.source.size(); ++line) {
    const std::string with = noted(text.source[line], glossary, [&](const Term& term) {
      const auto has = [&](const TermText& target) { return target.is_in(text.target[line]); };
      const auto found = std::ranges::find_if(term.targets, has);
      return found == term.targets.end() ? nullptr : &*found;
    });
    if (with == text.source[line]) continue;
    now = !now;
    if (!now) continue;
    text.source[line] = with;
    ++count;
  }
  return count;
}

std::string without_notes(std::string sentence) {
  for (std::size_t begin = 0; (begin = sentence.find(opens, begin)) != sentence.npos;) {
    const std::size_t end = sentence.find(closes, begin);
    if (end == sentence.npos) break;
    sentence.erase(begin, end + closes.size() - begin);
  }
  return sentence;
}

}  // namespace regard::translation
