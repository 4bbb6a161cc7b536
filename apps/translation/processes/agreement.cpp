#include "apps/translation/processes/agreement.h"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "apps/translation/corpus/checksum.h"
#include "apps/translation/files/utf8.h"
#include "apps/translation/files/version.h"
#include "apps/translation/files/warning.h"
#include "apps/translation/model/translation_model.h"
#include "apps/translation/processes/sharing.h"
#include "apps/translation/settings/settings_json.h"
#include "apps/translation/text/counted.h"
#include "autograd/machine/blas.h"
#include "autograd/machine/error.h"
#include "autograd/machine/parallel.h"
#include "autograd/machine/processors.h"
#include "autograd/ops/linear_products.h"

namespace regard::translation {

namespace {

std::string host() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

}  // namespace

void check_agreement(Processes& processes, const std::vector<Fact>& facts, const std::string& remedy) {
  if (processes.alone()) return;
  std::vector<std::string> own{host()};
  for (const auto& [name, value] : facts) own.push_back(value);
  const std::vector<std::vector<std::string>> all = gather(processes, own);
  for (std::size_t i = 0; i < facts.size(); ++i)
    for (std::size_t rank = 1; rank < all.size(); ++rank)
      if (const std::string& value = all[rank].at(i + 1), &expected = all[0].at(i + 1); value != expected)
        fail(
            "rank {} on host {} has another {} than rank 0 on host {}: {} instead of {}; nothing was "
            "changed; {}",
            rank, all[rank][0], facts[i].first, all[0][0], printable(value, 200), printable(expected, 200),
            remedy);
}

void check_same_program(Processes& processes, bool unequal_kernels) {
  check_agreement(processes, {{"version of regard", exact_version()}},
                  "install the same version on all hosts");
  if (unequal_kernels || processes.alone()) return;
  const blas::Information& openblas = blas::information();
  check_agreement(
      processes,
      {{"instruction set", to_string(simd())},
       {"OpenBLAS", openblas.version},
       {"OpenBLAS core", openblas.core}},
      "other kernels round differently; set the environment variables REGARD_SIMD and OPENBLAS_CORETYPE to "
      "the same values on all hosts, or set training.unequal_kernels to true and accept other bits");
}

void check_same_settings(Processes& processes, const Settings& settings) {
  if (processes.alone()) return;
  std::vector<Fact> facts;
  for (const auto& [place, value] : values_of(resolved(settings)))
    if (place != "training.threads") facts.push_back({place, value.dump()});
  check_agreement(processes, facts, "give all processes the same configuration and options");
}

void check_same_model(Processes& processes, TranslationModel& model) {
  if (processes.alone()) return;
  check_same_program(processes, model.settings.training.unequal_kernels);
  Checksum weights, vocabularies;
  for (const nn::NamedParameter& parameter : model.model.parameters())
    if (const auto& copy = MatrixForm::of(parameter.tensor))
      for (const std::span<const std::byte> memory : copy->memory())
        weights.add(memory.data(), memory.size());
    else
      weights.add(parameter.tensor.data(), to_size(parameter.tensor.size()) * sizeof(Real));
  vocabularies.add(model.vocabularies.source);
  vocabularies.add(model.vocabularies.target);
  check_agreement(processes,
                  {{"model", "weights with checksum " + weights.text()},
                   {"vocabulary", "checksum " + vocabularies.text()}},
                  "give all hosts the same model");
}

void check_same_text(Processes& processes, const ParallelText& text) {
  if (processes.alone()) return;
  Checksum sum;
  for (const auto* side : {&text.source, &text.target})
    for (const std::string& line : *side) sum.add(line);
  check_agreement(processes, {{"text", "checksum " + sum.text()}}, "give all hosts the same files");
}

void check_shards(const Processes& processes, Index shards) {
  if (processes.count() <= shards) return;
  fail(
      "there are {} processes, but training.shards is {}, and each process needs a shard of every batch; "
      "start at most {}, or set training.shards to at least {} when the training begins (8 suits 1, 2, 4 and "
      "8 processes)",
      processes.count(), shards, shards, processes.count());
}

int share_of_processors(Processes& processes) {
  const std::vector<int>& own = processors().cores;
  std::map<int, int> sharing;  // processes of this host that may run on each processor
  for (const auto& [name, cores] : gather(processes, std::pair(host(), own)))
    if (name == host())
      for (const int core : cores) ++sharing[core];
  double share = 0;
  for (const int core : own) share += 1.0 / sharing[core];
  constexpr double rounding = 1e-6;
  return std::max(1, static_cast<int>(share + rounding));
}

void use_threads(int count, const char* origin) {
  set_threads(count, origin);
  if (count <= processors().count()) return;
  warn("{} is {}, but the program has only {} ({}); more threads than processors make it slower", origin,
       count, counted(processors().count(), "processor"), processors().limit);
}

}  // namespace regard::translation
