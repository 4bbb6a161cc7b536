#pragma once

#include <string>
#include <vector>

#include "apps/processes/network.h"
#include "apps/translation/processes/processes.h"

namespace regard::translation {

struct TrainingSettings;

/// The name of this machine.
std::string host();

/// Processes that a network connects. The sum of gradients is in gradient_exchange.cpp, the comparisons in
/// agreement.cpp: a message names the first process that differs, with its host, the difference, and the
/// remedy.
class SeveralProcesses : public Processes {
 public:
  explicit SeveralProcesses(Network& network) : network_(network) {}

  Index rank() const override { return network_.rank(); }
  Index count() const override { return network_.count(); }
  std::vector<std::string> all_gather(const std::string& bytes) override {
    return network_.all_gather(bytes);
  }
  void broadcast(std::span<Real> numbers) override { network_.broadcast(numbers); }
  double sum_gradients(const Tensor& gradient, Index micro_batches, const Backward& backward) override;

  void agree_on(const std::vector<Fact>& facts, const std::string& remedy) override;
  /// Throws Error also if there are more processes than micro-batches (training.shards).
  void agree_on(const Settings& settings) override;
  void agree_on(TranslationModel& model) override;
  void agree_on(const ParallelText& text) override;

  /// Compares the version of the program.
  void agree_on_version();

  /// Returns the number of threads with which the processes of this host together use each of its physical
  /// cores once. A core on which several processes may run is divided among them.
  int share_of_processors();

 private:
  /// Compares the version and, unless training.unequal_kernels is true, the kernels that compute: instruction
  /// set and OpenBLAS.
  void agree_on_program(const TrainingSettings& training);

  Network& network_;
};

}  // namespace regard::translation
