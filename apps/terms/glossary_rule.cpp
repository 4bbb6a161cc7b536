// --glossary.
#include <memory>

#include "apps/regard/rule_options.h"
#include "apps/terms/term_rule.h"
#include "apps/translation/settings/settings.h"

namespace regard::program {

namespace {

class GlossaryOption : public RuleOptions {
 public:
  void add(const Command& search, const Command*) override {
    search.option("--glossary", path_,
                  "Terms that translations keep to: a file with lines \"source term TAB translation\"; | "
                  "separates several translations, \"haus*\" is a stem, and a third column \"exact\" makes "
                  "capital letters count. A term that is not translated has itself as its translation",
                  {.value_name = "FILE"});
    search.only_with("--glossary")
        .option("--search-terms", search_,
                "With =false, the search may leave terms out: a model trained with data.glossary still reads "
                "their translations");
  }

  void put_into(translation::Settings& settings) const override {
    auto& terms = settings.rules.of<translation::TermSettings>();
    terms.glossary = path_;
    terms.search = search_;
  }

 private:
  std::string path_;
  bool search_ = true;
};

}  // namespace

std::shared_ptr<RuleOptions> glossary_rule() { return std::make_shared<GlossaryOption>(); }

}  // namespace regard::program
