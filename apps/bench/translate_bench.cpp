#include "apps/bench/translate_bench.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "apps/bench/floor.h"
#include "apps/translation/corpus/corpus.h"
#include "apps/translation/model/translation_model.h"
#include "apps/translation/text/counted.h"
#include "autograd/machine/blas.h"
#include "autograd/machine/error.h"
#include "autograd/machine/parallel.h"

namespace regard::bench {

namespace {

using Results = std::vector<translation::Translator::Result>;

Index count_tokens(const std::vector<std::string>& lines, const translation::Tokeniser& tokeniser) {
  Index tokens = 0;
  for (const std::string& line : lines) tokens += to_index(tokeniser.split(line).size());
  return tokens;
}

/// The best translation of each sentence.
struct Translations {
  std::vector<std::string> texts;
  Index tokens = 0;
};

Translations best(const Results& results) {
  Translations translations;
  for (const auto& result : results) {
    translations.texts.push_back(result.n_best.front().text);
    translations.tokens += to_index(result.n_best.front().ids.size());
  }
  return translations;
}

void print(const std::vector<std::string>& lines, Index translated_tokens,
           translation::TranslationModel& model, const transformer::SearchOptions& options) {
  const blas::Information& blas = blas::information();
  fmt::print("model        {} parameters, beam {}\n", model.model.parameter_count(), options.beam);
  fmt::print("machine      {}, {}, OpenBLAS core {}\n", translation::counted(threads(), "thread"),
             to_string(simd()), blas.core);
  fmt::print("sentences    {}, {} tokens, translations {} tokens\n", lines.size(),
             count_tokens(lines, *model.tokeniser), translated_tokens);
}

}  // namespace

std::vector<std::string> run(const TranslateBench& bench, translation::Translator& translator,
                             const transformer::SearchOptions& options) {
  if (bench.runs < 1) fail("--runs {}: give a number of at least 1", bench.runs);
  const std::vector<std::string> lines = translation::read_sentences(bench.source);
  Translations translations = best(translator.translate(lines, options));  // not measured
  print(lines, translations.tokens, translator.model(), options);

  std::vector<double> seconds;
  for (Index i = 0; i < bench.runs; ++i) {
    if (!bench.one_at_a_time) {
      const TimePoint begin = now();
      translator.translate(lines, options);
      seconds.push_back(seconds_since(begin));
      continue;
    }
    for (std::size_t line = 0; line < lines.size(); ++line) {
      const TimePoint begin = now();
      translator.translate({lines[line]}, options);
      seconds.push_back(seconds_since(begin));
    }
  }
  std::ranges::sort(seconds);
  const double middle = seconds[seconds.size() / 2];
  if (bench.one_at_a_time) {
    fmt::print("latency      {:.2f} ms per sentence, the median\n", 1e3 * middle);
  } else {
    const auto tokens = static_cast<double>(translations.tokens);
    fmt::print("translating  {:8.1f} sentences/s   {:8.0f} tokens/s of translation\n",
               static_cast<double>(lines.size()) / middle, tokens / middle);
  }
  return std::move(translations.texts);
}

}  // namespace regard::bench
