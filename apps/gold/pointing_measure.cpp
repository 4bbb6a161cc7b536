#include "apps/gold/pointing.h"
#include "apps/regard/measure.h"
#include "autograd/machine/error.h"

namespace regard::program {

namespace {

using translation::PointingCounts;

/// The shares of hits: of the model, and of a decoder that looks at a random position.
struct PointingShares {
  std::optional<double> model, random;
};

PointingShares shares(const PointingCounts& counts) {
  if (counts.words == 0) return {};
  const auto words = static_cast<double>(counts.words);
  return {static_cast<double>(counts.hits) / words, counts.expected_hits / words};
}

class Pointing : public Measure {
  void add_options(const Command&, const Command& of_model) override {
    of_model.option(
        "--regions", path_,
        "For a model that reads images: the region of the image that each word of the reference names, one "
        "line of JSON per image as regard toy scenes writes it; prints the share of these words for which "
        "the decoder looked most at the region");
  }

  std::string example() const override {
    return "  regard evaluate build/captions --tsv build/scenes/test.tsv --regions "
           "build/scenes/test.regions.jsonl\n";
  }

  std::vector<std::string> files() const override { return {path_}; }

  void read(const Evaluated& evaluated) override {
    if (path_.empty()) return;
    if (!evaluated.model->settings.model.reads_files())
      fail(
          "--regions needs a model that reads images, but {} reads text; --alignments compares its attention",
          evaluated.model_directory);
    regions_ = translation::read_regions(path_);
    const std::vector<std::string>& captions = evaluated.text.target;
    translation::check_line_counts(path_, regions_.size(), evaluated.references_file, captions.size());
    for (std::size_t line = 0; line < regions_.size(); ++line)
      check_words(regions_[line], evaluated.model->tokeniser->split_target(captions[line]),
                  fmt::format("{}, line {}", path_, line + 1));
  }

  Measured of_model(translation::TranslationModel& model, const translation::ParallelCorpus& pairs) override {
    if (path_.empty()) return {};
    const PointingCounts counts = pointing_all(model.model, pairs, regions_);
    const auto [share, random] = shares(counts);
    return {.lines = share ? fmt::format("pointing        {} ({} of {} words; a random position: {})\n",
                                         percent(share, ""), counts.hits, counts.words, percent(random, ""))
                           : "pointing        no word has a region\n",
            .json = {{"pointing",
                      {{"share", or_null(share)},
                       {"random", or_null(random)},
                       {"hits", counts.hits},
                       {"words", counts.words}}}}};
  }

  std::string path_;
  std::vector<translation::ImageRegions> regions_;
};

}  // namespace

std::shared_ptr<Measure> make_pointing() { return std::make_shared<Pointing>(); }

}  // namespace regard::program
