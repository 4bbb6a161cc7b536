// The page's models read text. In place of the room that reads images, whose libraries the engine does not
// need:
#include "apps/images/image_file.h"
#include "apps/images/model_images.h"
#include "autograd/machine/error.h"

namespace regard {

namespace {
[[noreturn]] void refuse() { fail("the models of this page read text, not images"); }
}  // namespace

namespace images {
Image decode_image(std::string_view, const std::string&) { refuse(); }
std::string png_bytes(const Image&) { refuse(); }
}  // namespace images

namespace translation {
images::Image model_image(const images::Image&, const std::string&, const ImageSettings&) { refuse(); }
}  // namespace translation

namespace REGARD_PRECISION::transformer {
std::vector<std::int32_t> as_source(const Image&) { refuse(); }
}  // namespace REGARD_PRECISION::transformer

}  // namespace regard
