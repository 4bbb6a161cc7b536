// The table of regard profile.
#include <algorithm>
#include <cmath>

#include "tests/catch.h"
#include "tests/program/support/small_model.h"

using namespace regard::tests;

namespace {

Outcome profile_train(const Words& options) {
  const Words command = {
      "profile", "train", "--source", small_corpus().source, "--target", small_corpus().target};
  return run(joined(joined(command, {"--steps", "2", "--warmup-steps", "1", "--threads", "2"}), options));
}

struct Row {
  std::string name, direction;
  int calls = 0;
  double milliseconds = 0, share = 0;
};

/// The rows of the table, without its head. "outside of these" and "total" have no calls.
std::vector<Row> rows(const std::string& out) {
  std::vector<Row> result;
  bool in_table = false;
  for (const std::string& line : lines(out)) {
    if (line.starts_with("floor:")) break;
    if (in_table) {
      const auto column = [&](std::size_t first, std::size_t width) {
        std::string text = line.substr(first, width);
        text.erase(0, text.find_first_not_of(' '));
        text.erase(text.find_last_not_of(' ') + 1);
        return text;
      };
      const std::string calls = column(38, 7);
      result.push_back({column(0, 28), column(29, 8), calls.empty() ? 0 : std::stoi(calls),
                        std::stod(column(46, 10)), std::stod(column(57, 7))});
    }
    in_table = in_table || line.starts_with("operation ");
  }
  return result;
}

int calls(const std::vector<Row>& rows, const std::string& name, const std::string& direction) {
  const auto row =
      std::ranges::find_if(rows, [&](const Row& r) { return r.name == name && r.direction == direction; });
  return row == rows.end() ? 0 : row->calls;
}

/// Checks the table: the longest time first, "outside" and the total last, and shares that sum to 100 %.
void check_order_and_sum(const std::vector<Row>& rows) {
  REQUIRE(rows.size() > 3);
  CHECK(rows.back().name == "total");
  CHECK(rows[rows.size() - 2].name == "outside of these");
  double sum = 0;
  for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
    sum += rows[i].milliseconds;
    if (i > 0 && i + 2 < rows.size()) CHECK(rows[i].milliseconds <= rows[i - 1].milliseconds);
  }
  CHECK(std::abs(sum - rows.back().milliseconds) < 0.01 * static_cast<double>(rows.size()));
  CHECK(rows.back().share == 100);
}

}  // namespace

TEST_CASE("a profile of training has a row for each operation and direction", "[program]") {
  const Outcome outcome = profile_train({});
  CHECK(outcome.code == 0);
  CHECK(outcome.err.empty());
  const Words found = lines(outcome.out);
  REQUIRE(found.size() > 8);
  CHECK_THAT(found[0], Matches("model        tiny, [0-9]+ parameters, vocabulary 12, dropout 0.3, .*"));
  CHECK_THAT(found[1], Matches("machine      2 threads, .+"));
  CHECK_THAT(found[2], Matches("steps        2 after 1 of warm-up, [0-9]+ tokens .+, [0-9]+ tokens/s"));
  CHECK_THAT(found.back(), Matches("floor: [0-9.]+ GFLOP/s .*"));

  const std::vector<Row> table = rows(outcome.out);
  check_order_and_sum(table);
  // Two steps of a model of 4 + 4 layers: 4 + 2 x 4 attentions.
  CHECK(calls(table, "attention", "forward") == 2 * 12);
  CHECK(calls(table, "attention", "backward") == 2 * 12);
  CHECK(calls(table, "linear_relu", "forward") == 2 * 8);
  CHECK(calls(table, "linear", "forward") == calls(table, "linear", "backward"));
  CHECK(calls(table, "linear", "forward") > 0);
  CHECK(calls(table, "linear_cross_entropy", "forward") == 2);
  CHECK(calls(table, "linear_cross_entropy", "backward") == 2);
  CHECK(calls(table, "Optimiser::step", "") == 2);
  CHECK(calls(table, "make_batch", "") == 2);
  CHECK(calls(table, "beam_search", "") == 0);
  for (const std::string& line : found)
    if (line.starts_with("linear ")) CHECK_THAT(line, Matches(".* [0-9.]+ GFLOP/s +[0-9]+ %"));
}

TEST_CASE("a profile of recurrent models names their operations", "[program]") {
  const TemporaryDirectory directory;
  // Sentences 20 and 83 have three words, so the decoder takes four steps with </s>.
  const std::string batches = directory.file("batches.jsonl", "[0, 20, 83]\n");
  const auto profile = [&](const std::string& preset) {
    const Outcome outcome =
        profile_train({"--preset", preset, "--set", "model.d_model=8", "--batches", batches});
    CHECK(outcome.code == 0);
    CHECK(outcome.err.empty());
    return rows(outcome.out);
  };
  const std::vector<Row> bahdanau = profile("bahdanau2015"), luong = profile("luong2015");
  check_order_and_sum(bahdanau);
  for (const std::string direction : {"forward", "backward"}) {
    CAPTURE(direction);
    CHECK(calls(bahdanau, "gru", direction) == 2 * (2 + 4));  // two steps; two directions of the encoder
    for (const char* name : {"additive_scores", "range_softmax", "weighted_sum"})
      CHECK(calls(bahdanau, name, direction) == 2 * 4);
    CHECK(calls(bahdanau, "linear_cross_entropy", direction) == 2);
    CHECK(calls(luong, "lstm", direction) == 2 * (1 + 4));
    CHECK(calls(luong, "dot_scores", direction) == 2 * 4);
  }
  CHECK(calls(bahdanau, "attention", "forward") == 0);
  CHECK(calls(bahdanau, "lstm", "forward") == 0);
}

TEST_CASE("a profile of translating shows search, caches and operations, but no translation", "[program]") {
  for (const std::string beam : {"1", "3"}) {
    CAPTURE(beam);
    const Outcome outcome =
        run_well({"profile", "translate", small_model(), "--beam", beam, "--threads", "1"},
                 {.input = "one two\nthree\n\nfour one four\n"});
    CHECK_THAT(outcome.out, !ContainsSubstring("eins"));
    CHECK_THAT(lines(outcome.out).front(),
               Matches("sentences    4, beam " + beam + ", 1 thread, [0-9.]+ sentences/s"));
    const std::vector<Row> table = rows(outcome.out);
    check_order_and_sum(table);
    CHECK(calls(table, beam == "1" ? "greedy_search" : "beam_search", "") == 1);
    CHECK(calls(table, beam == "1" ? "beam_search" : "greedy_search", "") == 0);
    CHECK(calls(table, "DecodingState::advance", "") >= 4);  // three words and </s>
    CHECK(calls(table, "attention", "forward") > 0);
    CHECK(calls(table, "attention", "backward") == 0);
  }
}

TEST_CASE("a profile predicts what more threads would gain, on one thread", "[program]") {
  const Outcome trained = run_well({"profile", "train", "--source", small_corpus().source, "--target",
                                    small_corpus().target, "--steps", "2", "--scaling"});
  const Outcome translated =
      run_well({"profile", "translate", small_model(), "--scaling"}, {.input = "one two\n"});
  for (const Outcome& outcome : {trained, translated}) {
    CHECK_THAT(outcome.out,
               ContainsSubstring("1 thread,") && ContainsSubstring("On 16 threads these lose most:"));
    for (const std::string threads : {"1", "2", "64"})
      CHECK_THAT(outcome.out, ContainsSubstring(fmt::format("\n{:>7} ", threads)));
  }
  CHECK_THAT(trained.out, ContainsSubstring("ms per step"));
  CHECK_THAT(translated.out, ContainsSubstring("ms per sentence"));
}

TEST_CASE("a profile that cannot be made is refused before the work begins", "[program]") {
  const TemporaryDirectory directory;
  const auto refused = [&](const Outcome& outcome, const std::string& text) {
    CHECK_REFUSED(outcome, text);
    CHECK(outcome.out.empty());
  };
  refused(profile_train({"--scaling"}), "leave --threads 2 out");
  refused(run({"profile", "translate", small_model(), "--scaling", "--threads", "4"}, {.input = "one\n"}),
          "leave --threads 4 out");
  refused(run({"profile", "translate", small_model()}), "standard input has no sentences to translate");
  refused(run({"profile", "translate", small_model(), "--beam", "0"}, {.input = "one\n"}),
          "--beam 0: decoding.beam must be");
  refused(run({"profile", "translate", directory / "none"}, {.input = "one\n"}), directory / "none");
  CHECK_REFUSED(run({"profile", "evaluate"}), "there is no command evaluate; give one of train, translate");
  CHECK(directory.entries() == 0);
}
