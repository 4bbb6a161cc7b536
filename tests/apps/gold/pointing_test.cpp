#include "apps/gold/pointing.h"

#include "tests/apps/support.h"

using namespace regard;
using namespace regard::translation;
using namespace regard::tests;

namespace {

/// The attention of two words over a plane of 2 x 3.
SourceAttention attention(const std::vector<Real>& weights) {
  return {Tensor::from({2, 6}, weights), Plane{2, 3}};
}

}  // namespace

TEST_CASE("a word is a hit if the strongest position overlaps its region", "[pointing]") {
  // An image of 20 x 30 pixels: each position covers 10 x 10.
  ImageRegions image{.width = 30, .height = 20};
  const auto counts = [&](const WordRegion& word, const std::vector<Real>& weights) {
    image.words = {word};
    return pointing(attention(weights), image);
  };
  const std::vector<Real> top_right{0, 0, 1, 0, 0, 0, /**/ 0, 0, 0, 0.5f, 0.25f, 0.25f};
  const auto hit = [&](const WordRegion& word) { return counts(word, top_right).hits == 1; };
  CHECK(hit({.position = 0, .left = 22, .top = 2, .width = 3, .height = 3}));
  CHECK(hit({.position = 0, .left = 0, .top = 0, .width = 21, .height = 1}));
  CHECK_FALSE(hit({.position = 0, .left = 0, .top = 0, .width = 20, .height = 20}));
  CHECK_FALSE(hit({.position = 0, .left = 20, .top = 10, .width = 10, .height = 10}));
  CHECK_FALSE(hit({.position = 1, .left = 22, .top = 2, .width = 3, .height = 3}));
  CHECK(hit({.position = 1, .left = 0, .top = 15, .width = 1, .height = 1}));
  // The first of equal weights counts.
  CHECK(
      counts({.position = 0, .left = 0, .top = 0, .width = 1, .height = 1}, std::vector<Real>(12, 0)).hits ==
      1);
  // The region overlaps 2 x 2 of the 6 positions.
  const PointingCounts chance =
      counts({.position = 0, .left = 9, .top = 9, .width = 2, .height = 2}, top_right);
  CHECK(chance.words == 1);
  CHECK(chance.hits == 0);
  CHECK(chance.expected_hits == Approx(4.0 / 6));
}

TEST_CASE("regions that do not fit the caption are refused", "[pointing]") {
  const ImageRegions image{.width = 9, .height = 9, .words = {{.position = 1, .word = "red"}}};
  check_words(image, {"a", "red", "ring"}, "r, line 1");
  CHECK_ERROR(check_words(image, {"a", "blue"}, "r, line 1"),
              "r, line 1: word 1 is \"red\", but this token of the caption is \"blue\"");
  CHECK_ERROR(check_words(image, {"a"}, "r, line 1"), "there is no word 1 in the caption");
}

TEST_CASE("files of regions are read line by line", "[pointing]") {
  const TemporaryDirectory directory;
  const auto read = [&](const std::string& text) { return read_regions(directory.file("r", text)); };
  const auto regions = read(
      "{\"width\":9,\"height\":8,\"words\":[]}\n"
      "{\"width\":9,\"height\":8,\"words\":[{\"position\":2,\"word\":\"red\",\"region\":[1,2,3,4]}],\"x\":1}"
      "\n");
  REQUIRE(regions.size() == 2);
  CHECK(regions[0].words.empty());
  const WordRegion& word = regions[1].words.at(0);
  CHECK(word.position == 2);
  CHECK(word.word == "red");
  CHECK(word.left == 1);
  CHECK(word.top == 2);
  CHECK(word.width == 3);
  CHECK(word.height == 4);
  const auto refused = [&](const std::string& line, const std::string& reason) {
    CHECK_ERROR(read("{\"width\":9,\"height\":8,\"words\":[]}\n" + line + "\n"), "r, line 2");
    CHECK_ERROR(read("{\"width\":9,\"height\":8,\"words\":[]}\n" + line + "\n"), reason);
  };
  const auto with_region = [](const std::string& region) {
    return R"({"width":9,"height":8,"words":[{"position":0,"word":"red","region":)" + region + "}]}";
  };
  refused("nonsense", "");
  refused("[]", "must be an object");
  refused(R"({"width":9,"height":8})", "\"words\" is missing");
  refused(R"({"width":0,"height":8,"words":[]})",
          "\"width\" must be a whole number from 1 to 1048576, got 0");
  refused(with_region("[1,2,3]"), "[left, top, width, height]");
  refused(with_region("[9,0,1,1]"), "[9, 0, 1, 1] must have pixels, all of them in the image of 9 x 8");
  refused(with_region("[5,0,5,1]"), "[5, 0, 5, 1] must have pixels");
  refused(with_region("[0,0,1,0]"), "[0, 0, 1, 0] must have pixels");
}
