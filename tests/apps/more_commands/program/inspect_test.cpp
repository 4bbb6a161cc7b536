// regard inspect: settings, parameters and the importance of heads.
#include <map>

#include "tests/catch.h"
#include "tests/program/support/small_model.h"

using namespace regard;
using namespace regard::tests;

TEST_CASE("an inspection shows settings and parameters", "[program]") {
  const Outcome outcome = run_well({"inspect", small_model()});
  CHECK_CONTAINS(outcome.out, content(small_model() + "/config.json"));
  CHECK_CONTAINS(outcome.out, "\n12 source and 12 target entries in the vocabulary, joint\n");

  // The table: name, shape in brackets, size, precision.
  std::map<std::string, std::pair<std::string, Index>> parameters;
  Index sum = 0, all = 0;
  const std::size_t table = outcome.out.find("parameter  ");
  REQUIRE(table != std::string::npos);
  for (const std::string& line : lines(outcome.out.substr(outcome.out.find('\n', table) + 1))) {
    const Index size = std::stoll(
        line.substr(line.find_first_not_of(" ]", line.find(']') == std::string::npos ? 3 : line.find(']'))));
    const std::string name = line.substr(0, line.find(' '));
    if (name == "all") {
      all = size;
      continue;
    }
    const std::size_t bracket = line.find('[');
    parameters[name] = {line.substr(bracket, line.find(']') + 1 - bracket), size};
    sum += size;
  }
  CHECK(sum == all);
  CHECK(sum > 10'000);
  using Entry = std::pair<std::string, Index>;
  CHECK(parameters["src_embed.weight"] == Entry{"[12, 32]", 384});
  CHECK(parameters["encoder.layers.0.self_attn.out_proj.bias"] == Entry{"[32]", 32});
  // Three embeddings; two layers of attention, feed-forward and norms; two final norms.
  CHECK(parameters.size() == 3 + 12 + 18 + 4);
}

TEST_CASE("inspect ranks the heads of a model by the loss without them", "[program]") {
  const Outcome outcome = run({"inspect", small_model(), "--head-importance", "--source",
                               small_corpus().source, "--target", small_corpus().target});
  CHECK(outcome.code == 0);
  const Words found = lines(outcome.out);
  REQUIRE(found.size() == 9);
  CHECK_CONTAINS(found[0], " of 84 pairs");
  double last = 1e9;
  for (std::size_t i = 3; i < found.size(); ++i) {
    const double growth = std::stod(found[i].substr(found[i].rfind(' ')));
    CHECK(growth <= last);
    last = growth;
  }
  CHECK_REFUSED(run({"inspect", small_model(), "--head-importance"}), "give --source and --target");
}

TEST_CASE("inspect takes one model", "[program]") {
  CHECK_REFUSED(run({"inspect", "one", "another"}), "another");
}
