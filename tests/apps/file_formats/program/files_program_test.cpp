// regard translate --files, and regard extract
#include <filesystem>

#include "tests/catch.h"
#include "tests/program/support/small_model.h"

#ifdef REGARD_HAS_ICU

using namespace regard::tests;

namespace {

Words files_command(const Words& files, const std::string& output, const Words& more = {}) {
  return joined(joined({"translate", small_model(), "--files"}, files), joined({"--output", output}, more));
}

}  // namespace

TEST_CASE("translate --files translates what has no translation, and leaves all other bytes", "[program]") {
  const TemporaryDirectory directory;
  const std::string po =
      "#, c-format\nmsgid \"one two %s\\n\"\nmsgstr \"\"\n\n# two\nmsgid \"two\"\nmsgstr \"zwo\"\n";
  const std::string html = "<h1 title='one'>two</h1>\r\n<p>one <b>two</b>\n three</p><code>one</code>";
  Words files{directory.file("a.po", po), directory.file("b.html", html),
              directory.file("c.txt", "* one two\n\n three")};
  const Outcome outcome = run(files_command(files, directory / "out/new"));
  CHECK(outcome.code == 0);
  CHECK(outcome.out.empty());
  CHECK_CONTAINS(outcome.err, "b.html: 2 sentences in ");
  CHECK(content(directory / "out/new/a.po") ==
        "#, c-format\nmsgid \"one two %s\\n\"\nmsgstr \"eins zwei %s\\n\"\n\n# two\nmsgid \"two\"\nmsgstr "
        "\"zwo\"\n");
  CHECK(content(directory / "out/new/b.html") ==
        "<h1 title='one'>zwei</h1>\r\n<p>eins <b>zwei</b> drei</p><code>one</code>");
  CHECK(content(directory / "out/new/c.txt") == "* eins zwei\n\n drei");
  CHECK(run(files_command({files[0]}, directory / "out/new", {"--again"})).code == 0);
  CHECK_CONTAINS(content(directory / "out/new/a.po"), "msgstr \"zwei\"");
#ifdef REGARD_HAS_LIBXML2
  const std::string xliff =
      "<xliff version=\"1.2\"><file><body><trans-unit id=\"1\"><source>one <g id=\"1\">two</g> "
      "three</source>";
  files = {directory.file("d.xlf", xliff + "</trans-unit></body></file></xliff>")};
  CHECK(run(files_command(files, directory / "out/new")).code == 0);
  CHECK(content(directory / "out/new/d.xlf") ==
        xliff + "<target>eins <g id=\"1\">zwei</g> drei</target></trans-unit></body></file></xliff>");
#endif
}

TEST_CASE("translate --files refuses bad files and places before it writes", "[program]") {
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory / "other");
  const std::string good = directory.file("a.txt", "one\n"), bad = directory.file("b.po", "one\n"),
                    twin = directory.file("other/a.txt", "two\n");
  CHECK_CONTAINS(refusal(run(files_command({good, bad}, directory / "out"))),
                 "b.po, line 1: this is no line of a PO file");
  CHECK_CONTAINS(refusal(run(files_command({good, twin}, directory / "out"))), "have one name");
  CHECK_CONTAINS(refusal(run(files_command({good}, directory / "."))), "a.txt: this file is an input");
  CHECK_CONTAINS(refusal(run(files_command({directory / "none.po"}, directory / "out"))), "none.po");
  CHECK_CONTAINS(refusal(run(files_command({good}, small_model() + "/config.json"))), "config.json");
  CHECK_CONTAINS(refusal(run({"translate", small_model(), "--files", good})), "--output");
  CHECK_FALSE(std::filesystem::exists(directory / "out"));
  CHECK(content(good) == "one\n");
}

TEST_CASE("extract writes the texts that have a translation", "[program]") {
  const TemporaryDirectory directory;
  const std::string po = directory.file(
      "a.po", "msgid \"one\\n\"\n\" two\"\nmsgstr \"eins\\nzwei\"\n\nmsgid \"x\"\nmsgstr \"\"\n");
  const Words command{"extract", po, "--source", directory / "s", "--target", directory / "t"};
  CHECK_CONTAINS(run_well(command).out, "1 of 2 texts have a translation; ");
  CHECK(content(directory / "s") == "one two\n");
  CHECK(content(directory / "t") == "eins zwei\n");
  CHECK_CONTAINS(refusal(run({"extract", directory.file("b.po", "msgid \"x\"\nmsgstr \"\"\n"), "--source",
                              directory / "s", "--target", directory / "t"})),
                 "none of the 1 texts has a translation");
  CHECK_CONTAINS(refusal(run({"extract", po, "--source", po, "--target", directory / "t"})), "is an input");
}

TEST_CASE("a file of another program is no corpus", "[program]") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("de.po", "msgid \"a\"\nmsgstr \"b\"\n");
  CHECK_REFUSED(run(train_command(directory / "model", {"data.source=" + path, "data.target=" + path})),
                path + ": a corpus has a sentence in each line; regard extract writes one from this file");
}

#endif
