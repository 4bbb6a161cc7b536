// Compares chrF and the bootstrap with sacreBLEU (fixtures/make_sacrebleu_fixtures.py).
#include <set>

#include "apps/more_measures/bootstrap.h"
#include "apps/more_measures/chrf.h"
#include "apps/more_measures/ter.h"
#include "apps/translation/metrics/bleu.h"
#include "tests/apps/metrics/sacrebleu.h"
#include "tests/apps/support.h"

using namespace regard::tests;
using namespace regard::translation;
using nlohmann::json;
using regard::Index;
using Lines = std::vector<std::string>;

namespace {

double corpus_chrf(const Lines& hypotheses, const Lines& references, const ChrfOptions& options = {}) {
  ChrfCounts sum;
  for (const ChrfCounts& counts : chrf_counts(hypotheses, {references}, options)) sum += counts;
  return chrf(sum);
}

}  // namespace

TEST_CASE("chrF2 and chrF2++ equal sacreBLEU's", "[sacrebleu]") {
  std::set<double> scores;
  for (const json& corpus : sacrebleu().at("corpora")) {
    for (const json& expected : corpus.at("chrf")) {
      CAPTURE(corpus.at("name").get<std::string>(), expected.dump());
      const ChrfOptions options{.lowercase = expected.at("lowercase").get<bool>(),
                                .words = expected.at("words").get<bool>()};
      CHECK(corpus_chrf(corpus.at("hypotheses").get<Lines>(), corpus.at("references").get<Lines>(),
                        options) == close(expected.at("score")));
      check_signature(signature(options), expected.at("signature"));
      scores.insert(expected.at("score").get<double>());
    }
  }
  CHECK(scores.size() > 40);
}

TEST_CASE("chrF2 and chrF2++ with several references equal sacreBLEU's", "[sacrebleu]") {
  for (const json& corpus : sacrebleu().at("several")) {
    const auto references = corpus.at("references").get<References>();
    for (const json& expected : corpus.at("chrf")) {
      CAPTURE(corpus.at("name").get<std::string>(), expected.dump());
      const ChrfOptions options{.lowercase = expected.at("lowercase").get<bool>(),
                                .words = expected.at("words").get<bool>()};
      ChrfCounts sum;
      for (const ChrfCounts& counts : chrf_counts(corpus.at("hypotheses").get<Lines>(), references, options))
        sum += counts;
      CHECK(chrf(sum) == close(expected.at("score")));
      check_signature(signature(options, references.size()), expected.at("signature"));
    }
  }
}

TEST_CASE("TER equals sacreBLEU's", "[sacrebleu]") {
  std::set<double> scores;
  std::size_t compared = 0, options_that_matter = 0;
  for (const char* section : {"corpora", "several"})
    for (const json& corpus : sacrebleu().at(section)) {
      const json& its = corpus.at("references");
      const References references = its[0].is_array() ? its.get<References>() : References{its.get<Lines>()};
      std::set<double> of_corpus;
      for (const json& expected : corpus.at("ter")) {
        CAPTURE(corpus.at("name").get<std::string>(), expected.dump());
        const json& given = expected.at("options");
        const TerOptions options{.normalized = given.value("normalized", false),
                                 .no_punct = given.value("no_punct", false),
                                 .asian_support = given.value("asian_support", false),
                                 .case_sensitive = given.value("case_sensitive", false)};
        TerCounts sum;
        for (const TerCounts& counts : ter_counts(corpus.at("hypotheses").get<Lines>(), references, options))
          sum += counts;
        CHECK(ter(sum) == close(expected.at("score")));
        CHECK(sum.edits == expected.at("edits").get<Index>());
        CHECK(sum.reference_length == close(expected.at("reference_words")));
        check_signature(signature(options, references.size()), expected.at("signature"));
        of_corpus.insert(expected.at("score").get<double>());
        ++compared;
      }
      options_that_matter += of_corpus.size() > 2;
      scores.insert(of_corpus.begin(), of_corpus.end());
    }
  CHECK(compared > 350);
  CHECK(scores.size() > 60);
  CHECK(options_that_matter > 10);
}

TEST_CASE("the paired bootstrap agrees with sacreBLEU's, with other random numbers", "[sacrebleu]") {
  const json& fixture = sacrebleu().at("bootstrap");
  const auto system = fixture.at("system").get<Lines>(), baseline = fixture.at("baseline").get<Lines>(),
             references = fixture.at("references").get<Lines>();
  const auto check = [&](const char* name, const SampleScore& ours, const SampleScore& theirs) {
    CAPTURE(name);
    const json& expected = fixture.at("results").at(name);
    const PairedBootstrap result = paired_bootstrap(system.size(), ours, theirs, {.samples = 4000});
    const auto check_score = [](const ResampledScore& got, const json& score) {
      CHECK(got.score == close(score.at("score")));
      CHECK(got.mean == Approx(score.at("mean").get<double>()).margin(0.5));
      CHECK(got.half_width == Approx(score.at("half_width").get<double>()).epsilon(0.1));
    };
    check_score(result.system, expected.at("system"));
    check_score(result.baseline, expected.at("baseline"));
    CHECK(result.p_value == Approx(expected.at("p_value").get<double>()).margin(0.02));
  };
  const auto bleu_score = [](const BleuCounts& counts) { return bleu(counts).score; };
  const auto system_bleu = bleu_counts(system, references), baseline_bleu = bleu_counts(baseline, references);
  check("BLEU", sample_score(system_bleu, bleu_score), sample_score(baseline_bleu, bleu_score));
  const auto system_chrf = chrf_counts(system, {references}),
             baseline_chrf = chrf_counts(baseline, {references});
  check("chrF2", sample_score(system_chrf, chrf), sample_score(baseline_chrf, chrf));
}

TEST_CASE("chrF of a corpus comes from summed counts", "[chrf]") {
  const auto counts = chrf_counts({"abcd", "xy"}, {{"abce", "yx"}});
  REQUIRE(counts.size() == 2);
  CHECK(counts[0].matches == std::array<Index, 8>{3, 2, 1});
  CHECK(counts[1].matches == std::array<Index, 8>{2});
  ChrfCounts sum = counts[0];
  sum += counts[1];
  CHECK(chrf(sum) == corpus_chrf({"abcd", "xy"}, {"abce", "yx"}));
  // n = 1: 5 of 6, 2: 2 of 4, 3: 1 of 2, 4: 0 of 1, the same for P and R.
  CHECK(chrf(sum) == Approx(100 * (5.0 / 6 + 0.5 + 0.5) / 4));
}

TEST_CASE("chrF of empty texts is 0", "[chrf]") {
  CHECK(corpus_chrf({""}, {"abc"}) == 0);
  CHECK(corpus_chrf({"abc"}, {" "}) == 0);
  CHECK(chrf_counts({"abc"}, {{" "}})[0].hypothesis[0] == 0);
  CHECK_ERROR(corpus_chrf({"a"}, {}), "1 hypotheses, but 0 references");
}
