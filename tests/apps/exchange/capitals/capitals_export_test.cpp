// Models with marks in place of capitals: formats of texts refuse them, formats of tokens warn.
#include "apps/exchange/export.h"
#include "tests/apps/exchange/own_model.h"

using namespace regard;
using namespace regard::tests;
using namespace regard::exchange;

TEST_CASE("a model with marks in place of capitals goes only where tokens go in", "[exchange]") {
  translation::TranslationModel model = own_model(learn_numbers({.size = 120}), {"data.case=tokens"});
  CHECK_ERROR(
      export_huggingface(model, "/dev/null"),
      "the format huggingface cannot express this model: data.case is \"tokens\", but its program "
      "neither writes marks in place of capitals nor reads them; export it for ctranslate2 or pytorch");
  const TemporaryDirectory directory;
  export_pytorch(model, directory / "");
  CHECK(directory.entries() == 3);
}
