#include "apps/regard/measure.h"
#include "apps/terms/fixed_parts.h"
#include "apps/terms/term_rule.h"
#include "autograd/machine/error.h"

namespace regard::program {

namespace {

/// How many translations have the placeholders, the markup and the numbers of their source.
class KeptPartsMeasure : public Measure {
  void read(const Evaluated& evaluated) override {
    const auto& given = evaluated.settings.rules.of<translation::TermSettings>().placeholders;
    if (evaluated.model == nullptr && evaluated.sources.empty() && !given.empty())
      fail("--placeholders are compared with the sentences that were translated; give them with --source");
    patterns_ = translation::fixed_patterns(given);
    sources_ = evaluated.sources;
  }

  Measured of_outputs(const Outputs& outputs) override {
    Measured result;
    if (sources_.empty()) return result;
    const auto all = kept_parts(sources_, outputs.hypotheses, patterns_);
    for (std::size_t kind = 0; kind < all.size(); ++kind) {
      const translation::KeptParts& kept = all[kind];
      if (kept.sentences == 0) continue;
      const char* const name = translation::fixed_kinds[kind].name;
      result.lines += fmt::format("{:<16}{} ({} of {} translations have those of their source)\n", name,
                                  percent(kept.share(), ""), kept.kept, kept.sentences);
      result.json["kept"][name] = {
          {"share", kept.share()}, {"sentences", kept.sentences}, {"kept", kept.kept}};
    }
    return result;
  }

  translation::Patterns patterns_;
  std::vector<std::string> sources_;
};

}  // namespace

std::shared_ptr<Measure> make_kept_parts() { return std::make_shared<KeptPartsMeasure>(); }

}  // namespace regard::program
