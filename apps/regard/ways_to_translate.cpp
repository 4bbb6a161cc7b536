#include "apps/regard/ways_to_translate.h"

#include <fmt/format.h>
#include <iostream>
#include <unistd.h>
#include <utility>

#include "apps/regard/failures.h"
#include "apps/regard/options.h"
#include "apps/regard/streams.h"
#include "apps/translation/files/warning.h"
#include "apps/translation/processes/sharing.h"
#include "autograd/machine/error.h"

namespace regard::program {

void TranslateWay::check(const transformer::SearchOptions& options,
                         translation::TranslationModel& model) const {
  check_search(options, model);
}

TranslateWay::Results TranslateWay::search(const TranslateRun& run, Sources sources) const {
  return run.translator.translate_sources(std::move(sources), run.options, run.prefix);
}

const char* TranslateWay::remedy(const transformer::SearchOptions& options) const {
  return search_remedy(options.beam);
}

TranslateWay::Results TranslateRun::translate(
    TranslateWay::Sources sources,
    const std::function<void(const TranslateWay::Results& results)>& also) const {
  TranslateWay::Results results;
  run_model(origin, way.remedy(options), [&] {
    results = way.search(*this, std::move(sources));
    if (also) also(results);
  });
  return results;
}

void warn_of(const translation::Translator::Result& result, Index line) {
  warn_of_unknown_words(fmt::format("line {}", line), result.source.unknown_words);
  if (!result.remark.empty()) translation::remark("line {}: {}", line, result.remark);
}

void translate_stream(const TranslateBlock& translate_block, const char* unit,
                      translation::Processes& processes) {
  const bool interactive = processes.alone() && ::isatty(STDIN_FILENO) != 0;
  const std::size_t at_a_time = interactive ? 1 : lines_at_a_time;  // a person waits for each answer
  // The prompt is for a person and must not get into a file with the translations.
  const auto prompt = [&](const std::string& text) {
    if (interactive && ::isatty(STDERR_FILENO) != 0) std::cerr << text;
  };
  prompt(fmt::format("One {} per line; end with Ctrl-D.\n> ", unit));
  LineReader reader;
  for (;;) {
    const std::vector<std::string> block = of_first(processes, [&] { return reader.read(at_a_time); });
    if (block.empty()) break;
    const std::string problem = translate_block(block);
    if (!problem.empty()) {
      if (!interactive) fail("{}", problem);
      translation::remark("{}", problem);  // a person can type another line
    }
    prompt("> ");
  }
  prompt("\n");
}

}  // namespace regard::program
