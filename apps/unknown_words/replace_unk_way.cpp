// `regard translate --replace-unk`
#include <algorithm>
#include <functional>
#include <utility>

#include "apps/regard/ways_to_translate.h"
#include "apps/translation/model/translation_model.h"
#include "autograd/machine/error.h"

namespace regard::program {

namespace {

using translation::Alignment;
using translation::Translation;
using translation::Translator;

bool has_unknown(const Translation& translation) {
  return std::ranges::find(translation.ids, translation::special::unknown) != translation.ids.end();
}

/// The text of a translation with source tokens in the places of its unknown words, by the links of
/// Translator::alignments (Jean et al. 2015; Luong et al. 2015). An unknown word without a link stays.
std::string replaced(Translator& translator, const Translator::Source& source, const Translation& translation,
                     const Alignment& links) {
  const translation::Tokeniser& tokeniser = *translator.model().tokeniser;
  const bool has_form = &tokeniser.of_form() != &tokeniser;
  // A mark, such as one for capitals, is written with the word behind it.
  const auto is_mark = [&](const std::string& token) { return has_form && tokeniser.join({token}).empty(); };
  const std::vector<std::string> written = translator.target_tokens(translation);
  std::vector<std::vector<std::string>> tokens;
  for (const std::string& token : written) tokens.push_back({token});
  for (const translation::Link& link : links) {
    const std::size_t target = to_size(link.target);
    if (translation.ids[target] != translation::special::unknown) continue;
    std::size_t from = to_size(link.source);
    while (from + 1 < source.tokens.size() && is_mark(source.tokens[from])) ++from;
    tokens[target] = {source.tokens[from]};
    if (from > 0 && is_mark(source.tokens[from - 1]) && (target == 0 || !is_mark(written[target - 1])))
      tokens[target].insert(tokens[target].begin(), source.tokens[from - 1]);
  }
  std::vector<std::string> all;
  for (const std::vector<std::string>& each : tokens) all.insert(all.end(), each.begin(), each.end());
  return tokeniser.join(all);
}

class ReplaceUnkWay : public TranslateWay {
 public:
  void add_options(const Command& command) override {
    given_ = [command] { return command.given(); };
    command.group("Unknown words")
        .option(
            "--replace-unk", replace_,
            "Write in place of each <unk> of a translation the source token that the decoder read most "
            "when it wrote it, the one of --alignments; <unk> stays if it read the end of the source most",
            {.alternative = true, .excludes = {"--no-unk"}});
  }
  std::string example() const override {
    return "  regard translate build/model --replace-unk < source.txt\n";
  }

  bool searches() const override { return replace_; }
  void check(const transformer::SearchOptions& options, translation::TranslationModel& model) const override {
    if (model.settings.model.reads_files())
      fail("--replace-unk copies words of the source, but this model reads no text; leave it out");
    // Markup goes to the places of the tokens as the model wrote them.
    for (const auto& [option, value] : given_())
      if ((option == "--markup" || option == "--files") && value != "not given")
        fail("--replace-unk excludes {}", option);
    TranslateWay::check(options, model);
  }

  Results search(const TranslateRun& run, Sources sources) const override {
    Results results = TranslateWay::search(run, std::move(sources));
    Results unknown;  // only they need an alignment
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < results.size(); ++i)
      if (std::ranges::any_of(results[i].n_best, has_unknown)) {
        unknown.push_back(results[i]);
        places.push_back(i);
      }
    if (unknown.empty()) return results;
    const auto links = run.translator.alignments(unknown);
    for (std::size_t i = 0; i < places.size(); ++i)
      for (std::size_t n = 0; n < links[i].size(); ++n) {
        Translation& translation = results[places[i]].n_best[n];
        if (has_unknown(translation))
          translation.text = replaced(run.translator, unknown[i].source, translation, links[i][n]);
      }
    return results;
  }

 private:
  bool replace_ = false;
  std::function<std::vector<translation::Fact>()> given_;  ///< the command line
};

}  // namespace

std::shared_ptr<TranslateWay> replace_unk_way() { return std::make_shared<ReplaceUnkWay>(); }

}  // namespace regard::program
