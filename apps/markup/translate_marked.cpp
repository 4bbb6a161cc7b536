#include "apps/markup/translate_marked.h"

#include "apps/markup/transfer.h"

namespace regard::markup {

Plain with_first_word(Plain plain, const std::string& word) {
  if (word.empty()) return plain;
  plain.text = word + " " + plain.text;
  shift(plain.elements, to_index(places_of(word)));
  return plain;
}

std::vector<std::string> put_back(translation::Translator& translator, std::span<const Plain> plain,
                                  std::span<const translation::Translator::Result> results) {
  std::vector<translation::Translator::Result> marked;  // only they need an alignment
  for (std::size_t i = 0; i < results.size(); ++i)
    if (!plain[i].elements.empty()) marked.push_back(results[i]);
  const auto links =
      marked.empty() ? std::vector<std::vector<translation::Alignment>>() : translator.alignments(marked);
  std::vector<std::string> texts;
  std::size_t next = 0;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const translation::Translation& best = results[i].n_best.front();
    std::vector<Element> elements;
    if (!plain[i].elements.empty()) {
      const translation::Tokeniser& tokeniser = *translator.model().tokeniser;
      const Tokens source = tokens_in(plain[i].text, results[i].source.tokens, tokeniser);
      const Tokens target = tokens_in(best.text, translator.target_tokens(best), tokeniser);
      elements = transferred(plain[i].elements, source, target, links[next++].front());
    }
    texts.push_back(put_in(best.text, elements));
  }
  return texts;
}

}  // namespace regard::markup
