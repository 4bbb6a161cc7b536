#pragma once

// A rule of the caller and a model for its tests, and a model in which nearly all is forbidden.

#include <algorithm>

#include "tests/catch.h"
#include "tests/transformer/search/search_support.h"

namespace regard::tests {

inline constexpr Index rule_vocabulary = 6, most_pair_tokens = 5;
inline constexpr std::int32_t left_token = 4, right_token = 5;

inline Index pairs_in(std::span<const std::int32_t> tokens) {
  Index count = 0;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i)
    count += tokens[i] == left_token && tokens[i + 1] == right_token;
  return count;
}

/// A translation of a source that begins with the left token has the left and the right token in a row
/// exactly once. If they are not there, they come before its end.
class OnePair : public transformer::TokenRule {
 public:
  bool allows(std::span<const std::int32_t> tokens, std::int32_t next) const override {
    return pairs_in(tokens) == 0 || tokens.back() != left_token || next != right_token;
  }
  Ids before_end(std::span<const std::int32_t> tokens) const override {
    return pairs_in(tokens) > 0 ? Ids{} : Ids{left_token, right_token};
  }
};

inline SearchOptions with_rule(Index beam = 400) {
  SearchOptions options{.beam = beam, .n_best = beam, .patience = 0, .max_length_ratio = 0};
  options.max_length_constant = most_pair_tokens;
  options.make_rule =
      [](std::span<const std::int32_t> source) -> std::shared_ptr<const transformer::TokenRule> {
    CHECK(source.back() == sentence_end_id);
    if (source.front() != left_token) return nullptr;
    return std::make_shared<OnePair>();
  };
  return options;
}

/// The same in another way: whether the rule lets a whole translation pass.
inline bool one_pair_allows(const Ids& tokens) {
  if (pairs_in(tokens) != 1) return false;
  const Ids wanted{left_token, right_token};
  const auto pair = std::search(tokens.begin(), tokens.end(), wanted.begin(), wanted.end()) - tokens.begin();
  // After most_pair_tokens - 2 tokens without the pair it has to come, whatever the last of these tokens is.
  // One token earlier, it comes in place of </s>.
  return pair != most_pair_tokens - 3 || to_index(tokens.size()) == pair + 2;
}

inline std::vector<Scored> pair_ranking(EncoderDecoder& model, const Ids& source,
                                        const SearchOptions& options) {
  std::vector<Ids> translations = everything(most_pair_tokens, rule_vocabulary);
  if (source.front() == left_token)
    std::erase_if(translations, [](const Ids& tokens) { return !one_pair_allows(tokens); });
  const Numbers scores = forced_log_probabilities(model, source, translations);
  std::vector<Scored> result;
  for (std::size_t i = 0; i < translations.size(); ++i)
    result.push_back({translations[i], scores[i] / penalty(options, translations[i].size())});
  std::ranges::sort(result, std::greater<>(), &Scored::score);
  return result;
}

inline const std::vector<Ids> pair_sources{{left_token, 3, 5}, {right_token, 4}, {left_token}};

/// A model with two words, of which one never comes: without repetition, a translation ends after one.
inline EncoderDecoder one_word_model() {
  EncoderDecoder model = opinionated_model(rule_vocabulary, 1);
  model.generator.bias = Tensor::zeros({rule_vocabulary});
  model.generator.bias.data()[unknown_id] = model.generator.bias.data()[left_token] =
      transformer::never_predicted;
  return model;
}
inline SearchOptions one_word_options() { return {.beam = 2, .min_length = 3, .no_repeat_ngram = 1}; }
inline void check_one_word(const transformer::Hypothesis& hypothesis) {
  CHECK(hypothesis.tokens == Ids{right_token});
  CHECK(hypothesis.log_probability > -1e6);
}

}  // namespace regard::tests
