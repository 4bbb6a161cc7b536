#pragma once

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "autograd/tensor.h"

namespace regard::translation {

struct ParallelText;
struct Settings;
struct TranslationModel;

/// Something that must be the same in all processes: its name ("colour") and its value ("red").
using Fact = std::pair<std::string, std::string>;

/// The processes that work together on one training or one translation. This class is one process by itself.
/// A room may derive several from it, each with a number, its rank; all of them must call the same functions
/// in the same order. Throws Error if their network fails.
class Processes {
 public:
  Processes() = default;
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;
  virtual ~Processes() = default;

  virtual Index rank() const { return 0; }
  virtual Index count() const { return 1; }
  /// True in the process that writes and prints.
  bool first() const { return rank() == 0; }
  bool alone() const { return count() == 1; }

  /// Returns the bytes of each process, in the order of the ranks.
  virtual std::vector<std::string> all_gather(const std::string& bytes) { return {bytes}; }
  /// Replaces the numbers by those of the first process.
  virtual void broadcast(std::span<Real>) {}

  /// Sums the gradients and losses of all micro-batches along the tree of gradient_sum.h. With
  /// training.accumulate, the micro-batches of the same number of several batches are one leaf. `backward(i)`
  /// computes leaf i: it adds its gradient to the memory `gradient`, which is zero before, and returns its
  /// loss. Afterwards `gradient` is the sum of all. Returns the sum of the losses. Several processes divide
  /// the calls of `backward`; the sums have the same bits in each of them, and for every number of processes.
  using Backward = std::function<double(Index micro_batch)>;
  virtual double sum_gradients(const Tensor& gradient, Index micro_batches, const Backward& backward);

  // Several processes compare what they have with the first one. If something differs, these functions throw
  // the same Error in all of them, before anything is changed.

  /// These facts. `remedy` is an advice for the message.
  virtual void agree_on(const std::vector<Fact>& /*facts*/, const std::string& /*remedy*/) {}
  /// What a training computes with, and all its settings except for the number of threads.
  virtual void agree_on(const Settings&) {}
  /// What computes a translation, and the weights and vocabularies of its model.
  virtual void agree_on(TranslationModel&) {}
  /// A text that is translated.
  virtual void agree_on(const ParallelText&) {}
};

/// A process by itself.
Processes& one_process();

}  // namespace regard::translation
