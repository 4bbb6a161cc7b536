// The search of an imported and of an exported model: what both programs have is passed on, the rest is
// named.
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/program/support/marian.h"
#include "tests/program/support/run.h"

using namespace regard::tests;
using Json = nlohmann::json;
namespace fs = std::filesystem;

TEST_CASE("import and export name what the other program does in a search and this one does not",
          "[program][import]") {
  const TemporaryDirectory directory;
  const DamagedCopy model("tied");
  Json generation = Json::parse(content(model / "generation_config.json"));
  const auto warnings = [&](const Json& keys) {
    Json json = generation;
    json.update(keys);
    model.write("generation_config.json", json.dump());
    const Outcome outcome =
        run({"import", model.path(), "--out", directory / fmt::format("model{}", keys.size())});
    CHECK(outcome.code == 0);
    return lines(outcome.err);
  };
  CHECK(warnings({{"do_sample", false},
                  {"num_beam_groups", 1},
                  {"early_stopping", "never"},
                  {"suppress_tokens", Json::array()},
                  {"forced_decoder_ids", nullptr},
                  {"encoder_repetition_penalty", 1.0},
                  {"repetition_penalty", 1.5},
                  {"use_cache", true}})
            .empty());
  const Json foreign{{"do_sample", true},        {"num_beam_groups", 2},    {"early_stopping", true},
                     {"suppress_tokens", {5}},   {"max_time", 3.5},         {"forced_decoder_ids", {{1, 5}}},
                     {"guidance_scale", 2},      {"penalty_alpha", 0.5},    {"num_return_sequences", 2},
                     {"sequence_bias", {{5}}},   {"stop_strings", {"x"}},   {"renormalize_logits", true},
                     {"force_words_ids", {{5}}}, {"forced_eos_token_id", 7}};
  const Words found = warnings(foreign);
  CHECK(found.size() == foreign.size());
  for (const auto& entry : foreign.items()) {
    const std::string named = model / "generation_config.json" + ": " + entry.key() + " is " +
                              entry.value().dump() + ": generate() ";
    CHECK(std::ranges::count_if(
              found, [&](const std::string& line) { return line.find(named) != std::string::npos; }) == 1);
  }

  // Our default search, which transformers has not.
  const std::string ours = directory / "ours";
  fs::copy(imported_model(), ours, fs::copy_options::recursive);
  Json config = Json::parse(content(ours + "/config.json"));
  config["decoding"] = {{"patience", 3}};
  config["data"]["max_length"] = 100;
  directory.file("ours/config.json", config.dump());
  const Outcome exported = run({"export", ours, "--format", "huggingface", "--out", directory / "out"});
  CHECK(exported.code == 0);
  REQUIRE(lines(exported.err).size() == 3);
  CHECK_CONTAINS(exported.err,
                 "decoding.length_penalty is wu, which transformers does not have; there, a "
                 "log-probability is divided by n^0.6 and not by ((5 + n)/6)^0.6");
  CHECK_CONTAINS(exported.err, "like decoding.max_length_ratio; there, any translation may have 210 tokens");
  CHECK_CONTAINS(exported.err, "decoding.patience is 3");
  generation = Json::parse(content(directory / "out/generation_config.json"));
  CHECK(generation["max_length"] == 212);  // not 20, the default of transformers
  CHECK(generation["length_penalty"] == 0.6);
  CHECK(run_well({"export", imported_model(), "--format", "huggingface", "--out", directory / "same"}).code ==
        0);
}

TEST_CASE("the search of an imported model of Marian is that of marian-decoder", "[program][import]") {
  const DamagedCopy model("npz");
  for (const char* const file : {"source.spm", "target.spm"})
    fs::copy(marian_fixture("tied") + "/" + file, model / file);
  const TemporaryDirectory directory;
  const auto imported = [&](const std::string& yml, const std::string& name) {
    model.write("decoder.yml", yml);
    const Outcome outcome = run({"import", model.path(), "--out", directory / name});
    CHECK(outcome.code == 0);
    const Json decoding = Json::parse(content(directory / (name + "/config.json"))).at("decoding");
    return std::pair(outcome.err, decoding);
  };
  const auto [quiet, usual] = imported("relative-paths: true\n", "usual");
  CHECK(quiet.empty());
  CHECK(usual["beam"] == 12);
  CHECK(usual["alpha"] == 0);
  // 3 (n + 1) tokens with </s> for n source tokens
  CHECK(usual["max_length_ratio"] == 3);
  CHECK(usual["max_length_constant"] == 2);
  const auto [same, normalised] =
      imported("beam-size: 6\nnormalize: 1\nword-penalty: 0.5\nmax-length-factor: 2\n", "normalised");
  CHECK(same.empty());  // the same penalty for all, as it is divided by the length
  CHECK(normalised["beam"] == 6);
  CHECK(normalised["alpha"] == 1);
  CHECK(normalised["max_length_ratio"] == 2);
  CHECK(normalised["max_length_constant"] == 1);
  const auto [named, penalised] =
      imported("normalize: 0.6\nword-penalty: 0.5\nmax-length-factor: 1.2\n", "penalised");
  CHECK_CONTAINS(named, "decoder.yml: word-penalty is 0.5: Marian subtracts it from a score for each token");
  CHECK_CONTAINS(named,
                 "decoder.yml: max-length-factor is 1.2; a translation in Marian may have one token more");
  CHECK(penalised["max_length_ratio"] == 1.2);
  CHECK(penalised["max_length_constant"] == 1);
  model.write("decoder.yml", "max-length-factor: 0\n");
  model.refused("decoder.yml: \"max-length-factor\" must be a number above 0, got 0");
}
