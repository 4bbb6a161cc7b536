// A beam wide enough for everything finds what trying everything finds, in the same order.
#include <algorithm>

#include "autograd/error.h"
#include "tests/catch.h"
#include "tests/transformer/search/search_support.h"

using namespace regard;
using namespace regard::tests;

namespace {

constexpr Index vocabulary = 7;  // 3, 4, 5 and 6 may be said, and </s>

/// Every translation with its score, best first.
std::vector<Scored> ranking(EncoderDecoder& model, const Ids& source, const std::vector<Ids>& translations,
                            const SearchOptions& options) {
  const Numbers log_probabilities = forced_log_probabilities(model, source, translations);
  std::vector<Scored> result;
  for (std::size_t i = 0; i < translations.size(); ++i)
    result.push_back({translations[i], log_probabilities[i] / penalty(options, translations[i].size())});
  std::ranges::sort(result, std::greater<>(), &Scored::score);
  return result;
}

}  // namespace

TEST_CASE("a beam wide enough for everything equals brute force") {
  for (const std::size_t longest : {1, 3, 4}) {
    const std::vector<Ids> translations = everything(longest, vocabulary);
    CHECK(translations.size() == (longest == 1 ? 5 : longest == 3 ? 85 : 341));
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      EncoderDecoder model = opinionated_model(vocabulary, seed, seed % 2 == 0 ? 1 : 3);
      const std::vector<Ids> sources = random_sentences({2, 5}, vocabulary, seed);
      for (const LengthPenalty kind : {LengthPenalty::wu, LengthPenalty::power}) {
        for (const double alpha : {-0.5, 0.0, 0.6, 1.0}) {
          for (const Index n_best : {1, 4, 400}) {
            const SearchOptions options{.beam = 400,
                                        .n_best = n_best,
                                        .length_penalty = kind,
                                        .alpha = alpha,
                                        .max_length_ratio = 0,
                                        .max_length_constant = to_index(longest)};
            INFO("longest " << longest << ", seed " << seed << ", alpha " << alpha << ", n_best " << n_best);
            const auto found = beam_search(model, pack_sources(sources), options);
            for (std::size_t i = 0; i < sources.size(); ++i) {
              const auto expected = ranking(model, sources[i], translations, options);
              REQUIRE(found[i].size() == std::min<std::size_t>(expected.size(), to_size(n_best)));
              check_ranking(found[i], expected);
            }
          }
        }
      }
    }
  }
}

TEST_CASE("the length penalty decides between short and long") {
  const std::vector<Ids> translations = everything(4, vocabulary);
  EncoderDecoder model = opinionated_model(vocabulary, 0);
  double shorter = 0, longer = 0;
  for (const Ids& source : random_sentences({1, 2, 3, 4, 5}, vocabulary, 9)) {
    shorter += static_cast<double>(ranking(model, source, translations, {.alpha = 0}).front().tokens.size());
    longer += static_cast<double>(
        ranking(model, source, translations, {.length_penalty = LengthPenalty::power, .alpha = 1})
            .front()
            .tokens.size());
  }
  CHECK(shorter < longer);
}

TEST_CASE("a narrow beam misses what a wide one finds") {
  int missed = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    EncoderDecoder model = opinionated_model(vocabulary, seed);
    const PackedSequences source = pack_sources(random_sentences({4}, vocabulary, seed));
    const auto score = [&](Index beam) {
      return beam_search(model, source,
                         {.beam = beam, .alpha = 0, .max_length_ratio = 0, .max_length_constant = 4})
          .front()
          .front()
          .score;
    };
    CHECK(score(400) >= score(1) - 1e-12);  // this one has seen everything
    if (score(400) > score(1) + 1e-9) ++missed;
  }
  CHECK(missed > 0);
}
