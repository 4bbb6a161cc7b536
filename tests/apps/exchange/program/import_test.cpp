// regard import: the verbs work on what it makes, and bad input is refused without writing anything.
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/program/support/marian.h"
#include "tests/program/support/run.h"

using namespace regard::tests;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

const Json& expected_of_tied() {
  static const Json json = Json::parse(content(marian_fixture("tied.expected.json")));
  return json.at("translations");
}

std::string as_lines(const Json& lines) {
  std::string text;
  for (const Json& line : lines) text += line.get<std::string>() + "\n";
  return text;
}

}  // namespace

TEST_CASE("translate, score, evaluate, inspect, explore and average work on an imported model",
          "[program][import]") {
  const TemporaryDirectory directory;
  // tests/apps/import compares the translations and the losses with those of transformers.
  const Circumstances sources{.input = as_lines(expected_of_tied()["sources"])};
  const Outcome translated = run_well({"translate", imported_model()}, sources);
  CHECK(lines(translated.out).size() == expected_of_tied()["sources"].size());
  CHECK(run_well({"translate", imported_model()}, {.input = ">>fra<< ba de\n\n"}).out.ends_with("\n\n"));

  const std::string source = directory.file("source", as_lines(expected_of_tied()["sources"]));
  const std::string target = directory.file("target", as_lines(expected_of_tied()["references"]));
  const Words files{"--source", source, "--target", target};
  const Outcome scored = run(joined({"score", imported_model()}, files));
  CHECK(scored.code == 0);
  CHECK(lines(scored.out).size() == lines(translated.out).size());
  CHECK_CONTAINS(scored.err, "not in the vocabulary");  // its vocabulary lacks some pieces
  const Outcome evaluated =
      run_well({"evaluate", imported_model(), "--source", source, "--reference", target});
  CHECK_CONTAINS(evaluated.out, "BLEU");
  const Outcome inspected = run_well({"inspect", imported_model()});
  CHECK_CONTAINS(inspected.out, "\"activation\": \"silu\"");
  CHECK_CONTAINS(inspected.out, "generator.bias");
  CHECK(run_well({"explore", imported_model(), "--sentence", "dode ki", "--output", directory / "page.html"})
            .code == 0);

  const std::string weights = imported_model() + "/weights.safetensors", mean = directory / "mean";
  run_well({"average", weights, weights, "--output", mean});
  CHECK(run_well({"translate", imported_model(), "--weights", mean}, sources).out == translated.out);
}

TEST_CASE("an imported model is trained further, and a training is resumed", "[program][import]") {
  const TemporaryDirectory directory;
  const std::string source = directory.file("source", as_lines(expected_of_tied()["sources"]));
  const std::string target = directory.file("target", as_lines(expected_of_tied()["references"]));
  const auto loss = [&](const std::string& of_model) {
    const Outcome outcome = run({"evaluate", of_model, "--source", source, "--reference", target});
    CHECK(outcome.code == 0);  // a translation may reach its limit, of which it warns
    for (const std::string& line : lines(outcome.out))
      if (line.starts_with("loss")) return std::stod(line.substr(line.find_last_of(' ')));
    return 0.0;
  };
  const std::string config =
      directory.file("config.json", Json{{"data", {{"source", source}, {"target", target}}},
                                         {"training",
                                          {{"initial_weights", imported_model()},
                                           {"schedule", "constant"},
                                           {"learning_rate", 0.003},
                                           {"label_smoothing", 0.1}}},
                                         {"model", {{"dropout", 0}}}}
                                        .dump());
  const std::string tuned = directory / "tuned";
  for (const char* const epochs : {"10", "20"})
    run_well({"train", config, "--out", tuned, "--set", std::string("training.epochs=") + epochs});
  CHECK(loss(tuned) < loss(imported_model()) - 0.3);
  const Json before = Json::parse(content(imported_model() + "/config.json")),
             after = Json::parse(content(tuned + "/config.json"));
  CHECK(after["decoding"] == before["decoding"]);  // else a part of the gain would be another search
  CHECK(after["data"]["max_length"] == 511);
  CHECK(content(tuned + "/vocabulary.json") == content(imported_model() + "/vocabulary.json"));
  CHECK(content(tuned + "/subwords.target.model") == content(imported_model() + "/subwords.target.model"));

  const Outcome from_nothing = run({"train", config, "--out", directory / "none", "--set",
                                    "training.initial_weights=", "--set", "data.tokeniser=marian"});
  CHECK_REFUSED(from_nothing, "belongs to a model of regard import");
}

TEST_CASE("an NLLB is imported for two languages, translates, and is trained further", "[program][import]") {
  const TemporaryDirectory directory;
  const std::string from = REGARD_FIXTURES "/nllb/model", model = directory / "model";
  run_well(
      {"import", from, "--source-language", "eng_Latn", "--target-language", "fra_Latn", "--out", model});
  const Json expected = Json::parse(content(REGARD_FIXTURES "/nllb/expected.json"));
  const Circumstances sources{.input = as_lines(expected["sources"])};
  const auto translated = [&](const std::string& by) {
    const Outcome outcome =
        run({"translate", by}, sources);  // a sentence has an unknown letter, of which it warns
    CHECK(outcome.code == 0);
    return outcome.out;
  };
  CHECK(translated(model) == as_lines(expected["texts"]));
  const std::string source = directory.file("source", as_lines(expected["sources"]));
  const std::string target = directory.file("target", as_lines(expected["references"]));
  const std::string config = directory.file(
      "config.json",
      Json{{"data", {{"source", source}, {"target", target}}},
           {"training",
            {{"initial_weights", model}, {"schedule", "constant"}, {"learning_rate", 0.003}, {"epochs", 60}}}}
          .dump());
  CHECK(run({"train", config, "--out", directory / "tuned"}).code == 0);
  CHECK(content(directory / "tuned/languages.txt") == "eng_Latn\nfra_Latn\n");
  const std::string tuned = translated(directory / "tuned");
  CHECK(tuned != as_lines(expected["texts"]));
  CHECK(tuned.find("Latn") == std::string::npos);
  CHECK_REFUSED(run({"import", from, "--source-language", "eng_Latn", "--out", directory / "none"}),
                "choose two with --source-language and --target-language");
}

TEST_CASE("import refuses files that are missing, truncated or of another model", "[program][import]") {
  for (const char* const file :
       {"config.json", "model.safetensors", "vocab.json", "source.spm", "target.spm"}) {
    const DamagedCopy damaged("tied");
    const std::string bytes = content(damaged / file);
    fs::remove(damaged / file);
    damaged.refused(file == std::string("model.safetensors")
                        ? "model.safetensors and pytorch_model.bin are missing"
                        : file);
    damaged.write(file, bytes.substr(0, bytes.size() / 2));
    damaged.refused(damaged / file);
    damaged.write(file, "");
    damaged.refused(damaged / file);
  }
  const DamagedCopy other("tied");
  fs::copy(marian_fixture("two_vocabularies") + "/vocab.json", other / "vocab.json",
           fs::copy_options::overwrite_existing);
  other.refused("vocab.json: <pad> has the id");
  const DamagedCopy target("two_vocabularies");
  fs::remove(target / "target_vocab.json");
  target.refused("target_vocab.json");
}

TEST_CASE("import refuses configurations that it cannot follow", "[program][import]") {
  const auto refused = [](const std::string& from, const std::string& to, const std::string& part) {
    const DamagedCopy damaged("tied");
    damaged.replace("config.json", from, to);
    damaged.refused(part);
  };
  refused("\"marian\"", "\"bart\"", "model_type is \"bart\", but only \"marian\"");
  refused("\"model_type\": \"marian\",", "", "model_type is missing, but only \"marian\"");
  refused("\"dropout\": 0.1", "\"dropout\": 2", "/copy: dropout: probability 2 must be");
  refused("\"d_model\": 16", "\"d_model\": \"16\"",
          "\"d_model\" must be a whole number from 1 to 10000000, got \"16\"");
  refused("\"d_model\": 16,", "", "\"d_model\" is missing");
  refused("\"encoder_ffn_dim\": 24", "\"encoder_ffn_dim\": 25",
          "encoder_ffn_dim is 25, but decoder_ffn_dim is 24");
  refused("\"encoder_layers\": 2", "\"encoder_layers\": 3",
          "model.encoder.layers.2.self_attn.q_proj.weight is missing; expected [16, 16]");
  refused("\"encoder_layers\": 2", "\"encoder_layers\": 1", "has no place in a model of this configuration");
  refused("\"swish\"", "\"gelu_new\"",
          "\"activation_function\" must be \"swish\", \"silu\", \"relu\" or \"gelu\", got \"gelu_new\"");
  refused("\"model_type\"", "\"normalize_before\": true, \"model_type\"", "normalize_before is true");
  refused("\"encoder_attention_heads\": 4", "\"encoder_attention_heads\": 3", "decoder_attention_heads is 4");
}

TEST_CASE("import refuses hostile files, and writes only into its directory", "[program][import]") {
  const DamagedCopy large("tied");
  fs::resize_file(large / "vocab.json", std::uintmax_t{1} << 30);
  large.refused("vocab.json has 1073741824 bytes");
  fs::resize_file(large / "config.json", std::uintmax_t{1} << 30);
  large.refused("config.json has 1073741824 bytes");
  const DamagedCopy deep("tied");
  deep.write("config.json", std::string(100'000, '['));
  deep.refused("config.json");
  for (const std::string& vocabulary :
       {std::string("[]"), std::string("{\"a\": 1, \"a\": 2}"), std::string("{\"a\": 1, \"b\": 1}"),
        std::string("{\"a\": -1}"), std::string("{\"a\": 1e9}"), std::string("{\"a\": 4000000000}"),
        std::string("{\"a\": {\"b\": 1}}"), std::string("{\"a\": \"0\"}"), std::string("7"),
        std::string("{\"../../x\": 0}")}) {
    const DamagedCopy damaged("tied");
    damaged.write("vocab.json", vocabulary);
    damaged.refused(damaged / "vocab.json");
  }

  const TemporaryDirectory directory;
  const std::string kept = directory.file("kept", "text");
  CHECK_REFUSED(run({"import", marian_fixture("tied"), "--out", directory / ""}),
                "exists already and is not empty");
  CHECK(content(kept) == "text");
  CHECK_REFUSED(run({"import", directory / "absent", "--out", directory / "model"}), "there is no directory");
  CHECK_REFUSED(run({"import", marian_fixture("tied"), "--out", kept + "/below"}), "kept");
  CHECK(directory.entries() == 1);
  const Outcome full =
      run({"import", marian_fixture("tied"), "--out", directory / "full"}, {.file_size = 20'000});
  CHECK(full.code == 1);
  CHECK(directory.entries() == 1);
}
