// `regard translate --replace-unk`
#include <sstream>

#include "tests/catch.h"
#include "tests/program/support/small_model.h"

using namespace regard::tests;

namespace {

/// A model of the small corpus in whose sentences "four" is a name of its own each time, so that names are
/// unknown words.
std::string model_of_names(const TemporaryDirectory& directory, const Words& more = {}) {
  const auto with_names = [](std::string text, const std::string& word) {
    std::size_t names = 0;
    for (std::size_t at; (at = text.find(word)) != std::string::npos;)
      text.replace(at, word.size(), "N" + std::to_string(++names));
    return text;
  };
  const std::string source = directory.file("source", with_names(content(small_corpus().source), "four"));
  const std::string target = directory.file("target", with_names(content(small_corpus().target), "vier"));
  run_well(train_command(directory / "model",
                         joined({"data.minimum_frequency=3", "data.source=" + source, "data.target=" + target,
                                 "data.validation_source=" + source, "data.validation_target=" + target},
                                more)));
  return directory / "model";
}

/// The translations in the output of --alignments, with source words in the places of <unk> by its links.
Words replaced_by_links(const Outcome& outcome) {
  Words replaced;
  for (const std::string& line : lines(outcome.out)) {
    Words fields(1);
    for (const char c : line) {
      if (c == '\t')
        fields.emplace_back();
      else
        fields.back().push_back(c);
    }
    REQUIRE(fields.size() == 4);
    Words source, target;
    std::string word;
    for (std::istringstream words(fields[2]); words >> word;) source.push_back(word);
    for (std::istringstream words(fields[3]); words >> word;) target.push_back(word);
    std::istringstream links(fields[1]);
    for (std::size_t from = 0, to = 0; links >> from;) {
      links.ignore(1);
      links >> to;
      if (target[to] == "<unk>") target[to] = source[from];
    }
    std::string text;
    for (const std::string& next : target) text += (text.empty() ? "" : " ") + next;
    replaced.push_back(text);
  }
  return replaced;
}

}  // namespace

TEST_CASE("--replace-unk writes source words in place of unknown words", "[program]") {
  const TemporaryDirectory directory;
  const std::string model = model_of_names(directory);
  const std::string text = "one Zoe\n\nXaver Yves two\nthree\ntwo Uma one\nWim\n";
  const auto translated = [&](const Words& options) {
    const Outcome outcome = run(joined({"translate", model}, options), {.input = text});
    CHECK(outcome.code == 0);  // it warns of the unknown words
    return outcome;
  };
  const Words plain = lines(translated({}).out), found = lines(translated({"--replace-unk"}).out);
  CHECK(plain == Words{"eins <unk>", "", "<unk> <unk> zwei", "drei", "zwei <unk> eins", "<unk>"});
  CHECK(found == Words{"eins Zoe", "", "Xaver Yves zwei", "drei", "zwei Uma eins", "Wim"});
  CHECK(found == replaced_by_links(translated({"--alignments"})));
  // Of each of the n best, too. The scores stay.
  const Words best = lines(translated({"--replace-unk", "--n-best", "2", "--scores"}).out);
  const Words unknown = lines(translated({"--n-best", "2", "--scores"}).out);
  REQUIRE(best.size() == unknown.size());
  for (std::size_t i = 0; i < best.size(); ++i)
    CHECK(best[i].substr(0, best[i].rfind('\t')) == unknown[i].substr(0, unknown[i].rfind('\t')));
}

TEST_CASE("a source word comes with the mark for its capitals", "[program]") {
  if (run({"train", "--print-config"}).out.find("\"case\"") == std::string::npos) return;  // not built
  const TemporaryDirectory directory;
  const std::string model = model_of_names(directory, {"data.case=tokens", "training.steps=600"});
  const Outcome outcome =
      run({"translate", model, "--replace-unk"}, {.input = "one Zoe\nXaver two\ntwo Uma one\nWim\n"});
  CHECK(lines(outcome.out) == Words{"eins Zoe", "Xaver zwei", "zwei Uma eins", "Wim"});
  const std::string plain = run({"translate", model}, {.input = "one Zoe\n"}).out;
  CHECK_CONTAINS(plain, "<unk>");  // and not <Unk>
}

TEST_CASE("what cannot work with --replace-unk is refused", "[program]") {
  const auto refused = [](const Words& options, const std::string& why) {
    const Outcome outcome =
        run(joined({"translate", small_model(), "--replace-unk"}, options), {.input = "one\n"});
    CHECK_REFUSED(outcome, why);
  };
  refused({"--no-unk"}, "excludes");
  if (has_option("translate", "--sample")) refused({"--sample"}, "--sample excludes --replace-unk");
  if (has_option("translate", "--markup")) refused({"--markup"}, "--replace-unk excludes --markup");
  if (has_option("translate", "--files"))
    refused({"--output", "x", "--files", "y.po"}, "--replace-unk excludes --files");
}
