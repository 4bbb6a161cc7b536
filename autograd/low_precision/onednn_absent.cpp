// The place of onednn.cpp in a build without the headers of oneDNN.
#include "autograd/low_precision/onednn.h"
#include "autograd/machine/error.h"

namespace regard::onednn {

namespace {
constexpr const char* reason =
    "regard was built without oneDNN; install libdnnl-dev (third_party/install.sh does) and build it again";
}

void product(const ProductShape&, const void*, const void*, void*) { fail("{}", reason); }
Packed pack(Precision, Index, Index, const void*, low_precision::Strides) { fail("{}", reason); }
std::string missing(Precision) { return reason; }
std::string information() { return reason; }

}  // namespace regard::onednn
