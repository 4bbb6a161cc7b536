#include <utility>

#include "apps/translation/corpus/alignments.h"
#include "autograd/error.h"
#include "tests/apps/support.h"

using namespace regard::translation;
using regard::Index;
using regard::to_index;

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
