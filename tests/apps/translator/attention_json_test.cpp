// What is said about a head: its entropy, and the word for the keys at which it looks.
#include "apps/translation/translator/attention_json.h"

#include <cmath>
#include <vector>

#include "tests/catch.h"

using namespace regard::translation;
using regard::Index;
using regard::Real;
using regard::Tensor;

TEST_CASE("the entropy of a head is the mean over its queries") {
  // Head 0 looks at one key, head 1 at all alike, head 2 does one each.
  const Tensor weights = Tensor::from({3, 2, 4}, {0,   1,   0,   0,   0,   0,   0,   1,    //
                                                  .25, .25, .25, .25, .25, .25, .25, .25,  //
                                                  1,   0,   0,   0,   .5,  0,   .5,  0});
  CHECK(entropy(weights, 0) == 0);
  CHECK(entropy(weights, 1) == Approx(std::log(4.0)));
  CHECK(entropy(weights, 2) == Approx(std::log(2.0) / 2));
}

TEST_CASE("a head gets the word for the keys at which it looks") {
  const auto head = [](const std::vector<Index>& keys, double weight) {
    Tensor weights = Tensor::zeros({1, static_cast<Index>(keys.size()), 4});
    for (std::size_t query = 0; query < keys.size(); ++query)
      for (Index key = 0; key < 4; ++key)
        weights.data()[static_cast<Index>(query) * 4 + key] =
            static_cast<Real>(key == keys[query] ? weight : (1 - weight) / 3);
    return weights;
  };
  CHECK(looks_at(head({3, 0, 1, 2}, .9), 0) == "previous");
  CHECK(looks_at(head({1, 2, 3, 1}, .9), 0) == "next");
  CHECK(looks_at(head({0, 1, 2, 3}, .9), 0) == "same");
  CHECK(looks_at(head({2, 0, 0, 0}, .9), 0) == "begin");
  CHECK(looks_at(head({3, 3, 3, 0}, .9), 0) == "end");
  CHECK(looks_at(head({0, 1, 2, 3}, .4), 0).empty());  // less than half of the weight
  CHECK(looks_at(head({2, 3, 1, 0}, .9), 0).empty());
}
