// regard translate --markup
#include "tests/catch.h"
#include "tests/program/support/small_model.h"

using namespace regard::tests;

TEST_CASE("translate --markup puts tags around the words that translate their content", "[program]") {
  const Words command{"translate", small_model(), "--markup"};
  const std::string plain = run(command, {.input = "one two three\n"}).out;
  CHECK(plain == "eins zwei drei\n");
  // The small model translates word by word.
  CHECK(run(command, {.input = "one <b class=\"a&amp;b\">two</b> three\n"}).out ==
        "eins <b class=\"a&amp;b\">zwei</b> drei\n");
  CHECK(run(command, {.input = "<p>one two {0}</p>\n\n"}).out == "<p>eins zwei {0}</p>\n\n");
  CHECK_CONTAINS(refusal(run({"translate", small_model(), "--markup", "--n-best", "2"}, {.input = "one\n"})),
                 "--markup");
  const Outcome broken = run(command, {.input = "one\n\xFF\n"});
  CHECK(broken.out == "eins\n");
  CHECK_CONTAINS(refusal(broken), "line 2");
}
