#include <charconv>
#include <iterator>
#include <system_error>

#include "apps/more_measures/by_length.h"
#include "apps/regard/measure.h"
#include "autograd/machine/error.h"

namespace regard::program {

namespace {

/// Reads bounds such as "10,20,30". Throws Error unless they are whole numbers of at least 1 that increase.
std::vector<Index> read_length_bounds(const std::string& text) {
  std::vector<Index> bounds;
  const char *next = text.data(), *const end = next + text.size();
  while (true) {
    Index bound = 0;
    const auto [stop, error] = std::from_chars(next, end, bound);
    if (error != std::errc() || bound <= (bounds.empty() ? 0 : bounds.back())) break;
    bounds.push_back(bound);
    if (stop == end) return bounds;
    if (*stop != ',') break;
    next = stop + 1;
  }
  fail("--length-bounds {}: give whole numbers of at least 1 that increase, such as 10,20,30", text);
}

class ByLength : public Measure {
  void add_options(const Command& every, const Command&) override {
    every.option("--length-bounds", text_,
                 "The scores by length: numbers of words of the reference at which a range begins",
                 show_default);
  }

  void read(const Evaluated&) override { bounds_ = read_length_bounds(text_); }

  Measured of_outputs(const Outputs& outputs) override {
    Measured result{.table = fmt::format("\n{:<16}{:>10}{:>8}{:>13}\n", "reference words", "sentences",
                                         "BLEU", "exact match"),
                    .json = {{"length_bounds", bounds_}, {"lengths", translation::Json::array()}}};
    for (const translation::LengthBucket& bucket : scores_by_length(
             outputs.references.front(), outputs.bleu, outputs.exact, bounds_, outputs.options.tokeniser)) {
      fmt::format_to(std::back_inserter(result.table), "{:<16}{:>10}{:>8.2f}{:>13}\n", bucket.name(),
                     bucket.sentences, bucket.bleu.score, percent(bucket.exact_match, "none"));
      result.json["lengths"].push_back({{"reference_words", bucket.name()},
                                        {"shortest", bucket.shortest},
                                        {"longest", or_null(bucket.longest)},
                                        {"sentences", bucket.sentences},
                                        {"bleu", bucket.bleu.score},
                                        {"exact_match", or_null(bucket.exact_match)}});
    }
    return result;
  }

  std::string text_ = "10,20,30,40,50";
  std::vector<Index> bounds_;
};

}  // namespace

std::shared_ptr<Measure> make_by_length() { return std::make_shared<ByLength>(); }

}  // namespace regard::program
