#include "apps/playground/engine/settings.h"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <sstream>

#include "apps/toys/toys.h"
#include "apps/translation/files/files.h"
#include "apps/translation/files/json_fields.h"
#include "autograd/machine/error.h"

namespace regard::playground {

namespace {

using namespace translation;  // the kinds of values

constexpr std::size_t most_pairs = 50'000, most_bytes = 400;  // of one pair
constexpr std::size_t enough_to_hold_out = 20;  // with fewer pairs, the training pairs are validated
constexpr Index longest_sentence = 64;

/// Calls visit(name, value, kind) for each choice.
template <class Visit>
void each(Choices& c, const Visit& visit) {
  visit("task", c.task, one_of({"copy", "reverse", "sort", "dates", "sentences", "own"}));
  visit("pairs", c.pairs, text());
  visit("length", c.length, whole(2, 40));
  visit("model", c.model, one_of({"transformer", "recurrent", "no_attention"}));
  visit("bidirectional", c.bidirectional, flag());
  visit("d_model", c.d_model, whole(2, 512));
  visit("d_ff", c.d_ff, whole(2, 2048));
  visit("layers", c.layers, whole(1, 6));
  visit("heads", c.heads, whole(1, 16));
  visit("positions", c.positions, one_of({"sinusoidal", "learned", "none", "rotary"}));
  visit("scale_scores", c.scale_scores, flag());
  visit("dropout", c.dropout, from_to_below(0, 1));
  visit("label_smoothing", c.label_smoothing, from_to_below(0, 1));
  visit("learning_rate", c.learning_rate, above(0));
  visit("warmup_steps", c.warmup_steps, whole(1, 100'000));
  visit("batch_tokens", c.batch_tokens, whole(16, 8192));
  visit("seed", c.seed, whole(0, 1'000'000));
}

/// Checks pasted pairs, so that a mistake names its line, and returns their number.
std::size_t count_pairs(const std::string& pairs) {
  std::istringstream lines(pairs);
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (std::ranges::count(line, '\t') != 1)
      fail("line {} of the pairs has no tab, or several; write a sentence, a tab and its translation",
           number);
    if (line.size() > most_bytes)
      fail("line {} of the pairs has {} bytes; give at most {}", number, line.size(), most_bytes);
  }
  if (number == 0) fail("there are no pairs; write lines with a sentence, a tab and its translation");
  if (number > most_pairs) fail("there are {} pairs; give at most {}", number, most_pairs);
  return number;
}

toys::Toy toy_of(const Choices& choices) {
  using toys::SequenceKind;
  for (const auto& [name, kind] : {std::pair("copy", SequenceKind::copy),
                                   {"reverse", SequenceKind::reverse},
                                   {"sort", SequenceKind::sort}})
    if (choices.task == name) return toys::sequence_toy(kind, 1, choices.length);
  return toys::find_toy(choices.task);
}

}  // namespace

Choices read_choices(const Json& request) {
  Choices choices;
  Fields fields(request, "the settings");
  each(choices, [&](const char* name, auto& value, const Kind& kind) { fields.take(name, value, kind); });
  fields.end();
  return choices;
}

Json to_json(Choices choices) {
  Json json;
  each(choices, [&](const char* name, const auto& value, const Kind&) { json[name] = value; });
  return json;
}

Json write_corpus(const Choices& choices, const std::string& directory) {
  const auto file = [&](const char* name) { return directory + "/" + name; };
  toys::make_directory(directory);
  Json data{{"max_length", longest_sentence}};
  if (choices.task == "own") {
    const std::size_t pairs = count_pairs(choices.pairs);
    write_file(file("pairs.tsv"), choices.pairs);
    data["tsv"] = file("pairs.tsv");
    if (pairs < enough_to_hold_out)
      data["validation_tsv"] = file("pairs.tsv");
    else
      data["validation_share"] = 0.1;
    return data;
  }
  const toys::Toy toy = toy_of(choices);
  const toys::CorpusSizes sizes{.train = toy.sizes.train, .validation = 200, .test = 1};
  toys::write(generate(toy, static_cast<std::uint64_t>(choices.seed), sizes), directory,
              toys::Existing::replace);
  data["tokeniser"] = toy.tokeniser;
  for (const char* const side : {"source", "target"}) {
    data[side] = file("train.") + side;
    data[std::string("validation_") + side] = file("validation.") + side;
  }
  return data;
}

Json configuration(const Choices& c, const Json& data) {
  Json model{{"preset", "toy"},
             {"d_ff", c.d_ff},
             {"heads", c.heads},
             {"positions", {{"kind", c.positions}}},
             {"multi_head", {{"scaled", c.scale_scores}}}};
  // Bahdanau's model, and the same with the encoder's last state in place of attention (claim A1).
  if (c.model == "recurrent") model = {{"preset", "bahdanau2015"}};
  if (c.model == "no_attention") model = {{"preset", "cho2014"}};
  if (c.model != "transformer") model["bidirectional"] = c.bidirectional;
  model.update({{"d_model", c.d_model},
                {"encoder_layers", c.layers},
                {"decoder_layers", c.layers},
                {"dropout", c.dropout}});
  return {{"data", data},
          {"model", model},
          {"training",
           {{"steps", 1'000'000},
            {"batch_tokens", c.batch_tokens},
            {"label_smoothing", c.label_smoothing},
            {"schedule", "inverse_sqrt"},
            {"learning_rate", c.learning_rate},
            {"warmup_steps", c.warmup_steps},
            {"gradient_clip_norm", 1.0},
            {"seed", c.seed}}},
          {"decoding", {{"max_length", 2 * longest_sentence}}}};
}

}  // namespace regard::playground
