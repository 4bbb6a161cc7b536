#include "apps/experiments/measures/job.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "apps/experiments/measures/measures.h"
#include "apps/translation/settings/settings_description.h"
#include "autograd/machine/files.h"
#include "tests/apps/support.h"

// What makes two jobs equal, and the data that a job's seed draws.

using namespace regard;
using namespace regard::experiments;
using translation::Json;

TEST_CASE("the hash of a job changes with each part of its description and with nothing else",
          "[experiments]") {
  const Job job{.task = {.toy = "copy", .letters = {1, 5}},
                .settings = {"training.steps=2", "model.heads=1"},
                .files = {{"train.source", "0"}}};
  std::set<std::string> hashes{hash_of(job)};
  std::set<std::string> paths;
  const auto changed = [&](const auto& change) {
    Job other = job;
    change(other);
    hashes.insert(hash_of(other));
    const Json one = description(job).flatten(), two = description(other).flatten();
    for (const auto& [path, value] : two.items())
      if (!one.contains(path) || one[path] != value) paths.insert(path);
  };
  changed([](Job& other) { other.task.toy = "reverse"; });
  changed([](Job& other) { other.task.letters = {2, 6}; });
  changed([](Job& other) { other.task.words = 24; });
  changed([](Job& other) { other.task.train = 100; });
  changed([](Job& other) { other.task.validation = 9; });
  changed([](Job& other) { other.task.test = 9; });
  changed([](Job& other) { other.task.forms = 2; });
  changed([](Job& other) { other.task.target_words = 9; });
  changed([](Job& other) { other.task.beam = 9; });
  changed([](Job& other) { other.task.average = 9; });
  changed([](Job& other) { other.task.maps = "identity"; });
  changed([](Job& other) { other.settings[0] = "training.steps=3"; });
  changed([](Job& other) { other.settings.emplace_back("model.heads=2"); });  // the later one is stronger
  changed([](Job& other) { other.settings.emplace_back("model.dropout=0"); });
  changed([](Job& other) { other.seed = 2; });
  changed([](Job& other) { other.quick = true; });
  changed([](Job& other) { other.alone = true; });
  changed([](Job& other) { other.files["train.source"] = "1"; });
  CHECK(hashes.size() == 19);
  const Json all = description(job).flatten();
  for (const auto& [path, value] : all.items()) {
    CAPTURE(path);
    CHECK((paths.contains(path) || path == "/version"));
  }
  // The same job: another name, place, measures; settings in another order or written otherwise.
  changed([](Job& other) { other.name = "another"; });
  changed([](Job& other) { other.directory = other.corpus = "another"; });
  changed([](Job& other) { other.measures = {{"bleu"}}; });
  changed([](Job& other) { other.settings = {"model.heads=2", "model.heads=1", "training.steps=2"}; });
  CHECK(hashes.size() == 19);
  Job wrong = job;
  wrong.settings = {"training.stepz=2"};
  CHECK_THROWS_AS(hash_of(wrong), Error);
}

TEST_CASE("files that a job reads are known by their contents", "[experiments]") {
  tests::TemporaryDirectory directory;
  std::filesystem::create_directory(directory / "corpus");
  std::vector<std::string> files, settings;
  for (const char* const part : {"train", "validation", "test"})
    for (const char* const side : {"source", "target"})
      files.push_back(std::string("corpus/") + part + "." + side);
  for (const translation::KnownSetting& setting : translation::known_settings()) {
    if (!setting.kind.allowed.starts_with("a path") || setting.place == "training.initial_weights") continue;
    files.push_back(setting.place);
    settings.push_back(setting.place + "=" + (directory / setting.place));
  }
  files.push_back("model/weights");  // a directory
  std::filesystem::create_directory(directory / "model");
  settings.push_back("training.initial_weights=" + (directory / "model"));
  CHECK(files.size() >= 6 + 8);  // rooms add more
  for (const std::string& file : files) {
    CAPTURE(file);
    directory.file(file, "before");
    const auto before = checksums(directory / "corpus", settings);
    CHECK(before == checksums(directory / "corpus", settings));
    directory.file(file, "behind");
    CHECK(before != checksums(directory / "corpus", settings));
  }
}

TEST_CASE("each seed draws its own data, and the same seed the same", "[experiments]") {
  const Task task{.toy = "copy", .letters = {3, 9}, .train = 200, .validation = 20, .test = 50};
  const auto corpus = [&](Index seed) { return corpus_for({.task = task, .seed = seed}, task); };
  const toys::Corpus one = corpus(1), again = corpus(1), two = corpus(2);
  CHECK(one.train == again.train);
  CHECK(one.test == again.test);
  CHECK(one.train != two.train);
  CHECK(one.validation != two.validation);
  CHECK(one.test != two.test);
  std::set<std::string> trained;
  for (const toys::SentencePair& pair : one.train) trained.insert(pair.source);
  for (const toys::SentencePair& pair : one.test) CHECK_FALSE(trained.contains(pair.source));
  const toys::Toy toy = toy_of(task);
  const Job first{.task = task, .seed = 1}, second{.task = task, .seed = 2};
  CHECK(sample(first, toy, 20, Draw::test) == sample(first, toy, 20, Draw::test));
  CHECK(sample(first, toy, 20, Draw::test) != sample(second, toy, 20, Draw::test));
  CHECK(sample(first, toy, 20, Draw::test) != sample(first, toy, 20, Draw::train));
}

TEST_CASE("target words have forms, and the training may leave long targets out", "[experiments]") {
  const Task plain{.toy = "brackets", .train = 300, .validation = 50, .test = 200};
  Task changed = plain;
  changed.forms = 2;
  changed.target_words = 6;
  const toys::Corpus without = corpus_for({.task = plain}, plain),
                     with = corpus_for({.task = changed}, changed);
  const auto words = [](const toys::SentencePair& pair) { return std::ranges::count(pair.target, ' ') + 1; };
  const auto longest = [&](const std::vector<toys::SentencePair>& pairs) {
    return words(std::ranges::max(pairs, {}, words));
  };
  CHECK(longest(without.train) == 8);
  CHECK(longest(with.train) == 6);
  CHECK(longest(with.validation) == 6);
  CHECK(longest(with.test) == 8);
  double stars = 0, all = 0;
  for (std::size_t i = 0; i < with.test.size(); ++i) {
    std::string target = with.test[i].target;
    stars += static_cast<double>(std::erase(target, '*'));
    all += static_cast<double>(words(with.test[i]));
    CHECK(target == without.test[i].target);
    CHECK(with.test[i].source == without.test[i].source);
  }
  CHECK(std::abs(stars / all - 0.5) < 0.1);
}

TEST_CASE("each pair is in one class of sentences with adjoining numbers of words", "[experiments]") {
  Pairs pairs;
  for (const char* const source : {"1", "1 2", "1 2 3", "1 2 3 4", "1 2 3 4 5", "a b"})
    pairs.push_back({source, "x"});
  const auto sources = [&](Index from, Index width, Index most) {
    std::vector<std::string> found;
    for (const toys::SentencePair& pair : with_words(pairs, from, width, most)) found.push_back(pair.source);
    return found;
  };
  CHECK(sources(1, 2, 9) == std::vector<std::string>{"1", "1 2", "a b"});
  CHECK(sources(3, 2, 9) == std::vector<std::string>{"1 2 3", "1 2 3 4"});
  CHECK(sources(5, 2, 9) == std::vector<std::string>{"1 2 3 4 5"});
  CHECK(sources(1, 2, 2) == std::vector<std::string>{"1", "1 2"});  // the first ones
}
