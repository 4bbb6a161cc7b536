#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "apps/toys/random.h"
#include "apps/toys/toys.h"

namespace regard::toys {

/// One toy language. To add a toy: derive from this, and list it in toys.cpp.
class Toy {
 public:
  virtual ~Toy() = default;

  virtual ToyDescription description() const = 0;

  /// How many different sources draw() can return.
  virtual std::uint64_t distinct_sources() const = 0;

  /// One pair. The target is a function of the source; the same source may be drawn again.
  virtual SentencePair draw(Random& random) const = 0;

  /// Pairs that belong to the training set whatever is drawn.
  virtual std::vector<SentencePair> always_in_training() const { return {}; }
};

std::unique_ptr<Toy> make_copy();
std::unique_ptr<Toy> make_reverse();
std::unique_ptr<Toy> make_dates();
std::unique_ptr<Toy> make_numbers();
std::unique_ptr<Toy> make_sentences();

}  // namespace regard::toys
