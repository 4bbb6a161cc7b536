// What must be the same in all processes, and how they divide the processors.
#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "apps/processes/several_processes.h"
#include "apps/translation/corpus/checksum.h"
#include "apps/translation/files/utf8.h"
#include "apps/translation/files/version.h"
#include "apps/translation/model/precisions.h"
#include "apps/translation/model/translation_model.h"
#include "apps/translation/processes/sharing.h"
#include "apps/translation/settings/settings_json.h"
#include "autograd/machine/blas.h"
#include "autograd/machine/error.h"
#include "autograd/machine/processors.h"
#include "autograd/ops/linear_products.h"

namespace regard::translation {

std::string host() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

void SeveralProcesses::agree_on(const std::vector<Fact>& facts, const std::string& remedy) {
  std::vector<std::string> own{host()};
  for (const auto& [name, value] : facts) own.push_back(value);
  const std::vector<std::vector<std::string>> all = gather(*this, own);
  for (std::size_t i = 0; i < facts.size(); ++i)
    for (std::size_t rank = 1; rank < all.size(); ++rank)
      if (const std::string& value = all[rank].at(i + 1), &expected = all[0].at(i + 1); value != expected)
        fail(
            "rank {} on host {} has another {} than rank 0 on host {}: {} instead of {}; nothing was "
            "changed; {}",
            rank, all[rank][0], facts[i].first, all[0][0], printable(value, 200), printable(expected, 200),
            remedy);
}

void SeveralProcesses::agree_on_version() {
  agree_on({{"version of regard", exact_version()}}, "install the same version on all hosts");
}

void SeveralProcesses::agree_on_program(const TrainingSettings& training) {
  agree_on_version();
  if (training.unequal_kernels) return;
  const blas::Information& openblas = blas::information();
  agree_on(
      {{"instruction set", to_string(simd())},
       {"OpenBLAS", openblas.version},
       {"OpenBLAS core", openblas.core}},
      "other kernels round differently; set the environment variables REGARD_SIMD and OPENBLAS_CORETYPE to "
      "the same values on all hosts, or set training.unequal_kernels to true and accept other bits");
}

void SeveralProcesses::agree_on(const Settings& settings) {
  const TrainingSettings& training = settings.training;
  if (count() > training.shards)
    fail(
        "there are {} processes, but training.shards is {}, and each process needs a shard of every batch; "
        "start at most {}, or set training.shards to at least {} when the training begins (8 suits 1, 2, 4 "
        "and 8 processes)",
        count(), training.shards, training.shards, count());
  agree_on_program(training);
  std::vector<Fact> facts;
  for (const auto& [place, value] : values_of(resolved(settings)))
    if (place != "training.threads") facts.push_back({place, value.dump()});
  agree_on(facts, "give all processes the same configuration and options");
  if (training.precision != Precision::float32 && !training.unequal_kernels)
    agree_on({{"products", precisions().information(training.precision)}},
             "install the same oneDNN on all hosts, or set training.unequal_kernels");
}

void SeveralProcesses::agree_on(TranslationModel& model) {
  agree_on_program(model.settings.training);
  Checksum weights, vocabularies;
  for (const nn::NamedParameter& parameter : model.model.parameters())
    if (const auto& copy = MatrixForm::of(parameter.tensor))
      for (const std::span<const std::byte> memory : copy->memory())
        weights.add(memory.data(), memory.size());
    else
      weights.add(parameter.tensor.data(), to_size(parameter.tensor.size()) * sizeof(Real));
  vocabularies.add(model.vocabularies.source);
  vocabularies.add(model.vocabularies.target);
  agree_on({{"model", "weights with checksum " + weights.text()},
            {"vocabulary", "checksum " + vocabularies.text()}},
           "give all hosts the same model");
}

void SeveralProcesses::agree_on(const ParallelText& text) {
  Checksum sum;
  for (const auto* side : {&text.source, &text.target})
    for (const std::string& line : *side) sum.add(line);
  agree_on({{"text", "checksum " + sum.text()}}, "give all hosts the same files");
}

int SeveralProcesses::share_of_processors() {
  const std::vector<int>& own = processors().cores;
  std::map<int, int> sharing;  // processes of this host that may run on each processor
  for (const auto& [name, cores] : gather(*this, std::pair(host(), own)))
    if (name == host())
      for (const int core : cores) ++sharing[core];
  double share = 0;
  for (const int core : own) share += 1.0 / sharing[core];
  constexpr double rounding = 1e-6;
  return std::max(1, static_cast<int>(share + rounding));
}

}  // namespace regard::translation
