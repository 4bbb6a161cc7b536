// Gold alignments, and the alignment error rate.
#include "apps/gold/gold_alignments.h"

#include <utility>

#include "autograd/machine/error.h"
#include "tests/apps/support.h"

using namespace regard::translation;
using regard::Index;
using regard::to_index;
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

namespace {

AlignmentQuality quality(const Alignment& alignment, const std::string& gold) {
  return alignment_quality(alignment_counts(alignment, parse_gold(gold, "")));
}

}  // namespace

TEST_CASE("the alignment error rate agrees with a calculation by hand", "[alignment]") {
  // S = {0-0, 2-1}, P = S and {1-2, 2-2}, A = {0-0, 1-1, 1-2, 2-2}: A has one link of S and three of P.
  const GoldAlignment gold = parse_gold("0-0 2-1 1?2 2?2", "");
  AlignmentCounts counts = alignment_counts({{0, 0}, {1, 1}, {1, 2}, {2, 2}}, gold);
  CHECK(counts.links == 4);
  CHECK(counts.sure == 2);
  CHECK(counts.links_in_sure == 1);
  CHECK(counts.links_in_possible == 3);
  CHECK(alignment_quality(counts).error_rate.value() == Approx(1 - (1 + 3) / 6.0));
  CHECK(alignment_quality(counts).precision.value() == Approx(3 / 4.0));
  CHECK(alignment_quality(counts).recall.value() == Approx(1 / 2.0));
  // A second pair with A = {2-1} = S: the links are added up, not the rates.
  counts += alignment_counts({{2, 1}}, parse_gold("2-1", ""));
  CHECK(alignment_quality(counts).error_rate.value() == Approx(1 - (2 + 4) / 8.0));
  CHECK(alignment_quality(counts).precision.value() == Approx(4 / 5.0));
  CHECK(alignment_quality(counts).recall.value() == Approx(2 / 3.0));
}

TEST_CASE("an alignment with all sure and only possible links has no error", "[alignment]") {
  CHECK(quality({{0, 0}, {2, 1}}, "0-0 2-1 1?2").error_rate == 0);
  CHECK(quality({{0, 0}, {2, 1}, {1, 2}}, "0-0 2-1 1?2").error_rate == 0);
  CHECK(quality({{0, 0}}, "0-0 2-1 1?2").error_rate == Approx(1 - 2 / 3.0));
  CHECK(quality({{1, 0}}, "0-0").error_rate == 1);
}

TEST_CASE("without links or without sure links, some rates have no value", "[alignment]") {
  CHECK(quality({}, "0-0").error_rate == 1);
  CHECK_FALSE(quality({}, "0-0").precision);
  CHECK(quality({{0, 0}, {1, 0}}, "0?0").error_rate == Approx(0.5));  // 1 - precision
  CHECK_FALSE(quality({{0, 0}}, "0?0").recall);
  CHECK_FALSE(quality({}, "0?0").error_rate);
}
