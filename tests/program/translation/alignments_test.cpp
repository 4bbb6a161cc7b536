// `regard translate --alignments`.

#include <algorithm>
#include <sstream>

#include "tests/catch.h"
#include "tests/program/support/small_model.h"

using namespace regard::tests;

namespace {

Outcome translate_and_align(const std::string& input, const Words& options = {}) {
  return run(joined({"translate", small_model(), "--alignments"}, options), {.input = input});
}

}  // namespace

TEST_CASE("translate writes an alignment after each translation", "[program]") {
  const Outcome outcome = translate_and_align("one four two\n\nthree\n");
  CHECK(outcome.code == 0);
  CHECK(outcome.err.empty());
  const Words found = lines(outcome.out);
  REQUIRE(found.size() == 3);
  CHECK(found[0].starts_with("eins vier zwei\t"));
  CHECK(found[1] == "\t\t\t");
  CHECK(found[0].ends_with("\tone four two\teins vier zwei"));  // the tokens that the numbers count
  CHECK(found[2].starts_with("drei\t"));
  const std::size_t tab = found[0].find('\t');
  std::istringstream links(found[0].substr(tab + 1, found[0].find('\t', tab + 1) - tab - 1));
  char dash = ' ';
  int last = -1;
  for (int source = 0, target = 0; links >> source >> dash >> target; last = target) {
    CHECK(dash == '-');
    CHECK((source >= 0 && source < 3));
    CHECK((target > last && target < 3));  // at most one link per token, in order
  }
  CHECK(links.eof());
  // In front of it, everything is as without alignments.
  std::string without;
  for (const std::string& line : found) without += line.substr(0, line.find('\t')) + "\n";
  CHECK(run({"translate", small_model()}, {.input = "one four two\n\nthree\n"}).out == without);
}

TEST_CASE("the attention of text becomes a labelled map for each line", "[program]") {
  const TemporaryDirectory directory;
  const Words command{"translate", small_model(), "--attention-images", directory / "maps"};
  const Outcome outcome = run(command, {.input = "one <&> two\n\nthree\n"});
  CHECK(outcome.code == 0);
  const std::string map = content(directory / "maps/1.svg");
  CHECK(map.starts_with("<svg "));
  for (const std::string label : {">one</text>", ">&lt;unk></text>", ">eins</text>", ">&lt;/s></text>"})
    CHECK_CONTAINS(map, label);
  std::size_t squares = 0;
  for (std::size_t at = map.find("fill-opacity"); at != std::string::npos;
       at = map.find("fill-opacity", at + 1))
    ++squares;
  const std::string first = lines(outcome.out)[0];
  const auto words = static_cast<std::size_t>(std::count(first.begin(), first.end(), ' ')) + 1;
  CHECK(squares == 4 * (words + 1));  // with </s> on both sides
  CHECK_FALSE(std::filesystem::exists(directory / "maps/2.svg"));
  CHECK(std::filesystem::exists(directory / "maps/3.svg"));
  CHECK_REFUSED(run(command, {.input = "one\n"}), "the directory is not empty");
}

TEST_CASE("alignments go with scores, n-best lists, samples and maps", "[program]") {
  for (const Words& how : {Words{"--n-best", "2"}, {"--n-best", "2", "--sample", "--seed", "3"}}) {
    if (how.size() > 2 && !has_option("translate", "--sample")) continue;
    Words options = {"--scores"};
    options.insert(options.end(), how.begin(), how.end());
    const Words found = lines(translate_and_align("one two\nfour\n", options).out);
    REQUIRE(found.size() == 4);
    for (const std::string& line : found) CHECK(std::count(line.begin(), line.end(), '\t') == 5);
    CHECK(found[0].starts_with("1\t-"));
    CHECK(found[3].starts_with("2\t-"));
  }
  const Words mapped = lines(translate_and_align("one\n", {"--attention"}).out);
  CHECK(mapped[0].starts_with("eins\t"));
  CHECK(mapped[2] == "one    </s>   ");
}
