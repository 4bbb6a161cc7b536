// Every operation is in the profile under its own name, and profiling changes no bit.
#include <cstring>
#include <set>

#include "autograd/cases/cases.h"
#include "autograd/profile.h"
#include "tests/autograd/support.h"
#include "tests/catch.h"

using namespace regard;
using namespace regard::tests;

namespace {

std::set<std::string> names(const Profile& profile, Span::Kind kind) {
  std::set<std::string> result;
  for (const Profile::Event& event : profile.events())
    if (event.kind == kind) result.insert(event.name);
  return result;
}

/// The value and all gradients of a case.
std::vector<Tensor> results(const gradcheck_table::GradientCase& c) {
  const std::vector<Tensor> inputs = leaves(c.inputs);
  const Tensor y = c.function(inputs);
  std::vector<Tensor> result{y.detach()};
  for (const Tensor& gradient : gradients(y, inputs)) result.push_back(gradient);
  return result;
}

}  // namespace

TEST_CASE("every operation opens a span with the name that it records, forward and backward") {
  for (const gradcheck_table::GradientCase& c : gradcheck_table::op_cases()) {
    CAPTURE(c.name);
    const std::vector<Tensor> expected = results(c);
    Profile profile;
    const std::vector<Tensor> watched = results(c);
    profile.stop();
    CHECK(names(profile, Span::Kind::forward).count(c.op()) == 1);
    const std::set<std::string> backward = names(profile, Span::Kind::backward);
    CHECK(backward.count(c.op()) == 1);
    for (const std::string& name : backward)  // nothing is recorded that opened no span
      CHECK(names(profile, Span::Kind::forward).count(name) == 1);
    CHECK(same_bits(watched, expected));
  }
}
