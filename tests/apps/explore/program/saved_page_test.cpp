// regard explore --output: the page as a file.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/program/support/small_model.h"

using namespace regard::tests;
using Json = nlohmann::json;

TEST_CASE("explore writes the page with its data into a file", "[program]") {
  const TemporaryDirectory directory;
  const std::string page = directory / "page.html";
  const Outcome outcome = run({"explore", small_model(), "--sentence", "one two", "--output", page});
  CHECK(outcome.code == 0);
  const std::string text = content(page);
  const std::string mark = R"(<script type="application/json" id="data">)";
  const std::size_t begin = text.find(mark) + mark.size();
  const Json data = Json::parse(text.substr(begin, text.find("</script>", begin) - begin));
  CHECK(data["translation"]["hypotheses"][0]["text"] == "eins zwei");
  CHECK(data["model"]["kind"] == "text");
  CHECK_FALSE(data["model"].contains("examples"));  // lines of the corpus are not given away
  CHECK(data["runs"].size() == 1);
  CHECK_THAT(text, !ContainsSubstring("src=\"http"));

  const std::string other = directory / "other.html";
  CHECK_REFUSED(run({"explore", small_model(), "--image", "x.png", "--output", other}), "x.png");
  CHECK_FALSE(std::filesystem::exists(other));
  CHECK(run({"explore", small_model(), "--output", other}).code == 0);
}
