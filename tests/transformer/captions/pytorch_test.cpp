// The same numbers as PyTorch in double precision: a Transformer that reads images.
#include "tests/transformer/captions/pytorch.h"

#include "tests/catch.h"

using namespace regard;
using namespace regard::tests;

TEST_CASE("PyTorch: a whole Transformer that reads images") {
  const Fixtures fixtures("images");
  Config vit = small_vit();
  vit.d_model = caption_width;
  vit.d_ff = 6;
  check_against_pytorch(make_vit(vit, 2, caption_vocabulary, 1), batch_of_images(fixtures),
                        {fixtures, "vit/"});
}
