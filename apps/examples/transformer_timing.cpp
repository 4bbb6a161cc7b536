// What the library's tricks buy: times the parts of the Transformer in one file (transformer.cpp) and the
// same parts of the library, on the same sentences, and prints a table. ONE_FILE.md explains it.
//
//   transformer_timing [ROUNDS]
//
// In each round every way is run once, one after another, so that all of them meet the same load of the
// machine; the table has the medians of the rounds.
#define main one_file_main  // that program's, which is not called here
#include "transformer.cpp"
#undef main

#include <chrono>
#include <cstdio>
#include <functional>

#include "transformer/transformer.h"

namespace lib = regard::transformer;

constexpr Index batch_size = 32, shortest = 6, longest = 30;
const Settings sizes{.vocabulary = 4000, .d_model = 128, .heads = 4, .d_ff = 512, .layers = 2};

/// The same computation in up to three ways.
struct Part {
  const char* name;
  std::function<void()> plain, without_trick, library;
};

double milliseconds(const std::function<void()>& run) {
  const auto begin_time = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin_time).count();
}

void time(const Part& part, int rounds) {
  std::printf("%-53s", part.name);
  const std::function<void()> ways[] = {part.plain, part.without_trick, part.library};
  std::vector<double> times[3];
  for (int round = -1; round < rounds; ++round)  // round -1 is not counted
    for (int way = 0; way < 3; ++way)
      if (ways[way]) {
        const double time_of_run = milliseconds(ways[way]);
        if (round >= 0) times[way].push_back(time_of_run);
      }
  for (std::vector<double>& of_way : times) {
    std::sort(of_way.begin(), of_way.end());
    if (of_way.empty())
      std::printf("%11s", "-");
    else
      std::printf("%11.2f", of_way[of_way.size() / 2]);
  }
  std::printf("\n");
  std::fflush(stdout);
}

/// Runs the backward with a gradient of 1 for each number of y.
void back(const Tensor& y) { backward(y, {.cotangent = Tensor::full(y.shape(), 1)}); }

lib::Batch packed(const Sentences& sentences) {
  lib::Batch batch;
  for (const std::string& s : sentences) {
    const std::vector<std::int32_t> ids(s.begin(), s.end());
    batch.append(ids, ids);
  }
  return batch;
}

lib::Config library_config(const Settings& s) {
  return {.source_vocabulary = s.vocabulary,
          .target_vocabulary = s.vocabulary,
          .d_model = s.d_model,
          .heads = s.heads,
          .d_ff = s.d_ff,
          .encoder_layers = s.layers,
          .decoder_layers = s.layers,
          .dropout = {.attention = 0, .feed_forward = 0}};
}

/// A step of training. Without the trick, the library's sentences are filled up to the longest one.
Part training_step(const Sentences& sentences) {
  Random random(1);
  const auto plain = std::make_shared<Transformer>(Transformer{sizes, Random(1)});
  const auto model = std::make_shared<lib::EncoderDecoder>(make_transformer(library_config(sizes), random));
  const auto adam = std::make_shared<nn::Adam>(model->parameters());
  const auto step_on = [=](const lib::Batch& batch) {
    return [=] {
      model->loss(batch, {.label_smoothing = Real(0.1)}).backward();
      adam->step({.learning_rate = 1e-4});
    };
  };
  Sentences filled_up = sentences;
  for (std::string& sentence : filled_up) sentence.resize(longest, 'x');
  return {"a step of training: padded | packed",
          [=] {
            const Tensor logits = plain->logits(Tokens("", sentences, end), Tokens(begin, sentences, ""));
            cross_entropy(logits, Tokens("", sentences, end), 0.1).backward();
            adam_step(*plain, 1);
          },
          step_on(packed(filled_up)), step_on(packed(sentences))};
}

/// Greedy decoding of as many tokens as the longest sentence has. Without the trick, the library runs the
/// whole decoder over all tokens so far, as the short file does.
Part decoding(const Sentences& sentences) {
  Settings with_characters = sizes;
  with_characters.vocabulary = 128;
  Random random(1);
  const auto plain = std::make_shared<Transformer>(Transformer{with_characters, Random(1)});
  const auto model =
      std::make_shared<lib::EncoderDecoder>(make_transformer(library_config(with_characters), random));
  model->eval();
  const lib::Source source = packed(sentences).source;
  return {"greedy decoding: all keys and values again | cached", [=] { translate(*plain, sentences); },
          [=] {
            const NoGrad no_grad;
            const lib::Memory memory = model->encode(source);
            std::vector<std::vector<std::int32_t>> targets(sentences.size(), {begin.front()});
            for (Index m = 1; m <= longest + 1; ++m) {
              lib::PackedSequences all;
              std::vector<std::int32_t> last;
              for (const std::vector<std::int32_t>& target : targets) {
                all.append(target);
                last.push_back(static_cast<std::int32_t>(all.tokens()) - 1);
              }
              const Tensor rows = gather(model->decode(all, memory), 0, last);
              const std::vector<std::int32_t> next = argmax(model->generator(rows));
              for (std::size_t i = 0; i < targets.size(); ++i) targets[i].push_back(next[i]);
            }
          },
          [=] {
            const auto state = model->begin(source);
            std::vector<std::int32_t> next(sentences.size(), begin.front());
            for (Index m = 1; m <= longest + 1; ++m) {
              std::vector<lib::Continuation> continuations;
              for (std::size_t i = 0; i < next.size(); ++i) continuations.push_back({to_index(i), {next[i]}});
              next = argmax(model->generator(state->advance(continuations)));
            }
          }};
}

/// The parts of a layer, on rows without padding.
std::vector<Part> parts_of_a_layer() {
  Random random(1);
  const auto plain = std::make_shared<Transformer>(Transformer{sizes, Random(1)});
  const Index d = sizes.d_model, rows = batch_size * longest;
  Tensor x = Tensor::normal({batch_size, longest, d}, 0, 1, random);
  const Tensor flat = x.set_requires_grad().view({rows, d}).set_requires_grad(),
               other = flat.clone().set_requires_grad();
  const Tensor mask = Tensor::zeros({batch_size, 1, 1, longest});
  const auto attention = std::make_shared<nn::MultiHeadAttention>(
      nn::MultiHeadAttention::Settings{.d_model = d, .heads = sizes.heads}, random);
  std::vector<Index> offsets;
  for (Index i = 0; i <= batch_size; ++i) offsets.push_back(i * longest);
  const nn::Linear inner(d, sizes.d_ff, random), projection(d, sizes.vocabulary, random);
  const nn::LayerNorm norm(d);
  const DropoutMask dropped{Real(0.1), 1};
  const std::vector<std::int32_t> targets(to_size(rows), 'x');
  const Tokens target_tokens("", Sentences(batch_size, std::string(longest, 'x')), "");
  return {
      {"multi-head attention: n x n weights | none kept",
       [=] { back(plain->multi_head(x, x, mask, "attention")); }, nullptr,
       [=] { back(attention->self(flat, segments(offsets, offsets), nn::MultiHeadAttention::Mask::none)); }},
      {"dropout(relu(x W + b)): three passes | one",
       [=] { back(plain->drop(relu(plain->linear(x, "inner", sizes.d_ff)))); },
       [=] { back(dropout(relu(inner(flat)), dropped)); },
       [=] { back(linear_relu(flat, inner.weight, inner.bias, dropped)); }},
      {"LayerNorm(x + dropout(y)): three passes | one",
       [=] { back(plain->layer_norm(x + plain->drop(x), "norm")); },
       [=] { back(norm(flat + dropout(other, dropped))); }, [=] { back(norm(flat, other, dropped)); }},
      {"projection and loss: all logits | blocks of rows",
       [=] {
         cross_entropy(plain->linear(x, "projection", sizes.vocabulary), target_tokens, 0.1).backward();
       },
       [=] { cross_entropy(projection(flat), targets, {.label_smoothing = Real(0.1)}).backward(); },
       [=] {
         linear_cross_entropy(flat, projection.weight, projection.bias, targets,
                              {.label_smoothing = Real(0.1)})
             .backward();
       }}};
}

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 11;
  if (argc > 2 || rounds < 1) {
    std::fprintf(stderr, "usage: transformer_timing [ROUNDS], a whole number from 1 on\n");
    return 1;
  }
  Random random(1);
  Sentences sentences(batch_size);
  for (std::string& sentence : sentences)
    sentence.resize(shortest + random.below(longest - shortest + 1), 'x');
  sentences.front().resize(longest, 'x');
  std::cout << threads() << " threads; " << batch_size << " sentences of " << shortest << " to " << longest
            << " tokens; d_model " << sizes.d_model << ", " << sizes.heads << " heads, d_ff " << sizes.d_ff
            << ", " << sizes.layers << " + " << sizes.layers << " layers,\nvocabulary " << sizes.vocabulary
            << ". Milliseconds, median of " << rounds << " rounds.\n\n"
            << std::flush;
  std::printf("%-53s%11s%11s%11s\n", "", "one file", "no trick", "library");
  time(training_step(sentences), rounds);
  for (const Part& part : parts_of_a_layer()) time(part, rounds);
  time(decoding(sentences), rounds);
}
