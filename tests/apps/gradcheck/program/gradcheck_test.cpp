// regard gradcheck: its table.
#include <cstdlib>

#include "tests/catch.h"
#include "tests/program/support/run.h"

using namespace regard::tests;

TEST_CASE("the gradients of layers and models are right, and the table shows the errors", "[program][long]") {
  const Outcome outcome = run_well({"gradcheck", "layers", "models"});  // autograd_tests check the operations
  const Words found = lines(outcome.out);
  REQUIRE(found.size() > 50);
  // Each line has a name, the entries checked, the kinks and an error.
  for (const std::string name :
       {"Linear", "MultiHeadAttention", "FeedForward", "EncoderLayer", "DecoderLayer", "Transformer"})
    CHECK_CONTAINS(outcome.out, "\n" + name);
  CHECK_THAT(outcome.out, !ContainsSubstring("\nsoftmax"));
  CHECK_REFUSED(run({"gradcheck", "layer"}),
                "there are no gradients of layer; give operations, layers or models");
  CHECK_THAT(outcome.out, !ContainsSubstring("FAILED"));
  CHECK_THAT(found.back(), Matches("worst: [0-9]\\.[0-9]e-[0-9]+ \\(.+\\)"));
  CHECK(std::strtod(found.back().c_str() + std::string("worst: ").size(), nullptr) < 1e-7);
}
