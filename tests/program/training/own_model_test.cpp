// A program with a model of its own (apps/examples/my_encoder.cpp): it has the commands of regard.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/program/support/small_model.h"

using namespace regard::tests;
using Json = nlohmann::json;

namespace {

Outcome run_own(const Words& arguments, const std::string& input = "") {
  return run(arguments, {.input = input, .program = {REGARD_OWN_PROGRAM}});
}

Outcome run_own_well(const Words& arguments, const std::string& input = "") {
  const Outcome outcome = run_own(arguments, input);
  CAPTURE(arguments, outcome.err);
  CHECK(outcome.code == 0);
  CHECK(outcome.err.empty());
  return outcome;
}

/// A directory of the program's model. It is made once; do not change it.
const std::string& own_model() {
  static const TemporaryDirectory directory;
  static const std::string path = [] {
    const std::string out = directory / "own";
    CHECK_CONTAINS(run_own_well(train_command(out, {"model.own=my_encoder"})).out,
                   "Try: my_encoder translate " + out);
    return out;
  }();
  return path;
}

Json data_of_page(const std::string& page) {
  const std::string text = content(page), mark = R"(<script type="application/json" id="data">)";
  const std::size_t begin = text.find(mark) + mark.size();
  return Json::parse(text.substr(begin, text.find("</script>", begin) - begin));
}

}  // namespace

TEST_CASE("a program with a model of its own trains, translates, measures and inspects it", "[program]") {
  const std::string& model = own_model();
  const std::string sentences = "one two\nfour three one\n", translations = "eins zwei\nvier drei eins\n";
  CHECK(run_own_well({"translate", model, "--beam", "3"}, sentences).out == translations);
  CHECK_CONTAINS(run_own_well(evaluate_command(model)).out, "exact match     100.00 %");
  if (has_command("score")) CHECK(lines(run_own_well(score_command(model)).out).size() == 84);
  if (has_command("inspect")) {
    const Outcome inspected = run_own_well({"inspect", model});
    CHECK_CONTAINS(inspected.out, "\"own\": \"my_encoder\"");
    // Three words of d_model 32 in the convolution.
    CHECK_THAT(inspected.out,
               ContainsSubstring("encoder.layer.weight") && ContainsSubstring("[32, 96]         3072"));
    CHECK(run_own_well({"inspect", small_model()}).out == run_well({"inspect", small_model()}).out);
  }
  if (has_command("convert")) {
    const TemporaryDirectory directory;
    const std::string small = directory / "small";
    run_own_well({"convert", model, "--out", small});
    CHECK(run_own_well({"translate", small}, sentences).out == translations);
  }
  if (has_command("bench"))
    CHECK_CONTAINS(
        run_own_well({"bench", "translate", model, "--source", small_corpus().source, "--runs", "1"}).out,
        "sentences/s");
}

TEST_CASE("a program with a model of its own shows its attention", "[program]") {
  if (!has_command("explore")) return;
  const TemporaryDirectory directory;
  const std::string page = directory / "page.html";
  run_own_well({"explore", own_model(), "--sentence", "one two", "--output", page});
  const Json data = data_of_page(page);
  CHECK(data["model"]["own"] == "my_encoder");
  const Json& translation = data["translation"];
  CHECK(translation["hypotheses"][0]["text"] == "eins zwei");
  REQUIRE(translation["attention"].size() == 2);
  const Json& attention = translation["attention"][1];
  CHECK(attention["name"] == "decoder.layers.0.multihead_attn");
  CHECK(attention["queries"] == 3);  // two words and </s>
  CHECK(attention["keys"] == 3);
  CHECK(attention["heads"][0]["weights"].size() == 9);
}

TEST_CASE("a program with a model of its own uses the models of regard, too", "[program]") {
  CHECK(run_own_well({"translate", small_model()}, "one two\n").out == "eins zwei\n");
}

TEST_CASE("a model that another program makes is refused", "[program]") {
  const TemporaryDirectory directory;
  const std::string& model = own_model();
  const std::string why =
                        ": the model is \"my_encoder\" (model.own), which this program cannot make; give the "
                        "same command to the program that can",
                    page = directory / "page.html", other = directory / "other";
  for (const Words& command : those_built({{"inspect", model},
                                           {"translate", model},
                                           {"explore", model, "--output", page},
                                           {"convert", model, "--out", other},
                                           evaluate_command(model),
                                           train_command(model, {"model.own=my_encoder"})}))
    CHECK_REFUSED(run(command), model + why);
  CHECK_REFUSED(run(train_command(other, {"model.own=my_encoder"})), other + why);
  CHECK_FALSE(std::filesystem::exists(page));
  CHECK_FALSE(std::filesystem::exists(other));
  // Without its name, other programs would take the model for one of regard's.
  CHECK_REFUSED(run_own(train_command(other)), "a model of one's own needs a name: set model.own");
  if (has_command("export"))
    CHECK_REFUSED(run_own({"export", model, "--format", "pytorch", "--out", other}),
                  "cannot express this model: model.own is \"my_encoder\"");
  CHECK_FALSE(std::filesystem::exists(other));
}
