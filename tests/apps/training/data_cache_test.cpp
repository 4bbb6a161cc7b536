// What a cache keeps of a corpus, and when it is made anew.
#include "apps/translation/training/data_cache.h"

#include "apps/translation/files/files.h"
#include "apps/translation/training/training_data.h"
#include "autograd/machine/parallel.h"
#include "tests/apps/subwords/subword_support.h"
#include "tests/catch.h"

using namespace regard::translation;
using namespace regard::tests;
using regard::Index;
using regard::read_file;

namespace {

/// A corpus of numbers with an empty line and a line that is too long, and a cache.
struct CachedNumbers {
  TemporaryDirectory directory;
  Settings settings;
  int learnt = 0, cut = 0;  ///< how often the last load() has done this

  CachedNumbers() {
    std::string source = "\n", target = "null\nlong\n";
    for (int i = 0; i < 300; ++i) source += "one ";
    source += "\n";
    for (const std::string& line : number_text().source) source += line + "\n";
    for (const std::string& line : number_text().target) target += line + "\n";
    write_file(directory / "source", source);
    write_file(directory / "target", target);
    settings.data.source = directory / "source";
    settings.data.target = directory / "target";
    settings.data.tokeniser = "sentencepiece";
    settings.data.subwords.size = 120;
    settings.data.cache = directory / "new/cache";
  }

  TrainingData load() {
    learnt = cut = 0;
    return load_training_data(
        settings, "",
        {.learning = [this](const std::string& line) { learnt += line.starts_with("Learning"); },
         .cutting = [this](Index, Index) { ++cut; }});
  }
};

/// True if these parts of the data are equal.
bool same(const TrainingData& one, const TrainingData& other) {
  return one.checksums() == other.checksums() && one.training.lines == other.training.lines &&
         one.training.source == other.training.source &&
         one.training.lines_read == other.training.lines_read &&
         one.training.dropped.empty == other.training.dropped.empty &&
         one.training.dropped.too_long == other.training.dropped.too_long &&
         one.sources.longest == other.sources.longest && one.sources.sentences == other.sources.sentences;
}

}  // namespace

TEST_CASE("a cache gives the same data without learning and cutting", "[cache]") {
  CachedNumbers numbers;
  const TrainingData first = numbers.load();
  CHECK(numbers.learnt == 1);
  CHECK(numbers.cut > 0);
  CHECK(first.training.dropped.empty == 1);
  CHECK(first.training.dropped.too_long == 1);
  const TrainingData second = numbers.load();
  CHECK(numbers.learnt == 0);
  CHECK(numbers.cut == 0);
  CHECK(same(first, second));
  CHECK(second.subwords == first.subwords + ", from " + numbers.settings.data.cache);
  numbers.settings.data.cache = "";
  CHECK(same(first, numbers.load()));
  CHECK(numbers.learnt == 1);
}

TEST_CASE("sampled subwords are the same with a cache", "[cache]") {
  CachedNumbers numbers;
  numbers.settings.data.subwords.sampling = 0.3;
  const auto sampled = [&] {
    const TrainingData data = numbers.load();
    return data.regularisation->sample(data.training, 1, 2).target;
  };
  const auto first = sampled();
  CHECK(sampled() == first);
  CHECK(numbers.cut == 0);
}

TEST_CASE("a cache that does not fit is made anew", "[cache]") {
  CachedNumbers numbers;
  const TrainingData first = numbers.load();
  const auto made = [&] {
    const TrainingData data = numbers.load();
    const std::pair<int, bool> done(numbers.learnt, numbers.cut > 0);
    numbers.load();
    CHECK((numbers.learnt == 0 && numbers.cut == 0));  // it was kept again
    return done;
  };
  const std::pair both(1, true), neither(0, false), only_cut(0, true);
  CHECK(made() == neither);
  numbers.settings.data.max_length = 100;
  CHECK(made() == only_cut);
  numbers.settings.data.subwords.normalisation = "none";
  CHECK(made() == both);
  numbers.settings.data.subwords.sampling = 0.1;  // no part of what is kept
  CHECK(made() == neither);
  // One byte of the corpus; then the same files under other names.
  write_file(numbers.directory / "target", "n" + read_file(numbers.directory / "target"));
  CHECK(made() == both);
  write_file(numbers.directory / "other", read_file(numbers.directory / "target"));
  numbers.settings.data.target = numbers.directory / "other";
  CHECK(made() == neither);
  numbers.settings.data.source = numbers.directory / "other";
  CHECK(made() == both);
}

TEST_CASE("a damaged cache is made anew", "[cache]") {
  CachedNumbers numbers;
  const TrainingData first = numbers.load();
  for (const char* name : {"/subwords.cache", "/corpus.cache"}) {
    const std::string path = numbers.settings.data.cache + name, whole = read_file(path);
    std::string changed = whole;
    changed[whole.size() - 9] = static_cast<char>(changed[whole.size() - 9] ^ 1);
    for (const std::string& content :
         {changed, whole.substr(0, whole.size() - 1), whole.substr(0, 20), std::string()}) {
      write_file(path, content);
      CHECK(same(first, numbers.load()));
      CHECK(numbers.learnt + numbers.cut > 0);
      CHECK(read_file(path) == whole);
    }
  }
}

TEST_CASE("a cache that cannot be written", "[cache]") {
  CachedNumbers numbers;
  write_file(numbers.directory / "file", "x");
  numbers.settings.data.cache = numbers.directory / "file/cache";
  CHECK_ERROR(numbers.load(), "cannot make the directory " + numbers.settings.data.cache);
}

TEST_CASE("the corpus does not depend on the number of threads", "[cache]") {
  CachedNumbers numbers;
  numbers.settings.data.cache = "";
  const int threads = regard::threads();
  regard::set_threads(1);
  const TrainingData one = numbers.load();
  regard::set_threads(5);
  CHECK(same(one, numbers.load()));
  regard::set_threads(threads);
}
