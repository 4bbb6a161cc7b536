// `regard corpus`: the screen, the lines and the filtered copy; and what regard train says of its corpus.
#include "tests/catch.h"
#include "tests/gzip.h"
#include "tests/program/support/small_model.h"

using namespace regard::tests;

namespace {

struct Dirty {
  TemporaryDirectory directory;
  std::string en = directory.file("a.en", "one %s\ntwo\none %s\nfour 4\n\xE4\nfive\n");
  std::string de = directory.file("a.de", gzip("eins %s\nzwei\neins %s\nvier 5\nsechs\nfive\n"));
  std::string out_en = directory / "out.en", out_de = directory / "out.de";

  Outcome corpus(const Words& more = {}) const { return run(joined({"corpus", en, de}, more)); }
};

}  // namespace

TEST_CASE("the screen of a corpus", "[program]") {
  const Dirty dirty;
  const Outcome outcome = dirty.corpus();
  CHECK(outcome.code == 0);
  CHECK(outcome.err.empty());
  CHECK(has_line(outcome, "lines                       6           6"));
  CHECK(has_line(outcome, "not-utf8                    1     16.67 %  5; a side is not UTF-8"));
  CHECK(has_line(outcome, "duplicates                  1     16.67 %  3; an earlier line"));
  CHECK(has_line(outcome, "numbers                     1     16.67 %  4; "));
  CHECK(has_line(outcome,
                 "identical                   0      0.00 %  both sides are the same text of at least 4"));
  CHECK(has_line(dirty.corpus({"--identical-words", "1"}), "identical                   1     16.67 %  6; "));
  CHECK_FALSE(has_line(outcome, "overlap"));
  CHECK(has_line(dirty.corpus({"--validation", dirty.en, dirty.de}), "validation: 6 of 6 pairs"));
  const std::string tsv = dirty.directory.file("a.tsv", "x\ty\nx\tz\n");
  CHECK(has_line(run_well({"corpus", tsv}), "repeated-sources            1     50.00 %  2; "));
  CHECK(has_line(run_well({"corpus", "--tsv", tsv, tsv}),
                 "duplicates                  2     50.00 %  " + tsv + ":1, "));
}

TEST_CASE("the lines of findings", "[program]") {
  const Dirty dirty;
  CHECK(dirty.corpus({"--lines", "not-utf8,numbers"}).out ==
        "not-utf8\t5\t\\xE4\tsechs\nnumbers\t4\tfour 4\tvier 5\n");
  CHECK(dirty.corpus({"--lines", "shift"}).out.empty());
  CHECK_REFUSED(dirty.corpus({"--lines", "numbers,odd"}),
                "--lines: there is no finding \"odd\"; the findings are not-utf8, ");
  CHECK_REFUSED(dirty.corpus({"--lines", "overlap"}), "give it with --validation");
  for (const char* const ratio : {"0", "1", "-1", "nan", "inf"})
    CHECK_REFUSED(dirty.corpus({"--ratio", ratio}), "--ratio");
  CHECK_REFUSED(dirty.corpus({"--max-words", "0"}), "--max-words 0: it must be at least 1");
  CHECK_REFUSED(dirty.corpus({"--identical-words", "0"}), "--identical-words 0: it must be at least 1");
  CHECK_REFUSED(run({"corpus", dirty.en}), "no line has a tab; give a file for each side");
}

TEST_CASE("a filtered copy lacks what was named, and nothing else", "[program]") {
  const Dirty dirty;
  const Outcome outcome = dirty.corpus({"--drop", "identical,not-utf8,duplicates", "--identical-words", "1",
                                        "--output", dirty.out_en, dirty.out_de});
  CHECK(outcome.code == 0);
  CHECK(content(dirty.out_en) == "one %s\ntwo\nfour 4\n");
  CHECK(content(dirty.out_de) == "eins %s\nzwei\nvier 5\n");
  CHECK(has_line(outcome, "identical         1 dropped"));
  CHECK(has_line(outcome, "3 of 6 pairs written to "));
  const std::string tsv = dirty.directory.file("a.tsv", "x\ty\r\nx\tz\n"), out = dirty.directory / "out.tsv";
  run_well({"corpus", tsv, "--drop", "repeated-sources", "--output", out});
  CHECK(content(out) == "x\ty\n");
}

TEST_CASE("emojis are no control characters, and invisible ones are named", "[program]") {
  const TemporaryDirectory directory;
  const std::string en = directory.file("a.en", "\uFEFFa 😀 c\nthe car\nbell \x07\nd ✈️\n"),
                    de = directory.file("a.de", "ein 😀 c\ndas Auto\u00ADmobil\nGlocke\nd ✈️\n"),
                    out_en = directory / "out.en", out_de = directory / "out.de";
  run_well({"corpus", en, de, "--drop", "control", "--output", out_en, out_de});
  CHECK(content(out_de) == "ein 😀 c\ndas Auto\u00ADmobil\nd ✈️\n");
  run_well({"corpus", en, de, "--drop", "control,invisible", "--output", out_en, out_de});
  CHECK(content(out_de) ==
        "ein 😀 c\nd ✈️\n");  // U+FEFF at the beginning of a file is no part of its text
  CHECK(run({"corpus", en, de, "--lines", "invisible"}).out ==
        "invisible\t2\tthe car\tdas Auto<U+00AD>mobil\n");
}

TEST_CASE("mojibake is shown with its repair", "[program]") {
  const TemporaryDirectory directory;
  const std::string en = directory.file("a.en", "a\nfor\ndonâ€™t\n"),
                    de = directory.file("a.de", "ä\nganz fÃ¼r sich\nnicht\n");
  CHECK(
      has_line(run({"corpus", en, de}),
               "mojibake                    2     66.67 %  2, 3; UTF-8 was read as Latin-1 or Windows-1252: "
               "\"fÃ¼r\" would be \"für\""));
  CHECK(run({"corpus", en, de, "--lines", "mojibake"}).out ==
        "mojibake\t2\tfor\tganz fÃ¼r sich\tfor\tganz für sich\n"
        "mojibake\t3\tdonâ€™t\tnicht\tdon’t\tnicht\n");
}

TEST_CASE("a filtered copy is written whole or not at all", "[program]") {
  const Dirty dirty;
  const auto refused = [&](const Words& more, const std::string& message) {
    CHECK_REFUSED(dirty.corpus(more), message);
    CHECK_FALSE(std::filesystem::exists(dirty.out_en));
  };
  refused({"--drop", "empty", "--output", dirty.out_en}, "--output: give two files");
  refused({"--drop", "empty", "--output", dirty.out_en, dirty.out_en}, "this is the file of --output ");
  refused({"--drop", "empty", "--output", dirty.out_en, dirty.en}, "this file is an input");
  refused({"--drop", "empty", "--output", dirty.out_en, dirty.directory / "no/de"}, "--output");
  refused({"--drop", "empty"}, "--output: give two files");
  refused({"--output", dirty.out_en, dirty.out_de}, "--drop");
  const std::string one = dirty.directory.file("one.en", "all the same text\n");
  CHECK_REFUSED(run({"corpus", one, one, "--drop", "identical", "--output", dirty.out_en, dirty.out_de}),
                "drops all 1 pairs");
  const std::string two = dirty.directory.file("two.en", "a\nb\n");
  const Outcome unequal = run({"corpus", one, two});
  CHECK(unequal.code == 0);
  CHECK_CONTAINS(unequal.err, "has 1 line, " + two + " has 2 lines; the lines after line 1 have no partner");
  CHECK_REFUSED(run({"corpus", one, two, "--drop", "empty", "--output", dirty.out_en, dirty.out_de}),
                "no partner");
  CHECK_REFUSED(run({"corpus"}), "give the files of a corpus");
  CHECK_REFUSED(run({"corpus", one, one, one}), "give a file for each side");
}

TEST_CASE("a training begins with the findings in its corpus, and a resumed one does not", "[program]") {
  const TemporaryDirectory directory;
  const std::string en = directory.file("a.en", "one 1\none 1\ntwo\nthree\nall the same text\n"),
                    de = directory.file("a.de", "eins 2\neins 2\nzwei\nthree\nall the same text\n");
  const auto train = [&](const std::string& epochs) {
    return run(train_command(directory / "model", {"data.source=" + en, "data.target=" + de,
                                                   "training.epochs=" + epochs, "data.tokeniser=char"}));
  };
  const Outcome first = train("1");
  CHECK(first.code == 0);
  CHECK(has_line(
      first, "findings     duplicates 1, identical 1, numbers 2, overlap 2 (pairs of the training corpus; "));
  CHECK(has_line(first, "overlap      2 of 84 pairs of the validation corpus "));
  CHECK_FALSE(has_line(train("2"), "findings"));
}

TEST_CASE("an unknown option is named, though FILE would take its value", "[program]") {
  CHECK_REFUSED(run({"corpus", "--source", "a", "--target", "b", "--nothing", "x"}), "--nothing");
}
