// The program with a shortlist: making it, translating with it, and files that do not fit.
#include <filesystem>

#include "tests/catch.h"
#include "tests/program/support/small_model.h"

using namespace regard::tests;

namespace {

Words shortlist_command(const std::string& model, const Words& more = {}) {
  return joined({"shortlist", model, "--source", small_corpus().source, "--target", small_corpus().target},
                more);
}

}  // namespace

TEST_CASE("a shortlist is made once and used by the searches", "[program]") {
  const TemporaryDirectory directory;
  const std::string model = copy_of_small_model(directory);
  const Circumstances source{.input_path = small_corpus().source};
  CHECK_REFUSED(run({"translate", model, "--shortlist"}, source),
                model + "/shortlist.safetensors is missing; regard shortlist makes it");
  const Outcome made = run_well(shortlist_command(model, {"--first", "1", "--best", "2"}));
  CHECK_CONTAINS(made.out, "recall     ");
  CHECK_CONTAINS(made.out, "written    " + model + "/shortlist.safetensors");
  const Outcome plain = run_well({"translate", model, "--shortlist"}, source);
  CHECK(plain.out == content(small_corpus().target));
  CHECK(plain.err.empty());
  const Outcome scores = run({"translate", model, "--shortlist", "--scores"}, source);
  CHECK(scores.code == 0);
  CHECK_CONTAINS(scores.err, "the scores are over the shortlist of each sentence");
  CHECK(scores.out != run_well({"translate", model, "--scores"}, source).out);
  const Outcome evaluated = run_well(evaluate_command(model, {"--shortlist"}));
  CHECK_CONTAINS(evaluated.out, "shortlist       ");
  CHECK_CONTAINS(evaluated.out, "recall ");
  CHECK(run_well(evaluate_command(model)).out.find("shortlist") == std::string::npos);
  if (has_command("bench"))
    run_well({"bench", "translate", model, "--source", small_corpus().source, "--shortlist", "--runs", "1"});
  const std::string page = directory / "page.html", copy = directory / "copy";
  if (has_command("explore")) {
    run_well({"explore", model, "--shortlist", "--sentence", "one two", "--output", page});
    CHECK_CONTAINS(content(page), "\"shortlist\":true");
    CHECK_CONTAINS(content(page), "eins zwei");
  }
  if (has_command("convert")) {
    run_well({"convert", model, "--out", copy});
    CHECK(content(copy + "/shortlist.safetensors") == content(model + "/shortlist.safetensors"));
    CHECK(run_well({"translate", copy, "--shortlist"}, source).out == plain.out);
  }
  CHECK_REFUSED(run({"translate", model, "--shortlist", "--beam", "8"}, source),
                "beam is 8, but the shortlist of a sentence may have only 5 tokens");
}

TEST_CASE("a shortlist that does not fit or is damaged is refused, and a new training removes it",
          "[program]") {
  const TemporaryDirectory directory;
  const std::string model = copy_of_small_model(directory), file = model + "/shortlist.safetensors";
  CHECK_REFUSED(run(shortlist_command(model, {"--best", "-1"})), "give at least 0");
  CHECK(!std::filesystem::exists(file));
  run_well(shortlist_command(model));
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 3);
  CHECK_REFUSED(run({"translate", model, "--shortlist"}), file + " cannot be read as safetensors");
  std::filesystem::copy_file(model + "/weights.safetensors", file,
                             std::filesystem::copy_options::overwrite_existing);
  CHECK_REFUSED(run({"translate", model, "--shortlist"}), file + " is not a shortlist");
  if (has_command("convert"))
    CHECK_REFUSED(run({"convert", model, "--out", directory / "copy"}), file + " is not a shortlist");
  CHECK_FALSE(std::filesystem::exists(directory / "copy"));
  CHECK_REFUSED(run(joined(evaluate_command(model), {"--output", file})), "shortlist.safetensors");
  CHECK(run(joined(train_command(model, {"training.steps=1"}), {"--overwrite"})).code == 0);
  CHECK(!std::filesystem::exists(file));
}
