// `regard translate --alignments` and `regard evaluate --alignments`.

#include <algorithm>
#include <sstream>

#include "tests/catch.h"
#include "tests/program/support/small_model.h"

using namespace regard::tests;

namespace {

Outcome translate_and_align(const std::string& input, const Words& options = {}) {
  return run(joined({"translate", small_model(), "--alignments"}, options), {.input = input});
}

/// A small recurrent model that had one step of training.
std::string recurrent_model(const TemporaryDirectory& directory, const std::string& preset) {
  const Outcome outcome =
      run(train_command(directory / preset, recurrent_preset(preset, {"training.steps=1"})));
  CHECK(outcome.code == 0);
  return directory / preset;
}

/// Gold alignments of the small corpus: word by word, or each word with the word after it.
std::string gold_of_small_corpus(std::size_t shift) {
  std::string text;
  for (const std::string& line : lines(content(small_corpus().source))) {
    const auto words = static_cast<std::size_t>(std::count(line.begin(), line.end(), ' ')) + 1;
    for (std::size_t i = 0; i < words; ++i)
      text += (i > 0 ? " " : "") + std::to_string((i + shift) % words) + "-" + std::to_string(i);
    text += "\n";
  }
  return text;
}

Outcome compare_with(const std::string& gold, const std::string& model = small_model()) {
  return run(evaluate_command(model, {"--alignments", gold, "--beam", "1"}));
}

/// The number in the line that begins with this label.
double number_of(const std::string& label, const Outcome& outcome) {
  for (const std::string& line : lines(outcome.out))
    if (line.starts_with(label)) return std::stod(line.substr(label.size()));
  return -1;
}

}  // namespace

TEST_CASE("translate writes an alignment after each translation", "[program]") {
  const Outcome outcome = translate_and_align("one four two\n\nthree\n");
  CHECK(outcome.code == 0);
  CHECK(outcome.err.empty());
  const Words found = lines(outcome.out);
  REQUIRE(found.size() == 3);
  CHECK(found[0].starts_with("eins vier zwei\t"));
  CHECK(found[1] == "\t\t\t");
  CHECK(found[0].ends_with("\tone four two\teins vier zwei"));  // the tokens that the numbers count
  CHECK(found[2].starts_with("drei\t"));
  const std::size_t tab = found[0].find('\t');
  std::istringstream links(found[0].substr(tab + 1, found[0].find('\t', tab + 1) - tab - 1));
  char dash = ' ';
  int last = -1;
  for (int source = 0, target = 0; links >> source >> dash >> target; last = target) {
    CHECK(dash == '-');
    CHECK((source >= 0 && source < 3));
    CHECK((target > last && target < 3));  // at most one link per token, in order
  }
  CHECK(links.eof());
  // In front of it, everything is as without alignments.
  std::string without;
  for (const std::string& line : found) without += line.substr(0, line.find('\t')) + "\n";
  CHECK(run({"translate", small_model()}, {.input = "one four two\n\nthree\n"}).out == without);
}

TEST_CASE("the attention of text becomes a labelled map for each line", "[program]") {
  const TemporaryDirectory directory;
  const Words command{"translate", small_model(), "--attention-images", directory / "maps"};
  const Outcome outcome = run(command, {.input = "one <&> two\n\nthree\n"});
  CHECK(outcome.code == 0);
  const std::string map = content(directory / "maps/1.svg");
  CHECK(map.starts_with("<svg "));
  for (const std::string label : {">one</text>", ">&lt;unk></text>", ">eins</text>", ">&lt;/s></text>"})
    CHECK_CONTAINS(map, label);
  std::size_t squares = 0;
  for (std::size_t at = map.find("fill-opacity"); at != std::string::npos;
       at = map.find("fill-opacity", at + 1))
    ++squares;
  const std::string first = lines(outcome.out)[0];
  const auto words = static_cast<std::size_t>(std::count(first.begin(), first.end(), ' ')) + 1;
  CHECK(squares == 4 * (words + 1));  // with </s> on both sides
  CHECK_FALSE(std::filesystem::exists(directory / "maps/2.svg"));
  CHECK(std::filesystem::exists(directory / "maps/3.svg"));
  CHECK_REFUSED(run(command, {.input = "one\n"}), "the directory is not empty");
}

TEST_CASE("alignments go with scores, n-best lists, samples and maps", "[program]") {
  for (const Words& how : {Words{"--n-best", "2"}, {"--n-best", "2", "--sample", "--seed", "3"}}) {
    if (how.size() > 2 && !has_option("translate", "--sample")) continue;
    Words options = {"--scores"};
    options.insert(options.end(), how.begin(), how.end());
    const Words found = lines(translate_and_align("one two\nfour\n", options).out);
    REQUIRE(found.size() == 4);
    for (const std::string& line : found) CHECK(std::count(line.begin(), line.end(), '\t') == 5);
    CHECK(found[0].starts_with("1\t-"));
    CHECK(found[3].starts_with("2\t-"));
  }
  const Words mapped = lines(translate_and_align("one\n", {"--attention"}).out);
  CHECK(mapped[0].starts_with("eins\t"));
  CHECK(mapped[2] == "one    </s>   ");
}

TEST_CASE("a recurrent model with attention has alignments, one without is refused", "[program]") {
  const TemporaryDirectory directory;
  const std::string with = recurrent_model(directory, "bahdanau2015");
  const std::string without = recurrent_model(directory, "cho2014");
  const Outcome outcome = run({"translate", with, "--alignments"}, {.input = "one two\n"});
  CHECK(outcome.code == 0);
  CHECK_CONTAINS(outcome.out, "\t");
  const Outcome refused = run({"translate", without, "--alignments"}, {.input = "one two\n"});
  CHECK_REFUSED(refused, "this model has no attention to the source");
  CHECK(refused.out.empty());
  const std::string gold = directory.file("gold", gold_of_small_corpus(0));
  CHECK(number_of("AER ", compare_with(gold, with)) >= 0);
  CHECK_REFUSED(compare_with(gold, without), "this model has no attention to the source");
  CHECK(compare_with(gold, without).out.empty());
}

TEST_CASE("an evaluation compares the attention with gold alignments", "[program]") {
  const TemporaryDirectory directory;
  const std::string own = directory.file("own", [] {
    // The model translates the small corpus without a mistake, so these alignments are of the references.
    std::string text;
    for (const std::string& line : lines(translate_and_align(content(small_corpus().source)).out)) {
      const std::size_t tab = line.find('\t') + 1;
      text += line.substr(tab, line.find('\t', tab) - tab) + "\n";
    }
    return text;
  }());
  const Outcome equal = compare_with(own);
  CHECK(equal.code == 0);
  CHECK(equal.err.empty());
  CHECK(number_of("AER ", equal) == 0);
  CHECK(number_of("  precision ", equal) == 100);
  CHECK(number_of("  recall ", equal) == 100);
  CHECK_CONTAINS(equal.out, "exact match     100.00 %\nAER             0.00 %\n  precision     ");

  // Negative control: alignments of other words.
  const Outcome right = compare_with(directory.file("right", gold_of_small_corpus(0)));
  const Outcome shifted = compare_with(directory.file("shifted", gold_of_small_corpus(1)));
  CHECK(number_of("AER ", shifted) > number_of("AER ", right));

  const std::string nothing = directory.file("nothing", std::string(84, '\n'));
  CHECK(number_of("AER ", compare_with(nothing)) == 100);
  CHECK_CONTAINS(compare_with(nothing).out, "  recall        none (0 sure links");
  CHECK(run(evaluate_command(small_model())).out.find("AER") == std::string::npos);
}

TEST_CASE("only pairs that are not left out count for the alignment error rate", "[program]") {
  const TemporaryDirectory directory;
  const std::string source = directory.file("source", "one\n\ntwo\n"),
                    reference = directory.file("reference", "eins\nzwei\nzwei\n");
  const Outcome outcome = run({"evaluate", small_model(), "--source", source, "--reference", reference,
                               "--alignments", directory.file("gold", "0-0\n\n0-0\n")});
  CHECK(outcome.code == 0);
  CHECK_CONTAINS(outcome.out, "(2 sure links of the gold alignments)");
}

TEST_CASE("a gold file that does not fit is refused with its line", "[program]") {
  const TemporaryDirectory directory;
  const std::string good = gold_of_small_corpus(0);
  const std::string longer = directory.file("longer", good + "\n");
  CHECK_REFUSED(compare_with(longer), longer + " has 85 lines, " + small_corpus().target + " has 84 lines");
  const std::string beyond = directory.file("beyond", "0-0\n1-0\n" + good.substr(8));
  CHECK_REFUSED(compare_with(beyond), beyond +
                                          ", line 2: the link between source token 1 and target token 0 is "
                                          "beyond the source, which has 1 tokens");
  CHECK(compare_with(beyond).out.empty());
  CHECK_REFUSED(compare_with(directory / "none"), directory / "none");
  CHECK_REFUSED(run({"evaluate", "--hypothesis", small_corpus().target, "--reference", small_corpus().target,
                     "--alignments", beyond}),
                "--alignments requires MODEL_DIR");
  CHECK_REFUSED(run(evaluate_command(small_model(), {"--alignments", beyond, "--output", beyond})),
                "--output " + beyond);
}
