#include <limits>

#include "tests/apps/settings/checked.h"
#include "transformer/recurrent/recurrent_config.h"

using namespace regard::translation;
using namespace regard::tests;

TEST_CASE("settings of recurrent parts that contradict others are refused", "[settings]") {
  refused({"training.shards=2", "model.decoder=recurrent", "model.attention.kind=hard"},
          "training.shards is 2, but the model has hard attention");
  refused({"model.preset=bahdanau2015", "model.encoder_width=10", "model.attention.score=dot"},
          "equal widths");
  refused({"model.preset=bahdanau2015", "model.attention.score=location", "model.attention.positions=2"},
          "may have 257 tokens");
}

TEST_CASE("a setting of recurrent parts that nothing reads is refused with what would read it",
          "[settings]") {
  needs({"model.preset=toy", "model.attention.score=general"}, "model.decoder \"recurrent\"");
  needs({"model.preset=toy", "model.attention.kind=hard"}, "model.decoder \"recurrent\"");
  needs({"model.preset=toy", "model.cell=lstm"},
        "model.encoder \"recurrent\", or model.decoder \"recurrent\"");
  needs({"model.decoder=recurrent", "model.reverse_source=true"}, "model.encoder \"recurrent\"");
  needs({"model.preset=cho2014", "model.attention.score=dot"},
        "model.decoder \"recurrent\" and model.attention.kind \"soft\" or \"hard\"");
  needs({"model.preset=bahdanau2015", "model.heads=8"}, "model.encoder \"transformer\"");
  needs({"model.preset=bahdanau2015", "model.norm=pre"}, "model.encoder \"transformer\"");
  refused({"model.preset=bahdanau2015", "model.heads=8", "model.cell=lstm", "model.norm=pre"},
          "model.heads, model.norm have no effect here; they need model.encoder \"transformer\"");
  needs({"model.preset=bahdanau2015", "model.dropout.attention=0"}, "model.encoder \"transformer\"");
  needs({"model.preset=bahdanau2015", "model.positions.kind=none"}, "model.encoder \"transformer\"");
  needs({"model.preset=luong2015", "model.attention.radius=3"}, "model.decoder \"recurrent\" and");
  needs({"model.preset=luong2015", "model.attention.width=3"}, "model.decoder \"recurrent\" and");
  needs({"model.preset=luong2015", "model.attention.positions=300"}, "model.decoder \"recurrent\" and");
  needs({"model.preset=luong2015", "model.attention.hard.mean_share=1"}, "model.decoder \"recurrent\" and");
  needs({"model.preset=luong2015", "model.multi_head.scaled=false"}, "model.encoder \"transformer\"");
  accepted({"model.preset=bahdanau2015", "model.dropout=0.3"});  // one number sets all rates
  accepted({"model.encoder=recurrent", "model.cell=lstm", "model.heads=8"});
}

TEST_CASE("a model directory with a setting that nothing reads can be resumed and tuned", "[settings]") {
  const Settings old = with({"model.preset=bahdanau2015", "model.heads=8"});
  const Settings now = with({"model.preset=bahdanau2015"});
  CHECK_FALSE(changed_setting(old, now));
  CHECK(contradictions(now, old).empty());
  CHECK(changed_setting(old, with({"model.preset=bahdanau2015", "model.cell=lstm"}))->place == "model.cell");
  const TemporaryDirectory directory;
  directory.file("config.json", to_json(old).dump());
  const std::string config = directory.file("c.json", R"({"data": {"tsv": "x"}})");
  const Overrides from = {"training.initial_weights=" + directory / ""};
  CHECK(load_settings(config, from).model.preset == "bahdanau2015");
}

TEST_CASE("recurrent shapes that only a program can make are refused, too", "[settings]") {
  const auto complaint = [](const char* preset, const auto& change) {
    ModelSettings model = model_preset(preset);
    change(model);
    return MESSAGE_OF(check(model));
  };
  CHECK_CONTAINS(complaint("luong2015",
                           [](ModelSettings& m) {
                             m.parts.of<regard::transformer::RecurrentConfig>().attention.window =
                                 regard::nn::AttentionWindow::local_m;
                             m.parts.of<regard::transformer::RecurrentConfig>().attention.radius =
                                 std::numeric_limits<regard::Index>::max();
                           }),
                 "a local window needs a number from 1 to 1000000000");
}

TEST_CASE("the positions that an attention scores limit the subwords of a source", "[settings]") {
  const SentenceLimits none,
      longest =
          with({"model.preset=luong2015", "model.attention.score=location", "model.attention.positions=30"})
              .model.longest_sentences();
  CHECK(longest.source == 29);
  CHECK(longest.target == none.target);
}

TEST_CASE("a setting that recurrent models no longer have may keep its value", "[settings]") {
  const Json old = Json::parse(R"({"model": {"attention": {"hard": {"baseline_decay": 0.9}}}})");
  CHECK_NOTHROW(parse_settings(old, "c.json"));
}
