#pragma once

#include <string>
#include <utility>
#include <vector>

#include "apps/translation/processes/processes.h"
#include "apps/translation/settings/settings.h"

namespace regard::translation {

struct ParallelText;
struct TranslationModel;

/// Something that must be the same in all processes: its name ("colour") and its value ("red").
using Fact = std::pair<std::string, std::string>;

/// Throws the same Error in all processes if a fact of one process differs from that of the first process.
/// The message names the first such process with its host, the difference, and the remedy.
void check_agreement(Processes& processes, const std::vector<Fact>& facts, const std::string& remedy);

/// check_agreement for the version of the program and, unless `unequal_kernels` is true, for the kernels that
/// compute: instruction set and OpenBLAS.
void check_same_program(Processes& processes, bool unequal_kernels);

/// check_agreement for all settings, except for the number of threads.
void check_same_settings(Processes& processes, const Settings& settings);

/// check_same_program, and check_agreement for the weights and vocabularies of a model that translates.
void check_same_model(Processes& processes, TranslationModel& model);

/// check_agreement for a text that is translated.
void check_same_text(Processes& processes, const ParallelText& text);

/// Throws Error if there are more processes than micro-batches (training.shards).
void check_shards(const Processes& processes, Index shards);

/// Returns the number of threads with which the processes of this host together use each of its physical
/// cores once. A core on which several processes may run is divided among them.
int share_of_processors(Processes& processes);

/// set_threads for a number that the user has given. Warns if this process has fewer processors.
void use_threads(int count, const char* origin);

}  // namespace regard::translation
