#include "apps/bench/translate_bench.h"

#include <fmt/ranges.h>

#include "apps/bench/timing.h"
#include "apps/translation/corpus/corpus.h"
#include "apps/translation/files/files.h"
#include "autograd/blas.h"
#include "autograd/checked_cast.h"
#include "autograd/error.h"
#include "autograd/parallel.h"
#include "autograd/simd.h"

namespace regard::bench {

namespace {

using Results = std::vector<translation::Translator::Result>;

Index count_tokens(const std::vector<std::string>& lines, const translation::Tokeniser& tokeniser) {
  Index tokens = 0;
  for (const std::string& line : lines) tokens += to_index(tokeniser.split(line).size());
  return tokens;
}

std::vector<std::string> best(const Results& results) {
  std::vector<std::string> lines;
  for (const auto& result : results) lines.push_back(result.n_best.front().text);
  return lines;
}

void print(const std::vector<std::string>& lines, const std::vector<std::string>& translations,
           translation::TranslationModel& model, const transformer::SearchOptions& options) {
  const blas::Information& blas = blas::information();
  fmt::print("model        {} parameters, beam {}\n", model.model.parameter_count(), options.beam);
  fmt::print("machine      {} threads, {}, OpenBLAS core {}\n", threads(), to_string(simd()), blas.core);
  fmt::print("sentences    {}, {} tokens, translations {} tokens\n", lines.size(),
             count_tokens(lines, *model.tokeniser), count_tokens(translations, *model.tokeniser));
}

}  // namespace

void run(const TranslateBench& bench, translation::Translator& translator,
         const transformer::SearchOptions& options) {
  if (bench.runs < 1) fail("--runs {}: give a number of at least 1", bench.runs);
  const std::vector<std::string> lines = translation::read_sentences(bench.source);
  const std::vector<std::string> translations = best(translator.translate(lines, options));  // the warm-up
  print(lines, translations, translator.model(), options);

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
      translator.translate({lines[line]}, options, to_index(line) + 1);
      seconds.push_back(seconds_since(begin));
    }
  }
  const double middle = median(seconds);
  if (bench.one_at_a_time) {
    fmt::print("latency      {:.2f} ms a sentence, the median\n", 1e3 * middle);
  } else {
    const auto tokens = static_cast<double>(count_tokens(translations, *translator.model().tokeniser));
    fmt::print("translating  {:8.1f} sentences/s   {:8.0f} tokens/s of translation\n",
               static_cast<double>(lines.size()) / middle, tokens / middle);
  }
  if (!bench.output.empty())
    translation::write_file(bench.output, fmt::format("{}\n", fmt::join(translations, "\n")));
}

}  // namespace regard::bench
