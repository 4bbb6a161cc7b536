#include "apps/gold/gold_alignments.h"
#include "apps/regard/measure.h"
#include "apps/translation/translator/alignment.h"
#include "autograd/machine/error.h"

namespace regard::program {

namespace {

class GoldAlignments : public Measure {
  void add_options(const Command&, const Command& of_model) override {
    of_model.option(
        "--alignments", path_,
        "Gold alignments of source and reference, one line per pair, to compare the model's "
        "attention with: \"0-0 1?2\" says that token 0 of both is a sure link, and source token 1 "
        "and reference token 2 a possible one; tokens are the model's");
  }

  std::string example() const override {
    return "  regard evaluate build/model --source build/toy/test.source --reference build/toy/test.target "
           "\\\n"
           "      --alignments build/toy/test.align\n";
  }

  std::vector<std::string> files() const override { return {path_}; }

  void read(const Evaluated& evaluated) override {
    if (path_.empty()) return;
    if (evaluated.model->settings.model.reads_files())
      fail("--alignments links words, but {} reads images; --regions compares its attention",
           evaluated.model_directory);
    const translation::ParallelText& text = evaluated.text;
    const translation::Tokeniser& tokeniser = *evaluated.model->tokeniser;
    gold_ = translation::read_gold(path_);
    translation::check_line_counts(path_, gold_.size(), evaluated.references_file, text.target.size());
    for (std::size_t line = 0; line < gold_.size(); ++line)
      check_positions(gold_[line], to_index(tokeniser.split(text.source[line]).size()),
                      to_index(tokeniser.split_target(text.target[line]).size()),
                      fmt::format("{}, line {}", path_, line + 1));
  }

  Measured of_model(translation::TranslationModel& model, const translation::ParallelCorpus& pairs) override {
    if (path_.empty()) return {};
    translation::AlignmentCounts counts;
    const std::vector<translation::Alignment> found = align_all(model.model, pairs);
    for (std::size_t pair = 0; pair < found.size(); ++pair)
      counts += alignment_counts(found[pair], gold_[to_size(pairs.lines[pair])]);
    const translation::AlignmentQuality quality = alignment_quality(counts);
    return {.lines = fmt::format("AER             {}\n"
                                 "  precision     {} ({} links of the model)\n"
                                 "  recall        {} ({} sure links of the gold alignments)\n",
                                 percent(quality.error_rate, "there are no links"),
                                 percent(quality.precision, "none"), counts.links,
                                 percent(quality.recall, "none"), counts.sure),
            .json = {{"alignments",
                      {{"error_rate", or_null(quality.error_rate)},
                       {"precision", or_null(quality.precision)},
                       {"recall", or_null(quality.recall)},
                       {"links", counts.links},
                       {"sure", counts.sure}}}}};
  }

  std::string path_;
  std::vector<translation::GoldAlignment> gold_;
};

}  // namespace

std::shared_ptr<Measure> make_gold_alignments() { return std::make_shared<GoldAlignments>(); }

}  // namespace regard::program
