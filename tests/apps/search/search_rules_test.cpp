// Rules of several rooms in one search.
#include "apps/translation/search/search_rules.h"

#include <algorithm>

#include "tests/apps/training/small_training.h"
#include "tests/catch.h"
#include "transformer/embeddings.h"

using namespace regard::translation;
using regard::Real;
using regard::transformer::MakeTokenRule;
using regard::transformer::never_predicted;

namespace {

using Ids = std::vector<std::int32_t>;

/// One token has to come, and the one after it must not.
class Needs : public regard::transformer::TokenRule {
 public:
  explicit Needs(std::int32_t token) : token_(token) {}
  void exclude(std::span<Real> logits) const override {
    logits[regard::to_size(token_ + 1)] = never_predicted;
  }
  bool allows(std::span<const std::int32_t>, std::int32_t next) const override { return next != token_ + 1; }
  Ids before_end(std::span<const std::int32_t> tokens) const override {
    return std::ranges::count(tokens, token_) > 0 ? Ids{} : Ids{token_};
  }
  Ids demands() const override { return {token_}; }
  regard::Index banks() const override { return 2; }
  regard::Index bank(std::span<const std::int32_t> tokens, std::int32_t next) const override {
    return next == token_ || std::ranges::count(tokens, token_) > 0;
  }
  Ids wanted(std::span<const std::int32_t>) const override { return {token_}; }

 private:
  std::int32_t token_;
};

/// A rule for those sources that have the token.
MakeTokenRule needs(std::int32_t token) {
  return [token](std::span<const std::int32_t> source) {
    return std::ranges::count(source, token) > 0 ? std::make_shared<Needs>(token) : nullptr;
  };
}

}  // namespace

TEST_CASE("the rules of several rooms hold together", "[search]") {
  CHECK_FALSE(together({}));
  const MakeTokenRule all = together({needs(5), needs(8), needs(5)});
  CHECK(all(Ids{4}) == nullptr);
  CHECK(all(Ids{8})->demands() == Ids{8});
  const auto rule = all(Ids{5, 8});
  CHECK(rule->demands() == Ids{5, 8, 5});
  std::vector<Real> logits(10, 0);
  rule->exclude(logits);
  for (std::int32_t token = 0; token < 10; ++token) {
    CHECK(rule->allows({}, token) == (token != 6 && token != 9));
    CHECK((logits[regard::to_size(token)] == never_predicted) == (token == 6 || token == 9));
  }
  CHECK(rule->before_end({}) == Ids{5, 8});  // the third rule knows that 5 comes
  CHECK(rule->before_end(Ids{8}) == Ids{5});
  CHECK(rule->before_end(Ids{8, 5}).empty());
  CHECK(rule->banks() == 4);
  CHECK(rule->bank(Ids{8}, 4) == 1);
  CHECK(rule->bank(Ids{8}, 5) == 3);
  CHECK(rule->wanted({}) == Ids{5, 8, 5});
}

TEST_CASE("a selection of the vocabulary that no room has is refused", "[search]") {
  const Vocabularies both{regard::tests::numbered_words(3), regard::tests::numbered_words(3)};
  CHECK_ERROR(load_selection("none", "model", both), "there is no none in this program");
}
