#include "apps/experiments/plan.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "apps/experiments/measures.h"
#include "apps/translation/settings/settings_description.h"
#include "autograd/machine/files.h"
#include "tests/apps/support.h"

using namespace regard;
using namespace regard::experiments;
using translation::Json;

namespace {

Experiment tuned_experiment(const std::string& id = "mine") {
  Json json = translation::parse_json(R"({
    "claim": "Few heads.", "source": "nobody", "method": "None.", "seeds": 2,
    "task": {"toy": "copy", "letters": [1, 5], "train": 100, "test": 20},
    "settings": ["training.steps=2", "model.dropout=0"],
    "tuning": {"training.learning_rate": [0.001, 0.002, 0.004, 0.008]},
    "variants": {"one": ["model.heads=1"], "two": ["model.heads=2"]},
    "measure": ["exact"],
    "needs": ["exact(one) >= 0"], "parts": [{"says": "It.", "if": "exact(one) >= 1"}],
    "columns": [{"title": "exact", "measurement": "exact"}]
  })",
                                      "mine");
  json["id"] = id;
  return read_experiment(json, "mine.json");
}

/// Finishes the missing jobs of a plan: `loss` is the loss of a learning rate, and "exact" is the seed.
template <class Loss>
void finish(const Plan& plan, Store& store, const Loss& loss) {
  for (const Job& job : plan.missing) {
    Line line{.job = job.hash, .variant = "", .minutes = 1};
    const Json settings = description(job)["settings"];
    for (const MeasureCall& call : job.measures) {
      Measured& one = line.measured.emplace_back(Measured{.call = call});
      for (const std::string& name : names_of(call)) one.measurements[name] = {static_cast<double>(job.seed)};
      if (call.name == "training")
        one.measurements["validation_loss"] = {loss(settings["training.learning_rate"].get<double>())};
    }
    store.add(line);
  }
}

/// The plan after all its jobs are finished.
template <class Loss>
Plan finished_plan(const Experiment& experiment, const PlanOptions& options, Store& store, const Loss& loss) {
  Plan found = plan(experiment, options, store);
  for (int stages = 0; !found.missing.empty() && stages < 10; ++stages) {
    finish(found, store, loss);
    found = plan(experiment, options, store);
  }
  return found;
}

double best_at_4(double rate) { return std::abs(rate - 0.004); }

}  // namespace

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
  CHECK(files.size() == 6 + 8);
  for (const std::string& file : files) {
    CAPTURE(file);
    directory.file(file, "before");
    const auto before = checksums(directory / "corpus", settings);
    CHECK(before == checksums(directory / "corpus", settings));
    directory.file(file, "behind");
    CHECK(before != checksums(directory / "corpus", settings));
  }
}

TEST_CASE("a tuning tries its values with two seeds, and the seeds of the verdict follow", "[experiments]") {
  const Experiment experiment = tuned_experiment();
  Store store;
  Plan found = plan(experiment, {}, store);
  CHECK(found.missing.size() == 2 * 4 * 2);
  CHECK(found.later == 2 * 2);
  for (const Job& job : found.missing) {
    CHECK((job.seed == 91 || job.seed == 92));
    CHECK(job.measures == std::vector<MeasureCall>{{"training"}});
  }
  finish(found, store, best_at_4);
  found = plan(experiment, {}, store);
  CHECK(found.missing.size() == 2 * 2);
  CHECK(found.later == 0);
  CHECK(found.missing[0].measures == std::vector<MeasureCall>{{"training"}, {"exact"}});
  finish(found, store, best_at_4);
  found = plan(experiment, {}, store);
  CHECK(found.missing.empty());
  CHECK(found.lines.size() == 2 * (4 * 2 + 2));
  CHECK(found.results.minutes == 20);
  for (const Results::OfVariant& variant : found.results.variants) {
    CHECK(variant.tuned == "training.learning_rate=0.004");
    CHECK(variant.tried == std::vector<double>{0.001, 0.002, 0.004, 0.008});
    CHECK_FALSE(variant.at_edge);
    REQUIRE(variant.runs.size() == 2);
    CHECK(variant.runs[1].seed == 2);
    CHECK(variant.runs[1].value("exact") == 2);
  }
  // Fresh seeds take the same tuning; more seeds only need the further ones; quick tries nothing.
  CHECK(plan(experiment, {.first_seed = 101}, store).missing.size() == 2 * 2);
  CHECK(plan(experiment, {.seeds = 5}, store).missing.size() == 2 * 3);
  CHECK(plan(experiment, {.seeds = 1, .quick = true}, store).missing.size() == 2);
}

TEST_CASE("a tuning goes on at the edge, at most three times", "[experiments]") {
  const Experiment experiment = tuned_experiment();
  const auto tuned = [&](const auto& loss) {
    Store store;
    return finished_plan(experiment, {}, store, loss).results.variants[0];
  };
  const auto down = tuned([](double rate) { return std::abs(rate - 0.0005); });
  CHECK(down.tried == std::vector<double>{0.00025, 0.0005, 0.001, 0.002, 0.004, 0.008});
  CHECK(down.tuned == "training.learning_rate=0.0005");
  CHECK_FALSE(down.at_edge);
  const auto up = tuned([](double rate) { return -rate; });
  CHECK(up.tried == std::vector<double>{0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064});
  CHECK(up.tuned == "training.learning_rate=0.064");
  CHECK(up.at_edge);
  // The last value is inside: the third further one was worse.
  const auto inside = tuned([](double rate) { return std::abs(rate - 0.032); });
  CHECK(inside.tuned == "training.learning_rate=0.032");
  CHECK_FALSE(inside.at_edge);
}

TEST_CASE("experiments share equal jobs, and a new measure needs what is missing", "[experiments]") {
  Store store;
  finished_plan(tuned_experiment(), {}, store, best_at_4);
  Experiment other = tuned_experiment("other");
  other.variants[0].name = "alone";
  other.variants.erase(other.variants.begin() + 1);
  CHECK(plan(other, {}, store).missing.empty());
  other.settings[0] = "training.steps=3";
  CHECK(plan(other, {}, store).missing.size() == 8);  // from the tuning on

  Experiment more = tuned_experiment();
  for (Variant& variant : more.variants) variant.measure.push_back({"bleu"});
  const tests::TemporaryDirectory directory;
  const std::vector<Job> missing = plan(more, {.models = directory / "."}, store).missing;
  REQUIRE(missing.size() == 2 * 2);
  CHECK(missing[0].measures == std::vector<MeasureCall>{{"training"}, {"exact"}, {"bleu"}});
  std::filesystem::create_directories(missing[0].directory);
  regard::write_file(kept_training(missing[0].directory), {"{}"});
  const std::vector<Job> with_model = plan(more, {.models = directory / "."}, store).missing;
  CHECK(with_model[0].measures == std::vector<MeasureCall>{{"bleu"}});
  CHECK(with_model[1].measures.size() == 3);
}

TEST_CASE("results are read from the lines as they were written, for each block of seeds", "[experiments]") {
  const Experiment experiment = tuned_experiment();
  Store store;
  std::vector<Line> lines = finished_plan(experiment, {}, store, best_at_4).lines;
  const tests::TemporaryDirectory directory;
  const std::string path = directory / "mine.jsonl";
  CHECK(read_results(experiment, path).variants.empty());
  write_lines(lines, path);
  CHECK(std::ranges::count(tests::content(path), '\n') == 20);
  const Results read = read_results(experiment, path);
  CHECK(read.variants[1].tuned == "training.learning_rate=0.004");
  CHECK(read.variants[1].runs.size() == 2);
  CHECK(read.variants[1].runs[0].measurements ==
        Measurements{{"exact", {1}}, {"parameters", {1}}, {"validation_loss", {0}}});
  CHECK(read_results(experiment, path, 101).variants.empty());
  const std::vector<Line> fresh =
      finished_plan(experiment, {.first_seed = 101, .seeds = 3}, store, best_at_4).lines;
  lines.insert(lines.end(), fresh.begin(), fresh.end());
  write_lines(lines, path);
  CHECK(read_results(experiment, path).variants[0].runs.size() == 2);
  const Results late = read_results(experiment, path, 101);
  CHECK(late.variants[0].runs.size() == 3);
  CHECK(late.variants[0].runs[2].seed == 103);
  // A line fits the experiment only if its settings are those of the tuning.
  const Plan whole = plan(experiment, {}, store);
  for (Line line : lines) {
    CHECK(wants(experiment, {}, whole, line));
    line.job += "0";
    CHECK_FALSE(wants(experiment, {}, whole, line));
  }
  // The experiment has changed since: no line is taken silently.
  Experiment changed = experiment;
  changed.settings[0] = "training.steps=3";
  CHECK_ERROR(read_results(changed, path),
              "mine.jsonl: one, seed 91, training.learning_rate=0.001 is not as");
  for (const Line& line : lines) CHECK_FALSE(wants(changed, {}, whole, line));
  // Of an interrupted run, only the seeds of all variants.
  std::erase_if(lines, [](const Line& line) { return line.variant == "two" && line.seed != 1; });
  write_lines(lines, path);
  CHECK(read_results(experiment, path, 101).variants.empty());
}

TEST_CASE("a file of lines keeps six digits and texts, and damage is named", "[experiments]") {
  CHECK(rounded(2.0 / 3) == 0.666667);
  CHECK(rounded(1234567) == 1234567);
  CHECK(rounded(1e-9 / 3) == 3.33333e-10);
  const tests::TemporaryDirectory directory;
  const std::string path = directory / "mine.jsonl";
  const Line line{.job = "ab",
                  .variant = "a \"b\"",
                  .seed = 3,
                  .settings = {"x=1"},
                  .set = {"y=2"},
                  .files = {{"f", "0"}},
                  .minutes = 1.25,
                  .measured = {{{"one_sentence"},
                                {{"attention", {0.5, 1.0 / 3}}},
                                {{"source", "a"}, {"reference", "é"}, {"translation", ""}}},
                               {{"right_by_length", {{"lengths", {1, 2}}}}, {{"right", {1, 2}}}}}};
  write_lines({line}, path);
  const Line read = read_lines(path).at(0);
  CHECK(read.variant == line.variant);
  CHECK(read.set == line.set);
  CHECK(read.files == line.files);
  CHECK(read.minutes == 1.25);
  REQUIRE(read.measured.size() == 2);
  CHECK(read.measured[0].texts == line.measured[0].texts);
  CHECK(read.measured[0].measurements.at("attention") == std::vector<double>{0.5, 0.333333});
  CHECK(read.find({"right_by_length", {{"lengths", {1, 2}}}}) != nullptr);
  CHECK(read.find({"right_by_length", {{"lengths", {1, 3}}}}) == nullptr);
  const std::string good = tests::content(path);
  const Json whole = translation::parse_json(good, "whole");
  for (const auto& [key, value] : whole.items())
    for (const Json& wrong : {Json(), Json("x"), Json(-0.5), Json::array({1}), Json{{"right", {"x"}}}}) {
      Json damaged = whole;
      damaged[key] = wrong;
      directory.file("mine.jsonl", good + damaged.dump() + "\n");
      try {
        read_lines(path);
      } catch (const Error& error) {
        CHECK_CONTAINS(std::string(error.what()), "mine.jsonl, line 2");
        CHECK(!tests::contains(error.what(), "json.exception"));
      }
    }
  directory.file("mine.jsonl", good.substr(0, good.size() / 2));
  CHECK_THROWS_AS(read_lines(path), Error);
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

TEST_CASE("a variant has its own options of a measure", "[experiments]") {
  const Json json = translation::parse_json(R"({
    "id": "mine", "claim": "c", "source": "s", "method": "m",
    "variants": {"1": {"measure": [{"time_of_heads": {"heads": 1}}]}, "8": {"measure": [{"time_of_heads": {"heads": 8}}]}},
    "measure": ["time_of_heads"],
    "parts": [{"says": "It.", "if": "ms(1) >= 1"}],
    "columns": [{"title": "ms", "measurement": "ms"}]
  })",
                                            "mine");
  const Experiment experiment = read_experiment(json, "mine.json");
  CHECK(experiment.variants[1].measure == std::vector<MeasureCall>{{"time_of_heads", {{"heads", {8}}}}});
  CHECK_FALSE(trains(experiment));
  CHECK(trains(tuned_experiment()));
  CHECK(has_measurement(experiment, "1", "ms"));
  CHECK_FALSE(has_measurement(experiment, "1", "bleu"));
  CHECK(has_measurement(tuned_experiment(), "one", "validation_loss"));
  // Equal trainings, but other measures: one job, two lines.
  const Plan found = plan(experiment, {}, {});
  CHECK(found.missing[0].hash == found.missing[8].hash);
  CHECK(found.missing[0].measures != found.missing[8].measures);
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
