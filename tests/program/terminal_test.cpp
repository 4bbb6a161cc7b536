// On a terminal there is a prompt, and a bar while a model is trained.
#include "tests/catch.h"
#include "tests/program/small_model.h"

using namespace regard::tests;

namespace {
constexpr const char* end_of_input = "\x04";  // Ctrl-D
}

TEST_CASE("at the prompt every sentence is answered", "[program]") {
  const Outcome outcome =
      run_in_terminal({"translate", small_model()}, std::string("one two\n\nfive\nfour\n") + end_of_input);
  CHECK(outcome.code == 0);
  const std::vector<std::string> found = lines(outcome.out);
  REQUIRE(found.size() == 7);
  CHECK(found[0] == "One sentence a line; end with Ctrl-D.");
  CHECK(found[1] == "> eins zwei");
  CHECK(found[2] == "> ");
  CHECK(found[3] == "> regard: line 3: not in the vocabulary, read as <unk>: five");
  CHECK(found[5] == "> vier");
  CHECK(found[6] == "> ");
}

TEST_CASE("the prompt ends at once if nothing is typed", "[program]") {
  const Outcome outcome = run_in_terminal({"translate", small_model()}, end_of_input);
  CHECK(outcome.code == 0);
  CHECK(outcome.out == "One sentence a line; end with Ctrl-D.\n> \n");
}

TEST_CASE("a file gets the translations of what is typed, the person the prompts", "[program]") {
  const TemporaryDirectory directory;
  const std::string file = directory.file("translations", "");
  const Outcome outcome =
      run_in_terminal({"translate", small_model()}, std::string("one two\nfour\n") + end_of_input, file);
  CHECK(outcome.code == 0);
  CHECK(content(file) == "eins zwei\nvier\n");
  CHECK(outcome.out == "One sentence a line; end with Ctrl-D.\n> > > \n");
}

TEST_CASE("a training shows a bar, and its log above", "[program]") {
  const TemporaryDirectory directory;
  const Outcome outcome = run_in_terminal(train_command(directory / "model", {"training.steps=30"}));
  CHECK(outcome.code == 0);
  CHECK_THAT(outcome.out,
             ContainsSubstring("\r\x1b[K") && ContainsSubstring("░") && ContainsSubstring(" %  step "));
  CHECK_THAT(outcome.out, ContainsSubstring(" left"));
  // Each line of the log begins at the margin, where the bar has been wiped away.
  std::size_t logged = 0;
  for (const std::string& line : lines(outcome.out)) {
    const std::size_t epoch = line.find("epoch ");
    if (epoch == std::string::npos) continue;
    ++logged;
    CHECK((epoch == 0 || line.substr(0, epoch).ends_with("\r\x1b[K")));
  }
  CHECK(logged == 3);  // steps 20 and 30, and the validation
  CHECK_THAT(outcome.out, ContainsSubstring("\nThe model is in "));
}
