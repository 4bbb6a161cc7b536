// Files of a corpus that come more or less often, and pairs that are held out for validation.
#include "apps/translation/corpus/mixture.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "apps/random.h"
#include "apps/translation/corpus/batching.h"
#include "apps/translation/corpus/held_out.h"
#include "apps/translation/training/training_data.h"
#include "tests/apps/support.h"
#include "tests/catch.h"

using namespace regard::translation;
using regard::Index;
using regard::SplitMix64;
using regard::to_index;
using regard::to_size;
using regard::tests::TemporaryDirectory;

namespace {

/// How often each pair comes in these epochs.
std::vector<Index> times_per_pair(const Mixture& mixture, std::size_t pairs, Index first, Index last,
                                  std::uint64_t seed = 1) {
  std::vector<Index> result(pairs);
  for (Index epoch = first; epoch <= last; ++epoch)
    for (const std::size_t pair : pairs_of_epoch(pairs, mixture, seed, epoch)) ++result[pair];
  return result;
}

/// A text of one file, whose sources come several times, in other cases and with other blanks.
ParallelText repetitive_text() {
  ParallelText text{.source = {}, .target = {}, .name = "text"};
  SplitMix64 random(3);
  for (Index i = 0; i < 3000; ++i) {
    const std::string number = std::to_string(random.below(600));
    const std::vector<std::string> forms{"Straße " + number, "straße  " + number,
                                         " STRAßE\u00A0" + number + " "};
    text.source.push_back(random.pick(forms));
    text.target.push_back(std::to_string(i));
  }
  text.file_lines = {3000};
  return text;
}

std::string number_in(const std::string& source) {
  const std::size_t begin = source.find_first_of("0123456789");
  return source.substr(begin, source.find_last_of("0123456789") + 1 - begin);
}

std::set<std::string> numbers_in(const std::vector<std::string>& sources) {
  std::set<std::string> result;
  for (const std::string& source : sources) result.insert(number_in(source));
  return result;
}

std::size_t in_common(const std::set<std::string>& one, const std::set<std::string>& other) {
  return static_cast<std::size_t>(
      std::ranges::count_if(one, [&](const std::string& entry) { return other.contains(entry); }));
}

}  // namespace

TEST_CASE("a share says how often the pairs of a file come", "[mixture]") {
  const Mixture mixture{{.file = "a", .pairs = 400, .share = 2},
                        {.file = "b", .pairs = 400, .share = 0.25},
                        {.file = "c", .pairs = 400, .share = 1}};
  for (const Index epoch : {1, 2, 1000}) {
    const std::vector<Index> once = times_per_pair(mixture, 1200, epoch, epoch);
    for (std::size_t i = 0; i < 400; ++i) {
      CHECK(once[i] == 2);
      CHECK((once[400 + i] == 0 || once[400 + i] == 1));
      CHECK(once[800 + i] == 1);
    }
    const Index quarter = std::accumulate(once.begin() + 400, once.begin() + 800, Index{0});
    CHECK(std::abs(quarter - 100) < 40);  // more than four standard deviations
  }
  // In four epochs each pair comes once, wherever they begin; two seeds draw other pairs.
  const std::vector<Index> four = times_per_pair(mixture, 1200, 7, 10);
  CHECK(std::ranges::count(four.begin() + 400, four.begin() + 800, 1) == 400);
  CHECK(times_per_pair(mixture, 1200, 1, 1) == times_per_pair(mixture, 1200, 1, 1));
  CHECK(times_per_pair(mixture, 1200, 1, 1) != times_per_pair(mixture, 1200, 2, 2));
  CHECK(times_per_pair(mixture, 1200, 1, 1) != times_per_pair(mixture, 1200, 1, 1, 2));
}

TEST_CASE("a share that is no fraction of small numbers holds over many epochs", "[mixture]") {
  const Mixture mixture{{.file = "a", .pairs = 50, .share = 1.37}};
  for (const Index count : times_per_pair(mixture, 50, 1, 200))
    CHECK((count == 273 || count == 274 || count == 275));
}

TEST_CASE("without a mixture, batches are those of all pairs once", "[mixture]") {
  std::vector<PairLength> lengths;
  SplitMix64 random(1);
  for (Index i = 0; i < 90; ++i)
    lengths.push_back({static_cast<Index>(random.below(9)), static_cast<Index>(random.below(9))});
  CHECK(plan_epoch(lengths, 60, 1, 3, {{.file = "a", .pairs = 90, .share = 1}}) ==
        plan_epoch(lengths, 60, 1, 3));
  std::vector<Index> found(90);
  for (const auto& batch : plan_epoch(lengths, 60, 1, 3, {{"a", 30, 3}, {"b", 60, 1}}))
    for (const std::size_t pair : batch) ++found[pair];
  for (std::size_t i = 0; i < 90; ++i) CHECK(found[i] == (i < 30 ? 3 : 1));
}

TEST_CASE("a temperature makes the sizes of the files more alike", "[mixture]") {
  // 9,000, 900 and 100 pairs, of which one was left out of each.
  ParallelText text{.source = {}, .target = {}, .name = "x"};
  text.file_lines = {9001, 901, 101};
  ParallelCorpus corpus;
  for (Index line = 0; line < 10003; ++line)
    if (line != 5 && line != 9001 && line != 10002) corpus.lines.push_back(line);
  const std::vector<std::string> files{"a", "b", "c"};
  for (const double temperature : {2.0, 5.0, 100.0}) {
    const Mixture mixture = mixture_of(text, corpus, files, {}, temperature);
    REQUIRE(mixture.size() == 3);
    std::vector<double> expected;
    double sum = 0, pairs = 0;
    for (const double n : {9000., 900., 100.}) {
      expected.push_back(std::pow(n, 1 / temperature));
      sum += expected.back();
    }
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(static_cast<double>(mixture[i].pairs) * mixture[i].share == Approx(1e4 * expected[i] / sum));
      pairs += static_cast<double>(mixture[i].pairs) * mixture[i].share;
    }
    CHECK(pairs == Approx(1e4));
  }
  const Mixture given = mixture_of(text, corpus, files, {1, 2, 0.5}, 1);
  CHECK(given[0].pairs == 9000);
  CHECK(given[1].pairs == 900);
  CHECK(given[2].pairs == 100);
  CHECK(given[2].share == 0.5);
  CHECK(given[1].file == "b");
  corpus.lines.resize(9900);
  CHECK_ERROR(mixture_of(text, corpus, files, {1, 2, 1}, 1), "c: no pair of this file is left to train on");
}

TEST_CASE("pairs that are held out have no source in common with the others", "[mixture]") {
  ParallelText text = repetitive_text();
  const ParallelText all = text;
  const ParallelText held = hold_out(text, 0.1);
  CHECK(text.source.size() + held.source.size() == 3000);
  CHECK(text.file_lines == std::vector<Index>{to_index(text.source.size())});
  CHECK(in_common(numbers_in(held.source), numbers_in(text.source)) == 0);
  CHECK(std::abs(to_index(numbers_in(held.source).size()) - 60) < 30);  // four standard deviations
  // Sources and targets stay together, in their order.
  for (const ParallelText* part : std::vector<const ParallelText*>{&text, &held}) {
    Index before = -1;
    for (std::size_t i = 0; i < part->source.size(); ++i) {
      const Index line = std::stoi(part->target[i]);
      CHECK(line > before);
      CHECK(part->source[i] == all.source[to_size(line)]);
      before = line;
    }
  }
  // The control: a division by lines leaks.
  const std::vector<std::string> first(all.source.begin(), all.source.begin() + 300),
      rest(all.source.begin() + 300, all.source.end());
  CHECK(in_common(numbers_in(first), numbers_in(rest)) > 100);
}

TEST_CASE("the same pairs are held out of a longer text and of several files", "[mixture]") {
  ParallelText text = repetitive_text(), half = text, files = text;
  half.source.resize(1500);
  half.target.resize(1500);
  half.file_lines = {1500};
  files.file_lines = {1000, 2000};
  const ParallelText held = hold_out(text, 0.1), of_half = hold_out(half, 0.1),
                     of_files = hold_out(files, 0.1);
  REQUIRE(of_half.target.size() > 50);
  CHECK(std::equal(of_half.target.begin(), of_half.target.end(), held.target.begin()));
  CHECK(of_files.target == held.target);
  CHECK(files.file_lines.size() == 2);
  CHECK(files.file_lines[0] + files.file_lines[1] == to_index(files.source.size()));
  CHECK(std::stoi(files.target[to_size(files.file_lines[0])]) >= 1000);
  CHECK(std::stoi(files.target[to_size(files.file_lines[0]) - 1]) < 1000);
  // A larger share holds out the same pairs and more.
  ParallelText again = repetitive_text();
  const ParallelText more = hold_out(again, 0.2);
  const std::set<std::string> more_targets(more.target.begin(), more.target.end());
  for (const std::string& target : held.target) CHECK(more_targets.contains(target));
  CHECK(more.target.size() > held.target.size());
}

TEST_CASE("spellings of the same sentence are held out together", "[mixture]") {
  ParallelText text{.source = {}, .target = {}, .name = "text", .file_lines = {1800}};
  for (int i = 0; i < 300; ++i) {
    const std::string number = std::to_string(i);
    for (const std::string& spelling :
         {"Un café fin " + number, "un cafe\u0301 ﬁn " + number, " Un  café\u00A0fin " + number,
          "Un\u200B café\u3000fin\uFEFF " + number, "UN CAFÉ FIN " + number})
      text.source.push_back(spelling);
    text.source.push_back("Un cafe fin " + number);  // another sentence
  }
  text.target.assign(1800, "x");
  const ParallelText held = hold_out(text, 0.2);
  const auto part = [&](const auto& of) {
    std::set<std::string> numbers, others;
    for (const std::string& line : of.source)
      (line.starts_with("Un cafe ") ? others : numbers).insert(line.substr(line.rfind(' ')));
    return std::pair(numbers, others);
  };
  const auto [numbers, others] = part(held);
  CHECK(std::abs(to_index(numbers.size()) - 60) < 30);
  CHECK(in_common(numbers, part(text).first) == 0);
  CHECK(numbers != others);
}

TEST_CASE("a share that leaves one of both texts empty is refused", "[mixture]") {
  ParallelText text{.source = {"a", "A "}, .target = {"x", "y"}, .name = "text", .file_lines = {2}};
  CHECK_ERROR(hold_out(text, 1e-9), "data.validation_share 1e-09 of the 2 pairs in text holds out none");
  CHECK_ERROR(hold_out(text, 1), "holds out all");
}

TEST_CASE("a training reads its validation pairs and its mixture from the settings", "[mixture]") {
  const TemporaryDirectory directory;
  std::string one, other;
  for (Index i = 0; i < 200; ++i) {
    one += "a w" + std::to_string(i % 100) + "\tx w" + std::to_string(i) + "\n";
    if (i % 4 == 0) other += "b w" + std::to_string(i) + "\ty w" + std::to_string(i) + "\n";
  }
  Settings settings;
  settings.data.tsv = std::vector<std::string>{directory.file("one", one), directory.file("other", other)};
  settings.data.validation_share = 0.2;
  settings.data.shares = {1, 3};
  const TrainingData data = load_training_data(settings);
  REQUIRE(data.validation);
  CHECK(data.training.pairs() + data.validation->pairs() == 250);
  CHECK(data.references.size() == to_size(data.validation->pairs()));
  REQUIRE(data.mixture.size() == 2);
  CHECK(data.mixture[0].pairs + data.mixture[1].pairs == data.training.pairs());
  CHECK(data.mixture[0].pairs % 2 == 0);  // each source of the first file comes twice
  CHECK(data.mixture[1].file == directory / "other");
  // Other parts of the same pairs are another corpus.
  TrainingData moved = data;
  ++moved.mixture[0].pairs;
  --moved.mixture[1].pairs;
  CHECK(moved.checksums() != data.checksums());
}
