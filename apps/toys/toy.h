#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "apps/toys/random.h"
#include "apps/toys/toys.h"

namespace regard::toys {

/// One toy language. To add a toy, derive a class from this one and add it to the list in toys.cpp.
class Toy {
 public:
  virtual ~Toy() = default;

  virtual ToyDescription description() const = 0;

  /// The number of different sources that draw() can return.
  virtual std::uint64_t distinct_sources() const = 0;

  /// Draws one pair. The target is a function of the source. Later calls may return the same source again.
  virtual SentencePair draw(Random& random) const = 0;

  /// Pairs that always belong to the training set.
  virtual std::vector<SentencePair> always_in_training() const { return {}; }
};

std::unique_ptr<Toy> make_copy();
std::unique_ptr<Toy> make_reverse();
std::unique_ptr<Toy> make_dates();
std::unique_ptr<Toy> make_numbers();
std::unique_ptr<Toy> make_sentences();

}  // namespace regard::toys
