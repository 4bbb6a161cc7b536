#include "apps/experiments/jobs/plan.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "apps/experiments/measures/measures.h"
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

TEST_CASE("a variant that has the setting itself is not tuned, and shares its jobs with one that is",
          "[experiments]") {
  Experiment own = tuned_experiment();
  own.variants[1].settings.emplace_back("training.learning_rate=0.004");
  CHECK(plan(own, {}, {}).missing.size() == 4 * 2 + 2);
  Store store;
  finished_plan(tuned_experiment(), {}, store, best_at_4);
  CHECK(plan(own, {}, store).missing.empty());
  own.variants[1].settings.back() = "training.learning_rate=0.002";
  CHECK(plan(own, {}, store).missing.size() == 2);
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
  // Equal trainings, but other measures: one job, two lines.
  Store store;
  Plan found = plan(experiment, {}, store);
  CHECK(found.missing[0].hash == found.missing[8].hash);
  CHECK(found.missing[0].measures != found.missing[8].measures);
  const auto no_loss = [](double) { return 0.0; };
  found = finished_plan(experiment, {}, store, no_loss);
  CHECK(found.lines.size() == 2 * 8);
  CHECK(found.results.minutes == 8);  // of a job that both share, once
}
