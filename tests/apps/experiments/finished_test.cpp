#include "apps/experiments/finished.h"

#include <nlohmann/json.hpp>
#include <set>

#include "apps/experiments/measures.h"
#include "apps/translation/settings/settings_description.h"
#include "tests/apps/support.h"

using namespace regard;
using namespace regard::experiments;
using translation::Json;

namespace {

Experiment one_variant() {
  Experiment experiment;
  experiment.id = "mine";
  experiment.settings = {"training.steps=2"};
  experiment.variants = {{.name = "one", .settings = {}, .task = {.letters = {1, 5}}}};
  experiment.measure = {{.name = "right_by_length", .options = {{"lengths", {1, 2}}}}, {.name = "bleu"}};
  return experiment;
}

/// A job, and files that it reads.
struct Place {
  tests::TemporaryDirectory directory;
  Job job{.variant = "one", .settings = {}, .directory = directory / ".", .corpus = {}};

  Place() { std::filesystem::create_directory(directory / "corpus"); }
  std::string path() const { return job.directory + "/measurements.json"; }
  void write(const Experiment& experiment) const {
    write_finished({1, 2, {job.seed, {{"bleu", {3, 1e300}}}, {{"source", "a"}}}},
                   description(experiment, job), job);
  }
};

}  // namespace

TEST_CASE("a finished job is read as it was written", "[experiments]") {
  const Place place;
  CHECK(!read_finished(one_variant(), place.job));
  place.write(one_variant());
  const Finished read = read_finished(one_variant(), place.job).value();
  CHECK(read.seconds == 1);
  CHECK(read.processor_seconds == 2);
  CHECK(read.run.measurements == Measurements{{"bleu", {3, 1e300}}});
  CHECK(read.run.texts.at("source") == "a");
}

TEST_CASE("a job of another experiment is not taken, and the message says what differs", "[experiments]") {
  const Place place;
  std::set<std::string> paths;
  const auto changed = [&](const std::string& path, const auto& change, const std::string& how = "") {
    place.write(one_variant());
    Experiment other = one_variant();
    change(other);
    CHECK_ERROR(read_finished(other, place.job), "has been run with other options: " + path + " was " + how);
    paths.insert(path);
  };
  const auto changed_task = [&](const std::string& key, const auto& change) {
    changed("/task/" + key, [&](Experiment& other) { change(other.variants[0].task); });
  };
  changed_task("toy", [](Task& task) { task.toy = "copy"; });
  changed_task("letters/1", [](Task& task) { task.letters = {1, 6}; });
  changed_task("words", [](Task& task) { task.words = 24; });
  changed_task("train", [](Task& task) { task.train = 100; });
  changed_task("validation", [](Task& task) { task.validation = 9; });
  changed_task("test", [](Task& task) { task.test = 9; });
  changed_task("cut_every", [](Task& task) { task.cut_every = 9; });
  changed_task("beam", [](Task& task) { task.beam = 9; });
  changed(
      "/settings/0", [](Experiment& other) { other.settings = {"training.steps=3"}; },
      "\"training.steps=2\" and is now \"training.steps=3\"; give another --out, or remove it");
  changed(
      "/measure/0/options/lengths/1", [](Experiment& other) { other.measure[0].options["lengths"] = {1}; },
      "2.0 and is now \"(missing)\"");
  changed("/measure/1/name", [](Experiment& other) { other.measure.pop_back(); });
  changed("/measure/2/name", [](Experiment& other) { other.measure.push_back({"exact"}); });
  changed("/experiment", [](Experiment& other) { other.id = "other"; });
  changed("/alone", [](Experiment& other) { other.alone = true; });

  const auto changed_job = [&](const std::string& path, const auto& change) {
    place.write(one_variant());
    Job other = place.job;
    change(other);
    CHECK_ERROR(read_finished(one_variant(), other), "has been run with other options: " + path + " was ");
    paths.insert(path);
  };
  changed_job("/seed", [](Job& job) { job.seed = 2; });
  changed_job("/quick", [](Job& job) { job.quick = true; });
  changed_job("/corpus", [](Job& job) { job.corpus = "other"; });
  changed_job("/settings/1", [](Job& job) { job.settings = {"training.steps=2"}; });
  // Nothing else is compared, but the program, the name of the variant and the files (below).
  const Json all = description(one_variant(), place.job).flatten();
  for (const auto& [path, value] : all.items()) {
    CAPTURE(path);
    CHECK((paths.contains(path) || path == "/regard" || path == "/variant" || path == "/files" ||
           path.starts_with("/measure/0") || path.starts_with("/task/letters") ||
           path == "/measure/1/options"));
  }
  // A file without a description, as earlier versions wrote it without the task.
  Json old = translation::parse_json(tests::content(place.path()), "old");
  old["format"] = 1;
  old["job"].erase("task");
  place.directory.file("measurements.json", old.dump());
  CHECK_ERROR(read_finished(one_variant(), place.job),
              "/task/toy was \"(missing)\" and is now \"sentences\"");
}

TEST_CASE("a job whose files have other contents is another job", "[experiments]") {
  Place place;
  place.job.corpus = place.directory / "corpus";
  Experiment experiment = one_variant();
  // The corpus, and every setting that names a file.
  std::vector<std::string> files;
  for (const char* const part : {"train", "validation", "test"})
    for (const char* const side : {"source", "target"})
      files.push_back(std::string("corpus/") + part + "." + side);
  for (const translation::KnownSetting& setting : translation::known_settings()) {
    if (!setting.kind.allowed.starts_with("a path")) continue;
    files.push_back(setting.place);
    experiment.settings.push_back(setting.place + "=" + (place.directory / setting.place));
  }
  CHECK(files.size() == 6 + 8);
  files.push_back("model/weights");
  std::filesystem::create_directory(place.directory / "model");
  place.job.settings = {"training.initial_weights=" + (place.directory / "model")};
  for (const std::string& file : files) {
    if (file == "training.initial_weights") continue;  // the job's is stronger
    CAPTURE(file);
    place.directory.file(file, "before");
    place.write(experiment);
    CHECK(read_finished(experiment, place.job));
    place.directory.file(file, "behind");
    CHECK_ERROR(read_finished(experiment, place.job), "other options: /files/");
  }
}

TEST_CASE("a damaged file of a job is named with its key", "[experiments]") {
  const Place place;
  place.write(one_variant());
  const Json whole = translation::parse_json(tests::content(place.path()), "whole");
  for (const auto& [key, value] : whole.items())
    for (const Json& wrong : {Json(), Json("x"), Json(-0.5), Json::array({1}), Json{{"bleu", {"x"}}}}) {
      Json damaged = whole;
      damaged[key] = wrong;
      if (value.is_number() && wrong.is_number() && key != "format") continue;
      CAPTURE(damaged.dump());
      place.directory.file("measurements.json", damaged.dump());
      const std::string message = MESSAGE_OF(read_finished(one_variant(), place.job));
      CHECK_CONTAINS(message, place.job.directory);
      CHECK(!tests::contains(message, "json.exception"));
      if (key != "job" || !wrong.is_object()) CHECK_CONTAINS(message, "\"" + key + "\"");
    }
  Json damaged = whole;
  damaged["measurements"]["bleu"] = {3, "x"};
  place.directory.file("measurements.json", damaged.dump());
  CHECK_ERROR(
      read_finished(one_variant(), place.job),
      "measurements.json, \"measurements\": \"bleu\" must be a list, each entry a number, got a list; if you "
      "remove the file, the job runs again");
}

TEST_CASE("jobs that differ have different directories", "[experiments]") {
  const std::vector<std::string> names{"a",  "A",   "a b", "a-b", "a_b", "a,1",  "a+",   "a%2B", "a/b",
                                       "é",  "e",   "è",   "",    ".",   "..",   "-1",   "1",    "a=1",
                                       "한", "a.b", "a'b", "a\"", "a$b", "a\nb", "a,b=1"};
  std::set<std::string> directories;
  std::size_t jobs = 0;
  for (const std::string& name : names)
    for (const Index seed : {1, 11})
      for (const std::vector<std::string>& tried :
           {std::vector<std::string>{}, {"b=1"}, {"b=-1"}, {"b=1", "c=1"}, {"b=1,c=1"}}) {
        const std::string directory = directory_name(name, seed, tried);
        CHECK(directory.find_first_of("/ '\"$\n\\") == std::string::npos);
        CHECK((directory != "." && directory != ".."));
        directories.insert(directory);
        ++jobs;
      }
  CHECK(directories.size() == jobs);
  CHECK(directory_name("no attention", 1, {"training.learning_rate=0.005"}) ==
        "no-attention,1,training.learning_rate=0.005");
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
