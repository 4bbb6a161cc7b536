#pragma once

// An untrained model whose vocabulary has pieces of placeholders, for the tests of their rule.

#include <algorithm>

#include "apps/terms/term_rule.h"
#include "tests/catch.h"
#include "transformer/transformer.h"

namespace regard::tests {

using namespace translation;
using transformer::SearchOptions;

/// Tokens as those of SentencePiece: _ is a blank. A text is cut into the longest tokens, from its beginning.
class TextPieces : public Tokeniser {
 public:
  explicit TextPieces(std::vector<std::string> tokens) : all(std::move(tokens)) {}
  std::vector<std::string> split(std::string_view text) const override {
    std::string left = "_" + std::string(text);
    std::ranges::replace(left, ' ', '_');
    std::vector<std::string> tokens;
    while (!left.empty()) {
      std::string longest = left.substr(0, 1);
      for (const std::string& token : all)
        if (left.starts_with(token) && token.size() > longest.size()) longest = token;
      left.erase(0, longest.size());
      tokens.push_back(longest);
    }
    return tokens;
  }
  std::string join(const std::vector<std::string>& tokens) const override {
    std::string text;
    for (const std::string& token : tokens) text += token;
    std::ranges::replace(text, '_', ' ');
    return text.starts_with(' ') ? text.substr(1) : text;
  }

  std::vector<std::string> all;
};

inline const std::vector<std::string> printf_pieces{"_a", "%", "s", "_%", "(%s", "_{0", "}", "s%s"};

/// An untrained model whose distributions are far from even.
struct PiecesModel {
  TextPieces tokeniser;
  Vocabularies vocabularies = [this] {
    TokenCounts counts;
    counts.add(tokeniser.all);
    return Vocabularies{Vocabulary::from_counts(counts), Vocabulary::from_counts(counts)};
  }();
  regard::transformer::EncoderDecoder model;

  explicit PiecesModel(std::uint64_t seed, std::vector<std::string> pieces = printf_pieces)
      : tokeniser(std::move(pieces)), model(make(seed, vocabularies)) {}
  static regard::transformer::EncoderDecoder make(std::uint64_t seed, const Vocabularies& vocabularies) {
    regard::transformer::Config config = regard::transformer::preset("toy");
    config.source_vocabulary = config.target_vocabulary = vocabularies.target.size();
    config.encoder_layers = config.decoder_layers = 1;
    config.shared_embeddings = regard::transformer::SharedEmbeddings::none;
    config.generator_bias = true;
    regard::Random random(seed);
    auto model = make_transformer(config, random);
    for (regard::Real& value : model.generator.weight.values()) value *= 4;
    model.eval();
    return model;
  }

  std::int32_t id(const std::string& token) const { return vocabularies.target.id(token); }
  std::vector<std::int32_t> ids(const std::string& text) const {
    return vocabularies.source.ids(tokeniser.split(text));
  }
  std::vector<std::vector<std::int32_t>> ids(const std::vector<std::string>& texts) const {
    std::vector<std::vector<std::int32_t>> all;
    for (const std::string& text : texts) all.push_back(ids(text));
    return all;
  }
  std::string text(const std::vector<std::int32_t>& tokens) const {
    return tokeniser.join(vocabularies.target.tokens(tokens));
  }
  SearchOptions options(Index beam, Index longest, const std::vector<std::string>& patterns = {}) const {
    SearchOptions options{.beam = beam, .n_best = beam, .patience = 0, .max_length_ratio = 0};
    options.max_length_constant = longest;
    options.make_rule = keep(patterns);
    return options;
  }
  std::shared_ptr<const regard::transformer::TokenRule> rule(
      const std::string& source, const std::vector<std::string>& patterns = {}) const {
    return keep(patterns)(regard::transformer::with_end(ids(source)));
  }
  regard::transformer::MakeTokenRule keep(const std::vector<std::string>& patterns) const {
    return keep_terms({.keep_placeholders = true, .placeholders = patterns}, tokeniser, vocabularies);
  }
};

/// The parts of a text that are placeholders in these tests, found without regular expressions. Braces may
/// have some more of the characters that come here.
inline std::vector<std::string> placeholders_of(const std::string& text) {
  const std::vector<std::string> all{"%1$s", "%10", "%1", "%%", "%s", "{1}", "<unk>", "<b>", "</b>"};
  std::vector<std::string> found;
  for (std::size_t at = 0; at < text.size();) {
    const auto part =
        std::ranges::find_if(all, [&](const auto& some) { return text.substr(at).starts_with(some); });
    const std::size_t close = text[at] == '{' ? text.find_first_not_of("0s%", at + 1) : text.npos;
    if (part != all.end())
      found.push_back(*part);
    else if (close != text.npos && text[close] == '}')
      found.push_back(text.substr(at, close + 1 - at));
    else
      found.push_back(text.substr(at, 1));
    at += found.back().size();
    if (found.back().size() == 1) found.pop_back();
  }
  return found;
}

inline bool keeps_placeholders(const std::string& source, const std::string& translation) {
  std::vector<std::string> here = placeholders_of(source), there = placeholders_of(translation);
  std::ranges::sort(here);
  std::ranges::sort(there);
  return here.empty() || here == there;
}

inline void check_kept_placeholders(const PiecesModel& model, const std::vector<std::string>& sources,
                                    const std::vector<std::vector<transformer::Hypothesis>>& found) {
  REQUIRE(found.size() == sources.size());
  for (std::size_t i = 0; i < sources.size(); ++i)
    for (const transformer::Hypothesis& hypothesis : found[i]) {
      CAPTURE(sources[i], model.text(hypothesis.tokens));
      CHECK(keeps_placeholders(sources[i], model.text(hypothesis.tokens)));
    }
}

inline const std::vector<std::string> sources_with_placeholders{"a %s",  "(%s a",   "a",     "a {0} %s",
                                                                "%s %s", "{0} {0}", "a a a", "%s%s {0}"};

}  // namespace regard::tests
