// `--keep-placeholders`: the option, the setting, and where they are refused.
#include "tests/catch.h"
#include "tests/program/support/small_model.h"

using namespace regard::tests;

namespace {

/// A model that was trained for a moment on sentences with one of two placeholders, so that it confuses them.
std::string model(const TemporaryDirectory& directory, const Words& settings = {}) {
  std::string en, de;
  for (const char* const placeholder : {"%s", "%d"})
    for (const char* const word : {"one", "two", "three"})
      for (const char* const more : {"a", "b", "c", "d"}) {
        en += std::string(word) + " " + placeholder + " " + more + "\n";
        de += std::string(more) + " " + word + " " + placeholder + "\n";
      }
  Words all{"data.source=" + directory.file("en", en),
            "data.target=" + directory.file("de", de),
            "data.validation_source=",
            "data.validation_target=",
            "validation.every_steps=0",
            "training.steps=3"};
  all.insert(all.end(), settings.begin(), settings.end());
  const std::string path = directory / "model";
  CHECK(run(train_command(path, all)).code == 0);
  return path;
}

std::size_t lines_with(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (const std::string& line : lines(text)) count += line.find(part) != std::string::npos;
  return count;
}

const std::string marked_input = "one %s a\ntwo %d b\nthree %s %d c\none a\n";

}  // namespace

TEST_CASE("a translation keeps the placeholders of its source", "[program]") {
  const TemporaryDirectory directory;
  const std::string path = model(directory);
  const auto translated = [&](const Words& more) {
    return run(joined({"translate", path}, more), {.input = marked_input})
        .out;  // it warns of greatest lengths
  };
  for (const Words& more : std::vector<Words>{{"--beam", "1"}, {"--beam", "4"}, {"--sample"}}) {
    if (!has_option("translate", more.front())) continue;
    CAPTURE(more);
    const std::string kept = translated(joined({"--keep-placeholders"}, more));
    const Words each = lines(kept);
    REQUIRE(each.size() == 4);
    CHECK_CONTAINS(each[0], "%s");
    CHECK_CONTAINS(each[1], "%d");
    CHECK_CONTAINS(each[2], "%s");
    CHECK_CONTAINS(each[2], "%d");
  }
  CHECK(translated({"--beam", "4"}) != translated({"--beam", "4", "--keep-placeholders"}));
  const Words evaluate{"evaluate", path, "--source", directory / "en", "--reference", directory / "de"};
  CHECK(has_line(run(joined(evaluate, {"--keep-placeholders"})), "placeholders    100.00 % (24 of 24 "));
  CHECK_FALSE(has_line(run(evaluate), "placeholders    100.00 %"));
}

TEST_CASE("the setting keeps placeholders without the option", "[program]") {
  const TemporaryDirectory directory;
  const std::string path =
      model(directory, {"decoding.keep_placeholders=true", "decoding.placeholders=[\"(one|two)\"]"});
  const Words each = lines(run({"translate", path}, {.input = marked_input}).out);
  REQUIRE(each.size() == 4);
  CHECK_CONTAINS(each[0], "%s");
  CHECK_CONTAINS(each[0], "one");
  CHECK_CONTAINS(each[1], "two");
  CHECK(lines_with(each[3], "one") == 1);
  const auto output = [&](const std::string& option) {
    return run({"translate", path, option}, {.input = marked_input}).out;
  };
  CHECK(output("--keep-placeholders=false") != output("--keep-placeholders"));
  CHECK_REFUSED(run(train_command(directory / "other", {"decoding.placeholders=[\"(\"]"})),
                "not a regular expression");
  CHECK_REFUSED(run({"translate", path, "--keep-placeholders", "--placeholders", "x*"}),
                "matches the empty text");
}
