#pragma once

// An untrained model and lists of its tokens, for the tests of searches with a shortlist.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include "apps/shortlist/shortlisted_model.h"
#include "apps/translation/model/precisions.h"
#include "apps/translation/translator/evaluation.h"
#include "apps/translation/translator/in_batches.h"
#include "autograd/graph.h"
#include "autograd/machine/parallel.h"
#include "nn/layers.h"
#include "tests/apps/training/small_training.h"

namespace regard::tests {

using namespace translation;
using transformer::EncoderDecoder;
using transformer::Hypothesis;

inline constexpr Index list_vocabulary = 4 + SmallTraining::words;

/// An untrained model without tied matrices, with a bias of the projection that is not 0.
struct ListModel {
  explicit ListModel(Precision precision = Precision::float32) : whole(make()) {
    regard::Random random(5);
    whole.generator.bias = Tensor::normal({list_vocabulary}, 0, 1, random);
    rows.emplace(whole.generator.weight);
    precisions().convert(both, precision, "");
    whole.eval();
  }
  static EncoderDecoder make() {
    SmallTraining training;
    training.settings.model.config.shared_embeddings = regard::transformer::SharedEmbeddings::none;
    return training.model();
  }
  struct Both : regard::nn::Module {
    explicit Both(ListModel& of) : model(of) {}
    void visit(regard::nn::Visitor& visitor) override {
      visitor("model", model.whole);
      visitor("rows", *model.rows);
    }
    ListModel& model;
  };
  EncoderDecoder whole;
  std::optional<regard::nn::Embedding> rows;
  Both both{*this};
};

inline Shortlist whole_vocabulary() {
  std::vector<std::int32_t> all;
  for (std::int32_t token = 0; token < list_vocabulary; ++token) all.push_back(token);
  return {all, std::vector<std::vector<std::int32_t>>(to_size(list_vocabulary))};
}

/// Token i of the source brings i and i + 1; token 4 may always come.
inline Shortlist neighbours() {
  std::vector<std::vector<std::int32_t>> of_source(to_size(list_vocabulary));
  for (std::int32_t token = 4; token < list_vocabulary; ++token)
    of_source[to_size(token)] = {token, token + 1 < list_vocabulary ? token + 1 : token};
  return {{4}, of_source};
}

inline bool list_allows(const Shortlist& list, const std::vector<std::int32_t>& source,
                        const std::vector<std::int32_t>& tokens) {
  const std::vector<std::int32_t> allowed = list.tokens(source);
  return std::ranges::all_of(tokens,
                             [&](std::int32_t token) { return std::ranges::binary_search(allowed, token); });
}

inline std::vector<Precision> list_precisions() {
  std::vector<Precision> all{Precision::float32};
  for (const Precision precision : {Precision::bfloat16, Precision::int8})
    if (precisions().missing(precision).empty()) all.push_back(precision);
  return all;
}

inline const std::vector<std::vector<std::int32_t>>& list_sources() {
  static const std::vector<std::vector<std::int32_t>> some =
      numbered_corpus(60, 6, SmallTraining::words, 7).source;
  return some;
}

/// The options with which all tokens of a list come, and nothing else: each once, long before min_length.
inline transformer::SearchOptions exhausting_options() {
  return {.beam = 4, .n_best = 2, .min_length = 20, .no_repeat_ngram = 1, .generate_unk = false};
}

inline void check_same_hypotheses(const std::vector<std::vector<Hypothesis>>& a,
                                  const std::vector<std::vector<Hypothesis>>& b, double tolerance) {
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    REQUIRE(a[i].size() == b[i].size());
    for (std::size_t n = 0; n < a[i].size(); ++n) {
      CHECK(a[i][n].tokens == b[i][n].tokens);
      CHECK(std::abs(a[i][n].log_probability - b[i][n].log_probability) <= tolerance);
    }
  }
}

/// search(sources, numbers) with these options finds for each sentence all tokens of its list, the same as
/// alone.
template <class Search>
void check_exhausted_lists(const Shortlist& list, const Search& search) {
  const auto together = search(list_sources(), std::vector<Index>{});
  for (std::size_t i = 0; i < list_sources().size(); i += 3) {
    check_same_hypotheses({together[i]}, search({list_sources()[i]}, {to_index(i)}), 1e-4);
    for (const Hypothesis& hypothesis : together[i]) {
      CHECK(list_allows(list, list_sources()[i], hypothesis.tokens));
      CHECK(hypothesis.log_probability > -1e6);
      CHECK(hypothesis.tokens.size() == list.tokens(list_sources()[i]).size() - special::count);
    }
  }
}

}  // namespace regard::tests
