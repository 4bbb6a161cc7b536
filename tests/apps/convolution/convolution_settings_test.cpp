#include "tests/apps/settings/checked.h"

using namespace regard::translation;
using namespace regard::tests;

TEST_CASE("settings of convolutions over text that contradict others are refused", "[settings]") {
  accepted({"model.encoder=text_convolutional", "model.text_window=5", "model.positions.kind=none"});
  refused({"model.encoder=text_convolutional", "model.text_window=4"}, "model.text_window is 4");
  refused({"model.text_window=5"}, "model.text_window has no effect here");
}
