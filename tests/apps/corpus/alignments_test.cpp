#include "apps/translation/corpus/alignments.h"

#include "tests/apps/support.h"

using namespace regard::translation;
using regard::tests::TemporaryDirectory;

TEST_CASE("an alignment is written and read in the Pharaoh format", "[alignment]") {
  const Alignment alignment{{0, 0}, {12, 3}};
  CHECK(alignment_text(alignment) == "0-0 12-3");
  CHECK(alignment_text({}).empty());
  CHECK(parse_gold(alignment_text(alignment), "").sure == alignment);
  CHECK(parse_gold("", "").possible.empty());
}

TEST_CASE("sure links are possible, and no link counts twice", "[alignment]") {
  const GoldAlignment gold = parse_gold("  2?1 0-0\t1p1 0-0  0?0 2-3 1?1", "");
  CHECK(gold.sure == Alignment{{0, 0}, {2, 3}});
  CHECK(gold.possible == Alignment{{0, 0}, {1, 1}, {2, 1}, {2, 3}});
}

TEST_CASE("a text that is no link is refused with its line", "[alignment]") {
  const TemporaryDirectory directory;
  for (const char* const wrong : {"0", "-", "0-", "-0", "0-x", "a-0", "0+1", "0--1", "-1-0", "+1-0", "0-1-2",
                                  "0-1,", "0 - 1", "99999999999999999999-0", "0.5-1", "0??1", "\x1B"}) {
    CAPTURE(wrong);
    const std::string path = directory.file("gold", std::string("0-0 1-1\n\n0-0 ") + wrong + "\n");
    CHECK_ERROR(read_gold(path), path + ", line 3: \"");
    CHECK_ERROR(read_gold(path), "is no link; write SOURCE-TARGET for a sure link, SOURCE?TARGET for a");
  }
  CHECK_ERROR(read_gold(directory.file("empty", "")), "the file is empty");
  CHECK_ERROR(read_gold(directory / "none"), directory / "none");
  CHECK(read_gold(directory.file("good", "0-0\r\n\n1?0\n")).size() == 3);
}

TEST_CASE("a link beyond its sentence is refused", "[alignment]") {
  const GoldAlignment gold = parse_gold("0-0 2?1", "");
  check_positions(gold, 3, 2, "gold, line 4");
  CHECK_ERROR(check_positions(gold, 2, 2, "gold, line 4"),
              "gold, line 4: the link between source token 2 and target token 1 is beyond the source, which "
              "has 2 tokens of the model; positions count them from 0");
  CHECK_ERROR(check_positions(gold, 3, 1, "gold, line 4"), "is beyond the target, which has 1 tokens");
  CHECK_ERROR(check_positions(gold, 0, 0, "gold, line 4"), "source token 0");
}
