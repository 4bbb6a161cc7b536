// On a terminal, the program shows a prompt, and a progress bar during a training.
#include <algorithm>

#include "autograd/machine/error.h"
#include "tests/catch.h"
#include "tests/program/support/small_model.h"

using namespace regard::tests;
using regard::to_size;

namespace {
constexpr const char* end_of_input = "\x04";  // Ctrl-D
const std::string wipe = "\r\x1b[K";          // erases the row of the terminal

std::size_t characters(const std::string& text) {
  const auto continues = [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; };
  return text.size() - to_size(std::ranges::count_if(text, continues));
}
}  // namespace

TEST_CASE("at the prompt every sentence is translated at once", "[program]") {
  if (!has_terminals()) return;
  const Outcome outcome = run_in_terminal({"translate", small_model()},
                                          {.typed = std::string("one two\n\nfive\nfour\n") + end_of_input});
  CHECK(outcome.code == 0);
  const Words found = lines(outcome.out);
  REQUIRE(found.size() == 7);
  CHECK(found[0] == "One sentence per line; end with Ctrl-D.");
  CHECK(found[1] == "> eins zwei");
  CHECK(found[2] == "> ");
  CHECK(found[3] == "> regard: line 3: not in the vocabulary, read as <unk>: five");
  CHECK(found[5] == "> vier");
  CHECK(found[6] == "> ");
}

TEST_CASE("at the prompt, the program continues after a sentence that cannot be translated", "[program]") {
  if (!has_terminals()) return;
  std::string long_sentence;
  for (int i = 0; i < 257; ++i) long_sentence += "one ";
  const Outcome outcome =
      run_in_terminal({"translate", small_model()}, {.typed = long_sentence + "\nfour\n" + end_of_input});
  CHECK(outcome.code == 0);
  const Words found = lines(outcome.out);
  REQUIRE(found.size() == 4);
  CHECK_CONTAINS(found[1], "> regard: line 1 has 257 tokens, but this model takes at most 256");
  CHECK(found[2] == "> vier");
}

TEST_CASE("typed sentences are translated into a file, and the prompts stay on the terminal", "[program]") {
  if (!has_terminals()) return;
  const TemporaryDirectory directory;
  const std::string file = directory.file("translations", "");
  const Outcome outcome =
      run_in_terminal({"translate", small_model()},
                      {.typed = std::string("one two\nfour\n") + end_of_input, .output_path = file});
  CHECK(outcome.code == 0);
  CHECK(content(file) == "eins zwei\nvier\n");
  CHECK(outcome.out == "One sentence per line; end with Ctrl-D.\n> > > \n");
}

TEST_CASE("a training shows a bar, and its log above", "[program]") {
  if (!has_terminals()) return;
  const TemporaryDirectory directory;
  const Outcome outcome = run_in_terminal(train_command(directory / "model", {"training.steps=30"}));
  CHECK(outcome.code == 0);
  CHECK_THAT(outcome.out,
             ContainsSubstring("\r\x1b[K") && ContainsSubstring("░") && ContainsSubstring(" %  step "));
  CHECK_CONTAINS(outcome.out, " left");
  // Each line of the log begins in the first column, after the bar was erased.
  std::size_t logged = 0;
  for (const std::string& line : lines(outcome.out)) {
    const std::size_t begin = line.rfind("\r\x1b[K");
    const std::string shown = line.substr(begin == std::string::npos ? 0 : begin + wipe.size());
    if (!shown.starts_with("   20     20  ") && !shown.starts_with("   30     30  ")) continue;
    ++logged;
  }
  CHECK(logged == 3);  // steps 20 and 30, and the validation
  CHECK_CONTAINS(outcome.out, ". The model is in ");
}

TEST_CASE("the bar stays in one row, even on a narrow terminal", "[program]") {
  if (!has_terminals()) return;
  for (const unsigned short columns : {80, 33}) {
    const TemporaryDirectory directory;
    const Outcome outcome =
        run_in_terminal(train_command(directory / "model", {"training.steps=30"}), {.columns = columns});
    CHECK(outcome.code == 0);
    std::size_t bars = 0, longest = 0;
    for (std::size_t at = outcome.out.find(wipe); at != std::string::npos;) {
      const std::size_t begin = at + wipe.size();
      at = outcome.out.find(wipe, begin);
      const std::string bar = outcome.out.substr(begin, at - begin);
      if (bar.find("░") == std::string::npos || bar.find('\n') != std::string::npos) continue;
      ++bars;
      longest = std::max(longest, characters(bar));
    }
    CHECK(bars > 0);
    CHECK(longest < columns);
    CHECK((columns == 80) == (longest > 40));  // shortened only if necessary
  }
}

TEST_CASE("a map of the attention fits into the terminal", "[program]") {
  if (!has_terminals()) return;
  const std::string sentence = "one two three four one two three four one two three four";
  for (const unsigned short columns : {80, 40}) {
    const Outcome outcome = run_in_terminal({"translate", small_model(), "--attention"},
                                            {.typed = sentence + "\n" + end_of_input, .columns = columns});
    CHECK(outcome.code == 0);
    std::size_t longest = 0;
    for (const std::string& line : lines(outcome.out))
      if (!line.starts_with("> ")) longest = std::max(longest, characters(line));
    CHECK(longest > columns / 2u);
    CHECK(longest <= columns);
  }
}
